// SPDX-License-Identifier: BSD-3-Clause
// Parts of grids on the sphere, cut at random, against a search over the whole sphere; their topologies against those of keys and graphs.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <set>

#include "halo_sphere.h"
#include "model.h"
#include "placed.h"
#include "ranks.h"

namespace {

using namespace keys;
using conformance::Rank;

constexpr int32_t kinds[] = { HALO_SPHERE_CELLS, HALO_SPHERE_EDGES, HALO_SPHERE_VERTICES };
constexpr int64_t colours[] = { 2, 3, 1 };

using Keys = std::vector<uint64_t>;

// A grid, as all ranks know it.
struct Grid {
    uint64_t seed = 0;
    int32_t solid = HALO_SPHERE_ICOSAHEDRON;
    int64_t n = 1;
    int32_t rings[3] = { 1, 1, 1 };
    int32_t parts_per_side = 0; // 0: the list of boxes is given
    std::vector<halo_sphere_box> boxes;

    int32_t n_parallelograms() const { return solid == HALO_SPHERE_ICOSAHEDRON ? 10 : 4; }
    uint64_t count(int32_t kind) const {
        return static_cast<uint64_t>(n_parallelograms() * n * n * colours[kind] + (kind == HALO_SPHERE_VERTICES ? 2 : 0));
    }
    Keys neighbours(int32_t from, uint64_t key, int32_t to) const {
        uint64_t found[6];
        int32_t n_found = 0;
        OK(halo_sphere_key_neighbours(solid, n, from, key, to, found, &n_found));
        return { found, found + n_found };
    }
    // The box that has it.
    int64_t part_of(int32_t kind, uint64_t key) const;
    halo_sphere_desc desc() const;
};

int64_t Grid::part_of(int32_t kind, uint64_t key) const {
    halo_sphere_entity entity{};
    OK(halo_sphere_entity_of(solid, n, kind, key, &entity));
    const bool poles = kind == HALO_SPHERE_VERTICES && key >= static_cast<uint64_t>(n_parallelograms() * n * n);
    const bool south = poles && key + 1 == count(kind);
    if (poles || kind == HALO_SPHERE_VERTICES || (kind == HALO_SPHERE_EDGES && entity.colour == 1)) --entity.i;
    if (poles) entity.i = entity.j = south ? n - 1 : 0;
    for (size_t part = 0; part < boxes.size(); ++part) {
        const halo_sphere_box &box = boxes[part];
        if (box.parallelogram == entity.parallelogram && box.low[0] <= entity.i && entity.i < box.high[0] && box.low[1] <= entity.j &&
            entity.j < box.high[1])
            return static_cast<int64_t>(part);
    }
    conformance::stop("seed %llu: nobody has key %llu", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(key));
}

halo_sphere_desc Grid::desc() const {
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.solid = solid;
    desc.n = n;
    std::copy_n(rings, 3, desc.rings);
    desc.parts_per_side = parts_per_side;
    if (parts_per_side > 0) return desc;
    desc.boxes = boxes.data();
    desc.n_boxes = static_cast<int64_t>(boxes.size());
    return desc;
}

// Cuts a box in two, again and again.
void cut(Random &random, halo_sphere_box box, int32_t n_ranks, std::vector<halo_sphere_box> &into) {
    const int d = static_cast<int>(pick(random, 0, 1));
    if (box.high[d] - box.low[d] < 2 || pick(random, 0, 2) == 0) {
        box.owner = static_cast<int32_t>(pick(random, 0, n_ranks - 1));
        into.push_back(box);
        return;
    }
    halo_sphere_box low = box, high = box;
    low.high[d] = high.low[d] = pick(random, box.low[d] + 1, box.high[d] - 1);
    cut(random, low, n_ranks, into);
    cut(random, high, n_ranks, into);
}

void cut_evenly(Grid &grid, int32_t n_ranks) {
    const int64_t s = grid.parts_per_side, n_parts = grid.n_parallelograms() * s * s;
    for (int32_t p = 0; p < grid.n_parallelograms(); ++p)
        for (int64_t j = 0; j < s; ++j)
            for (int64_t i = 0; i < s; ++i) {
                int32_t owner = 0; // equal runs
                while (n_parts * (owner + 1) / n_ranks <= static_cast<int64_t>(grid.boxes.size())) ++owner;
                grid.boxes.push_back({ p, owner, { grid.n * i / s, grid.n * j / s }, { grid.n * (i + 1) / s, grid.n * (j + 1) / s } });
            }
}

Grid random_grid(uint64_t seed, int32_t n_ranks) {
    Random random(seed);
    Grid grid;
    grid.seed = seed;
    grid.solid = pick(random, 0, 2) == 0 ? HALO_SPHERE_OCTAHEDRON : HALO_SPHERE_ICOSAHEDRON;
    grid.n = pick(random, 1, 5);
    for (int32_t &rings : grid.rings) rings = static_cast<int32_t>(pick(random, 0, 4));
    if (pick(random, 0, 3) == 0) {
        grid.parts_per_side = static_cast<int32_t>(pick(random, 1, grid.n));
        cut_evenly(grid, n_ranks);
        return grid;
    }
    for (int32_t p = 0; p < grid.n_parallelograms(); ++p) cut(random, { p, 0, { 0, 0 }, { grid.n, grid.n } }, n_ranks, grid.boxes);
    std::shuffle(grid.boxes.begin(), grid.boxes.end(), random);
    return grid;
}

// What a part stores of one kind, in the order that is promised.
struct Stored {
    Keys keys;
    std::vector<int32_t> rings;
    std::map<uint64_t, uint32_t> index;
};

// Breadth first, over the whole sphere, from all that a part has.
Stored expected(const Grid &grid, int64_t part, int32_t kind) {
    std::map<uint64_t, int32_t> distance;
    std::deque<uint64_t> next;
    for (uint64_t key = 0; key < grid.count(kind); ++key)
        if (grid.part_of(kind, key) == part) {
            distance[key] = 0;
            next.push_back(key);
        }
    for (; !next.empty(); next.pop_front()) {
        const int32_t here = distance[next.front()];
        if (here == grid.rings[kind]) continue;
        for (const uint64_t key : grid.neighbours(kind, next.front(), kind))
            if (distance.emplace(key, here + 1).second) next.push_back(key);
    }
    std::vector<std::tuple<int32_t, int32_t, int64_t, uint64_t>> order; // of owned ones that of the keys is right
    for (const auto &[key, ring] : distance) {
        const int64_t owner = grid.part_of(kind, key);
        order.emplace_back(ring, grid.boxes[static_cast<size_t>(owner)].owner, owner, key);
    }
    std::sort(order.begin(), order.end());
    Stored stored;
    for (const auto &[ring, rank, owner, key] : order) {
        stored.index[key] = static_cast<uint32_t>(stored.keys.size());
        stored.keys.push_back(key);
        stored.rings.push_back(ring);
    }
    return stored;
}

template <class T, class Ask>
std::vector<T> list_of(Ask &&ask) {
    int64_t n = 0;
    OK(ask(nullptr, 0, &n));
    std::vector<T> list(static_cast<size_t>(n));
    if (n > 0) OK(ask(list.data(), n, &n));
    return list;
}

[[noreturn]] void wrong(const Grid &grid, int64_t part, int32_t kind, const char *what) {
    conformance::stop("seed %llu, part %lld, kind %d: wrong %s", static_cast<unsigned long long>(grid.seed), static_cast<long long>(part), kind,
                      what);
}

// A part of this rank.
struct Here {
    int64_t gid;
    int64_t number;
    Stored stored[3];
};

void check_lists(const Grid &grid, const halo_sphere *sphere, const Here &here) {
    halo_sphere_part part = HALO_SPHERE_PART_INIT;
    OK(halo_sphere_get_part(sphere, here.gid, &part));
    for (const int32_t kind : kinds) {
        const Stored &stored = here.stored[kind];
        const auto keys = list_of<uint64_t>([&](auto... to) { return halo_sphere_keys(sphere, here.gid, kind, to...); });
        if (keys != stored.keys) wrong(grid, here.number, kind, "keys");
        const auto ends = list_of<int64_t>([&](auto... to) { return halo_sphere_ring_ends(sphere, here.gid, kind, to...); });
        if (std::ssize(ends) != grid.rings[kind] + 1) wrong(grid, here.number, kind, "number of rings");
        for (int32_t ring = 0; ring <= grid.rings[kind]; ++ring)
            if (std::upper_bound(stored.rings.begin(), stored.rings.end(), ring) - stored.rings.begin() != ends[static_cast<size_t>(ring)])
                wrong(grid, here.number, kind, "end of a ring");
        if (part.n_owned[kind] != ends.front() || part.n_local[kind] != ends.back()) wrong(grid, here.number, kind, "counts");
    }
}

// Own entities lie in the order of storage.
void check_order(const Grid &grid, const halo_sphere *sphere, const Here &here) {
    halo_sphere_part part = HALO_SPHERE_PART_INIT;
    OK(halo_sphere_get_part(sphere, here.gid, &part));
    const halo_sphere_box &box = grid.boxes[static_cast<size_t>(here.number)];
    if (part.parallelogram != box.parallelogram || !std::equal(box.low, box.low + 2, part.low) || !std::equal(box.high, box.high + 2, part.high))
        wrong(grid, here.number, -1, "box");
    for (const int32_t kind : kinds)
        for (int64_t j = box.low[1]; j < box.high[1]; ++j)
            for (int32_t c = 0; c < colours[kind]; ++c)
                for (int64_t i = box.low[0]; i < box.high[0]; ++i) {
                    const bool beyond = kind == HALO_SPHERE_VERTICES || (kind == HALO_SPHERE_EDGES && c == 1);
                    const halo_sphere_entity entity{ box.parallelogram, c, beyond ? i + 1 : i, j };
                    uint64_t key = 0;
                    OK(halo_sphere_key(grid.solid, grid.n, kind, &entity, &key));
                    const int64_t place = i - box.low[0] + (box.high[0] - box.low[0]) * (c + colours[kind] * (j - box.low[1]));
                    if (here.stored[kind].keys[static_cast<size_t>(place)] != key) wrong(grid, here.number, kind, "order");
                }
}

// Rings at which rows of owned entities must be whole.
bool owned_rows_whole(const Grid &grid, int32_t from, int32_t to) {
    return grid.rings[to] >= (from == HALO_SPHERE_VERTICES && to != HALO_SPHERE_VERTICES ? 2 : 1);
}

void check_tables(const Grid &grid, const halo_sphere *sphere, const Here &here) {
    for (const int32_t from : kinds)
        for (const int32_t to : kinds) {
            const Stored &rows = here.stored[from], &entries = here.stored[to];
            const auto table = list_of<uint32_t>([&](auto... into) { return halo_sphere_neighbours(sphere, here.gid, from, to, into...); });
            const auto width = static_cast<size_t>(halo_sphere_width(from, to));
            if (table.size() != rows.keys.size() * width) wrong(grid, here.number, from, "size of a table");
            for (size_t row = 0; row < rows.keys.size(); ++row) {
                const Keys wanted = grid.neighbours(from, rows.keys[row], to);
                const bool whole = (rows.rings[row] == 0 && owned_rows_whole(grid, from, to)) || (from == to && rows.rings[row] < grid.rings[to]);
                for (size_t k = 0; k < width; ++k) {
                    const auto found = k < wanted.size() ? entries.index.find(wanted[k]) : entries.index.end();
                    const uint32_t index = found == entries.index.end() ? HALO_NO_INDEX : found->second;
                    if (table[row * width + k] != index || (whole && k < wanted.size() && index == HALO_NO_INDEX))
                        wrong(grid, here.number, from, "table");
                }
            }
        }
}

double value_of(int32_t kind, uint64_t key) { return static_cast<double>(key * 3 + static_cast<uint64_t>(kind)); }

// Storage of all parts for one kind.
struct Variable {
    halo_field *field = nullptr;
    std::vector<conformance::OwnMemory<double>> parts;
};

Variable make_variable(halo_topology *topology, const char *name, int32_t kind, const std::vector<Here> &here) {
    Variable variable;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    OK(halo_field_create(topology, &desc, &variable.field));
    for (const Here &part : here) {
        const Stored &stored = part.stored[kind];
        conformance::OwnMemory<double> &values = variable.parts.emplace_back(stored.keys.size(), -1.0);
        for (size_t i = 0; i < stored.keys.size(); ++i)
            if (stored.rings[i] == 0) values[i] = value_of(kind, stored.keys[i]);
        halo_binding binding = HALO_BINDING_INIT;
        conformance::place(binding, values.data());
        OK(halo_field_bind(variable.field, part.gid, &binding));
        conformance::upload(values.data(), values.size() * sizeof(double));
    }
    return variable;
}

// One exchange of all three kinds; ghosts then have what a global list says.
void check_exchange(const Grid &grid, halo_topology *const *topologies, const std::vector<Here> &here) {
    conformance::begin_case(here.size());
    Variable variables[3];
    halo_field *fields[3];
    for (const int32_t kind : kinds) {
        variables[kind] = make_variable(topologies[kind], kind == 0 ? "on cells" : kind == 1 ? "on edges" : "on vertices", kind, here);
        fields[kind] = variables[kind].field;
    }
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields, 3, nullptr, &exchange));
    OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
    OK(halo_exchange_finish(exchange, conformance::finish_stream()));
    OK(halo_exchange_destroy(&exchange));
    for (const int32_t kind : kinds) {
        for (auto &values : variables[kind].parts) conformance::download(values.data(), values.size() * sizeof(double));
        for (size_t part = 0; part < here.size(); ++part)
            for (size_t i = 0; i < here[part].stored[kind].keys.size(); ++i)
                if (variables[kind].parts[part][i] != value_of(kind, here[part].stored[kind].keys[i])) wrong(grid, here[part].number, kind, "value");
        OK(halo_field_destroy(&variables[kind].field));
    }
}

