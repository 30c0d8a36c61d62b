// SPDX-License-Identifier: BSD-3-Clause
// Points with tables of neighbours: ghosts are the rings around a rank's own points.
#pragma once

#include "topology/graph/rings.h"
#include "topology/keys/keys.h"

namespace halo {

class GraphTopology final : public KeysTopology {
public:
    GraphTopology(Context &context, const halo_graph_desc &desc);

    const GraphPoints &graph() const { return graph_; }
    std::vector<uint64_t> point_keys() const override { return graph_.keys; }
    std::optional<uint64_t> key_of(int64_t point) const override { return graph_.keys[static_cast<size_t>(point)]; }

private:
    GraphTopology(Context &context, GraphPoints graph);

    GraphPoints graph_;
};

} // namespace halo
