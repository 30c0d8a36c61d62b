// SPDX-License-Identifier: BSD-3-Clause
// What every rank has, as all ranks know it, and what must come of it: by the plainest means.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "halo.h"

namespace keys {

using Random = std::mt19937_64;

// Inclusive.
inline int64_t pick(Random &random, int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

// One entry of a rank's list.
struct Entry {
    uint64_t key;
    int32_t flags;
    int64_t weight;
};

// An entry that counts, by rank and position.
struct Copy {
    int32_t rank;
    int64_t position;
    bool operator==(const Copy &) const = default;
};

// Everything about one key.
struct KeyFacts {
    int32_t owner = -1; // a rank
    bool several_claim = false;
    std::vector<Copy> copies; // by rank, then position
    std::vector<bool> silent; // of each copy
    std::vector<int32_t> ranks() const;
    // The owner's own point; copies beside it are ghosts.
    const Copy *primary() const;
    // Does the value of a copy, which is none of the owner's own, count?
    bool contributes(const Copy &copy) const;
};

struct Model {
    int32_t rule = HALO_OWNER_LOWEST_RANK;
    int32_t numbering = HALO_NUMBERING_BY_OWNER;
    int32_t directory = HALO_DIRECTORY_AUTO;
    bool known_owners = false;
    std::map<uint64_t, int32_t> given; // with known owners: rank said to own a key, whether it can or not; else who does
    bool editable = false;
    bool first_are_mine = false; // what each rank claims stands first, and all else is wanted: told by n_mine instead of flags
    std::vector<std::vector<Entry>> ranks;
    std::map<uint64_t, KeyFacts> facts;

    // Decides owners.
    void find_facts();
    // Makes lists of which each rank's first entries are its own.
    void claim_first(Random &random);
    int64_t n_owned(int32_t rank) const;
    // Local index of each entry.
    std::vector<uint32_t> local_indices(int32_t rank) const;
    halo_topology *make(halo_context *context, int32_t rank) const;
};

Model random_model(Random &random, int32_t n_ranks);

} // namespace keys
