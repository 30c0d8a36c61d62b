// SPDX-License-Identifier: BSD-3-Clause
// What is refused, on every rank and with a text; meshes that are empty, made again and again, or gone before their topologies.
#include <gtest/gtest.h>

#include <cstring>

#include "halo_mesh.h"
#include "placed.h"
#include "ranks.h"

namespace {

using conformance::Rank;
using conformance::stop;

// A closed chain of edges, two on each rank, and the nodes between them.
struct Chain {
    explicit Chain(const Rank &rank) {
        const auto n = static_cast<uint64_t>(2 * rank.size);
        for (uint64_t i = 0; i < 2; ++i) {
            const uint64_t edge = 2 * static_cast<uint64_t>(rank.rank) + i;
            keys[i] = edge;
            ends[2 * i] = edge;
            ends[2 * i + 1] = (edge + 1) % n;
        }
        sets[0] = sets[1] = HALO_MESH_SET_INIT;
        sets[0].name = "edges", sets[0].n = 2, sets[0].keys = keys;
        sets[1].name = "nodes", sets[1].owner_rule = HALO_MESH_OWNER_OF_SOURCES;
        map = HALO_MESH_MAP_INIT;
        map.name = "ends", map.from = 0, map.to = 1, map.arity = 2, map.keys = ends;
        desc.n_sets = 2, desc.sets = sets, desc.n_maps = 1, desc.maps = &map;
    }
    Chain(const Chain &) = delete;
    Chain &operator=(const Chain &) = delete;

    uint64_t keys[2], ends[4];
    halo_mesh_set sets[2];
    halo_mesh_map map;
    halo_mesh_desc desc = HALO_MESH_DESC_INIT;
};

void refused(const Rank &rank, const Chain &chain, halo_status status, const char *text) {
    halo_mesh *mesh = nullptr;
    const halo_status got = halo_mesh_create(rank.context, &chain.desc, &mesh);
    if (got != status || mesh) stop("'%s': status %d instead of %d: %s", text, got, status, halo_last_error());
    if (!std::strstr(halo_last_error(), text)) stop("'%s' is not in: %s", text, halo_last_error());
}

class RefusedMeshes : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, RefusedMeshes, testing::ValuesIn(conformance::rank_counts()));

#define REFUSED(status, text, ...)                                                                                                                   \
    do {                                                                                                                                             \
        Chain chain(rank);                                                                                                                           \
        __VA_ARGS__;                                                                                                                                 \
        refused(rank, chain, status, text);                                                                                                          \
    } while (false)

TEST_P(RefusedMeshes, Descriptions) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        REFUSED(HALO_ERR_ARGUMENT, "depth is 0, it must be 1 to 11", chain.desc.depth = 0);
        REFUSED(HALO_ERR_ARGUMENT, "depth is 12", chain.desc.depth = 12);
        REFUSED(HALO_ERR_ARGUMENT, "directory is 3", chain.desc.directory = 3);
        REFUSED(HALO_ERR_ARGUMENT, "set 1 has no name", chain.sets[1].name = nullptr);
        REFUSED(HALO_ERR_ARGUMENT, "map 0 has no name", chain.map.name = "");
        REFUSED(HALO_ERR_ARGUMENT, "set edges: owner_rule is 4", chain.sets[0].owner_rule = 4);
        REFUSED(HALO_ERR_ARGUMENT, "set edges: n is -1", chain.sets[0].n = -1);
        REFUSED(HALO_ERR_ARGUMENT, "set edges: 2 entities, no keys", chain.sets[0].keys = nullptr);
        REFUSED(HALO_ERR_ARGUMENT, "set edges: 2 entities, no owners", chain.sets[0].owner_rule = HALO_MESH_OWNER_GIVEN);
        REFUSED(HALO_ERR_ARGUMENT, "map ends: 4 entries, no keys", chain.map.keys = nullptr);
        REFUSED(HALO_ERR_ARGUMENT, "map ends: to is 2, it must be 0 to 1", chain.map.to = 2);
        REFUSED(HALO_ERR_ARGUMENT, "map ends: from is -1", chain.map.from = -1);
        REFUSED(HALO_ERR_ARGUMENT, "map ends: arity is 0", chain.map.arity = 0);
        REFUSED(HALO_ERR_ARGUMENT, "set nodes: owner_map is 1", chain.sets[1].owner_map = 1);
        REFUSED(HALO_ERR_ARGUMENT, "follow map ends, which does not start at it", chain.sets[1].owner_rule = HALO_MESH_OWNER_OF_TARGETS);
        REFUSED(HALO_ERR_ARGUMENT, "follow map ends, which does not lead to it", chain.sets[0].owner_rule = HALO_MESH_OWNER_OF_SOURCES);
        REFUSED(HALO_ERR_ARGUMENT, "whose owners follow from its own", chain.sets[0].owner_rule = HALO_MESH_OWNER_OF_TARGETS);
        REFUSED(HALO_ERR_ARGUMENT, "-1 of sets", chain.desc.n_sets = -1);
        REFUSED(HALO_ERR_LIMIT, "the number of maps 1025 exceeds 1024", chain.desc.n_maps = 1025);
        REFUSED(HALO_ERR_ARGUMENT, "'sets' is NULL", chain.desc.sets = nullptr);
        REFUSED(HALO_ERR_VERSION, "halo_mesh_set 0 has 8 bytes", chain.desc.set_bytes = 8);
        REFUSED(HALO_ERR_VERSION, "halo_mesh_desc", chain.desc.struct_size = 8);
        REFUSED(HALO_ERR_VERSION, "reserved is 1", chain.desc.reserved = 1);
        REFUSED(HALO_ERR_ARGUMENT, "follow a map, and there are none", chain.desc.n_maps = 0);
    });
}