// The parts' keys, given by hand, with the directory deciding who owns them: the same owners.
void compare_with_keys(const Grid &grid, Rank &rank, halo_topology *topology, int32_t kind, const std::vector<Here> &here) {
    Keys all;
    std::vector<int32_t> flags;
    std::vector<int64_t> offsets{ 0 };
    for (const Here &part : here) {
        all.insert(all.end(), part.stored[kind].keys.begin(), part.stored[kind].keys.end());
        for (const int32_t ring : part.stored[kind].rings) flags.push_back(ring > 0 ? HALO_KEY_WANT : 0);
        offsets.push_back(static_cast<int64_t>(all.size()));
    }
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(all.size());
    desc.keys = all.data();
    desc.flags = flags.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    desc.n_parts = static_cast<int32_t>(here.size());
    desc.part_offsets = offsets.data();
    halo_topology *by_keys = nullptr;
    OK(halo_topology_create_keys(rank.context, &desc, &by_keys));
    halo_keys_report report = HALO_KEYS_REPORT_INIT, other = HALO_KEYS_REPORT_INIT;
    OK(halo_topology_keys_report(topology, &report));
    OK(halo_topology_keys_report(by_keys, &other));
    if (report.n_global != static_cast<int64_t>(grid.count(kind)) || report.n_unclaimed != 0 || report.n_owned != other.n_owned ||
        report.n_ghosts != other.n_ghosts || report.directory != HALO_DIRECTORY_AUTO)
        wrong(grid, -1, kind, "report");
    if (list_of<int32_t>([&](auto... to) { return halo_topology_owners(topology, to...); }) !=
        list_of<int32_t>([&](auto... to) { return halo_topology_owners(by_keys, to...); }))
        wrong(grid, -1, kind, "owners");
    const int64_t *gids = nullptr, *other_gids = nullptr;
    int64_t n = 0, n_other = 0;
    OK(halo_topology_local_parts(topology, &gids, &n));
    OK(halo_topology_local_parts(by_keys, &other_gids, &n_other));
    if (!std::equal(gids, gids + n, other_gids, other_gids + n_other)) wrong(grid, -1, kind, "gids");
    OK(halo_topology_destroy(&by_keys));
}

