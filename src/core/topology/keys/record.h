// SPDX-License-Identifier: BSD-3-Clause
// What a topology of keys keeps so that it can be edited.
#pragma once

#include "topology/keys/directory_share.h"
#include "topology/keys/placement.h"

namespace halo {

struct KeysRecord {
    // A key of which the directory has told: others have it, or nobody owns it, or it comes several times here.
    struct Told {
        uint64_t key;
        int32_t owner;
        int32_t teller;
        bool several_claim;
        std::vector<HolderRun> holders;
    };

    int32_t owner_rule = HALO_OWNER_LOWEST_RANK;
    int32_t numbering = HALO_NUMBERING_BY_OWNER;
    // The rank's list.
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags;
    std::vector<int64_t> weights;
    bool knows_owners = false;
    std::vector<int32_t> owners; // where known

    KeyPlacement placement = KeyPlacement::by_hash(1);
    DirectoryShare share;
    std::vector<Told> told; // by key

    halo_keys_desc desc() const;
    // Ranks that decide about keys, which ascend; -1: its owner does, and the list does not have it.
    std::vector<int32_t> deciders(std::span<const uint64_t> of) const;
};

} // namespace halo
