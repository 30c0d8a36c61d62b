// SPDX-License-Identifier: BSD-3-Clause
#include "access/freshness.h"

#include "base/error.h"

namespace halo {

namespace {

const char *plural_of(halo_op op) { return op == HALO_SUM ? "sums" : op == HALO_MIN ? "minima" : "maxima"; }

} // namespace

void Freshness::require_thawed(const char *name) const {
    if (frozen_) fail(HALO_ERR_STATE, "field %s is frozen", name);
}

void Freshness::require_unused(const char *name, const char *what) const {
    if (writer_ || readers_ > 0) fail(HALO_ERR_STATE, "field %s: %s while a batch uses it", name, what);
}

Freshness::Needs Freshness::needs(const Use &use, const char *name) const {
    require_thawed(name);
    if (writer_) fail(HALO_ERR_STATE, "field %s: another batch that is not ended changes it", name);
    if (readers_ > 0 && use.changes()) fail(HALO_ERR_STATE, "field %s: another batch that is not ended reads it", name);
    Needs needs;
    const bool more_of_the_same = use.to_ghosts && use.adds == pending_ && use.canonical == pending_canonical_ && (use.added & ~pending_in_) == 0;
    needs.reverse = pending_ != 0 && !more_of_the_same;
    const uint32_t fresh = needs.reverse ? 0 : fresh_;
    needs.exchange = use.ghosts & ~fresh & ~in_flight_;
    needs.joins = (use.ghosts & ~fresh & in_flight_) != 0;
    needs.identity = use.to_ghosts && (pending_ == 0 || needs.reverse);
    return needs;
}

void Freshness::open(const Use &use) {
    if (use.changes())
        writer_ = true;
    else
        ++readers_;
    if (use.to_ghosts) {
        fresh_ = 0; // ghosts now begin with what adds nothing
        if (pending_ == 0) pending_in_ = use.added;
        pending_ = use.adds;
        pending_canonical_ = use.canonical;
    }
}

void Freshness::reverse_finished() {
    pending_ = 0;
    fresh_ = 0;
}

void Freshness::exchange_started(uint32_t sections) { in_flight_ = sections; }

void Freshness::exchange_arrived() {
    fresh_ |= in_flight_;
    in_flight_ = 0;
}

void Freshness::close(const Use &use) {
    if (!use.changes()) {
        --readers_;
        return;
    }
    writer_ = false;
    fresh_ &= ~use.stale;
    ++version_;
}

void Freshness::mark_dirty(const char *name) {
    require_thawed(name);
    require_unused(name, "marked dirty");
    if (pending_ != 0) fail(HALO_ERR_STATE, "field %s: marked dirty while %s are pending: read it before", name, plural_of(pending_));
    fresh_ = 0;
    ++version_;
}

void Freshness::mark_fresh(const char *name) {
    require_thawed(name);
    require_unused(name, "marked fresh");
    pending_ = 0;
    fresh_ = all_sections;
    ++version_;
}

int32_t Freshness::state() const {
    if (frozen_) return HALO_FRESHNESS_FROZEN;
    if (in_flight_ != 0) return HALO_FRESHNESS_IN_FLIGHT;
    if (pending_ != 0) return HALO_FRESHNESS_PENDING_REVERSE;
    return fresh_ == all_sections ? HALO_FRESHNESS_VALID : HALO_FRESHNESS_STALE;
}

} // namespace halo
