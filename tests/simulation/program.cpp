// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include <algorithm>

namespace programs {

using conformance::BindKind;
using conformance::chance;
using conformance::pick;
using conformance::text_of;
using simulation::Event;
using simulation::Fault;

namespace {

const char *const paths[] = { "auto", "message", "slot", "put", "get", "direct" };

Grid make_grid(int32_t n_ranks, Random &random) {
    Grid grid;
    grid.n_dims = static_cast<int32_t>(pick(random, 1, 2));
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

FieldCase make_field(const Grid &grid, Random &random) {
    FieldCase field;
    field.name = "u";
    field.n_components = static_cast<int32_t>(pick(random, 1, 2));
    field.bind = chance(random, 0.7) ? BindKind::allocate : BindKind::bind;
    for (int d = 0; d < grid.n_dims; ++d) {
        field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, grid.cells[d]));
        field.ghosts.high[d] = static_cast<int32_t>(pick(random, 1, grid.cells[d]));
    }
    return field;
}

void narrow(ObjectCase &made, int32_t n_components, Random &random) {
    if (chance(random, 0.6)) return;
    made.run.first_component = static_cast<int32_t>(pick(random, 0, n_components - 1));
    made.run.n_components = 1;
    if (made.what == What::blocks && made.desc.pattern == HALO_PATTERN_DIRECT && chance(random, 0.5)) made.run.depth = 1;
}

void make_points(ObjectCase &made, int32_t n_ranks, Random &random) {
    made.made = static_cast<Made>(pick(random, 0, 2));
    made.n_components = static_cast<int32_t>(pick(random, 1, 2));
    const int64_t n_keys = pick(random, 1, 9);
    made.keys.resize(static_cast<size_t>(n_ranks));
    for (auto &keys : made.keys) {
        for (int64_t key = 0; key < n_keys; ++key)
            if (chance(random, 0.6)) keys.push_back(static_cast<uint64_t>(7 * key + 3));
        std::shuffle(keys.begin(), keys.end(), random);
    }
    static constexpr int32_t kinds[] = { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE, HALO_KIND_FETCH };
    static constexpr halo_op ops[] = { HALO_SUM, HALO_MIN, HALO_MAX };
    made.desc.kind = kinds[pick(random, 0, 3)];
    if (made.desc.kind != HALO_KIND_GHOSTS) made.desc.op = ops[pick(random, 0, 2)];
    if (made.desc.kind == HALO_KIND_FETCH)
        made.desc.receive = HALO_RECEIVE_AUTO;
    else
        narrow(made, made.n_components, random);
}

void make_cuts(ObjectCase &made, int32_t n_ranks, Random &random) {
    const int64_t n_cells = pick(random, 4, 12);
    for (int side = 0; side < 2; ++side) {
        std::vector<int64_t> &cuts = made.cuts[side];
        cuts = { 0, n_cells };
        for (int64_t i = pick(random, 0, 4); i > 0; --i) cuts.push_back(pick(random, 1, n_cells - 1));
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        for (size_t i = 0; i + 1 < cuts.size(); ++i) made.owners[side].push_back(static_cast<int32_t>(pick(random, 0, n_ranks - 1)));
    }
}

ObjectCase make_object(int32_t n_ranks, Random &random) {
    ObjectCase made;
    made.what = chance(random, 0.3) ? What::blocks : static_cast<What>(pick(random, 0, n_whats - 1));
    made.desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AUTO, HALO_MESSAGES_PER_CHANNEL));
    made.desc.receive = static_cast<int32_t>(pick(random, HALO_RECEIVE_AUTO, HALO_RECEIVE_PROBED));
    made.desc.source_stable = chance(random, 0.5);
    made.desc.timeout_seconds = 2;
    made.phases = chance(random, 0.3);
    switch (made.what) {
    case What::blocks:
    case What::batch:
        made.grid = make_grid(n_ranks, random);
        made.field = make_field(made.grid, random);
        if (made.what == What::blocks && chance(random, 0.2)) made.desc.pattern = HALO_PATTERN_SWEEPS, made.desc.source_stable = 1;
        if (made.what == What::blocks) narrow(made, made.field.n_components, random);
        break;
    case What::points: make_points(made, n_ranks, random); break;
    case What::transfer: make_cuts(made, n_ranks, random); break;
    case What::reduction:
    case What::sums: made.n_values = pick(random, 1, chance(random, 0.2) ? 2000 : 5); break;
    }
    return made;
}

