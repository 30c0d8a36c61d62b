// SPDX-License-Identifier: BSD-3-Clause
// Points whose edges the caller knows: ready lists for each peer, or the root of every leaf.
#pragma once

#include "topology/points/points.h"

namespace halo {

class ListsTopology final : public PointsTopology {
public:
    ListsTopology(Context &context, const halo_lists_desc &desc);
    ListsTopology(Context &context, const halo_star_desc &desc);

private:
    void check_lists(const halo_lists_desc &desc) const;
    void check_star(const halo_star_desc &desc) const;
    uint32_t leaf(const halo_star_desc &desc, int64_t i) const;
    void add_roots(int32_t rank, std::span<const uint32_t> roots, const std::vector<bool> &received);
    void learn_sharers();
    // What is left once the edges are known.
    void finish(int64_t n_received);
};

} // namespace halo
