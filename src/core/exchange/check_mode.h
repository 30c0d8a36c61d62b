// SPDX-License-Identifier: BSD-3-Clause
// Check mode (HALO_CHECK=1) of one exchange: looks at storage before and after the rows have done their work, and names the first offender.
//
// start    owned values must not come from ghosts that were read in flight; what this rank gives itself is kept beside, and compared with
//          what its rows have done; ghosts are poisoned, and stay so until finish; a hash of every point that goes to others travels behind
//          the message's data.
// finish   ghosts must still hold their poison, and, where the caller promised source_stable, what was sent must be unchanged; after
//          unpacking, every ghost must have the hash of what was sent, and nothing else may have changed.
// Rows stay the same from run to run. So ghosts that the rank fills itself are poisoned before their rows run, and all storage is compared, in the
// first run of rows; later ones compare one part in eight, each in turn. HALO_CHECK=full: all of it in every run, around start too.
//
// Cost: what this rank gives itself, and where it hears of others a copy of every part's storage; 4 bytes per point in messages. Ghosts are gone over
// by rows; those that the rank fills itself twice, once more where they are compared, and four times in the first run. Storage that is compared is
// gone over twice in finish, and with `full` twice in start.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "exchange/box_values.h"
#include "exchange/poison.h"
#include "exchange/round_spec.h"
#include "exchange/run.h"

namespace halo {

class Config;

class CheckMode {
public:
    CheckMode(const RoundSpec &spec, const Config &config);

    // Before anything is packed.
    void start(const Run &run);
    // The most bytes of hashes that travel with a message of the plan. Writing them, returns how many; reading those that end at `end`.
    static size_t hash_bytes(const Plan &plan, const PlanLink &link, bool sending);
    static size_t hash_bytes(const Run &run, const PlanLink &link, bool sending); // of this run
    size_t write_hashes(const Run &run, const PlanLink &link, std::byte *at) const;
    void take_hashes(const Run &run, const PlanLink &link, const std::byte *end);
    // All same-rank rows have been run.
    void after_start(const Run &run);
    // `has_landed`: the peer of a link of the plan has filled the ghosts already.
    void before_unpack(const Run &run, FunctionRef<bool(size_t link)> has_landed);
    void after_unpack(const Run &run);

    // How many bytes of storage, those beside edges too, the last run has gone over.
    struct Passes {
        int64_t searched = 0; // for poison, of owned values
        int64_t kept = 0;
        int64_t compared = 0;
    };
    const Passes &passes() const { return passes_; }

private:
    using Hashes = std::vector<uint32_t>;
    // An edge of a run.
    struct Checked {
        size_t piece;
        const PlacedEdge *edge;
    };
    struct Received : Checked {
        Hashes hashes;
    };
    // Rows that have had runs without a finding, and how many.
    struct Known {
        std::shared_ptr<const Lowered> rows;
        uint64_t n_runs = 0;
    };
    struct Withheld : Checked {
        size_t first; // of its values
    };

    template <class Visit>
    static void for_each_hashed(const Run &run, const PlanLink &link, bool sending, Visit &&visit);
    static bool is_in_place(const Run &run, const Checked &checked);
    template <class Visit>
    static void for_each_local(const Run &run, Visit &&visit);
    template <class Visit>
    static void for_each_receiving(const Run &run, Visit &&visit);
    EdgeBoxes boxes_of(const Run &run, const Checked &checked) const;
    BoxValues target_of(const Run &run, const Checked &checked) const;
    const Field &field_of(const Run &run, const Checked &checked) const { return *run.plan->pieces()[checked.piece].field; }
    void refuse_poison_in_owned(const Run &run);
    [[noreturn]] void refuse_poison(const Run &run, const Field &field, int64_t part, int64_t element, const std::byte *value) const;
    void refuse_poison_in_part(const Run &run, const Field &field, int64_t part, const void *storage);
    Poison poison_of(const Field &field, int64_t part) const { return { field.spec(), field.ordinal(), seed_, part }; }
    Poison poison_of(const Run &run, const Checked &checked) const { return poison_of(field_of(run, checked), checked.edge->recv_part); }
    void poison(const Run &run, const Checked &checked) const;
    void require_poison(const Run &run, const Checked &checked) const;
    void require_source(const Run &run, const Received &sent) const;
    void require_source(const Run &run, const Withheld &local);
    void require_hashes(const Run &run, const Received &received);
    [[noreturn]] void refuse_written(const Run &run, const Checked &checked, int64_t point) const;
    [[noreturn]] void refuse_source(const Run &run, const Checked &checked, int64_t point) const;
    [[noreturn]] void refuse_point(const Run &run, const Checked &checked, const BoxValues &values, int64_t point, const char *blame) const;
    void give_back_withheld(const Run &run);
    static size_t first_into_same(const Run &run, size_t piece);
    // Of this piece no run of these rows has been looked at.
    bool is_new(const Run &run, size_t piece) const;
    bool compares(const Run &run, size_t piece, int64_t part) const;
    template <class Visit>
    void for_each_compared(const Run &run, Visit &&visit) const;
    void keep_storage(const Run &run);
    void require_untouched(const Run &run, FunctionRef<std::string()> by);
    void gather_source(const Run &run, const Checked &checked, std::byte *into);
    void require_source_in_ghosts(const Run &run, const Withheld &local);
    Hashes source_hashes(const Run &run, const Checked &checked) const;
    static std::byte *target(const Run &run, const Checked &checked) {
        return static_cast<std::byte *>(run.pieces[checked.piece].part(checked.edge->recv_part));
    }
    static const std::byte *source(const Run &run, const Checked &checked) {
        return static_cast<const std::byte *>(run.pieces[checked.piece].source_part(checked.edge->send_part));
    }
    std::string name_point(const Run &run, const Checked &checked, int64_t point) const;
    int32_t peer_of(const Run &run, const Checked &checked) const;

    const std::vector<Field *> &fields_;
    std::string what_;
    bool source_stable_;
    bool full_;
    bool peers_write_; // into ghosts, at any time
    int64_t seed_;
    Passes passes_;
    std::vector<Withheld> local_;     // what this rank sends to itself,
    std::vector<std::byte> withheld_; // and the values, from start to finish
    std::vector<Received> sent_;      // source_stable: and to others
    std::vector<Received> received_;
    Hashes now_;                        // scratch
    std::vector<std::byte> now_values_; // scratch
    std::vector<BoxCopy> boxes_;        // scratch
    std::vector<Known> known_;          // by piece
    std::vector<std::byte> kept_;
    std::vector<std::vector<std::span<std::byte>>> before_; // in it: storage by piece and part of the destination; empty: is not compared
};

} // namespace halo
