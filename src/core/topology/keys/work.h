// SPDX-License-Identifier: BSD-3-Clause
// What is known while a topology of keys is being made.
#pragma once

#include "topology/keys/key_list.h"
#include "topology/keys/keys.h"

namespace halo {

// Keys in ascending order, and what is said of them.
struct NotedKeys {
    KeyList keys;
    std::vector<uint32_t> notes{};  // empty: all plain
    std::vector<int64_t> weights{}; // empty: all 0

    NotedKeys() = default;
    NotedKeys(const halo_keys_desc &desc, std::vector<uint32_t> positions);

    bool silent(int64_t i) const { return !notes.empty() && (notes[static_cast<size_t>(i)] & note::silent) != 0; }
    // Appends all positions of the key of entry i: with `own`, first the first of this entry; silent ones last.
    void add_positions(int64_t i, bool own, std::vector<uint32_t> &to) const;
};

// A key of this rank that others have too, that nobody owns, or that comes several times here.
struct KeysTopology::Found {
    uint64_t key;
    int32_t owner;
    int32_t teller; // the rank that has decided
    const NotedKeys *list;
    uint32_t place; // in the list; as in a KeyAnswer
    std::span<const HolderRun> holders;
};

// Keys that one rank decides: [begin, end) of `order`, or of the list itself.
struct KeysTopology::Stretch {
    int32_t rank;
    const NotedKeys *list;
    std::span<const uint32_t> order; // empty: as they are
    uint32_t begin;
    uint32_t end;
    uint32_t key_at(uint32_t place) const { return order.empty() ? begin + place : order[begin + place]; }
};

// What is known while the topology is being made. A rank decides about most of its own keys itself; of these only some concern others, which the
// sieve tells without putting all in order.
struct KeysTopology::Work {
    const halo_keys_desc &desc;
    const KnownKeys *known = nullptr;
    KeyPlacement placement = KeyPlacement::by_hash(1);
    NotedKeys away{};              // other ranks decide
    std::vector<uint32_t> order{}; // of `away`, by deciding rank; empty: as they are
    std::vector<Stretch> stretches{};
    std::vector<uint32_t> near{}; // positions of keys that this rank decides; where they are known, of those that may concern others
    int64_t n_near = 0;           // all
    KeyRange near_range{ UINT64_MAX, 0 };
    NotedKeys sifted{}; // those of them that may concern others
    int64_t n_keys = 0; // different ones
    std::vector<KeyAnswers> answers{};
    std::vector<Found> found{};

    int32_t flags(uint32_t position) const { return desc.flags ? desc.flags[position] : 0; }
    // May this rank own the key without asking, if no other has it?
    bool owned_alone(uint32_t position) const {
        const bool must_claim = desc.owner_rule == HALO_OWNER_CLAIM && !knows_owners();
        const int32_t said = flags_of(desc, position);
        return (said & (HALO_KEY_READ_ONLY | HALO_KEY_WANT)) == 0 && (!must_claim || (said & HALO_KEY_CLAIM) != 0);
    }
    int32_t ring(uint32_t position) const { return known && position >= known->n_own ? known->rings[position - known->n_own] : 0; }
    bool knows_owners() const { return known ? known->owners.has_value() : desc.owners != nullptr; }
    int32_t owner(uint32_t position) const {
        if (!known) return desc.owners[position];
        return position < known->n_own ? known->rank : (*known->owners)[position - known->n_own];
    }
};

} // namespace halo
