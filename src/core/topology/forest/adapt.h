// SPDX-License-Identifier: BSD-3-Clause
// Lists of leaves made from others: by marks and balance, by weight, of one level.
#pragma once

#include <span>
#include <vector>

#include "topology/forest/leaves.h"

namespace halo {

struct AdaptedLeaf {
    TreeBlock block;
    int64_t from; // gid of the leaf itself, of the one refined into it, or of the first of those that it is made of
};

// Along the curve. `marks`: of each leaf; empty: all are kept.
std::vector<AdaptedLeaf> adapt(const Leaves &leaves, std::span<const int32_t> marks, int32_t balance);

// Owners of weights that come along the curve.
std::vector<int32_t> place_by_weight(const std::vector<double> &weights, int32_t n_ranks);

int64_t count_uniform(const Trees &trees, int32_t level);
std::vector<TreeBlock> uniform_leaves(const Trees &trees, int32_t level);

} // namespace halo
