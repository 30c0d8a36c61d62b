// SPDX-License-Identifier: BSD-3-Clause
// Check mode (HALO_CHECK=1) of one exchange: looks at storage before and after the rows have done their work, and names the first offender.
//
// start    owned values must not come from ghosts that were read in flight; ghosts are poisoned; a hash of every point that leaves
//          is noted (same rank) or travels behind the message's data.
// finish   ghosts must still hold their poison, and, where the caller promised source_stable, what was sent must be unchanged; after
//          unpacking, every ghost must have the hash of what was sent, and nothing else may have changed.
// Cost: a copy of every part's storage, 4 bytes per point in messages, and several passes over the data.
#pragma once

#include <string>
#include <vector>

#include "exchange/poison.h"
#include "exchange/run.h"

namespace halo {

class CheckMode {
public:
    CheckMode(const std::vector<Field *> &fields, std::string what, bool source_stable, int64_t seed)
        : fields_(fields),
          what_(std::move(what)),
          source_stable_(source_stable),
          seed_(seed) {}

    // Before anything is packed.
    void start(const Run &run);
    // Bytes of hashes that travel with a message of the plan, and writing and reading them.
    static size_t hash_bytes(const PlanDirection &direction);
    void write_hashes(const Run &run, const PlanDirection &direction, std::byte *at) const;
    void take_hashes(const PlanDirection &direction, const std::byte *at);
    // All same-rank rows have been run.
    void after_start(const Run &run);
    void before_unpack(const Run &run);
    void after_unpack(const Run &run);

private:
    using Hashes = std::vector<uint32_t>;
    struct Received {
        const CheckedEdge *edge;
        Hashes hashes;
    };

    void refuse_poison_in_owned(const Run &run) const;
    void refuse_poison_in_part(const Run &run, int64_t number, int64_t part) const;
    // `offset` in bytes.
    Poison poison_of(const Field &field, int64_t offset) const { return { field.ordinal(), offset / field.spec().element_bytes, seed_ }; }
    void poison(const Run &run, const CheckedEdge &edge) const;
    void require_poison(const Run &run, const CheckedEdge &edge) const;
    void require_source(const Run &run, const CheckedEdge &edge, const Hashes &hashes) const;
    void require_hashes(const Run &run, const CheckedEdge &edge, const Hashes &hashes, const char *blame) const;
    void give_back_withheld(const Run &run);
    void keep_storage(const Run &run);
    void require_untouched(const Run &run);
    Hashes source_hashes(const Run &run, const CheckedEdge &edge) const;
    std::byte *target(const Run &run, const CheckedEdge &edge) const { return static_cast<std::byte *>(run.bases[edge.target[0].dst_base]); }
    std::string name_point(const CheckedEdge &edge, int64_t x, int64_t y, int64_t z) const;
    std::string name_element(const Field &field, int64_t part, int64_t element) const;

    const std::vector<Field *> &fields_;
    std::string what_;
    bool source_stable_;
    int64_t seed_;
    std::vector<Received> local_;     // hashes of what this rank sends to itself,
    std::vector<std::byte> withheld_; // and the values, from start to finish
    std::vector<Received> sent_;      // source_stable: and to others
    std::vector<Received> received_;
    std::vector<std::vector<std::byte>> before_; // every part's storage, by base number
};

// Those edges of a plan for which check mode is on.
template <class Visit>
void for_each_receiving(const Plan &plan, Visit &&visit) {
    for (const CheckedEdge &edge : plan.local_checked()) visit(edge);
    for (const PlanLink &link : plan.links())
        for (const CheckedEdge &edge : link.receive.checked) visit(edge);
}

} // namespace halo
