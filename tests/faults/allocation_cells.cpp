// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_scenarios.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "halo_levels.h"

namespace allocations {

namespace {

void for_parts(Member &member, halo_field *field, halo_topology *topology, const std::function<void(int64_t gid, double *data, int64_t n)> &visit) {
    const int64_t *gids = nullptr;
    int64_t n_parts = 0;
    ALONE(halo_topology_local_parts(topology, &gids, &n_parts));
    for (int64_t i = 0; i < n_parts; ++i) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        ALONE(halo_field_layout(field, gids[i], &layout));
        ALONE(halo_field_data(field, gids[i], 0, &data));
        if (data) visit(gids[i], static_cast<double *>(data), layout.elements);
    }
}

halo_status send_run(halo_exchange *exchange, const Trial &trial) {
    halo_status status = HALO_SUCCESS;
    if (!trial.phases) return halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE);
    if ((status = halo_exchange_post(exchange, nullptr)) != HALO_SUCCESS) return status;
    while ((status = halo_exchange_send(exchange, HALO_STREAM_NONE)) == HALO_BUSY) std::this_thread::yield();
    return status;
}

halo_status end_run(halo_exchange *exchange, const Trial &trial) {
    if (!trial.phases) return halo_exchange_finish(exchange, HALO_STREAM_NONE);
    halo_status status = HALO_SUCCESS;
    for (int32_t done = 0; !done; std::this_thread::yield())
        if ((status = halo_exchange_test(exchange, &done)) != HALO_SUCCESS) return status;
    status = halo_exchange_unpack(exchange, HALO_STREAM_NONE);
    return status == HALO_SUCCESS ? halo_exchange_refine(exchange, HALO_STREAM_NONE) : status;
}

} // namespace

void fill(Member &member, halo_field *field, halo_topology *topology, int time) {
    for_parts(member, field, topology, [&](int64_t gid, double *data, int64_t n) {
        for (int64_t i = 0; i < n; ++i) data[i] = static_cast<double>(1000 * gid + 10 * i + time);
    });
}

void keep_values(Member &member, halo_field *field, halo_topology *topology) {
    for_parts(member, field, topology, [&](int64_t, double *data, int64_t n) { member.keep(data, static_cast<size_t>(n) * sizeof(double)); });
}

void tell(Member &member, halo_exchange *exchange) {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    ALONE(halo_exchange_get_stats(exchange, &stats));
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    ALONE(halo_exchange_get_desc(exchange, &desc));
    int64_t n_peers = 0;
    ALONE(halo_exchange_peers(exchange, sizeof(halo_peer_row), nullptr, 0, &n_peers));
    std::vector<halo_peer_row> rows(static_cast<size_t>(n_peers));
    ALONE(halo_exchange_peers(exchange, sizeof(halo_peer_row), rows.data(), n_peers, &n_peers));
    member.keep(rows);
    char text[8192];
    size_t needed = 0;
    ALONE(halo_exchange_describe(exchange, text, sizeof text, &needed));
}

void run_exchange(Member &member, halo_exchange *exchange, const Trial &trial, const std::function<void(int)> &refill,
                  const std::function<void()> &look) {
    if (trial.prepares) member.together("halo_exchange_prepare", [&] { return halo_exchange_prepare(exchange); });
    for (int time = 0; time < trial.n_runs; ++time) {
        member.together("run", [&] {
            refill(time);
            const halo_status status = send_run(exchange, trial);
            if (trial.one_by_one && time >= 2) std::this_thread::sleep_for(std::chrono::milliseconds(2 * ((member.rank + time) % member.size)));
            return status == HALO_SUCCESS ? end_run(exchange, trial) : status;
        });
        look();
    }
    if (trial.tells) tell(member, exchange);
}

