// SPDX-License-Identifier: BSD-3-Clause
// Points whose edges the caller knows: ready lists for each peer, or the root of every leaf.
#pragma once

#include "topology/points/points.h"

namespace halo {

class ListsTopology final : public PointsTopology {
public:
    ListsTopology(Context &context, const halo_lists_desc &desc);
    ListsTopology(Context &context, const halo_star_desc &desc);

protected:
    std::string name_of(int64_t point) const override;

private:
    void check_lists(const halo_lists_desc &desc) const;
    void check_star(const halo_star_desc &desc) const;
    uint32_t leaf(const halo_star_desc &desc, int64_t i) const;
    void add_roots(int32_t rank, std::span<const uint32_t> roots, const std::vector<bool> &received);
    void learn_sharers();
    // What is left once the edges are known.
    void finish(int64_t n_received);

    struct Root {
        int32_t rank;
        uint32_t index;
    };
    std::map<uint32_t, Root> roots_; // of leaves, in check mode
};

} // namespace halo
