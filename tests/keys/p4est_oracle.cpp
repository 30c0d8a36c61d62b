// SPDX-License-Identifier: BSD-3-Clause
// Nodes of random refined forests, as p4est numbers them (p8est where P4_TO_P8 is defined): from keys made of their coordinates, the same owners,
// sharers and values must come out. usage, under p4est's MPI: p4est_oracle [cases] [first seed]
#ifdef P4_TO_P8
#include <p8est_bits.h>
#include <p8est_extended.h>
#include <p8est_ghost.h>
#include <p8est_lnodes.h>

#include <p4est_to_p8est.h>
#else
#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>
#include <p4est_lnodes.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "oracle.h"

namespace {

// The same on every rank, wherever the element lies.
uint64_t hash_of(p4est_topidx_t tree, const p4est_quadrant_t &element) {
    uint64_t hash = present_seed;
    for (const int64_t part : { int64_t{ tree }, int64_t{ element.x }, int64_t{ element.y },
#ifdef P4_TO_P8
                                int64_t{ element.z },
#endif
                                int64_t{ element.level } }) {
        hash = (hash ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

int refines(p4est_t *, p4est_topidx_t tree, p4est_quadrant_t *element) { return element->level < 5 && hash_of(tree, *element) % 3 == 0; }
int weight(p4est_t *, p4est_topidx_t tree, p4est_quadrant_t *element) { return static_cast<int>(hash_of(tree, *element) % 7); }

// A brick of trees, refined, balanced and dealt to ranks; and its nodes.
class Forest {
public:
    Forest() {
        std::mt19937_64 random(present_seed);
        for (int d = 0; d < P4EST_DIM; ++d) {
            n_trees_[d] = static_cast<int>(1 + random() % 3);
            periodic_[d] = n_trees_[d] > 1 && random() % 2 == 0;
        }
#ifdef P4_TO_P8
        connectivity_ = p8est_connectivity_new_brick(n_trees_[0], n_trees_[1], n_trees_[2], periodic_[0], periodic_[1], periodic_[2]);
#else
        connectivity_ = p4est_connectivity_new_brick(n_trees_[0], n_trees_[1], periodic_[0], periodic_[1]);
#endif
        forest = p4est_new_ext(MPI_COMM_WORLD, connectivity_, 0, static_cast<int>(random() % 2), 1, 0, nullptr, nullptr);
        p4est_refine(forest, 1, refines, nullptr);
        p4est_balance(forest, P4EST_CONNECT_FULL, nullptr);
        p4est_partition(forest, 0, random() % 2 == 0 ? weight : nullptr);
        p4est_ghost_t *ghosts = p4est_ghost_new(forest, P4EST_CONNECT_FULL);
        nodes = p4est_lnodes_new(forest, ghosts, 1);
        p4est_ghost_destroy(ghosts);
    }
    ~Forest() {
        p4est_lnodes_destroy(nodes);
        p4est_destroy(forest);
        p4est_connectivity_destroy(connectivity_);
    }
    Forest(const Forest &) = delete;
    Forest &operator=(const Forest &) = delete;

    // Calls visit(element number, tree, element) for the elements of this rank.
    template <class Visit>
    void for_each_element(Visit &&visit) const {
        size_t number = 0;
        for (p4est_topidx_t t = forest->first_local_tree; t <= forest->last_local_tree; ++t) {
            p4est_tree_t *tree = p4est_tree_array_index(forest->trees, t);
            for (size_t i = 0; i < tree->quadrants.elem_count; ++i) visit(number++, t, *p4est_quadrant_array_index(&tree->quadrants, i));
        }
    }

    // Of corner c of an element of a tree, counted over the whole brick.
    uint64_t key_of(p4est_topidx_t tree, const p4est_quadrant_t &element, int c) const {
        const int64_t low[3] = { element.x, element.y,
#ifdef P4_TO_P8
                                 element.z
#else
                                 0
#endif
        };
        const double *origin = connectivity_->vertices + ptrdiff_t{ 3 } * connectivity_->tree_to_vertex[ptrdiff_t{ P4EST_CHILDREN } * tree];
        uint64_t key = 0;
        for (int d = 0; d < P4EST_DIM; ++d) {
            constexpr int shift = P4EST_MAXLEVEL - 16; // finer than any element here
            const int64_t length = P4EST_QUADRANT_LEN(element.level);
            int64_t place = static_cast<int64_t>(std::lround(origin[d])) * P4EST_ROOT_LEN + low[d] + (c >> d & 1) * length;
            if (periodic_[d]) place %= int64_t{ n_trees_[d] } * P4EST_ROOT_LEN;
            key = key << 21 | static_cast<uint64_t>(place >> shift);
        }
        return key;
    }

    p4est_t *forest = nullptr;
    p4est_lnodes_t *nodes = nullptr;

private:
    std::array<int, 3> n_trees_{ 1, 1, 1 };
    std::array<int, 3> periodic_{};
    p4est_connectivity_t *connectivity_ = nullptr;
};

// Corners whose node is that of the element's parent.
std::array<bool, P4EST_CHILDREN> hanging_corners(p4est_lnodes_code_t code) {
    std::array<bool, P4EST_CHILDREN> hanging{};
    int faces[P4EST_FACES];
#ifdef P4_TO_P8
    int edges[P8EST_EDGES];
    if (!p4est_lnodes_decode(code, faces, edges)) return hanging;
    for (int e = 0; e < P8EST_EDGES; ++e)
        for (int i = 0; edges[e] >= 0 && i < 2; ++i) hanging[static_cast<size_t>(p8est_edge_corners[e][i])] = true;
#else
    if (!p4est_lnodes_decode(code, faces)) return hanging;
#endif
    for (int f = 0; f < P4EST_FACES; ++f)
        for (int i = 0; faces[f] >= 0 && i < P4EST_HALF; ++i) hanging[static_cast<size_t>(p4est_face_corners[f][i])] = true;
    return hanging;
}

struct LocalNodes {
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags; // a node that no element here touches is never owned
};

LocalNodes local_nodes(const Forest &forest) {
    const p4est_lnodes_t &nodes = *forest.nodes;
    LocalNodes local{ std::vector<uint64_t>(static_cast<size_t>(nodes.num_local_nodes), UINT64_MAX),
                      std::vector<int32_t>(static_cast<size_t>(nodes.num_local_nodes), HALO_KEY_WANT) };
    forest.for_each_element([&](size_t number, p4est_topidx_t tree, const p4est_quadrant_t &element) {
        const auto hanging = hanging_corners(nodes.face_code[number]);
        p4est_quadrant_t parent = element;
        if (element.level > 0) p4est_quadrant_parent(&element, &parent);
        for (int c = 0; c < P4EST_CHILDREN; ++c) {
            const bool of_parent = hanging[static_cast<size_t>(c)];
            const auto node = static_cast<size_t>(nodes.element_nodes[number * P4EST_CHILDREN + static_cast<size_t>(c)]);
            const uint64_t own = forest.key_of(tree, element, c), key = of_parent ? forest.key_of(tree, parent, c) : own;
            if (local.keys[node] != UINT64_MAX && local.keys[node] != key) stop("node", "two places for one node");
            local.keys[node] = key;
            if (key == own) local.flags[node] = 0;
        }
    });
    if (std::find(local.keys.begin(), local.keys.end(), UINT64_MAX) != local.keys.end()) stop("node", "a node that no element has");
    return local;
}

std::vector<int32_t> owners_of(const p4est_lnodes_t &nodes) {
    std::vector<int32_t> owners;
    for (p4est_locidx_t i = 0; i < nodes.num_local_nodes; ++i) {
        p4est_gloidx_t global = i < nodes.owned_count ? nodes.global_offset + i : nodes.nonlocal_nodes[i - nodes.owned_count];
        int32_t rank = 0;
        while (global >= nodes.global_owned_count[rank]) global -= nodes.global_owned_count[rank++];
        owners.push_back(rank);
    }
    return owners;
}

std::vector<std::vector<int32_t>> sharers_of(const p4est_lnodes_t &nodes) {
    std::vector<std::vector<int32_t>> sharers(static_cast<size_t>(nodes.num_local_nodes));
    for (size_t i = 0; i < nodes.sharers->elem_count; ++i) {
        p4est_lnodes_rank_t *with = p4est_lnodes_rank_array_index(nodes.sharers, i);
        for (size_t k = 0; k < with->shared_nodes.elem_count; ++k)
            sharers[static_cast<size_t>(*static_cast<p4est_locidx_t *>(sc_array_index(&with->shared_nodes, k)))].push_back(with->rank);
    }
    for (std::vector<int32_t> &ranks : sharers) {
        std::sort(ranks.begin(), ranks.end());
        if (ranks.empty()) ranks = { rank_of_process };
    }
    return sharers;
}

// Owners tell p4est's global numbers; ghosts must hear the ones that it has found.
void check_numbers(halo_topology *topology, const p4est_lnodes_t &nodes) {
    std::vector<int64_t> numbers(static_cast<size_t>(nodes.num_local_nodes), -1);
    for (p4est_locidx_t i = 0; i < nodes.owned_count; ++i) numbers[static_cast<size_t>(i)] = nodes.global_offset + i;
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.type = HALO_INT64;
    halo_field *field = nullptr;
    HALO(halo_field_create(topology, &field_desc, &field));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = numbers.data();
    HALO(halo_field_bind(field, rank_of_process, &binding));
    halo_exchange *exchange = nullptr;
    HALO(halo_exchange_create(&field, 1, nullptr, &exchange));
    HALO(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    HALO(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    HALO(halo_exchange_destroy(&exchange));
    HALO(halo_field_destroy(&field));
    for (p4est_locidx_t i = nodes.owned_count; i < nodes.num_local_nodes; ++i)
        if (numbers[static_cast<size_t>(i)] != nodes.nonlocal_nodes[i - nodes.owned_count]) stop("number of a ghost", "other than p4est's");
}

// Returns how many nodes the forest has.
int64_t run_case(halo_context *context) {
    const Forest forest;
    const p4est_lnodes_t &nodes = *forest.nodes;
    const LocalNodes local = local_nodes(forest);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = nodes.num_local_nodes;
    desc.keys = local.keys.data();
    desc.flags = local.flags.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *topology = nullptr;
    HALO(halo_topology_create_keys(context, &desc, &topology));

    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    HALO(halo_topology_keys_report(topology, &report));
    if (report.n_owned != nodes.owned_count || report.first_global != nodes.global_offset || report.n_unclaimed != 0)
        stop("counts", "other than p4est's");
    std::vector<int32_t> owners(static_cast<size_t>(report.n_points) + 1), ranks(static_cast<size_t>(n_ranks));
    int64_t n = 0;
    HALO(halo_topology_owners(topology, owners.data(), std::ssize(owners), &n));
    owners.resize(static_cast<size_t>(n));
    if (owners != owners_of(nodes)) stop("owners", "other than p4est's");
    const std::vector<std::vector<int32_t>> sharers = sharers_of(nodes);
    for (int64_t i = 0; i < report.n_points; ++i) {
        HALO(halo_topology_sharers(topology, i, ranks.data(), n_ranks, &n));
        if (!std::equal(ranks.begin(), ranks.begin() + n, sharers[static_cast<size_t>(i)].begin(), sharers[static_cast<size_t>(i)].end()))
            stop("sharers", "other than p4est's");
    }
    check_numbers(topology, nodes);
    HALO(halo_topology_destroy(&topology));
    return report.n_global;
}

} // namespace

int main(int argc, char **argv) {
    const int64_t n_cases = argc > 1 ? std::atoll(argv[1]) : 50;
    const int64_t first = argc > 2 ? std::atoll(argv[2]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_process);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    sc_init(MPI_COMM_WORLD, 0, 0, nullptr, SC_LP_ERROR);
    p4est_init(nullptr, SC_LP_ERROR);
    halo_context *context = nullptr;
    HALO(halo_context_create(nullptr, &context));
    int64_t n_nodes = 0;
    for (int64_t i = 0; i < n_cases; ++i) {
        present_seed = static_cast<uint64_t>(first + i);
        n_nodes += run_case(context);
    }
    HALO(halo_context_destroy(&context));
    sc_finalize();
    MPI_Finalize();
    if (rank_of_process == 0)
        std::printf("%lld forests in %d dimensions with %lld nodes: owners, sharers and numbers equal p4est's\n", static_cast<long long>(n_cases),
                    P4EST_DIM, static_cast<long long>(n_nodes));
}
