// SPDX-License-Identifier: BSD-3-Clause
// The points of a graph as a list of keys.
#pragma once

#include "topology/graph/rings.h"
#include "topology/keys/keys.h"

namespace halo {

class GraphKeys {
public:
    GraphKeys(const FoundPoints &points, Context &context);
    GraphKeys(const GraphKeys &) = delete;

    const halo_keys_desc &desc() const { return desc_; }
    const KnownKeys &known() const { return known_; }
    // Of each ghost, by a directory. Collective. HALO_ERR_ARGUMENT, on all ranks: one has several.
    std::vector<int32_t> find_owners();
    // The same of points of a topology of the list.
    static void check_claims(Context &context, const KeysTopology &topology);

private:
    Context &context_;
    std::vector<int32_t> deciders_; // of ghosts
    KnownKeys known_;
    halo_keys_desc desc_ = HALO_KEYS_DESC_INIT;
};

} // namespace halo