TEST_P(RefusedMeshes, Entities) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const int32_t no_rank[2] = { 0, rank.size };
        REFUSED(HALO_ERR_ARGUMENT, "there are ranks 0 to", chain.sets[0].owner_rule = HALO_MESH_OWNER_GIVEN, chain.sets[0].owners = no_rank);
        REFUSED(HALO_ERR_ARGUMENT, "set edges: this rank brings entity", chain.keys[1] = chain.keys[0]);
        REFUSED(HALO_ERR_ARGUMENT, "which no rank brings", chain.sets[1].owner_rule = HALO_MESH_OWNER_BROUGHT);
        for (const int32_t directory : { HALO_DIRECTORY_RANGE, HALO_DIRECTORY_HASH }) {
            if (rank.size == 1) break;
            Chain chain(rank);
            chain.desc.directory = directory;
            chain.keys[0] = 77;
            halo_mesh *mesh = nullptr;
            const halo_status got = halo_mesh_create(rank.context, &chain.desc, &mesh); // the rank that decides about 77 tells the others
            if (got != HALO_ERR_ARGUMENT && got != HALO_ERR_PEER) stop("status %d", got);
            if (!std::strstr(halo_last_error(), "entity 77 is brought by ranks")) stop("%s", halo_last_error());
        }
    });
}

TEST_P(RefusedMeshes, RanksDiffer) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        if (rank.size == 1) return;
        const bool last = rank.rank == rank.size - 1;
        REFUSED(HALO_ERR_MISMATCH, "depth", chain.desc.depth = last ? 2 : 1);
        REFUSED(HALO_ERR_MISMATCH, "edges", chain.sets[0].name = last ? "cells" : "edges");
        REFUSED(HALO_ERR_MISMATCH, "arity", chain.sets[0].n = last ? 1 : 2, chain.map.arity = last ? 4 : 2);
        REFUSED(last ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, "-1 of sets", chain.desc.n_sets = last ? -1 : 2);
        REFUSED(last ? HALO_ERR_VERSION : HALO_ERR_PEER, "halo_mesh_map 0 has 8 bytes", if (last) chain.desc.map_bytes = 8);
        REFUSED(last ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, "depth is 0", chain.desc.depth = last ? 0 : 1);
        Chain chain(rank);
        halo_mesh *mesh = nullptr;
        OK(halo_mesh_create(rank.context, &chain.desc, &mesh));
        int64_t values[8] = { 0 }, local[64] = { 0 };
        if (halo_mesh_distribute(mesh, 0, values, local, last ? 4 : 8) != HALO_ERR_MISMATCH) stop("bytes that differ: %s", halo_last_error());
        if (halo_mesh_distribute(mesh, last ? 1 : 0, values, local, 8) != HALO_ERR_MISMATCH) stop("sets that differ: %s", halo_last_error());
        if (halo_mesh_distribute(mesh, 0, values, local, last ? 0 : 8) != HALO_ERR_MISMATCH) stop("no bytes: %s", halo_last_error());
        halo_topology *topology = nullptr;
        if (halo_mesh_topology(mesh, last ? 1 : 0, &topology) != HALO_ERR_MISMATCH) stop("topologies that differ: %s", halo_last_error());
        if (halo_mesh_distribute(mesh, 0, last ? nullptr : values, local, 8) != (last ? HALO_ERR_ARGUMENT : HALO_ERR_PEER))
            stop("no values: %s", halo_last_error());
        OK(halo_mesh_distribute(mesh, 0, values, local, 8));
        OK(halo_mesh_destroy(&mesh));
    });
}

