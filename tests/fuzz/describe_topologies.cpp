// SPDX-License-Identifier: BSD-3-Clause
// Topologies, and what they are asked.
#include "descriptions.h"
#include "halo_sphere.h"

namespace fuzz {

namespace {

halo_topology *blocks(Input &in) {
    const auto owner = in.values<int32_t, 8>(0, 0);
    Newer<halo_blocks_desc> desc{ HALO_BLOCKS_DESC_INIT, {} };
    desc.n_dims = in.choice(3, 1);
    for (int d = 0; d < 3; ++d) desc.n_blocks[d] = in.size(d == 0 ? 3 : 2), desc.n_cells[d] = in.size(), desc.periodic[d] = in.choice(2);
    if (in.pick(0, 7) > 0)
        for (int d = std::clamp(desc.n_dims, 0, 3); d < 3; ++d) desc.n_blocks[d] = desc.n_cells[d] = 1, desc.periodic[d] = 0;
    desc.order = in.choice(2);
    if (in.flip()) desc.owner = owner.data(), desc.n_owner = in.length(8);
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_blocks(the_context(), &desc, &topology));
    return topology;
}

halo_box box(Input &in) {
    halo_box made_box;
    const auto low = in.values<int64_t, 3>(0, 3);
    const auto high = in.values<int64_t, 3>(0, 4);
    for (int d = 0; d < 3; ++d) made_box.low[d] = low[d], made_box.high[d] = high[d];
    return made_box;
}

halo_topology *boxes(Input &in) {
    std::array<halo_box, 3> list;
    for (halo_box &one : list) one = box(in);
    const auto owner = in.values<int32_t, 3>(0, 0);
    const auto priority = in.values<int32_t, 3>(-1, 2);
    Newer<halo_boxes_desc> desc{ HALO_BOXES_DESC_INIT, {} };
    desc.n_dims = in.choice(3, 1);
    desc.domain = in.flip() ? halo_box{ { 0, 0, 0 }, { 4, 4, 4 } } : box(in);
    for (int32_t &periodic : desc.periodic) periodic = in.choice(2);
    if (in.pick(0, 7) > 0)
        for (int d = std::clamp(desc.n_dims, 0, 3); d < 3; ++d) {
            desc.periodic[d] = 0;
            for (halo_box *one : { &desc.domain, &list[0], &list[1], &list[2] }) one->low[d] = 0, one->high[d] = 1;
        }
    desc.distributed = in.choice(2);
    if (in.flip()) desc.boxes = list.data(), desc.n_boxes = in.length(3);
    if (in.flip()) desc.owner = owner.data();
    if (in.flip()) desc.priority = priority.data();
    desc.reach = in.width();
    desc.n_parts_per_rank = in.width();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_boxes(the_context(), &desc, &topology));
    return topology;
}

halo_topology *regions(Input &in) {
    auto cells = in.values<int64_t, 6>(1, 4);
    const auto owner = in.values<int32_t, 2>(0, 0);
    std::array<halo_join, 2> joins;
    for (halo_join &join : joins) {
        join.send_gid = in.size(1), join.receive_gid = in.size(1), join.send = box(in), join.receive = box(in);
        for (int d = 0; d < 3; ++d) {
            if (in.flip()) join.receive.low[d] = -1, join.receive.high[d] = 0;
            join.axis[d] = in.choice(3), join.sign[d] = in.flip() ? 1 : -1;
        }
    }
    Newer<halo_regions_desc> desc{ HALO_REGIONS_DESC_INIT, {} };
    desc.n_dims = in.choice(3, 1), desc.cells = cells.data(), desc.n_parts = in.length(2), desc.joins = joins.data(), desc.n_joins = in.length(2);
    if (in.pick(0, 7) > 0)
        for (size_t d = static_cast<size_t>(std::clamp(desc.n_dims, 0, 3)); d < 3; ++d) cells[d] = cells[3 + d] = 1;
    desc.reach = in.width();
    if (in.pick(0, 31) == 0) desc.join_bytes = static_cast<size_t>(in.pick(0, sizeof(halo_join)));
    if (in.flip()) desc.owner = owner.data();
    const auto vector_signs = in.values<int32_t, 6>(1, 1);
    if (in.flip()) desc.vector_signs = vector_signs.data();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_regions(the_context(), &desc, &topology));
    return topology;
}

