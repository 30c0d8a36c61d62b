// SPDX-License-Identifier: BSD-3-Clause
// Votes for owners of entities: most votes win, of several with as many the lowest rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace halo {

struct Votes {
    int32_t rank = -1;
    int64_t n = 0;
};

// Mostly all votes for an entity are for one rank.
class Ballot {
public:
    explicit Ballot(size_t n_entities) : first_(n_entities) {}

    void resize(size_t n_entities) { first_.resize(n_entities); }
    void add(uint32_t entity, Votes votes) {
        First &first = first_[entity];
        if (first.n == 0)
            first = { votes.rank, 0, votes.n };
        else if (first.rank == votes.rank)
            first.n += votes.n;
        else
            others_[{ entity, votes.rank }] += votes.n, first.has_others = 1;
    }
    bool has_votes(uint32_t entity) const { return first_[entity].n > 0; }
    // -1: nobody's.
    int32_t winner(uint32_t entity) const;
    // Calls visit(Votes) for each rank that has votes.
    template <class Visit>
    void for_each(uint32_t entity, Visit &&visit) const {
        if (!has_votes(entity)) return;
        const First &first = first_[entity];
        visit(Votes{ first.rank, first.n });
        if (first.has_others == 0) return;
        for (auto at = others_.lower_bound({ entity, 0 }); at != others_.end() && at->first.first == entity; ++at)
            visit(Votes{ at->first.second, at->second });
    }

private:
    struct First {
        int32_t rank = -1;
        uint32_t has_others = 0;
        int64_t n = 0;
    };
    std::vector<First> first_;                               // by entity
    std::map<std::pair<uint32_t, int32_t>, int64_t> others_; // (entity, rank): votes
};

} // namespace halo
