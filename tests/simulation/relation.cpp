// SPDX-License-Identifier: BSD-3-Clause
#include "relation.h"

#include <algorithm>

namespace programs {

bool Relation::has(int32_t rank, uint64_t key) const { return std::find(keys_of(rank).begin(), keys_of(rank).end(), key) != keys_of(rank).end(); }

int32_t Relation::owner(uint64_t key) const {
    if (made_.made == Made::graph) return made_.key_owners[(key - key_of(0)) / (key_of(1) - key_of(0))];
    int32_t rank = 0;
    while (!has(rank, key)) ++rank;
    return rank;
}

std::vector<uint64_t> Relation::points(int32_t rank) const {
    std::vector<uint64_t> points = keys_of(rank);
    if (made_.made == Made::star) std::stable_partition(points.begin(), points.end(), [&](uint64_t key) { return owner(key) == rank; });
    return points;
}

Relation::Star Relation::star(int32_t rank) const {
    Star star;
    for (const uint64_t key : points(rank)) {
        const int32_t root = owner(key);
        if (root == rank) continue;
        const std::vector<uint64_t> there = points(root);
        star.ranks.push_back(root);
        star.indices.push_back(static_cast<uint32_t>(std::find(there.begin(), there.end(), key) - there.begin()));
    }
    return star;
}

// What each of two ranks has of the other's, in the order of the keys.
Relation::Lists Relation::lists(int32_t rank) const {
    const std::vector<uint64_t> here = points(rank);
    const auto add = [&](int32_t of, int32_t at, std::vector<uint32_t> &list, std::vector<int64_t> &offsets) {
        std::vector<uint64_t> keys = keys_of(of);
        std::sort(keys.begin(), keys.end());
        for (const uint64_t key : keys)
            if (owner(key) == of && has(at, key)) list.push_back(static_cast<uint32_t>(std::find(here.begin(), here.end(), key) - here.begin()));
        offsets.push_back(std::ssize(list));
    };
    Lists lists;
    for (int32_t peer = 0; peer < n_ranks(); ++peer) {
        if (peer == rank) continue;
        lists.peers.push_back(peer);
        add(rank, peer, lists.send, lists.send_offsets);
        add(peer, rank, lists.receive, lists.receive_offsets);
    }
    return lists;
}

Relation::Graph Relation::graph(int32_t rank) const {
    Graph graph;
    for (size_t number = 0; number < made_.key_owners.size(); ++number) {
        if (made_.key_owners[number] != rank) continue;
        graph.own.push_back(key_of(static_cast<int64_t>(number)));
        for (const int64_t neighbour : made_.neighbours[number]) graph.neighbours.push_back(key_of(neighbour));
        graph.offsets.push_back(std::ssize(graph.neighbours));
    }
    return graph;
}

} // namespace programs
