// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a forest with half as many cells per direction: where fields have what is between levels. What travels comes from level_edges.
#pragma once

#include "topology/forest/forest.h"

namespace halo {

class CoarsenedForest final : public Topology, public KeptByTopology {
public:
    explicit CoarsenedForest(const ForestTopology &forest);

    int32_t n_dims() const override { return forest_.n_dims(); }
    int64_t n_parts() const override { return forest_.n_parts(); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t) const override { return {}; }
    std::vector<int32_t> peers() const override { return forest_.peers(); }
    Extent widest_ghosts() const override { return n_cells_; }
    Extent cells(int64_t) const override { return n_cells_; }
    Extent cells_of(int64_t) const override { return n_cells_; }
    std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const override;
    void edges(const EdgeRequest &, const EdgeSink &) const override {}
    std::string global_name(int64_t local_index, const Extent &point) const override;

private:
    const ForestTopology &forest_;
    Extent n_cells_;
};

} // namespace halo