Event make_event(const Program &made, Random &random) {
    const auto fault = static_cast<Fault>(pick(random, 1, simulation::n_faults - 1));
    const double longest = chance(random, 0.5) ? 1e-4 : 30;
    const int64_t last = chance(random, 0.4) ? 200 : 3000;
    return { fault, static_cast<int32_t>(pick(random, 0, made.n_ranks - 1)), pick(random, 0, last), longest };
}

} // namespace

const char *name_of(What what) {
    static const char *const names[] = { "blocks", "batch", "points", "transfer", "reduction", "sums" };
    return names[static_cast<size_t>(what)];
}
const char *name_of(Made made) {
    static const char *const names[] = { "keys", "keys by hash", "star" };
    return names[static_cast<size_t>(made)];
}
const char *name_of(Step::Does does) {
    static const char *const names[] = { "run", "run all at once", "give up", "recreate", "reopen" };
    return names[static_cast<size_t>(does)];
}

std::string ObjectCase::describe() const {
    std::string text = text_of("%s: messages %d, receive %d, stable %d, phases %d, components %d from %d, depth %d", name_of(what), desc.messages,
                               desc.receive, desc.source_stable, phases, run.n_components, run.first_component, run.depth);
    if (what == What::blocks || what == What::batch) text += text_of(", pattern %d, ", desc.pattern) + grid.describe() + ", " + field.describe();
    if (what == What::points) {
        text += text_of(", %s, kind %d, op %d, %d components; keys", name_of(made), desc.kind, desc.op, n_components);
        for (const auto &list : keys) {
            for (const uint64_t key : list) text += text_of(" %d", static_cast<int>(key));
            text += ";";
        }
    }
    for (int side = 0; what == What::transfer && side < 2; ++side) {
        text += side == 0 ? ", from" : ", to";
        for (size_t i = 0; i < owners[side].size(); ++i) text += text_of(" [%d rank %d", static_cast<int>(cuts[side][i]), owners[side][i]);
        text += text_of(" [%d", static_cast<int>(cuts[side].back()));
    }
    if (what == What::reduction || what == What::sums) text += text_of(", %d values", static_cast<int>(n_values));
    return text;
}

bool Program::has(Fault fault) const {
    return std::any_of(events.begin(), events.end(), [&](const Event &event) { return event.fault == fault; });
}

bool Program::allows(halo_status status) const {
    switch (status) {
    case HALO_ERR_MEMORY: return has(Fault::memory);
    case HALO_ERR_TRANSPORT: return has(Fault::death); // a peer has closed
    case HALO_TIMEOUT:
    case HALO_ERR_PEER: return !events.empty();
    default: return false;
    }
}

std::string Program::describe() const {
    std::string text = text_of("%d ranks, path %s, switches %g, delays %g\n", n_ranks, path.c_str(), switches, delays);
    for (size_t i = 0; i < objects.size(); ++i) text += text_of("  object %zu: ", i) + objects[i].describe() + "\n";
    for (const Step &step : steps) text += text_of("  %s %zu\n", name_of(step.does), step.object);
    for (const Event &event : events)
        text += text_of("  %s of rank %d at %d, %g s\n", simulation::name_of(event.fault), event.rank, static_cast<int>(event.at), event.seconds);
    return text;
}

Program make_program(uint64_t seed) {
    Program made;
    made.seed = seed;
    Random random(seed);
    made.n_ranks = static_cast<int32_t>(pick(random, 2, 4));
    made.path = paths[pick(random, 0, std::ssize(paths) - 1)];
    for (int64_t i = pick(random, 1, 3); i > 0; --i) made.objects.push_back(make_object(made.n_ranks, random));
    for (int64_t i = pick(random, 2, 8); i > 0; --i) {
        const auto does = static_cast<Step::Does>(chance(random, 0.05) ? 4 : pick(random, 0, 3));
        made.steps.push_back({ does, static_cast<size_t>(pick(random, 0, std::ssize(made.objects) - 1)) });
    }
    if (chance(random, 0.75)) made.events.push_back(make_event(made, random));
    while (!made.events.empty() && chance(random, 0.3)) made.events.push_back(make_event(made, random));
    made.switches = chance(random, 0.5) ? 0.5 : 0.05;
    made.delays = chance(random, 0.3) ? 0 : chance(random, 0.5) ? 0.1 : 0.3;
    return made;
}

} // namespace programs
