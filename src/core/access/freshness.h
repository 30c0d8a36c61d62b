// SPDX-License-Identifier: BSD-3-Clause
// Are a field's ghosts what their owners have? The state of one binding set of a field, without any communication.
//
//          start            arrive
//   STALE -------> IN_FLIGHT -------> VALID      any write: back to STALE
//     ^  add through a map, HALO_STYLE_REVERSE
//     +---------- PENDING_REVERSE(op) <---+      finish_reverse: back to STALE; more of the same op and order: stays;
//                                                another: finish_reverse, then pending anew
//                                                FROZEN: lies over all of these
#pragma once

#include <cstdint>
#include <string>

#include "halo_access.h"

namespace halo {

inline constexpr uint32_t all_sections = UINT32_MAX;

// What one batch does with a field, all its arguments together.
struct Use {
    bool reads = false;
    bool writes = false;    // sets or changes values
    halo_op adds = 0;       // combines into values: HALO_SUM, HALO_MIN, HALO_MAX; then it neither reads nor writes
    bool canonical = false; // what it adds to ghosts is to be combined in canonical order
    bool whole = false;     // every owned value is written, none is read
    bool to_ghosts = false; // adds through a map, for a reverse exchange
    bool scratch = false;   // adds through a map, and what ghosts get is worth nothing
    uint32_t ghosts = 0;    // sections of ghosts that are read,
    uint32_t added = 0;     // that are added to, for a reverse exchange,
    uint32_t stale = 0;     // and that are stale after it

    bool changes() const { return writes || adds != 0; }
};

class Freshness {
public:
    // What a batch must have done before its loop may run.
    struct Needs {
        bool reverse = false;  // finish what is pending
        uint32_t exchange = 0; // fill these sections of ghosts
        bool identity = false; // set ghosts to what adds nothing
        bool joins = false;    // the rest of what it reads is on its way for another batch
    };

    // Fails where the use is illegal, with the field's name. Changes nothing.
    Needs needs(const Use &use, const char *name) const;

    // Are ghosts on their way, and does it read others that are not fresh? Then those are to arrive before: one exchange of a field at a time.
    bool must_arrive_before(const Use &use) const { return in_flight_ != 0 && (use.ghosts & ~fresh_ & ~in_flight_) != 0; }
    // Would what it adds to ghosts go to the owners with what is pending, in an exchange of just these sections?
    bool adds_all_that_is_pending(const Use &use) const { return use.added == pending_in_; }

    // The steps of a batch, in this order.
    void open(const Use &use); // after reverse_finished, where that was needed
    void reverse_finished();   // what was pending is with the owners
    void exchange_started(uint32_t sections);
    void exchange_arrived(); // or, after a failure, exchange_lost
    void exchange_lost() { in_flight_ = 0; }
    void close(const Use &use);

    // Done by the caller, outside of batches.
    void mark_dirty(const char *name);
    void mark_fresh(const char *name);
    void freeze(bool frozen) { frozen_ = frozen; }
    // `what` is to happen to the field.
    void require_unused(const char *name, const char *what) const;

    int32_t state() const;
    halo_op pending() const { return pending_; }
    uint32_t fresh() const { return fresh_; }
    int64_t version() const { return version_; }

private:
    void require_thawed(const char *name) const;

    uint32_t fresh_ = 0;
    uint32_t in_flight_ = 0;
    halo_op pending_ = 0;
    uint32_t pending_in_ = 0; // sections of ghosts
    bool pending_canonical_ = false;
    bool frozen_ = false;
    int32_t readers_ = 0; // open batches
    bool writer_ = false; // one, which changes values
    int64_t version_ = 0;
};

} // namespace halo