void try_exchange(Member &member, const std::vector<halo_field *> &fields, const std::vector<halo_topology *> &topologies, const Trial &trial) {
    halo_exchange *exchange = nullptr;
    const auto n = static_cast<int32_t>(fields.size());
    TOGETHER(halo_exchange_create(fields.data(), n, &trial.desc, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    run_exchange(
        member, exchange, trial,
        [&](int time) {
            for (size_t f = 0; f < fields.size(); ++f) fill(member, fields[f], topologies[f], time);
        },
        [&] {
            for (size_t f = 0; f < fields.size(); ++f) keep_values(member, fields[f], topologies[f]);
        });
    ALONE(halo_exchange_destroy(&exchange));
}

halo_field *make_field(Member &member, halo_topology *topology, const char *name, int32_t ghosts,
                       const std::function<void(halo_field_desc &)> &change) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    if (change) change(desc);
    halo_field *field = nullptr;
    TOGETHER(halo_field_create(topology, &desc, &field), [&] { ALONE(halo_field_destroy(&field)); });
    return field;
}

namespace {

halo_topology *make_blocks(Member &member, int32_t n_dims = 2, bool owners = false) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = n_dims;
    std::vector<int32_t> owner;
    for (int d = 0; d < n_dims; ++d) desc.n_blocks[d] = 2, desc.n_cells[d] = 3, desc.periodic[d] = d == 0;
    if (owners) {
        for (int32_t i = 0; i < 1 << n_dims; ++i) owner.push_back(i % member.size);
        desc.owner = owner.data();
        desc.n_owner = std::ssize(owner);
    }
    halo_topology *topology = nullptr;
    TOGETHER(halo_topology_create_blocks(member.context, &desc, &topology), [&] { ALONE(halo_topology_destroy(&topology)); });
    return topology;
}

void destroy(Member &member, std::vector<halo_field *> fields, std::vector<halo_topology *> topologies) {
    for (halo_field *&field : fields) ALONE(halo_field_destroy(&field));
    for (halo_topology *&topology : topologies) ALONE(halo_topology_destroy(&topology));
}

// A run that nobody finishes, and another exchange over the same storage.
void abandoned(Member &member, const Trial &trial) {
    halo_topology *topology = make_blocks(member);
    halo_field *u = make_field(member, topology, "u", 1, {});
    constexpr int64_t part = 5 * 5;
    std::vector<double> values(4 * part);
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = values.data();
    ALONE(halo_field_bind_many(u, part, &binding));
    fill(member, u, topology, 0);
    halo_exchange *exchange = nullptr;
    TOGETHER(halo_exchange_create(&u, 1, &trial.desc, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    member.together(
        "start", [&] { return halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE); },
        [&] { halo_exchange_finish(exchange, HALO_STREAM_NONE); }); // hears what has failed, or is done
    ALONE(halo_exchange_abandon(exchange));
    ALONE(halo_exchange_destroy(&exchange));
    try_exchange(member, { u }, { topology }, trial);
    destroy(member, { u }, { topology });
}

void ask_topology(Member &member, halo_topology *topology) {
    const int64_t *gids = nullptr;
    int64_t n_parts = 0, n = 0;
    ALONE(halo_topology_local_parts(topology, &gids, &n_parts));
    int32_t peers[8];
    ALONE(halo_topology_peers(topology, peers, 8, &n));
    for (int64_t i = 0; i < std::min<int64_t>(n_parts, 1); ++i) {
        halo_part part = HALO_PART_INIT;
        ALONE(halo_struct_init("halo_part", &part, sizeof part));
        ALONE(halo_topology_part(topology, gids[i], &part));
        ALONE(halo_topology_neighbours(topology, gids[i], sizeof(halo_neighbour), nullptr, 0, &n));
    }
}

void ask_field(Member &member, halo_topology *topology, halo_field *field) {
    const int64_t *gids = nullptr;
    int64_t n_parts = 0, n = 0;
    ALONE(halo_topology_local_parts(topology, &gids, &n_parts));
    if (n_parts == 0) return;
    ALONE(halo_field_boundaries(field, gids[0], sizeof(halo_boundary), nullptr, 0, &n));
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    ALONE(halo_field_get_desc(field, &desc));
    ALONE(halo_field_owner_mask(field, gids[0], nullptr, 0, &n));
    std::vector<uint8_t> mask(static_cast<size_t>(n));
    ALONE(halo_field_owner_mask(field, gids[0], mask.data(), n, &n));
    member.keep(mask);
    halo_box interior, rim[6];
    int32_t n_rim = 0;
    ALONE(halo_field_interior_rim(field, gids[0], 1, &interior, rim, &n_rim));
}

void blocks(Member &member, const Trial &trial, const std::function<void(halo_field_desc &)> &change) {
    halo_topology *topology = make_blocks(member, 2, true);
    halo_field *u = make_field(member, topology, "u", 1, change);
    halo_field *v = make_field(member, topology, "v", 2, {});
    ALONE(halo_field_allocate(u, -1));
    ALONE(halo_field_allocate(v, -1));
    if (trial.tells) ask_topology(member, topology), ask_field(member, topology, u);
    try_exchange(member, { u, v }, { topology, topology }, trial);
    Trial again = trial;
    again.prepares = !trial.prepares;
    try_exchange(member, { u }, { topology }, again);
    destroy(member, { u, v }, { topology });
}

// Narrowed, in other sets and on other storage.
void narrowed(Member &member, int32_t messages) {
    halo_topology *topology = make_blocks(member, 3);
    halo_field *u = make_field(member, topology, "u", 2, [](halo_field_desc &desc) {
        desc.ghost_low[2] = desc.ghost_high[2] = 2;
        desc.n_components = 3, desc.n_sets = 2, desc.vector = 1;
    });
    ALONE(halo_field_allocate(u, -1));
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.messages = messages;
    desc.stencil = HALO_STENCIL_EDGES;
    halo_exchange *exchange = nullptr;
    TOGETHER(halo_exchange_create(&u, 1, &desc, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    for (int time = 0; time < 4; ++time) {
        halo_run run = HALO_RUN_INIT;
        const int32_t set = time % 2;
        run.n_fields = 1, run.sets = &set;
        if (time > 1) run.depth = 1, run.first_component = 1, run.n_components = 1;
        member.together("run", [&] {
            fill(member, u, topology, time);
            const halo_status status = halo_exchange_start(exchange, &run, HALO_STREAM_NONE);
            return status == HALO_SUCCESS ? halo_exchange_finish(exchange, HALO_STREAM_NONE) : status;
        });
        keep_values(member, u, topology);
    }
    ALONE(halo_exchange_destroy(&exchange));
    destroy(member, { u }, { topology });
}

struct Taker {
    Member *member;
    bool declines;
};

// Data come to parts without storage; another field has it where this one does.
void sparse(Member &member, const Trial &given, bool by_callback) {
    halo_topology *topology = make_blocks(member, 2, true);
    halo_field *u = make_field(member, topology, "u", 1, [](halo_field_desc &desc) { desc.sparse = 1, desc.fill = 7, desc.release_after = 1; });
    halo_field *w = make_field(member, topology, "w", 1, [](halo_field_desc &desc) { desc.sparse = 1, desc.controller = "u"; });
    halo_field *both[] = { u, w };
    Trial trial = given;
    trial.desc.arrival = [](void *, const halo_arrival *arrival) {
        return arrival->gid == 3 ? HALO_DECLINED : halo_field_allocate(arrival->field, arrival->gid);
    };
    if (!by_callback) trial.desc.arrival = nullptr;
    halo_exchange *exchange = nullptr;
    TOGETHER(halo_exchange_create(both, 2, &trial.desc, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    const int64_t *gids = nullptr;
    int64_t n_parts = 0;
    ALONE(halo_topology_local_parts(topology, &gids, &n_parts));
    for (int time = 0; time < 2; ++time) {
        member.together("run", [&]() -> halo_status {
            for (int64_t i = 0; i < n_parts; ++i) { // part 0 alone has storage
                halo_binding nothing = HALO_BINDING_INIT;
                ALONE(halo_field_bind(u, gids[i], &nothing));
                if (gids[i] == 0) ALONE(halo_field_allocate(u, 0));
            }
            fill(member, u, topology, time);
            halo_status status = halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE);
            if (status != HALO_SUCCESS || by_callback) return status == HALO_SUCCESS ? halo_exchange_finish(exchange, HALO_STREAM_NONE) : status;
            for (int32_t done = 0; !done; std::this_thread::yield())
                if ((status = halo_exchange_test(exchange, &done)) != HALO_SUCCESS) return status;
            int64_t n = 0;
            halo_arrival arrivals[8];
            ALONE(halo_exchange_arrivals(exchange, arrivals, 8, &n));
            for (int64_t i = 0; i < n; ++i)
                if (arrivals[i].gid != 3) ALONE(halo_field_allocate(u, arrivals[i].gid));
            return halo_exchange_finish(exchange, HALO_STREAM_NONE);
        });
        keep_values(member, u, topology);
        keep_values(member, w, topology);
    }
    ALONE(halo_exchange_destroy(&exchange));
    destroy(member, { w, u }, { topology });
}

enum class Given : uint8_t { all, distributed, none };

halo_topology *make_boxes(Member &member, Given given) {
    std::vector<halo_box> list;
    for (int64_t x = 0; x < 6; x += 2)
        if (given != Given::distributed || x / 2 % member.size == member.rank) list.push_back({ { x, 0, 0 }, { x + 2, x == 0 ? 3 : 4, 1 } });
    std::vector<int32_t> priority(list.size(), 1);
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2;
    desc.domain = { { 0, 0, 0 }, { 6, 4, 1 } };
    desc.periodic[0] = 1;
    desc.reach = 2;
    desc.n_parts_per_rank = 2;
    desc.distributed = given == Given::distributed;
    if (given != Given::none) desc.boxes = list.data(), desc.n_boxes = std::ssize(list), desc.priority = priority.data();
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_boxes(member.context, &desc, &topology));
    return topology;
}

void boxes(Member &member, const Trial &trial, Given given, int32_t centring) {
    halo_topology *topology = make_boxes(member, given);
    halo_field *u = make_field(member, topology, "u", 1, [&](halo_field_desc &desc) { desc.centring = centring; });
    ALONE(halo_field_allocate(u, -1));
    if (trial.tells) ask_topology(member, topology), ask_field(member, topology, u);
    try_exchange(member, { u }, { topology }, trial);
    destroy(member, { u }, { topology });
}

void transfer(Member &member, Given given, int32_t op, bool prepares) {
    halo_topology *from = make_boxes(member, given), *to = make_blocks(member, 2);
    halo_field *u = make_field(member, from, "u", 1, {}), *v = make_field(member, to, "v", 1, {});
    ALONE(halo_field_allocate(u, -1));
    ALONE(halo_field_allocate(v, -1));
    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
    desc.op = op;
    desc.destination_ghosts[0] = desc.destination_ghosts[3] = 1;
    halo_exchange *exchange = nullptr;
    TOGETHER(halo_exchange_create_transfer(&u, &v, 1, &desc, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    halo_transfer_desc known = HALO_TRANSFER_DESC_INIT;
    ALONE(halo_exchange_get_transfer_desc(exchange, &known));
    Trial trial;
    trial.tells = true;
    if (given == Given::distributed || prepares) TALK(halo_exchange_prepare(exchange));
    run_exchange(
        member, exchange, trial, [&](int time) { fill(member, u, from, time), fill(member, v, to, time); }, [&] { keep_values(member, v, to); });
    ALONE(halo_exchange_destroy(&exchange));
    destroy(member, { u, v }, { from, to });
}

// Three squares around a corner.
void regions(Member &member, const Trial &trial) {
    const std::vector<int64_t> cells(9, 3);
    std::vector<int64_t> extents;
    std::vector<int32_t> owner;
    std::vector<halo_join> joins;
    for (int64_t part = 0; part < 3; ++part) {
        extents.insert(extents.end(), { 3, 3, 1 });
        owner.push_back(static_cast<int32_t>(part) % member.size);
        joins.push_back({ (part + 1) % 3, part, { { 0, 0, 0 }, { 1, 3, 1 } }, { { 0, 3, 0 }, { 3, 4, 1 } }, { 1, 0, 2 }, { 1, 1, 1 } });
        joins.push_back({ part, (part + 1) % 3, { { 0, 2, 0 }, { 3, 3, 1 } }, { { -1, 0, 0 }, { 0, 3, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } });
    }
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 2;
    desc.cells = extents.data(), desc.owner = owner.data(), desc.n_parts = 3;
    desc.joins = joins.data(), desc.n_joins = std::ssize(joins), desc.reach = 1;
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_regions(member.context, &desc, &topology));
    halo_field *u = make_field(member, topology, "u", 1, [](halo_field_desc &field) { field.n_components = 2, field.vector = 1; });
    ALONE(halo_field_allocate(u, -1));
    if (trial.tells) ask_topology(member, topology), ask_field(member, topology, u);
    try_exchange(member, { u }, { topology }, trial);
    destroy(member, { u }, { topology });
}

// A ring of two trees, refined once: every ghost has an equal behind it.
void forest(Member &member, const Trial &trial) {
    const std::vector<halo_tree> trees(2, halo_tree HALO_TREE_INIT);
    std::vector<halo_tree_join> joins(2, halo_tree_join HALO_TREE_JOIN_INIT);
    for (halo_tree_join &join : joins) join.side = 1;
    joins[0].to_tree = joins[1].tree = 1;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 4;
    desc.trees = trees.data(), desc.n_trees = 2, desc.joins = joins.data(), desc.n_joins = 2;
    std::vector<halo_leaf> roots(2), leaves(8);
    std::vector<int64_t> from(8);
    std::vector<int32_t> owners(8);
    const std::vector<int32_t> marks(2, HALO_MARK_REFINE);
    const std::vector<double> weights(8, 1.5);
    int64_t n = 0;
    ALONE(halo_forest_uniform(&desc, 0, sizeof(halo_leaf), roots.data(), 2, &n));
    desc.leaves = roots.data(), desc.n_leaves = n;
    ALONE(halo_forest_adapt(&desc, marks.data(), sizeof(halo_leaf), leaves.data(), from.data(), 8, &n));
    desc.leaves = leaves.data(), desc.n_leaves = n;
    ALONE(halo_forest_place(&desc, weights.data(), member.size, owners.data(), 8, &n));
    desc.owner = owners.data();
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_forest(member.context, &desc, &topology));
    halo_field *u = make_field(member, topology, "u", 1, {});
    ALONE(halo_field_allocate(u, -1));
    if (trial.tells) ask_topology(member, topology), ask_field(member, topology, u);
    try_exchange(member, { u }, { topology }, trial);
    destroy(member, { u }, { topology });
}

// A ring of a block and two of half its size: ghosts, fluxes, and the same blocks dealt to other ranks.
void levels(Member &member, const Trial &trial, Given given) {
    const halo_tree tree = { { 2, 1, 1 } };
    halo_tree_join join = HALO_TREE_JOIN_INIT;
    join.side = 1;
    const std::vector<halo_leaf> leaves{ { 0, 0, { 0, 0, 0 } }, { 0, 1, { 2, 0, 0 } }, { 0, 1, { 3, 0, 0 } } };
    std::vector<halo_leaf> own;
    std::vector<int32_t> owners(3);
    for (int32_t i = 0; i < 3; ++i) owners[static_cast<size_t>(i)] = i % member.size;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 1, desc.n_cells[0] = 8;
    desc.trees = &tree, desc.n_trees = 1, desc.joins = &join, desc.n_joins = 1;
    desc.leaves = leaves.data(), desc.n_leaves = 3, desc.owner = owners.data();
    const auto take_own = [&] {
        if (given != Given::distributed) return;
        own.clear();
        for (size_t i = 0; i < 3; ++i)
            if (owners[i] == member.rank) own.push_back(leaves[i]);
        desc.leaves = own.data(), desc.n_leaves = std::ssize(own), desc.owner = nullptr, desc.distributed = 1;
    };
    take_own();
    halo_topology *topology = nullptr, *moved = nullptr;
    TALK(halo_topology_create_forest(member.context, &desc, &topology));
    halo_field *u = make_field(member, topology, "u", 2, [](halo_field_desc &field) { field.ghost_low[1] = field.ghost_high[1] = 0; });
    halo_field *flux = make_field(member, topology, "flux", 0, [](halo_field_desc &field) { field.centring = HALO_CENTRE_FACE_X; });
    ALONE(halo_field_set_prolongation(u, HALO_PROLONG_MINMOD));
    ALONE(halo_field_set_restriction(u, HALO_RESTRICT_MEAN));
    ALONE(halo_field_allocate(u, -1));
    ALONE(halo_field_allocate(flux, -1));
    try_exchange(member, { u }, { topology }, trial);
    Trial fluxes = trial;
    fluxes.desc.kind = HALO_KIND_FLUXES;
    try_exchange(member, { flux }, { topology }, fluxes);

    halo_exchange *exchange = nullptr;
    TOGETHER(halo_exchange_create(&u, 1, &trial.desc, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    const int64_t *gids = nullptr;
    int64_t n = 0, n_sides = 0, n_regions = 0;
    ALONE(halo_topology_local_parts(topology, &gids, &n));
    for (int64_t part = 0; part < n; ++part) {
        void *data = nullptr;
        ALONE(halo_exchange_coarse_data(exchange, 0, gids[part], &data, nullptr));
        ALONE(halo_exchange_coarse_boundaries(exchange, 0, gids[part], sizeof(halo_boundary), nullptr, 0, &n_sides));
        ALONE(halo_exchange_level_regions(exchange, 0, gids[part], sizeof(halo_level_region), nullptr, 0, &n_regions));
    }
    ALONE(halo_exchange_destroy(&exchange));

    std::rotate(owners.begin(), owners.begin() + 1, owners.end());
    take_own();
    TALK(halo_topology_create_forest(member.context, &desc, &moved));
    halo_field *v = make_field(member, moved, "v", 0, {}),
               *kept = make_field(member, moved, "kept", 2, [](halo_field_desc &field) { field.ghost_low[1] = field.ghost_high[1] = 0; });
    ALONE(halo_field_allocate(v, -1));
    ALONE(halo_field_allocate_from(kept, u));
    TOGETHER(halo_exchange_create_transfer(&u, &v, 1, nullptr, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    if (given == Given::distributed) TALK(halo_exchange_prepare(exchange));
    run_exchange(
        member, exchange, trial, [&](int time) { fill(member, u, topology, time); }, [&] { keep_values(member, v, moved); });
    ALONE(halo_exchange_destroy(&exchange));
    destroy(member, { kept, v, flux, u }, { moved, topology });
}

halo_topology *make_level(Member &member, int64_t cells, const std::vector<halo_box> &list) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1, desc.domain.high[0] = cells, desc.periodic[0] = 1;
    desc.boxes = list.data(), desc.n_boxes = std::ssize(list);
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_boxes(member.context, &desc, &topology));
    return topology;
}

// A ring of two boxes, the middle of which is refined: ghosts between two times, averages.
void box_levels(Member &member, const Trial &trial) {
    const auto box = [](int64_t low, int64_t high) { return halo_box{ { low, 0, 0 }, { high, 1, 1 } }; };
    halo_topology *below = make_level(member, 8, { box(0, 4), box(4, 8) }), *above = make_level(member, 16, { box(4, 8), box(8, 12) });
    const auto no_others = [](halo_field_desc &desc) { desc.ghost_low[1] = desc.ghost_high[1] = 0; };
    halo_field *u = make_field(member, below, "u", 1, no_others), *newer = make_field(member, below, "newer u", 1, no_others),
               *fine = make_field(member, above, "u", 1, no_others);
    for (halo_field *field : { u, newer, fine }) ALONE(halo_field_allocate(field, -1));
    const int64_t *gids = nullptr;
    int64_t n = 0, n_boxes = 0;
    halo_level_box boxes[8];
    ALONE(halo_topology_local_parts(below, &gids, &n));
    if (n > 0) ALONE(halo_field_level_boxes(u, above, gids[0], sizeof(halo_level_box), boxes, 8, &n_boxes));
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
    for (halo_field *const *later : { &newer, static_cast<halo_field **>(nullptr) }) {
        desc.what = later ? HALO_LEVELS_GHOSTS : HALO_LEVELS_AVERAGE;
        halo_exchange *exchange = nullptr;
        TOGETHER(halo_exchange_create_levels(&u, later, &fine, 1, &desc, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
        halo_levels_desc known = HALO_LEVELS_DESC_INIT;
        ALONE(halo_exchange_get_levels_desc(exchange, &known));
        if (later) ALONE(halo_exchange_set_fraction(exchange, 0.25));
        run_exchange(
            member, exchange, trial,
            [&](int time) { fill(member, u, below, time), fill(member, newer, below, time + 1), fill(member, fine, above, time); },
            [&] { keep_values(member, later ? fine : u, later ? above : below); });
        ALONE(halo_exchange_destroy(&exchange));
    }
    destroy(member, { fine, newer, u }, { above, below });
}

Trial trial_of(const std::function<void(Trial &)> &change) {
    Trial trial;
    if (change) change(trial);
    return trial;
}

} // namespace

std::vector<Scenario> cell_scenarios() {
    std::vector<Scenario> all;
    const auto add = [&](const std::string &name, const std::function<void(Member &)> &body, const Settings &settings = {}) {
        add_for_ranks(all, name, body, settings);
    };
    const Trial plain = trial_of([](Trial &t) { t.tells = true; });
    const Trial channels = trial_of([](Trial &t) { t.desc.messages = HALO_MESSAGES_PER_CHANNEL, t.phases = true; });
    const Trial probed = trial_of([](Trial &t) { t.desc.receive = HALO_RECEIVE_PROBED, t.prepares = true; });
    const Trial reverse = trial_of([](Trial &t) { t.desc.kind = HALO_KIND_REVERSE, t.desc.source_stable = 1, t.tells = true; });
    const Trial canonical = trial_of([](Trial &t) { t.desc.kind = HALO_KIND_REVERSE, t.desc.combine_order = HALO_COMBINE_CANONICAL; });
    const Trial shared = trial_of([](Trial &t) { t.desc.kind = HALO_KIND_SHARED_REDUCE, t.desc.op = HALO_MAX, t.desc.shared = HALO_SHARED_ONLY; });
    const Trial sweeps = trial_of([](Trial &t) { t.desc.pattern = HALO_PATTERN_SWEEPS, t.desc.source_stable = 1, t.tells = true; });
    const Settings direct{ { "shared_memory.least", "0" }, { "path", "direct" } }, checked{ { "check", "yes" } };
    const auto faces = [](halo_field_desc &desc) { desc.centring = HALO_CENTRE_FACES; };
    const auto nodes = [](halo_field_desc &desc) { desc.centring = HALO_CENTRE_NODE; };
    add("blocks", [=](Member &m) { blocks(m, plain, {}); });
    add("blocks per channel", [=](Member &m) { blocks(m, channels, faces); });
    add("blocks probed", [=](Member &m) { blocks(m, probed, {}); });
    add("blocks reverse", [=](Member &m) { blocks(m, reverse, {}); });
    add("blocks canonical", [=](Member &m) { blocks(m, canonical, nodes); });
    add("blocks shared", [=](Member &m) { blocks(m, shared, nodes); });
    add(
        "blocks direct", [=](Member &m) { blocks(m, plain, {}); }, direct);
    add(
        "blocks direct reverse", [=](Member &m) { blocks(m, reverse, {}); }, direct);
    add("abandoned", [=](Member &m) { abandoned(m, {}); }, {});
    add(
        "blocks checked", [=](Member &m) { blocks(m, plain, {}); }, checked);
    add("narrowed", [](Member &m) { narrowed(m, HALO_MESSAGES_AGGREGATE); });
    add("narrowed per channel", [](Member &m) { narrowed(m, HALO_MESSAGES_PER_CHANNEL); });
    add("sparse", [=](Member &m) { sparse(m, plain, true); });
    add("sparse per channel", [=](Member &m) { sparse(m, channels, false); });
    add(
        "sparse checked", [=](Member &m) { sparse(m, plain, true); }, checked);
    add("boxes", [=](Member &m) { boxes(m, plain, Given::all, HALO_CENTRE_CELL); });
    add("boxes distributed", [=](Member &m) { boxes(m, channels, Given::distributed, HALO_CENTRE_NODE); });
    add("boxes cut", [=](Member &m) { boxes(m, reverse, Given::none, HALO_CENTRE_FACES); });
    add("sweeps", [=](Member &m) { boxes(m, sweeps, Given::none, HALO_CENTRE_CELL); });
    add("transfer", [](Member &m) { transfer(m, Given::all, HALO_TRANSFER_COPY, false); });
    add("transfer distributed", [](Member &m) { transfer(m, Given::distributed, HALO_TRANSFER_ADD, true); });
    add("forest", [=](Member &m) { forest(m, plain); });
    add("levels", [=](Member &m) { levels(m, plain, Given::all); });
    add("levels by phases", [=](Member &m) { levels(m, channels, Given::all); });
    add("levels of boxes", [=](Member &m) { box_levels(m, plain); });
    add("levels distributed", [=](Member &m) { levels(m, plain, Given::distributed); });
    add("regions", [=](Member &m) { regions(m, plain); });
    add("regions reverse", [=](Member &m) { regions(m, reverse); });
    return all;
}

} // namespace allocations
