// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph/graph.h"

#include <algorithm>
#include <numeric>

namespace halo {

GraphTopology::GraphTopology(Context &context, const halo_graph_desc &desc) : GraphTopology(context, find_rings(context, desc)) {}

GraphTopology::GraphTopology(Context &context, FoundPoints &&points) : GraphTopology(context, points, GraphKeys(points, context)) {}

GraphTopology::GraphTopology(Context &context, FoundPoints &points, const GraphKeys &keys) : KeysTopology(context, keys.desc(), keys.known()) {
    GraphKeys::check_claims(context, *this);
    take_ghosts(points);
    take_rows(points);
    std::iota(local_indices_.begin() + n_owned(), local_indices_.end(), static_cast<uint32_t>(n_owned())); // so far by number
}

void GraphTopology::take_rows(FoundPoints &points) {
    const auto n_owned = static_cast<uint32_t>(points.n_owned());
    const auto index_of = [&](uint32_t number) { return number == skipped_neighbour ? number : local_indices_[number]; };
    uint32_t *own = points.own_rows.get();
    graph_.offsets = std::move(points.offsets);
    const int64_t n_of_own = graph_.offsets.back();
    for (const uint32_t point : points.border)
        for (int64_t i = graph_.offsets[point]; i < graph_.offsets[point + 1]; ++i) own[i] = index_of(own[i]);
    std::vector<uint32_t> by_index(points.rings.size());
    for (uint32_t i = 0; i < by_index.size(); ++i) by_index[local_indices_[n_owned + i] - n_owned] = i;
    std::vector<uint32_t> of_ghosts;
    for (const uint32_t ghost : by_index) {
        if (points.rings[ghost] == points.n_rings || points.owners[ghost] < 0) break;
        for (const uint32_t neighbour : points.rows[ghost]) of_ghosts.push_back(index_of(neighbour));
        graph_.offsets.push_back(n_of_own + std::ssize(of_ghosts));
    }
    if (of_ghosts.empty()) {
        graph_.neighbours = std::move(points.own_rows);
        return;
    }
    graph_.neighbours = std::make_unique_for_overwrite<uint32_t[]>(static_cast<size_t>(graph_.offsets.back()));
    std::copy(of_ghosts.begin(), of_ghosts.end(), std::copy(own, own + n_of_own, graph_.neighbours.get()));
}

void GraphTopology::take_ghosts(FoundPoints &points) {
    const auto n_owned = static_cast<size_t>(points.n_owned());
    graph_.rings.resize(points.rings.size());
    const std::vector<uint64_t> ghosts(points.index.keys().begin() + points.n_owned(), points.index.keys().end());
    graph_.keys = points.index.take_keys();
    for (size_t i = 0; i < ghosts.size(); ++i) {
        const uint32_t index = local_indices_[n_owned + i];
        graph_.keys[index] = ghosts[i];
        graph_.rings[index - n_owned] = points.rings[i];
    }
}

std::vector<int32_t> GraphTopology::rings() const {
    std::vector<int32_t> rings(graph_.keys.size() - graph_.rings.size(), 0);
    rings.insert(rings.end(), graph_.rings.begin(), graph_.rings.end());
    return rings;
}

} // namespace halo