// The same graph, all parts of a rank together: what lies k steps from the nearest of its parts, and is none of the rank's, is its ring k.
void compare_with_graph(const Grid &grid, Rank &rank, int32_t kind, const std::vector<Here> &here) {
    if (grid.rings[kind] == 0) return;
    Keys own, around;
    std::vector<int64_t> offsets{ 0 };
    std::map<uint64_t, int32_t> wanted, found;
    for (const Here &part : here) {
        const Stored &stored = part.stored[kind];
        for (size_t i = 0; i < stored.keys.size(); ++i) {
            const auto place = wanted.emplace(stored.keys[i], stored.rings[i]).first;
            place->second = std::min(place->second, stored.rings[i]);
            if (stored.rings[i] > 0) continue;
            own.push_back(stored.keys[i]);
            for (const uint64_t key : grid.neighbours(kind, stored.keys[i], kind)) around.push_back(key);
            offsets.push_back(static_cast<int64_t>(around.size()));
        }
    }
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.rings = grid.rings[kind];
    desc.n_owned = static_cast<int64_t>(own.size());
    desc.keys = own.data();
    desc.offsets = offsets.data();
    desc.neighbours = around.data();
    halo_topology *graph = nullptr;
    OK(halo_topology_create_graph(rank.context, &desc, &graph));
    const auto keys = list_of<uint64_t>([&](auto... to) { return halo_topology_point_keys(graph, to...); });
    const auto rings = list_of<int32_t>([&](auto... to) { return halo_topology_rings(graph, to...); });
    for (size_t i = 0; i < keys.size(); ++i) found[keys[i]] = rings[i];
    if (found != wanted) wrong(grid, -1, kind, "rings of the graph");
    std::set<int32_t> owners;
    for (const halo_sphere_box &box : grid.boxes) owners.insert(box.owner);
    const bool one_part_each = owners.size() == grid.boxes.size(); // else ghosts of a rank are in the order of its parts
    if (one_part_each && here.size() == 1 && keys != here[0].stored[kind].keys) wrong(grid, -1, kind, "order of the graph");
    OK(halo_topology_destroy(&graph));
}

