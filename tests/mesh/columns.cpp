// SPDX-License-Identifier: BSD-3-Clause
// Columns over the entities of random meshes: where they start, whose values their points get, where they lead.
#include <gtest/gtest.h>

#include <cstring>

#include "halo_access.h"
#include "made.h"
#include "ranks.h"

namespace {

using namespace mesh;
using conformance::Rank;

constexpr int32_t most_layers = 4;

// As many layers as the key says.
int32_t layers_over(uint64_t key) { return static_cast<int32_t>(key % (most_layers + 1)); }

struct Stack {
    int32_t number = -1;
    const int64_t *starts = nullptr;
    int64_t n = 0;

    Stack(halo_mesh *made, size_t set, int32_t n_layers, const int32_t *layers) {
        OK(halo_mesh_add_columns(made, static_cast<int32_t>(set), n_layers, layers, &number));
        OK(halo_mesh_get_columns(made, number, &starts, &n));
    }
    int64_t layers(int64_t entity) const { return starts[entity + 1] - starts[entity]; }
};

Stack varying(halo_mesh *made, size_t set, const Local &local) {
    std::vector<int32_t> layers;
    for (int64_t i = 0; i < local.known.n_owned; ++i) layers.push_back(layers_over(local.known.keys[i]));
    return { made, set, 77, layers.empty() ? nullptr : layers.data() };
}

// Whole columns of the ghosts within each reach come from their owners; others stay as they are.
void check_exchanges(Seed seed, const Model &model, halo_mesh *made, const Stack &stack, const Stored &wanted, const Local &local, int32_t rank) {
    const halo_mesh_local &known = local.known;
    halo_topology *topology = nullptr;
    OK(halo_mesh_column_topology(made, stack.number, &topology));
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = HALO_INT64;
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &desc, &field));
    std::vector<int64_t> values(static_cast<size_t>(stack.starts[stack.n]) + 1, -1);
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = values.data();
    OK(halo_field_bind(field, rank, &binding));
    const auto value_at = [&](int64_t i, int64_t layer) { return value_of(known.keys[i]) * 8 + layer; };
    for (int32_t k = 0; k <= model.depth + 1; ++k) {
        for (int64_t i = 0; i < known.n; ++i)
            for (int64_t layer = 0; layer < stack.layers(i); ++layer)
                values[static_cast<size_t>(stack.starts[i] + layer)] = i < known.n_owned ? value_at(i, layer) : -1;
        exchange(field, k <= model.depth ? HALO_MESH_REACH(k) : (1u << HALO_SECTION_EXEC));
        for (int64_t i = 0; i < known.n; ++i) {
            const bool within = k <= model.depth ? wanted.reach[static_cast<size_t>(k)].contains(known.keys[i]) : i < known.layer_ends[model.depth];
            for (int64_t layer = 0; layer < stack.layers(i); ++layer)
                if (values[static_cast<size_t>(stack.starts[i] + layer)] != (i < known.n_owned || within ? value_at(i, layer) : -1))
                    stop("seed %llu: layer %lld over entity %lld, reach %d", seed, static_cast<long long>(layer), static_cast<long long>(i), k);
        }
    }
    OK(halo_field_destroy(&field));
    OK(halo_topology_destroy(&topology));
}

