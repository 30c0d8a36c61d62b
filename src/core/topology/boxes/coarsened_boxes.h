// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a level in the cells of the next coarser one, and the topology of parts that have such cells: where fields have what is between levels.
// What travels comes from `hierarchy`.
#pragma once

#include "base/level_ratio.h"
#include "topology/boxes/placed_box.h"
#include "topology/topology.h"

namespace halo {

inline halo_box refined(const halo_box &box, const LevelRatio &ratio) {
    halo_box fine;
    for (size_t d = 0; d < 3; ++d) {
        fine.low[d] = box.low[d] * ratio[d];
        fine.high[d] = box.high[d] * ratio[d];
    }
    return fine;
}
// What covers it.
halo_box coarsened(const halo_box &box, const LevelRatio &ratio);

// Boxes begin and end where coarse cells do.
class CoarsenedBoxes final : public BoxSource {
public:
    CoarsenedBoxes(const BoxSource &fine, const LevelRatio &ratio) : fine_(fine), ratio_(ratio) {}

    void boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const override;
    PlacedBox box_of(int64_t gid) const override { return coarse(fine_.box_of(gid)); }
    Extent period() const override;

private:
    PlacedBox coarse(PlacedBox box) const;

    const BoxSource &fine_;
    LevelRatio ratio_;
};

class CoarsenedParts final : public Topology, public KeptByTopology {
public:
    CoarsenedParts(const Topology &fine, const LevelRatio &ratio);
    bool is_of(const LevelRatio &ratio) const { return ratio_ == ratio; }

    int32_t n_dims() const override { return fine_.n_dims(); }
    int64_t n_parts() const override { return fine_.n_parts(); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t) const override { return {}; }
    std::vector<int32_t> peers() const override { return fine_.peers(); }
    Extent widest_ghosts() const override;
    Extent cells(int64_t local_index) const override { return cells_of(local_parts_[static_cast<size_t>(local_index)]); }
    Extent cells_of(int64_t gid) const override;
    std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const override;
    void edges(const EdgeRequest &, const EdgeSink &) const override {}
    halo_box domain() const override { return coarsened(fine_.domain(), ratio_); }
    std::string global_name(int64_t local_index, const Extent &point) const override { return name_in_all(local_index, point); }

private:
    const Topology &fine_;
    LevelRatio ratio_;
    CoarsenedBoxes boxes_;
};

} // namespace halo