std::vector<Here> parts_here(const Grid &grid, Rank &rank, const halo_sphere *sphere) {
    const int64_t *gids = nullptr;
    int64_t n = 0;
    OK(halo_sphere_local_parts(sphere, &gids, &n));
    std::vector<Here> here;
    for (int64_t place = 0; place < n; ++place) {
        halo_sphere_part part = HALO_SPHERE_PART_INIT;
        OK(halo_sphere_get_part(sphere, gids[place], &part));
        if (part.gid != gids[place] || grid.boxes[static_cast<size_t>(part.number)].owner != rank.rank) wrong(grid, part.number, -1, "rank");
        Here &one = here.emplace_back(Here{ part.gid, part.number, {} });
        for (const int32_t kind : kinds) one.stored[kind] = expected(grid, part.number, kind);
    }
    const auto mine = [&](const halo_sphere_box &box) { return box.owner == rank.rank; };
    if (std::count_if(grid.boxes.begin(), grid.boxes.end(), mine) != n) wrong(grid, -1, -1, "number of parts");
    return here;
}

void check_grid(const Grid &grid, Rank &rank) {
    const halo_sphere_desc desc = grid.desc();
    halo_sphere *sphere = nullptr;
    OK(halo_sphere_create(rank.context, &desc, &sphere));
    const std::vector<Here> here = parts_here(grid, rank, sphere);
    for (const Here &part : here) {
        check_lists(grid, sphere, part);
        check_order(grid, sphere, part);
        check_tables(grid, sphere, part);
    }
    halo_topology *topologies[3] = {};
    for (const int32_t kind : kinds) OK(halo_sphere_topology(sphere, kind, &topologies[kind]));
    OK(halo_sphere_destroy(&sphere));
    check_exchange(grid, topologies, here);
    for (const int32_t kind : kinds) {
        compare_with_keys(grid, rank, topologies[kind], kind, here);
        compare_with_graph(grid, rank, kind, here);
        OK(halo_topology_destroy(&topologies[kind]));
    }
}

