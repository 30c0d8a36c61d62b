// SPDX-License-Identifier: BSD-3-Clause
// What batches know about a field.
#pragma once

#include <memory>

#include "access/freshness.h"
#include "access/mirror.h"

namespace halo {

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
    TrackedField(Field &which, AccessCounters &shared) : field(which), mirror(which), counters(shared) {}

    const char *name() const { return field.spec().name.c_str(); }
    void access(Section section, int32_t where, bool writes, bool whole, halo_stream stream) {
        const int64_t up = mirror.bytes_up, down = mirror.bytes_down;
        mirror.access(section, where, writes, whole, stream);
        counters.bytes_up += mirror.bytes_up - up;
        counters.bytes_down += mirror.bytes_down - down;
    }

    // The caller has changed values there.
    void mark_dirty(int32_t where) {
        freshness.mark_dirty(name());
        access(Section::owned, where, true, true, HALO_STREAM_NONE);
    }
    void mark_fresh(int32_t where) {
        freshness.mark_fresh(name());
        pending_in.reset();
        access(Section::owned, where, true, true, HALO_STREAM_NONE);
        access(Section::ghosts, where, true, true, HALO_STREAM_NONE);
    }

    Field &field;
    Freshness freshness;
    Mirror mirror;
    AccessCounters &counters;
    std::shared_ptr<ReverseGroup> pending_in; // what brings pending values to their owners; lives on when its batch goes
};

} // namespace halo
