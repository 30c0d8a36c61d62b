// SPDX-License-Identifier: BSD-3-Clause
// A program for each seed.
#include <algorithm>
#include <set>

#include "program.h"

namespace programs {

using conformance::BindKind;
using conformance::chance;
using conformance::pick;
using simulation::Event;
using simulation::Fault;

namespace {

const char *const paths[] = { "auto", "message", "slot", "put", "get", "direct" };

int32_t pick32(Random &random, int64_t low, int64_t high) { return static_cast<int32_t>(pick(random, low, high)); }

Grid make_grid(int32_t n_ranks, Random &random) {
    Grid grid;
    grid.n_dims = pick32(random, 1, 2);
    for (int d = 0; d < grid.n_dims; ++d) {
        grid.blocks[d] = pick(random, 1, 3);
        grid.cells[d] = pick(random, 2, 4);
        grid.periodic[d] = chance(random, 0.5);
    }
    grid.blocks[0] = std::max<int64_t>(2, grid.blocks[0]);
    grid.number();
    grid.place_at_random(n_ranks, random);
    return grid;
}

FieldCase make_field(const Grid &grid, size_t number, Random &random) {
    FieldCase field;
    field.name = std::string(1, static_cast<char>('u' + number));
    field.n_components = pick32(random, 1, 2);
    field.bind = chance(random, 0.7) ? BindKind::allocate : BindKind::bind;
    for (int d = 0; d < grid.n_dims; ++d) {
        field.ghosts.low[d] = pick32(random, 0, grid.cells[d]);
        field.ghosts.high[d] = pick32(random, 1, grid.cells[d]);
    }
    return field;
}

void narrow(ObjectCase &made, int32_t n_components, bool has_layers, Random &random) {
    if (chance(random, 0.6)) return;
    made.run.first_component = pick32(random, 0, n_components - 1);
    made.run.n_components = 1;
    if (has_layers && chance(random, 0.5)) made.run.depth = 1;
}

void make_blocks(ObjectCase &made, int32_t n_ranks, Random &random) {
    made.grid = make_grid(n_ranks, random);
    const bool several = made.what == What::blocks && chance(random, 0.4);
    for (size_t i = 0; i < (several ? 2 + random() % 2 : 1); ++i) made.fields.push_back(make_field(made.grid, i, random));
    if (made.what != What::blocks) return;
    if (chance(random, 0.2)) made.desc.pattern = HALO_PATTERN_SWEEPS, made.desc.source_stable = 1;
    int32_t least = 2;
    for (const FieldCase &field : made.fields) least = std::min(least, field.n_components);
    narrow(made, least, made.desc.pattern == HALO_PATTERN_DIRECT, random);
    if (!several || chance(random, 0.5)) return;
    for (size_t i = 0; i < made.fields.size(); ++i) made.mask.push_back(chance(random, 0.6));
    made.mask[random() % made.mask.size()] = 1;
}

void make_sparse(ObjectCase &made, int32_t n_ranks, Random &random) {
    made.grid = make_grid(n_ranks, random);
    made.sparse = make_sparse_model(made.grid, 0, HALO_FLOAT64, random);
    made.sparse.field.layout = conformance::LayoutKind::natural;
    made.with_dense = chance(random, 0.4);
    if (made.with_dense) made.fields.push_back(make_field(made.grid, 0, random));
}

// Which keys each rank has that owns some, and as many rings of their neighbours as wanted.
void make_graph(ObjectCase &made, int64_t n_keys, Random &random) {
    const auto n_ranks = static_cast<int32_t>(made.keys.size());
    made.rings = pick32(random, 1, 2);
    made.neighbours.resize(static_cast<size_t>(n_keys));
    for (int64_t number = 0; number < n_keys; ++number) {
        made.key_owners.push_back(pick32(random, 0, n_ranks - 1));
        for (int64_t i = pick(random, 0, 3); i > 0; --i) made.neighbours[static_cast<size_t>(number)].push_back(pick(random, 0, n_keys - 1));
    }
    for (int32_t rank = 0; rank < n_ranks; ++rank) {
        std::set<int64_t> here;
        for (int64_t number = 0; number < n_keys; ++number)
            if (made.key_owners[static_cast<size_t>(number)] == rank) here.insert(number);
        for (int32_t ring = 0; ring < made.rings; ++ring)
            for (const int64_t number : std::set<int64_t>(here))
                here.insert(made.neighbours[static_cast<size_t>(number)].begin(), made.neighbours[static_cast<size_t>(number)].end());
        for (const int64_t number : here) made.keys[static_cast<size_t>(rank)].push_back(key_of(number));
    }
}

void make_keys(ObjectCase &made, int64_t n_keys, Random &random) {
    for (auto &keys : made.keys) {
        for (int64_t number = 0; number < n_keys; ++number)
            if (chance(random, 0.6)) keys.push_back(key_of(number));
        std::shuffle(keys.begin(), keys.end(), random);
    }
}

void make_points(ObjectCase &made, int32_t n_ranks, Random &random) {
    made.made = static_cast<Made>(made.what == What::loops ? pick(random, 0, 1) : pick(random, 0, n_mades - 1));
    made.n_components = pick32(random, 1, 2);
    made.keys.resize(static_cast<size_t>(n_ranks));
    made.made == Made::graph ? make_graph(made, pick(random, 1, 9), random) : make_keys(made, pick(random, 1, 9), random);
    static constexpr int32_t kinds[] = { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE, HALO_KIND_FETCH };
    static constexpr halo_op ops[] = { HALO_SUM, HALO_MIN, HALO_MAX };
    made.desc.kind = made.what == What::loops ? HALO_KIND_GHOSTS : kinds[pick(random, 0, 3)];
    if (made.what == What::loops || made.desc.kind != HALO_KIND_GHOSTS) made.desc.op = ops[pick(random, 0, 2)];
    if (made.desc.kind == HALO_KIND_FETCH)
        made.desc.receive = HALO_RECEIVE_AUTO;
    else if (made.what == What::points)
        narrow(made, made.n_components, false, random);
}

void make_cuts(ObjectCase &made, int32_t n_ranks, Random &random) {
    const int64_t n_cells = pick(random, 4, 12);
    for (int side = 0; side < 2; ++side) {
        std::vector<int64_t> &cuts = made.cuts[side];
        cuts = { 0, n_cells };
        for (int64_t i = pick(random, 0, 4); i > 0; --i) cuts.push_back(pick(random, 1, n_cells - 1));
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        for (size_t i = 0; i + 1 < cuts.size(); ++i) made.owners[side].push_back(pick32(random, 0, n_ranks - 1));
    }
}

// Halves boxes, leaves some out.
void cut(ObjectCase &made, halo_box box, int times, Random &random) {
    const auto d = static_cast<int>(random() % static_cast<uint64_t>(made.n_dims));
    if (times == 0 || box.high[d] - box.low[d] < 2) {
        if (chance(random, 0.85)) made.parts.push_back({ 0, box });
        return;
    }
    halo_box low = box, high = box;
    low.high[d] = high.low[d] = pick(random, box.low[d] + 1, box.high[d] - 1);
    cut(made, low, times - 1, random);
    cut(made, high, times - 1, random);
}

void make_boxes(ObjectCase &made, int32_t n_ranks, Random &random) {
    for (int d = 0; d < made.n_dims; ++d) {
        made.domain.low[d] = pick(random, -3, 3);
        made.domain.high[d] = made.domain.low[d] + pick(random, 3, 8);
        made.periodic[d] = chance(random, 0.5);
    }
    cut(made, made.domain, 3, random);
    if (made.parts.empty()) made.parts.push_back({ 0, made.domain });
    std::shuffle(made.parts.begin(), made.parts.end(), random);
    for (Part &part : made.parts) part.owner = pick32(random, 0, n_ranks - 1);
    made.distributed = chance(random, 0.5);
    if (made.distributed) // gids are given rank by rank
        std::stable_sort(made.parts.begin(), made.parts.end(), [](const Part &a, const Part &b) { return a.owner < b.owner; });
}

bool overlap(const halo_box &a, const halo_box &b) {
    bool some = true;
    for (int d = 0; d < 3; ++d) some = some && a.low[d] < b.high[d] && b.low[d] < a.high[d];
    return some;
}

// A join somewhere in the ghosts of a part, unless it meets what is there.
void try_join(ObjectCase &made, Random &random) {
    halo_join join{ pick(random, 0, std::ssize(made.parts) - 1),
                    pick(random, 0, std::ssize(made.parts) - 1),
                    { { 0, 0, 0 }, { 1, 1, 1 } },
                    { { 0, 0, 0 }, { 1, 1, 1 } },
                    { 0, 1, 2 },
                    { 1, 1, 1 } };
    std::shuffle(join.axis, join.axis + made.n_dims, random);
    const halo_box &from = made.parts[static_cast<size_t>(join.send_gid)].cells, &to = made.parts[static_cast<size_t>(join.receive_gid)].cells;
    for (int d = 0; d < made.n_dims; ++d) {
        const int there = join.axis[d];
        const int64_t n = pick(random, 1, std::min<int64_t>(from.high[there], made.reach + 1));
        join.sign[d] = chance(random, 0.5) ? 1 : -1;
        join.send.low[there] = pick(random, 0, from.high[there] - n);
        join.send.high[there] = join.send.low[there] + n;
        join.receive.low[d] = pick(random, -made.reach, to.high[d] + made.reach - n);
        join.receive.high[d] = join.receive.low[d] + n;
        if (join.receive.low[d] < -made.reach) return;
    }
    const auto meets = [&](const halo_join &other) { return other.receive_gid == join.receive_gid && overlap(other.receive, join.receive); };
    if (!overlap(join.receive, to) && std::none_of(made.joins.begin(), made.joins.end(), meets)) made.joins.push_back(join);
}

void make_regions(ObjectCase &made, int32_t n_ranks, Random &random) {
    for (int64_t n = pick(random, 1, 5); n > 0; --n) {
        Part part;
        for (int d = 0; d < made.n_dims; ++d) part.cells.high[d] = pick(random, 1, 4);
        part.owner = pick32(random, 0, n_ranks - 1);
        made.parts.push_back(part);
    }
    for (int64_t tries = pick(random, 4, 20); tries > 0; --tries) try_join(made, random);
}

void make_cells(ObjectCase &made, int32_t n_ranks, Random &random) {
    made.n_dims = pick32(random, 1, 2);
    made.reach = pick32(random, 1, 3);
    made.n_components = pick32(random, 1, 2);
    for (int d = 0; d < made.n_dims; ++d) {
        made.ghosts.low[d] = pick32(random, 0, made.reach);
        made.ghosts.high[d] = pick32(random, 0, made.reach);
    }
    made.what == What::boxes ? make_boxes(made, n_ranks, random) : make_regions(made, n_ranks, random);
    if (chance(random, 0.3))
        made.desc.kind = HALO_KIND_REVERSE;
    else
        narrow(made, made.n_components, true, random);
}

void make_channels(ObjectCase &made, int32_t n_ranks, Random &random) {
    static constexpr int64_t counts[] = { 0, 1, 3, 40, 300 };
    for (int64_t n = pick(random, 1, 8); n > 0; --n)
        made.channels.push_back(
            { pick32(random, 0, n_ranks - 1), pick32(random, 0, n_ranks - 1), counts[random() % std::size(counts)], chance(random, 0.5) });
}

ObjectCase make_object(int32_t n_ranks, Random &random) {
    ObjectCase made;
    made.what = chance(random, 0.2) ? What::blocks : static_cast<What>(pick(random, 0, n_whats - 1));
    made.desc.messages = pick32(random, HALO_MESSAGES_AUTO, HALO_MESSAGES_PER_CHANNEL);
    made.desc.receive = pick32(random, HALO_RECEIVE_AUTO, HALO_RECEIVE_PROBED);
    made.desc.source_stable = chance(random, 0.5);
    made.desc.timeout_seconds = 2;
    made.phases = chance(random, 0.3);
    switch (made.what) {
    case What::blocks:
    case What::batch: make_blocks(made, n_ranks, random); break;
    case What::sparse: make_sparse(made, n_ranks, random); break;
    case What::points:
    case What::loops: make_points(made, n_ranks, random); break;
    case What::transfer: make_cuts(made, n_ranks, random); break;
    case What::reduction:
    case What::sums: made.n_values = pick(random, 1, chance(random, 0.2) ? 2000 : 5); break;
    case What::boxes:
    case What::regions: make_cells(made, n_ranks, random); break;
    case What::channels: make_channels(made, n_ranks, random); break;
    case What::strays:
        made.keys.resize(static_cast<size_t>(n_ranks));
        make_keys(made, 5, random);
        break;
    }
    return made;
}

Event make_event(const Program &made, Random &random) {
    const auto fault = static_cast<Fault>(pick(random, 1, simulation::n_faults - 1));
    const double longest = chance(random, 0.5) ? 1e-4 : 30;
    const int64_t last = fault == Fault::stop_in_storage ? 3 : fault == Fault::unreachable ? 50 : chance(random, 0.4) ? 200 : 3000;
    return { fault, pick32(random, 0, made.n_ranks - 1), pick(random, 0, last), longest };
}

} // namespace

uint64_t key_of(int64_t number) { return static_cast<uint64_t>(7 * number + 3); }

Program make_program(uint64_t seed) {
    Program made;
    made.seed = seed;
    Random random(seed);
    made.n_ranks = pick32(random, 2, 4);
    made.path = paths[pick(random, 0, std::ssize(paths) - 1)];
    for (int64_t i = pick(random, 1, 3); i > 0; --i) {
        made.objects.push_back(make_object(made.n_ranks, random));
        made.objects.back().number = static_cast<int32_t>(made.objects.size());
    }
    for (int64_t i = pick(random, 2, 8); i > 0; --i) {
        const auto does = static_cast<Step::Does>(chance(random, 0.05) ? 4 : pick(random, 0, 3));
        made.steps.push_back({ does, static_cast<size_t>(pick(random, 0, std::ssize(made.objects) - 1)) });
    }
    if (chance(random, 0.75)) made.events.push_back(make_event(made, random));
    while (!made.events.empty() && chance(random, 0.3)) made.events.push_back(make_event(made, random));
    for (ObjectCase &object : made.objects) // where calls may time out
        if (object.what == What::strays) object.n_values = made.events.empty() || chance(random, 0.5) ? 0 : 8;
    made.switches = chance(random, 0.5) ? 0.5 : 0.05;
    made.delays = chance(random, 0.3) ? 0 : chance(random, 0.5) ? 0.1 : 0.3;
    Random of_looks(~seed); // programs stay as they were without them
    made.looks = chance(of_looks, 0.5) ? 0 : chance(of_looks, 0.5) ? 0.3 : 1;
    return made;
}

} // namespace programs