class Spheres : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Spheres, testing::ValuesIn(conformance::rank_counts()));

TEST_P(Spheres, AsASearchOverTheWholeSphereFindsThem) {
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 12);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) check_grid(random_grid(seed, rank.size), rank);
    });
}

// One parallelogram for each rank, where there are four: then a part's list is the graph's, in its order.
TEST_P(Spheres, WholeParallelograms) {
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (const int64_t n : { 1, 4 }) {
            Grid grid;
            grid.solid = HALO_SPHERE_OCTAHEDRON;
            grid.n = n;
            for (int32_t &rings : grid.rings) rings = 2;
            for (int32_t p = 0; p < 4; ++p) grid.boxes.push_back({ p, p % rank.size, { 0, 0 }, { n, n } });
            check_grid(grid, rank);
        }
    });
}

void refused(Rank &rank, halo_status status, const halo_sphere_desc &desc, const char *text) {
    halo_sphere *sphere = nullptr;
    const halo_status got = halo_sphere_create(rank.context, &desc, &sphere);
    if (got != status || sphere) conformance::stop("status %d instead of %d: %s", got, status, halo_last_error());
    if (!std::strstr(halo_last_error(), text)) conformance::stop("'%s' is not in: %s", text, halo_last_error());
}

TEST_P(Spheres, RefusedDescriptions) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_sphere_desc good = HALO_SPHERE_DESC_INIT;
        good.solid = HALO_SPHERE_OCTAHEDRON;
        good.n = 4;
        const auto with = [&](auto &&change) {
            halo_sphere_desc bad = good;
            change(bad);
            return bad;
        };
        refused(rank, HALO_ERR_ARGUMENT, with([](auto &d) { d.solid = 2; }), "solid 2");
        refused(rank, HALO_ERR_ARGUMENT, with([](auto &d) { d.n = 0; }), "0 squares");
        refused(rank, HALO_ERR_LIMIT, with([](auto &d) { d.n = int64_t{ 1 } << 29; }), "exceeds 268435456");
        refused(rank, HALO_ERR_ARGUMENT, with([](auto &d) { d.rings[1] = -1; }), "-1 rings");
        refused(rank, HALO_ERR_LIMIT, with([](auto &d) { d.rings[2] = 1 << 25; }), "sphere: rings");
        refused(rank, HALO_ERR_ARGUMENT, with([](auto &d) { d.parts_per_side = 5; }), "5 parts along sides of 4");
        refused(rank, HALO_ERR_ARGUMENT, with([](auto &d) { d.n_boxes = 1; }), "1 boxes");
        refused(rank, HALO_ERR_LIMIT, with([](auto &d) { d.n = d.parts_per_side = 1 << 12; }), "number of parts");
        refused(rank, HALO_ERR_LIMIT, with([](auto &d) { d.solid = HALO_SPHERE_ICOSAHEDRON, d.n = 1 << 20; }), "entities");
        if (rank.size == 1) return;
        refused(rank, HALO_ERR_MISMATCH, with([&](auto &d) { d.rings[1] = rank.rank; }), "rings of edges");
        refused(rank, rank.rank == 0 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER, with([&](auto &d) { d.solid = rank.rank == 0 ? 7 : 1; }), "solid 7");
    });
}

