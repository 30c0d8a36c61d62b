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
    graph_.offsets = std::move(points.offsets);
    graph_.neighbours = std::move(points.own_rows);
    for (const uint32_t point : points.border)
        for (auto i = static_cast<size_t>(graph_.offsets.begin(point)); i < static_cast<size_t>(graph_.offsets.end(point)); ++i)
            graph_.neighbours[i] = index_of(graph_.neighbours[i]);
    std::vector<uint32_t> by_index(points.rings.size());
    for (uint32_t i = 0; i < by_index.size(); ++i) by_index[local_indices_[n_owned + i] - n_owned] = i;
    for (const uint32_t ghost : by_index) {
        if (points.rings[ghost] == points.n_rings || points.owners[ghost] < 0) break;
        for (const uint32_t neighbour : points.rows[ghost]) graph_.neighbours.push_back(index_of(neighbour));
        graph_.offsets.add(std::ssize(points.rows[ghost]));
    }
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

std::string GraphTopology::name_of(int64_t point) const {
    return format("key %llu", static_cast<unsigned long long>(graph_.keys[static_cast<size_t>(point)]));
}

std::vector<int32_t> GraphTopology::rings() const {
    std::vector<int32_t> rings(graph_.keys.size() - graph_.rings.size(), 0);
    rings.insert(rings.end(), graph_.rings.begin(), graph_.rings.end());
    return rings;
}

} // namespace halo