halo_topology *edited(Input &in, halo_topology *from) {
    const auto remove = in.values<int64_t, 3>(0, 5);
    const auto add = in.values<uint64_t, 3>(0, 9);
    const auto flags = in.values<int32_t, 3>(0, 15);
    Newer<halo_keys_edit> edit{ HALO_KEYS_EDIT_INIT, {} };
    edit.n_remove = in.length(3), edit.remove = remove.data(), edit.n_add = in.length(3), edit.add = add.data();
    if (in.flip()) edit.flags = flags.data();
    in.version(edit);
    halo_topology *topology = nullptr;
    if (!made(halo_topology_edit_keys(from, &edit, &topology))) return from;
    destroy(halo_topology_destroy, from);
    return topology;
}

halo_topology *keys(Input &in) {
    const auto list = in.values<uint64_t, 6>(0, 9);
    const auto flags = in.values<int32_t, 6>(0, 15);
    const auto weights = in.values<int64_t, 6>(-3, 3);
    const auto owners = in.values<int32_t, 6>(0, 0);
    auto offsets = in.values<int64_t, 4>(0, 6);
    Newer<halo_keys_desc> desc{ HALO_KEYS_DESC_INIT, {} };
    desc.owner_rule = in.choice(4), desc.numbering = in.choice(3), desc.directory = in.choice(3), desc.editable = in.choice(2);
    desc.n_keys = in.length(6), desc.keys = list.data();
    if (in.flip()) desc.flags = flags.data();
    if (in.flip()) desc.weights = weights.data();
    if (in.flip()) desc.owners = owners.data();
    if (in.flip()) desc.n_mine = in.length(6), desc.owner_rule = HALO_OWNER_CLAIM;
    if (in.flip()) desc.n_parts = in.narrow(in.length(3)), desc.part_offsets = offsets.data();
    if (in.flip()) desc.numbering = HALO_NUMBERING_AS_GIVEN, desc.editable = 0, offsets[0] = 0, offsets[1] = desc.n_keys;
    in.version(desc);
    halo_topology *topology = nullptr;
    if (made(halo_topology_create_keys(the_context(), &desc, &topology)) && in.flip()) topology = edited(in, topology);
    return topology;
}

halo_topology *graph(Input &in) {
    const auto points = in.values<uint64_t, 4>(0, 9);
    const auto neighbours = in.values<uint64_t, 12>(0, 9);
    const auto owners = in.values<int32_t, 12>(0, 0);
    auto offsets = in.values<int64_t, 5>(0, 12);
    Newer<halo_graph_desc> desc{ HALO_GRAPH_DESC_INIT, {} };
    desc.rings = in.width(), desc.n_owned = in.length(4), desc.keys = points.data(), desc.neighbours = neighbours.data();
    desc.width = in.length(3), desc.has_skip = in.choice(2), desc.skip = 3, desc.directory = in.choice(3);
    for (int64_t &offset : offsets) offset = std::min<int64_t>(offset, 12);
    if (in.flip()) desc.offsets = offsets.data();
    if (in.flip()) desc.owners = owners.data();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_graph(the_context(), &desc, &topology));
    return topology;
}

// Few points, or more than there can be.
int64_t points(Input &in) {
    const int64_t given = in.size();
    return given > 6 && given < int64_t{ 1 } << 32 ? 6 : given;
}

halo_topology *star(Input &in) {
    const auto leaves = in.values<uint32_t, 4>(0, 6);
    const auto ranks = in.values<int32_t, 4>(0, 0);
    const auto indices = in.values<uint32_t, 4>(0, 6);
    Newer<halo_star_desc> desc{ HALO_STAR_DESC_INIT, {} };
    desc.sharers = in.choice(2), desc.n_points = points(in), desc.n_leaves = in.length(4), desc.ranks = ranks.data(), desc.indices = indices.data();
    if (in.flip()) desc.leaves = leaves.data();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_star(the_context(), &desc, &topology));
    return topology;
}