TEST_P(Spheres, RefusedBoxes) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        std::vector<halo_sphere_box> boxes;
        for (int32_t p = 0; p < 4; ++p) boxes.push_back({ p, 0, { 0, 0 }, { 4, 4 } });
        const auto tried = [&](halo_status status, size_t part, const halo_sphere_box &box, const char *text) {
            std::vector<halo_sphere_box> bad = boxes;
            bad[part] = box;
            halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
            desc.solid = HALO_SPHERE_OCTAHEDRON;
            desc.n = 4;
            desc.boxes = bad.data();
            desc.n_boxes = 4;
            refused(rank, status, desc, text);
        };
        tried(HALO_ERR_ARGUMENT, 2, { 2, 0, { 0, 0 }, { 4, 3 } }, "leave out 4 squares of parallelogram 2");
        tried(HALO_ERR_ARGUMENT, 2, { 1, 0, { 3, 3 }, { 4, 4 } }, "box 2 has some of them too");
        tried(HALO_ERR_ARGUMENT, 1, { 1, 0, { 0, 0 }, { 5, 4 } }, "beyond 0 to 4");
        tried(HALO_ERR_ARGUMENT, 1, { 1, 0, { 2, 0 }, { 2, 4 } }, "empty");
        tried(HALO_ERR_ARGUMENT, 3, { 4, 0, { 0, 0 }, { 4, 4 } }, "box 3 lies in parallelogram 4");
        tried(HALO_ERR_ARGUMENT, 3, { 3, rank.size, { 0, 0 }, { 4, 4 } }, "owner of box 3");
    });
}

