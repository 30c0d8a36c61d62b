// SPDX-License-Identifier: BSD-3-Clause
// Processes of this host: has one that this process knew ended?
#pragma once

#include <cstdint>

namespace halo {

// Its number alone does not tell it from one that comes after it.
struct Process {
    uint64_t host = 0;    // 0: not known
    uint64_t started = 0; // clock ticks since the host was
    int64_t number = 0;
};

Process this_process();
// Also when it is only waited for by its parent. False where that cannot be told: on other hosts, without /proc.
bool has_ended(const Process &process);

} // namespace halo