halo_topology *lists(Input &in) {
    const auto peers = in.values<int32_t, 2>(0, 0);
    const auto send = in.values<uint32_t, 4>(0, 6);
    const auto receive = in.values<uint32_t, 4>(0, 6);
    std::array<std::array<int64_t, 3>, 2> offsets;
    for (auto &list : offsets)
        for (int64_t &offset : list) offset = in.length(4);
    Newer<halo_lists_desc> desc{ HALO_LISTS_DESC_INIT, {} };
    desc.n_peers = in.narrow(in.length(2)), desc.n_points = points(in), desc.peers = peers.data(), desc.sharers = in.choice(2);
    for (int64_t &offset : offsets[0]) // the list that is sent may be as long as its offsets say
        if (offset > 4) offset = 4;
    desc.send_offsets = offsets[0].data(), desc.send = send.data(), desc.receive_offsets = offsets[1].data(), desc.receive = receive.data();
    if (desc.n_points > 4)
        for (int64_t &offset : offsets[1]) offset = std::min<int64_t>(offset, 4);
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_lists(the_context(), &desc, &topology));
    return topology;
}

halo_topology *cubed_sphere(Input &in) {
    Newer<halo_cubed_sphere_desc> desc{ HALO_CUBED_SPHERE_DESC_INIT, {} };
    desc.n = in.size(), desc.parts_per_side = in.width(), desc.levels = in.size(2), desc.reach = in.width();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_cubed_sphere(the_context(), &desc, &topology));
    return topology;
}

halo_topology *latitudes(Input &in) {
    Newer<halo_latitudes_desc> desc{ HALO_LATITUDES_DESC_INIT, {} };
    for (int d = 0; d < 2; ++d) desc.cells[d] = in.size(), desc.parts[d] = in.size(3);
    desc.poles = in.choice(2), desc.levels = in.size(2), desc.reach = in.width();
    in.version(desc);
    halo_topology *topology = nullptr;
    made(halo_topology_create_latitudes(the_context(), &desc, &topology));
    return topology;
}

halo_topology *reduced_rows(Input &in) {
    auto cells = in.values<int64_t, 4>(1, 6);
    for (int64_t &row : cells) row = std::min<int64_t>(row, 100); // all are this rank's
    Newer<halo_reduced_rows_desc> desc{ HALO_REDUCED_ROWS_DESC_INIT, {} };
    desc.n_rows = in.length(4), desc.cells = cells.data(), desc.poles = in.choice(2), desc.rings = in.width();
    in.version(desc);
    halo_topology *topology = nullptr;
    if (!made(halo_topology_create_reduced_rows(the_context(), &desc, &topology))) return topology;
    std::array<uint64_t, 8> neighbours;
    int64_t n = 0;
    made(halo_reduced_rows_neighbours(&desc, static_cast<uint64_t>(in.size()), neighbours.data(), 8, &n));
    return topology;
}

void ask(Input &in, halo_topology *topology) {
    Newer<halo_part> part{ HALO_PART_INIT, {} };
    Newer<halo_keys_report> report{ HALO_KEYS_REPORT_INIT, {} };
    in.version(part);
    in.version(report);
    int64_t n = 0;
    made(halo_topology_part(topology, in.size(), &part));
    made(halo_topology_neighbours(topology, in.size(), sizeof(halo_neighbour), nullptr, 0, &n));
    made(halo_topology_peers(topology, nullptr, in.size(0), &n));
    made(halo_topology_sharers(topology, in.size(), nullptr, 0, &n));
    made(halo_topology_keys_report(topology, &report));
    const auto groups = in.values<uint32_t, 12>(0, 15);
    if (in.pick(0, 3) == 0) made(halo_topology_set_sections(topology, groups.data(), in.length(12)));
}

} // namespace

halo_topology *topology_of(Input &in, int kind) {
    static constexpr std::array<halo_topology *(*)(Input &), n_topology_kinds> makers{ blocks, boxes, regions,      keys,      graph,
                                                                                       star,   lists, cubed_sphere, latitudes, reduced_rows };
    halo_topology *topology = makers[static_cast<size_t>(kind)](in);
    if (topology) ask(in, topology);
    return topology;
}

} // namespace fuzz