TEST_P(Spheres, RefusedQuestions) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
        halo_sphere *sphere = nullptr;
        OK(halo_sphere_create(rank.context, &desc, &sphere));
        const auto want = [](halo_status got, halo_status status, const char *text) {
            if (got != status || !std::strstr(halo_last_error(), text)) conformance::stop("status %d: %s", got, halo_last_error());
        };
        halo_sphere_part part = HALO_SPHERE_PART_INIT;
        int64_t n = 0;
        want(halo_sphere_get_part(sphere, 1000, &part), HALO_ERR_NOT_FOUND, "part 1000");
        want(halo_sphere_keys(sphere, 1000, 0, nullptr, 0, &n), HALO_ERR_NOT_FOUND, "part 1000");
        want(halo_sphere_ring_ends(sphere, 0, 3, nullptr, 0, &n), HALO_ERR_ARGUMENT, "kind 3");
        halo_topology *topology = nullptr;
        want(halo_sphere_topology(sphere, -1, &topology), HALO_ERR_ARGUMENT, "kind -1");
        halo_context *context = rank.context;
        want(halo_context_destroy(&context), HALO_BUSY, "still exists: sphere");
        OK(halo_sphere_destroy(&sphere));
        uint64_t key = 0, around[6];
        int32_t n_around = 0;
        const halo_sphere_entity outside{ 0, 0, 3, 0 };
        want(halo_sphere_key(0, 3, HALO_SPHERE_CELLS, &outside, &key), HALO_ERR_BOUNDS, "is no cell of");
        OK(halo_sphere_key(0, 3, HALO_SPHERE_VERTICES, &outside, &key));
        double position[3];
        OK(halo_sphere_position(0, 3, HALO_SPHERE_VERTICES, key, position));
        if (position[1] != 0 || position[0] <= 0 || position[2] <= 0) conformance::stop("a corner of parallelogram 0 is elsewhere");
        want(halo_sphere_position(0, 3, HALO_SPHERE_VERTICES, 92, position), HALO_ERR_BOUNDS, "keys 0 to 91");
        want(halo_sphere_key_neighbours(0, 1, HALO_SPHERE_CELLS, 20, HALO_SPHERE_CELLS, around, &n_around), HALO_ERR_BOUNDS, "keys 0 to 19");
    });
}

} // namespace
