// SPDX-License-Identifier: BSD-3-Clause
// Who this process is to others of its host, and whether another one has ended.
#pragma once

#include <cstdint>

namespace halo::shm {

// Processes with equal places see each other under the numbers that they have for themselves.
struct Place {
    uint64_t host = 0;      // since it was started; 0: not known
    uint64_t numbering = 0; // the namespace of process numbers
    bool operator==(const Place &) const = default;
    bool known() const { return host != 0 && numbering != 0; }
};
Place this_place();

// Its number alone does not tell it from one that comes after it.
struct Process {
    int64_t number = 0;
    uint64_t started = 0; // clock ticks since the host was; 0: not known
};
Process this_process();
// Of this place. Also when it is only waited for by its parent. False where that cannot be told.
bool has_ended(const Process &process);

} // namespace halo::shm
