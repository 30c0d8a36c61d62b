// SPDX-License-Identifier: BSD-3-Clause
// A rank's share of the directory of a set: what others say of its keys, and who owns them.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/ballot.h"
#include "mesh/description.h"
#include "topology/discovery.h"
#include "topology/keys/key_index.h"

namespace halo {

// What a rank tells the one that decides about a key. The answer is the owner.
struct Claim {
    uint64_t key;
    int64_t votes; // 0: it brings the entity, or only asks
    int64_t rank;  // for which it votes, or that is to own the key if nobody votes; -1: a question
};

// Keys that other ranks have claimed, and that this one decides about.
class Register {
public:
    Register(const MeshSet &set, int32_t n_ranks) : set_(set), n_ranks_(n_ranks) {}

    void note(const Delivery &claims);
    void vote(uint32_t entry, Votes votes) { ballot_.add(entry, votes); }
    // Two ranks may not bring an entity.
    void bring(uint32_t entry, int32_t wanted, int32_t by);
    const LargeVector<uint64_t> &keys() const { return index_.keys(); }
    int32_t owner(uint32_t entry) const;
    std::vector<int32_t> answers(const Delivery &claims) const;

private:
    const MeshSet &set_;
    int32_t n_ranks_;
    KeyIndex index_{ 0 };
    // By entry, that is, number in the index.
    Ballot ballot_{ 0 };
    std::vector<int32_t> wanted_; // who is to own it if nobody votes
    std::vector<int32_t> bringer_;
};

} // namespace halo
