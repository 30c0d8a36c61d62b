// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of some sections alone, by hand: whole buffers against what every rank knows of all.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

uint32_t section_bits(const LocalMesh &local, int64_t edge) {
    int64_t first = 0;
    for (int32_t section = 0; section < 4; first += local.edge_sizes.n[section++])
        if (edge < first + local.edge_sizes.n[section]) return 1u << section;
    return 0;
}

// Every rank's part of a mesh, with random groups of nodes beside those of edges by section.
struct Parts {
    std::vector<LocalMesh> locals;
    std::vector<std::vector<uint32_t>> node_groups, edge_groups;

    Parts(const Mesh &mesh, int32_t n_ranks, Random &random) {
        for (int32_t r = 0; r < n_ranks; ++r) {
            const LocalMesh &local = locals.emplace_back(mesh, r);
            auto &nodes = node_groups.emplace_back();
            auto &edges = edge_groups.emplace_back();
            for (size_t i = 0; i < local.nodes.size(); ++i) nodes.push_back(pick(random, 0, 3) ? static_cast<uint32_t>(pick(random, 0, 7)) << 13 : 0);
            for (size_t e = 0; e < local.edges.size(); ++e) edges.push_back(section_bits(local, static_cast<int64_t>(e)));
        }
    }
};

struct Set {
    const std::vector<int64_t> LocalMesh::*numbers;
    const std::vector<int32_t> LocalMesh::*owners;
    const std::vector<std::vector<uint32_t>> &groups;
    uint32_t mask;
};

bool takes_part(uint32_t mask, uint32_t groups) { return mask == 0 || (groups & mask) != 0; }

int64_t value_of(int32_t rank, int64_t number) { return int64_t{ 1000 } * (rank + 1) + number; }

int64_t wanted(const Parts &parts, const Set &set, int32_t kind, int32_t rank, size_t i) {
    const LocalMesh &local = parts.locals[static_cast<size_t>(rank)];
    const int64_t number = (local.*set.numbers)[i];
    const int32_t owner = (local.*set.owners)[i];
    if (kind == HALO_KIND_GHOSTS) {
        const bool filled = owner != rank && takes_part(set.mask, set.groups[static_cast<size_t>(rank)][i]);
        return value_of(filled ? owner : rank, number);
    }
    int64_t sum = value_of(rank, number);
    for (size_t r = 0; owner == rank && r < parts.locals.size(); ++r) {
        const auto &numbers = parts.locals[r].*set.numbers;
        const auto found = std::find(numbers.begin(), numbers.end(), number);
        if (static_cast<int32_t>(r) == rank || found == numbers.end()) continue;
        if (takes_part(set.mask, set.groups[r][static_cast<size_t>(found - numbers.begin())])) sum += value_of(static_cast<int32_t>(r), number);
    }
    return sum;
}

void run_exchange(const Rank &rank, const Parts &parts, const std::vector<Set> &sets, int32_t kind, int32_t messages, uint64_t seed) {
    const auto here = static_cast<size_t>(rank.rank);
    std::vector<halo_topology *> topologies;
    std::vector<halo_field *> fields;
    std::vector<uint32_t> masks;
    const auto data_of = [&](halo_field *field) {
        void *data = nullptr;
        OK(halo_field_data(field, rank.rank, 0, &data));
        return static_cast<int64_t *>(data);
    };
    for (const Set &set : sets) {
        const auto &numbers = parts.locals[here].*set.numbers;
        topologies.push_back(World::make_topology(rank, numbers, parts.locals[here].*set.owners));
        OK(halo_topology_set_sections(topologies.back(), set.groups[here].data(), static_cast<int64_t>(set.groups[here].size())));
        fields.push_back(World::make_field(topologies.back(), "values"));
        masks.push_back(set.mask);
        for (size_t i = 0; i < numbers.size(); ++i) data_of(fields.back())[i] = value_of(rank.rank, numbers[i]);
    }
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.messages = messages;
    desc.sections = masks.data();
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields.data(), static_cast<int32_t>(fields.size()), &desc, &exchange));
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    for (size_t s = 0; s < sets.size(); ++s)
        for (size_t i = 0; i < (parts.locals[here].*sets[s].numbers).size(); ++i)
            if (data_of(fields[s])[i] != wanted(parts, sets[s], kind, rank.rank, i))
                stop("seed %llu, kind %d, set %zu, sections %#x, index %zu: wanted %lld, got %lld", static_cast<unsigned long long>(seed), kind, s,
                     sets[s].mask, i, static_cast<long long>(wanted(parts, sets[s], kind, rank.rank, i)),
                     static_cast<long long>(data_of(fields[s])[i]));
    OK(halo_exchange_destroy(&exchange));
    for (halo_field *field : fields) OK(halo_field_destroy(&field));
    for (halo_topology *topology : topologies) OK(halo_topology_destroy(&topology));
}

class Sections : public testing::TestWithParam<int32_t> {};

TEST_P(Sections, TravelAloneAndTogether) {
    const int64_t n = conformance::number_from("ACCESS_CASES", 20);
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (int64_t i = 0; i < n; ++i) {
            const auto seed = static_cast<uint64_t>(int64_t{ 77 } * rank.size + i);
            Random random(seed);
            const Parts parts(random_mesh(random, rank.size), rank.size, random);
            const uint32_t edge_mask = std::array<uint32_t, 4>{ 0, 1u << HALO_SECTION_EXEC, 1u << HALO_SECTION_NON_EXEC,
                                                                1u << HALO_SECTION_EXEC | 1u << HALO_SECTION_NON_EXEC }[static_cast<size_t>(i % 4)];
            const Set nodes{ &LocalMesh::nodes, &LocalMesh::node_owner, parts.node_groups, static_cast<uint32_t>(pick(random, 0, 7)) << 13 };
            const Set edges{ &LocalMesh::edges, &LocalMesh::edge_owner, parts.edge_groups, edge_mask };
            for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE })
                run_exchange(rank, parts, { nodes, edges }, kind, pick(random, 0, 1) ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL, seed);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Sections, testing::ValuesIn(conformance::rank_counts()));

} // namespace