// From columns of up to 4 layers to columns of 8: upwards by one and by two, downwards, and to one layer alone.
void check_map(Seed seed, const Model &model, size_t m, const halo_mesh *made, const Stack &from, const Stack &to) {
    const int32_t last = model.maps[m].arity - 1;
    const halo_column_entry entries[] = { { 0, 0, 1 }, { last, 1, 2 }, { 0, 7, -1 }, { last, 5, 0 }, { 0, 4, 1 } };
    constexpr int32_t n_entries = std::size(entries);
    const uint32_t *below = nullptr;
    int64_t n_rows = 0, n = 0;
    int32_t arity = 0;
    OK(halo_mesh_get_map(made, static_cast<int32_t>(m), &below, &n_rows, &arity));
    OK(halo_mesh_get_column_map(made, static_cast<int32_t>(m), from.number, to.number, entries, n_entries, nullptr, 0, &n));
    if (n != n_rows * n_entries) stop("seed %llu: %lld entries", seed, static_cast<long long>(n));
    std::vector<uint32_t> lowest(static_cast<size_t>(n) + 1, 99);
    OK(halo_mesh_get_column_map(made, static_cast<int32_t>(m), from.number, to.number, entries, n_entries, lowest.data(), n + 1, &n));
    if (lowest.back() != 99) stop("seed %llu: more than the map has is written", seed);
    for (int64_t i = 0; i < n_rows; ++i)
        for (int32_t k = 0; k < n_entries; ++k) {
            const uint32_t target = below[i * arity + entries[k].entry];
            const bool leads = target != HALO_NO_INDEX && from.layers(i) > 0;
            const uint32_t wanted = leads ? static_cast<uint32_t>(to.starts[target] + entries[k].layer) : HALO_NO_INDEX;
            if (lowest[static_cast<size_t>(i * n_entries + k)] != wanted) stop("seed %llu: row %lld of map %zu", seed, static_cast<long long>(i), m);
        }
}

void check(Rank &rank, uint64_t seed) {
    Random random(seed);
    const Model model = random_model(random, rank.size, seed % 5 == 0 ? 400 : 40);
    Brought brought(model, rank.rank, seed);
    halo_mesh *made = nullptr;
    OK(halo_mesh_create(rank.context, &brought.desc, &made));
    const std::vector<Stored> wanted = model.stored(rank.rank);
    std::vector<Local> locals;
    std::vector<Stack> stacks, even;
    for (size_t s = 0; s < model.sets.size(); ++s) {
        locals.emplace_back(made, s);
        even.emplace_back(made, s, 8, nullptr);
        stacks.push_back(varying(made, s, locals[s]));
    }
    for (size_t s = 0; s < model.sets.size(); ++s) {
        const halo_mesh_local &known = locals[s].known;
        if (stacks[s].n != known.n || stacks[s].starts[0] != 0)
            stop("seed %llu: %lld columns", static_cast<Seed>(seed), static_cast<long long>(stacks[s].n));
        for (int64_t i = 0; i < known.n; ++i)
            if (stacks[s].layers(i) != layers_over(known.keys[i]) || even[s].starts[i] != 8 * i)
                stop("seed %llu: column %lld", static_cast<Seed>(seed), static_cast<long long>(i));
        check_exchanges(seed, model, made, stacks[s], wanted[s], locals[s], rank.rank);
    }
    for (size_t m = 0; m < model.maps.size(); ++m) check_map(seed, model, m, made, stacks[model.maps[m].from], even[model.maps[m].to]);
    OK(halo_mesh_destroy(&made));
}

class MeshColumns : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, MeshColumns, testing::ValuesIn(conformance::rank_counts()));

TEST_P(MeshColumns, AsDefined) {
    const auto n_cases = static_cast<uint64_t>(conformance::number_from("MESH_CASES", 25));
    const auto first = static_cast<uint64_t>(conformance::number_from("MESH_SEED", 1));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + n_cases; ++seed) check(rank, seed);
    });
}

void has_text(halo_status got, halo_status wanted, const char *text) {
    if (got != wanted || !std::strstr(halo_last_error(), text)) stop("status %d instead of %d, '%s' in: %s", got, wanted, text, halo_last_error());
}

