// SPDX-License-Identifier: BSD-3-Clause
// Points with one value for all the copies that a rank has.
#pragma once

#include "base/combine.h"
#include "topology/points/points.h"

namespace halo {

// Points that lie with several ranks, or several times here; what is nobody's is none. Those with other ranks come first: they alone have edges.
class CondensedPoints final : public PointsTopology, public KeptByTopology {
public:
    explicit CondensedPoints(const PointsTopology &points);

    // Copies of each, by local index there.
    ValueGroups groups() const { return { ends_, n_giving_, copies_ }; }

private:
    void add(std::span<const uint32_t> copies, uint32_t silent);

    std::vector<uint32_t> ends_;
    std::vector<uint32_t> n_giving_; // empty: all
    std::vector<uint32_t> copies_;
};

} // namespace halo
