// SPDX-License-Identifier: BSD-3-Clause
// Points with tables of neighbours: ghosts are the rings around a rank's own points.
#pragma once

#include "topology/graph/graph_keys.h"

namespace halo {

// By local index: own points as given, then ghosts by ring, owner, key.
struct GraphPoints {
    LargeVector<uint64_t> keys;
    std::vector<int32_t> rings; // of ghosts
    // Neighbours of the first points.
    RowOffsets offsets;
    LargeVector<uint32_t> neighbours;
};

class GraphTopology final : public KeysTopology {
public:
    GraphTopology(Context &context, const halo_graph_desc &desc);

    const GraphPoints &graph() const { return graph_; }
    std::vector<int32_t> rings() const; // of all points
    std::vector<uint64_t> point_keys() const override { return { graph_.keys.begin(), graph_.keys.end() }; }

protected:
    std::string name_of(int64_t point) const override;

private:
    GraphTopology(Context &context, FoundPoints &&points);
    GraphTopology(Context &context, FoundPoints &points, const GraphKeys &keys);

    void take_ghosts(FoundPoints &points);
    void take_rows(FoundPoints &points);

    GraphPoints graph_;
};

} // namespace halo