TEST_P(MeshColumns, Refused) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const bool last = rank.rank == rank.size - 1;
        const halo_status elsewhere = last ? HALO_ERR_ARGUMENT : HALO_ERR_PEER;
        const uint64_t cell = static_cast<uint64_t>(rank.rank), node = cell + 10;
        halo_mesh_set sets[2] = { HALO_MESH_SET_INIT, HALO_MESH_SET_INIT };
        sets[0].name = "cells", sets[0].n = 1, sets[0].keys = &cell;
        sets[1].name = "nodes", sets[1].n = 1, sets[1].keys = &node;
        halo_mesh_map map = HALO_MESH_MAP_INIT;
        map.name = "node", map.to = 1, map.keys = &node;
        halo_mesh_desc desc = HALO_MESH_DESC_INIT;
        desc.n_sets = 2, desc.sets = sets, desc.n_maps = 1, desc.maps = &map;
        halo_mesh *made = nullptr;
        OK(halo_mesh_create(rank.context, &desc, &made));
        int32_t number = -1;
        const int32_t negative = -3;
        has_text(halo_mesh_add_columns(made, 2, 1, nullptr, &number), HALO_ERR_ARGUMENT, "set 2; there are 2");
        has_text(halo_mesh_add_columns(made, 0, last ? -2 : 1, nullptr, &number), elsewhere, "mesh columns: -2 layers");
        has_text(halo_mesh_add_columns(made, 0, 1, last ? &negative : nullptr, &number), elsewhere, "set cells: -3 layers over entity");
        has_text(halo_mesh_add_columns(made, 0, 1, nullptr, nullptr), HALO_ERR_ARGUMENT, "'columns' is NULL");
        if (rank.size > 1) has_text(halo_mesh_add_columns(made, last ? 1 : 0, 1, nullptr, &number), HALO_ERR_MISMATCH, "set");
        if (number != -1) stop("columns %d of a call that was refused", number);

        const Stack cells(made, 0, 3, nullptr), nodes(made, 1, 4, nullptr);
        const int64_t *starts = nullptr;
        halo_topology *topology = nullptr;
        has_text(halo_mesh_get_columns(made, 2, &starts, nullptr), HALO_ERR_ARGUMENT, "columns 2; there are 2");
        has_text(halo_mesh_column_topology(made, -1, &topology), HALO_ERR_ARGUMENT, "columns -1; there are 2");
        if (rank.size > 1) has_text(halo_mesh_column_topology(made, last ? 1 : 0, &topology), HALO_ERR_MISMATCH, "columns");
        halo_column_entry entry{ 0, 1, 1 };
        uint32_t lowest[1] = { 7 };
        int64_t n = 0;
        const auto refused = [&](int32_t from, int32_t to, const char *text) {
            has_text(halo_mesh_get_column_map(made, 0, from, to, &entry, 1, lowest, 1, &n), HALO_ERR_ARGUMENT, text);
        };
        OK(halo_mesh_get_column_map(made, 0, cells.number, nodes.number, &entry, 1, lowest, 1, &n));
        if (n != 1 || lowest[0] != 1) stop("%lld entries, of %u", static_cast<long long>(n), lowest[0]);
        refused(nodes.number, nodes.number, "map node leads from set 0 to set 1, the columns stand over sets 1 and 1");
        refused(cells.number, 5, "columns 5; there are 2");
        entry.layer = 2;
        refused(cells.number, nodes.number, "map node: 3 layers over entity");
        refused(cells.number, nodes.number, "lead to layers 2 to 4 of a column of 4");
        entry = { 0, 1, -1 };
        refused(cells.number, nodes.number, "lead to layers 1 to -1 of a column of 4");
        entry.entry = 1;
        refused(cells.number, nodes.number, "entry 0 names entry 1 of map node, which has 1");
        has_text(halo_mesh_get_column_map(made, 0, 0, 1, &entry, 0, lowest, 1, &n), HALO_ERR_ARGUMENT, "0 entries");
        has_text(halo_mesh_get_column_map(made, 0, 0, 1, nullptr, 1, lowest, 1, &n), HALO_ERR_ARGUMENT, "'entries' is NULL");
        has_text(halo_mesh_get_column_map(made, 1, 0, 1, &entry, 1, lowest, 1, &n), HALO_ERR_ARGUMENT, "map 1; there are 1");
        OK(halo_mesh_destroy(&made));
    });
}

} // namespace