// One rank brings values back while the others hand them out: that ends the collectives, and says so.
TEST_P(RefusedMeshes, ThereAndBackAtOnce) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        if (rank.size == 1) return;
        Chain chain(rank);
        halo_mesh *mesh = nullptr;
        OK(halo_mesh_create(rank.context, &chain.desc, &mesh));
        int64_t values[8] = { 0 }, local[64] = { 0 };
        halo_status status = halo_context_barrier(rank.context); // from which not all have come yet when some hear of the end
        if (status == HALO_SUCCESS)
            status = rank.rank == 0 ? halo_mesh_collect(mesh, 0, local, values, 8) : halo_mesh_distribute(mesh, 0, values, local, 8);
        if (status == HALO_SUCCESS || status == HALO_TIMEOUT || !std::strstr(halo_last_error(), "'mesh collect'"))
            stop("status %d: %s", status, halo_last_error());
        OK(halo_mesh_destroy(&mesh));
    });
}

TEST_P(RefusedMeshes, Questions) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        Chain chain(rank);
        halo_mesh *mesh = nullptr;
        OK(halo_mesh_create(rank.context, &chain.desc, &mesh));
        halo_mesh_local local = HALO_MESH_LOCAL_INIT;
        const uint32_t *to = nullptr;
        halo_topology *topology = nullptr;
        if (halo_mesh_get_local(mesh, 2, &local) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), "set 2; there are 2"))
            stop("%s", halo_last_error());
        if (halo_mesh_get_map(mesh, -1, &to, nullptr, nullptr) != HALO_ERR_ARGUMENT) stop("%s", halo_last_error());
        if (halo_mesh_topology(mesh, 7, &topology) != HALO_ERR_ARGUMENT) stop("%s", halo_last_error());
        if (halo_mesh_distribute(mesh, 0, &local, &local, 0) != HALO_ERR_ARGUMENT) stop("%s", halo_last_error());
        OK(halo_mesh_destroy(&mesh));
        if (halo_mesh_destroy(&mesh) == HALO_SUCCESS) stop("destroyed twice");
    });
}

// Its topologies stay, with fields on them; a context does not go before it.
TEST_P(RefusedMeshes, Life) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        for (int i = 0; i < 200; ++i) {
            Chain chain(rank);
            chain.desc.depth = 1 + i % 3;
            halo_mesh *mesh = nullptr;
            halo_topology *nodes = nullptr;
            OK(halo_mesh_create(rank.context, &chain.desc, &mesh));
            OK(halo_mesh_topology(mesh, 1, &nodes));
            halo_context *context = rank.context;
            if (halo_context_destroy(&context) != HALO_BUSY) stop("the context went: %s", halo_last_error());
            if (!std::strstr(halo_last_error(), "mesh")) stop("%s", halo_last_error());
            OK(halo_mesh_destroy(&mesh));
            halo_keys_report report = HALO_KEYS_REPORT_INIT;
            OK(halo_topology_keys_report(nodes, &report));
            if (report.n_global != 2 * rank.size) stop("%lld nodes", static_cast<long long>(report.n_global));
            OK(halo_topology_destroy(&nodes));
        }
    });
}

// Nothing at all, and all of it on one rank.
TEST_P(RefusedMeshes, EmptyRanks) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_mesh_desc nothing = HALO_MESH_DESC_INIT;
        halo_mesh *mesh = nullptr;
        OK(halo_mesh_create(rank.context, &nothing, &mesh));
        OK(halo_mesh_destroy(&mesh));
        Chain chain(rank);
        std::vector<uint64_t> keys, ends;
        for (uint64_t i = 0; rank.rank == rank.size - 1 && i < 6; ++i) {
            keys.push_back(i);
            ends.insert(ends.end(), { i, (i + 1) % 6 });
        }
        chain.sets[0].n = static_cast<int64_t>(keys.size());
        chain.sets[0].keys = keys.data();
        chain.map.keys = ends.data();
        OK(halo_mesh_create(rank.context, &chain.desc, &mesh));
        halo_mesh_local local = HALO_MESH_LOCAL_INIT;
        OK(halo_mesh_get_local(mesh, 1, &local));
        if (local.n != static_cast<int64_t>(keys.size()) || local.n_core != local.n) stop("%lld nodes", static_cast<long long>(local.n));
        halo_topology *nodes = nullptr;
        OK(halo_mesh_topology(mesh, 1, &nodes));
        OK(halo_topology_destroy(&nodes));
        OK(halo_mesh_destroy(&mesh));
    });
}

} // namespace
