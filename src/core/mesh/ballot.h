// SPDX-License-Identifier: BSD-3-Clause
// Votes for owners of entities: most votes win, of several with as many the lowest rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace halo {

struct Votes {
    int32_t rank = -1;
    int64_t n = 0;
};

// Mostly all votes for an entity are for one rank, and few.
class Ballot {
public:
    static constexpr int32_t nobody = -1;

    explicit Ballot(size_t n_entities) : only_(n_entities) {}

    void resize(size_t n_entities) { only_.resize(n_entities); }
    void add(uint32_t entity, Votes votes);
    // One vote for each entity, and each time that it is there, but for `none`.
    void add_each(std::span<const uint32_t> entities, uint32_t none, int32_t rank);
    bool has_votes(uint32_t entity) const { return only_[entity].n > 0; }
    // -1: nobody's.
    int32_t winner(uint32_t entity) const;
    // Calls visit(Votes) for each rank that has votes.
    template <class Visit>
    void for_each(uint32_t entity, Visit &&visit) const {
        const Only &only = only_[entity];
        if (only.n != listed) {
            if (only.n > 0) visit(Votes{ only.rank, only.n });
            return;
        }
        for (auto at = lists_.lower_bound({ entity, 0 }); at != lists_.end() && at->first.first == entity; ++at)
            visit(Votes{ at->first.second, at->second });
    }

private:
    static constexpr uint32_t listed = UINT32_MAX;
    // The only rank that has votes, and how many; `listed`: several have, or one has very many.
    struct Only {
        int32_t rank = nobody;
        uint32_t n = 0;
    };

    std::vector<Only> only_;                                // by entity
    std::map<std::pair<uint32_t, int32_t>, int64_t> lists_; // (entity, rank): votes
};

} // namespace halo
