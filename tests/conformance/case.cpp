// SPDX-License-Identifier: BSD-3-Clause
#include "case.h"

#include <algorithm>
#include <set>

#include "ranks.h"

namespace conformance {

namespace {

constexpr int64_t most_elements = 15000; // of all fields in all sets together: larger cases show nothing new

void make_grid(Grid &grid, int64_t number, int32_t n_ranks, Random &random) {
    grid.n_dims = static_cast<int32_t>(number % 3 + 1);
    const int64_t periodic = number / 12 % 3; // none, all, some
    const int64_t most_blocks[] = { 5, 5, 4 };
    const bool first = chance(random, 0.5);
    for (int d = 0; d < grid.n_dims; ++d) {
        grid.blocks[d] = pick(random, 1, most_blocks[grid.n_dims - 1]);
        grid.cells[d] = pick(random, 1, 7);
        grid.periodic[d] = periodic == 1 || (periodic == 2 && first == (d % 2 == 0));
    }
    grid.order = chance(random, 0.5) ? HALO_ORDER_MORTON : HALO_ORDER_ROWS;
    grid.number();
    if (chance(random, 0.5))
        grid.place_by_curve(n_ranks);
    else
        grid.place_at_random(n_ranks, random);
}

int64_t elements_of(const Grid &grid, const FieldCase &field) {
    int64_t cells = grid.n_blocks() * field.n_components * (field.n_sets + 1);
    for (int d = 0; d < 3; ++d) cells *= grid.cells[d] + field.ghosts.low[d] + field.ghosts.high[d];
    return cells;
}

FieldCase make_field(const Grid &grid, size_t place, halo_type type, Random &random) {
    static constexpr int64_t odd_sizes[] = { 1, 3, 5, 7, 12, 13, 24, 48 };
    FieldCase field;
    field.name = text_of("f%zu", place);
    field.type = type;
    field.element_bytes = type == HALO_BYTES ? odd_sizes[pick(random, 0, 7)] : bytes_of(type);
    field.n_components = static_cast<int32_t>(pick(random, 1, 4));
    for (int d = 0; d < grid.n_dims; ++d) {
        field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, grid.cells[d]));
        field.ghosts.high[d] = static_cast<int32_t>(pick(random, 0, grid.cells[d]));
    }
    field.n_sets = static_cast<int32_t>(pick(random, 1, 3));
    field.layout = static_cast<LayoutKind>(pick(random, 0, n_layout_kinds - 1));
    field.bind = static_cast<BindKind>(pick(random, 0, n_bind_kinds - 1));
    if (field.bind == BindKind::allocate) field.layout = LayoutKind::natural;
    return field;
}

// Smaller until it is small enough.
void shrink(const Grid &grid, FieldCase &field, int64_t limit) {
    while (elements_of(grid, field) > limit && (field.n_components > 1 || field.n_sets > 1)) {
        field.n_components = std::max(1, field.n_components - 1);
        field.n_sets = std::max(1, field.n_sets - 1);
    }
    for (int32_t width = 6; elements_of(grid, field) > limit && width >= 1; --width)
        for (int d = 0; d < 3; ++d) {
            field.ghosts.low[d] = std::min(field.ghosts.low[d], width);
            field.ghosts.high[d] = std::min(field.ghosts.high[d], width);
        }
}

ExchangeCase make_exchange(size_t n_fields, Random &random) {
    ExchangeCase made;
    for (size_t field = 0; field < n_fields; ++field)
        if (made.fields.empty() || chance(random, 0.8)) made.fields.push_back(static_cast<int32_t>(field));
    std::shuffle(made.fields.begin(), made.fields.end(), random);
    made.desc.stencil = static_cast<int32_t>(pick(random, HALO_STENCIL_FULL, HALO_STENCIL_EDGES));
    made.desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
    made.desc.receive = static_cast<int32_t>(pick(random, HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED));
    made.desc.edges = chance(random, 0.7) ? HALO_EDGES_ALL : static_cast<int32_t>(pick(random, HALO_EDGES_LOCAL, HALO_EDGES_REMOTE));
    made.phases = chance(random, 0.4);
    return made;
}

} // namespace

