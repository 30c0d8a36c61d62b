// SPDX-License-Identifier: BSD-3-Clause
#include "access/tracked_field.h"

#include "access/group_run.h"

namespace halo {

TrackedField::TrackedField(Field &which, int32_t of_set, AccessCounters &shared)
    : field(which),
      set(of_set),
      mirror(which, of_set),
      counters(shared),
      name_(which.spec().name + (which.spec().n_sets > 1 ? format(" (set %d)", of_set) : "")) {
    if (which.topology().context().check_mode()) declared = std::make_unique<DeclaredAccess>(which, of_set, mirror);
}

void TrackedField::access(Section section, int32_t where, bool writes, bool whole, halo_stream stream) {
    const int64_t up = mirror.bytes_up, down = mirror.bytes_down;
    mirror.access(section, where, writes, whole, stream);
    counters.bytes_up += mirror.bytes_up - up;
    counters.bytes_down += mirror.bytes_down - down;
}

void TrackedField::reverse_finished() noexcept {
    freshness.reverse_finished();
    pending_in.reset();
    if (declared) declared->owned_change();
}

// What may fail comes first: then nothing has changed.
void TrackedField::mark_dirty(int32_t where) {
    mirror.reserve(where, false);
    freshness.mark_dirty(name());
    if (declared) declared->forget();
    access(Section::owned, where, true, true, HALO_STREAM_NONE);
}

// It is void then, so why it has not come does not matter.
void TrackedField::let_pending_come() {
    try {
        if (const std::shared_ptr<ReverseGroup> group = pending_in) group->settle(HALO_STREAM_NONE);
    } catch (const Error &error) {
        if (error.status() == HALO_TIMEOUT) throw;
    }
}

void TrackedField::mark_fresh(int32_t where) {
    mirror.reserve(where, false);
    let_pending_come();
    freshness.mark_fresh(name());
    pending_in.reset();
    if (declared) declared->forget();
    access(Section::owned, where, true, true, HALO_STREAM_NONE);
    access(Section::ghosts, where, true, true, HALO_STREAM_NONE);
}

} // namespace halo
