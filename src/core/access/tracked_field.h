// SPDX-License-Identifier: BSD-3-Clause
// What batches know about one binding set of a field.
#pragma once

#include <memory>
#include <string>

#include "access/declared.h"
#include "access/freshness.h"
#include "access/mirror.h"

namespace halo {

class ForwardGroup;
class ReverseGroup;

// Of all fields of one name.
struct AccessCounters {
    int64_t started = 0;
    int64_t skipped = 0;
    int64_t reversed = 0;
    int64_t bytes_sent = 0;
    int64_t bytes_up = 0;
    int64_t bytes_down = 0;
};

struct TrackedField {
    TrackedField(Field &which, int32_t of_set, AccessCounters &shared);

    const char *name() const { return name_.c_str(); } // in error texts
    void access(Section section, int32_t where, bool writes, bool whole, halo_stream stream);

    // What was pending has come to the owners, or is lost.
    void reverse_finished() noexcept;
    // The caller has changed values there.
    void mark_dirty(int32_t where);
    void mark_fresh(int32_t where);

    Field &field;
    const int32_t set;
    Freshness freshness;
    Mirror mirror;
    AccessCounters &counters;
    std::shared_ptr<ReverseGroup> pending_in;  // what brings pending values to their owners; lives on when its batch goes
    std::shared_ptr<ForwardGroup> arriving_in; // what brings its ghosts, while they are on their way
    std::unique_ptr<DeclaredAccess> declared;  // in check mode

private:
    void let_pending_come();

    std::string name_;
};

} // namespace halo