Case make_case(uint64_t first_seed, int64_t number, int32_t n_ranks) {
    Case made;
    made.seed = first_seed + static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15u;
    Random random(made.seed);
    make_grid(made.grid, number, n_ranks, random);
    const int64_t n_fields = pick(random, 1, 4);
    for (int64_t i = 0; i < n_fields; ++i) {
        const int64_t type = i == 0 ? number / 12 % HALO_BFLOAT16 : pick(random, 0, HALO_BFLOAT16 - 1);
        made.fields.push_back(make_field(made.grid, static_cast<size_t>(i), static_cast<halo_type>(HALO_FLOAT32 + type), random));
        if (i == 0) {
            made.fields[0].layout = static_cast<LayoutKind>((number / 12 + number % 12 / 2) % n_layout_kinds);
            made.fields[0].bind = number % 2 == 0 ? BindKind::bind : BindKind::bind_many;
        }
        shrink(made.grid, made.fields.back(), most_elements / n_fields);
    }
    const int64_t n_exchanges = pick(random, 1, 3);
    for (int64_t i = 0; i < n_exchanges; ++i) made.exchanges.push_back(make_exchange(made.fields.size(), random));
    ExchangeCase &counted = made.exchanges[0];
    counted.desc.messages = number / 3 % 2 == 0 ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL;
    counted.desc.receive = number / 6 % 2 == 0 ? HALO_RECEIVE_POSTED : HALO_RECEIVE_PROBED;
    counted.desc.stencil = static_cast<int32_t>(number / 36 % 3);
    counted.desc.edges = number % 5 == 4 ? counted.desc.edges : HALO_EDGES_ALL;
    if (std::find(counted.fields.begin(), counted.fields.end(), 0) == counted.fields.end()) counted.fields.push_back(0);
    return made;
}

std::string Case::describe() const {
    static constexpr const char *stencils[] = { "full", "faces", "edges" };
    static constexpr const char *edges[] = { "all", "local", "remote" };
    std::string text = text_of("seed %llu: ", static_cast<unsigned long long>(seed)) + grid.describe();
    for (const FieldCase &field : fields) text += "\n  " + field.describe();
    for (const ExchangeCase &exchange : exchanges) {
        text += text_of("\n  exchange: %s, %s, %s, edges %s, %s, over", stencils[exchange.desc.stencil],
                        exchange.desc.messages == HALO_MESSAGES_AGGREGATE ? "aggregated" : "per channel",
                        exchange.desc.receive == HALO_RECEIVE_POSTED ? "posted" : "probed", edges[exchange.desc.edges],
                        exchange.phases ? "phases" : "start and finish");
        for (const int32_t field : exchange.fields) text += " " + fields[field].name;
    }
    return text;
}

namespace {

// A set of each field that no earlier exchange of the round has; -1: none is left.
std::vector<int32_t> free_sets(const Case &made, const ExchangeCase &exchange, bool pointers, const std::set<std::pair<int32_t, int32_t>> &taken,
                               Random &random) {
    std::vector<int32_t> sets;
    for (const int32_t field : exchange.fields) {
        const int32_t n_sets = made.fields[field].n_sets;
        std::vector<int32_t> free;
        for (int32_t set = 0; set <= n_sets; ++set)
            if (!taken.count({ field, set }) && (pointers || set < n_sets)) free.push_back(set);
        sets.push_back(free.empty() ? -1 : free[static_cast<size_t>(pick(random, 0, std::ssize(free) - 1))]);
    }
    return sets;
}

} // namespace

std::vector<Narrow> make_round(const Case &made, Random &random) {
    std::vector<Narrow> round;
    std::set<std::pair<int32_t, int32_t>> taken;
    for (const ExchangeCase &exchange : made.exchanges) {
        Narrow narrow;
        narrow.pointers = chance(random, 0.4);
        narrow.sets = free_sets(made, exchange, narrow.pointers, taken, random);
        const bool masked = chance(random, 0.3);
        int32_t fewest = 1000;
        narrow.takes_part = false;
        for (size_t i = 0; i < exchange.fields.size(); ++i) {
            const bool takes_part = narrow.sets[i] >= 0 && (!masked || chance(random, 0.6));
            narrow.mask.push_back(takes_part);
            narrow.sets[i] = std::max(0, narrow.sets[i]);
            if (takes_part) {
                narrow.takes_part = true;
                taken.insert({ exchange.fields[i], narrow.sets[i] });
                fewest = std::min(fewest, made.fields[exchange.fields[i]].n_components);
            }
        }
        if (narrow.takes_part && chance(random, 0.3)) {
            narrow.first_component = static_cast<int32_t>(pick(random, 0, fewest - 1));
            narrow.n_components = static_cast<int32_t>(pick(random, 0, fewest - narrow.first_component));
        }
        if (!narrow.takes_part) narrow.takes_part = chance(random, 0.5); // without any field
        narrow.depth = chance(random, 0.3) ? static_cast<int32_t>(pick(random, 1, 4)) : 0;
        round.push_back(narrow);
    }
    return round;
}

} // namespace conformance
