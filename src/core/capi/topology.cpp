// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "capi/create_topology.h"
#include "capi/leftovers.h"
#include "capi/list.h"
#include "comm/collective_stream.h"
#include "topology/blocks/blocks.h"
#include "topology/boxes/boxes.h"
#include "topology/graph/graph.h"
#include "topology/keys/keys.h"
#include "topology/lists/lists.h"
#include "topology/regions/regions.h"

using namespace halo;

namespace {

PointsTopology &points_of(const halo_topology *topology, const char *call) {
    auto *points = dynamic_cast<PointsTopology *>(&object_of<Topology>(topology));
    if (!points) fail(HALO_ERR_ARGUMENT, "%s: the topology has no points: it was not made from keys or lists", call);
    return *points;
}

const GraphTopology &graph_of(const halo_topology *topology, const char *call) {
    auto *graph = dynamic_cast<GraphTopology *>(&object_of<Topology>(topology));
    if (!graph) fail(HALO_ERR_ARGUMENT, "%s: the topology was not made from a graph", call);
    return *graph;
}

} // namespace

halo_status halo_topology_create_blocks(halo_context *context, const halo_blocks_desc *desc, halo_topology **topology) {
    return create_from<BlocksTopology>(context, desc, HALO_BLOCKS_DESC_INIT, "blocks", topology);
}

halo_status halo_topology_create_boxes(halo_context *context, const halo_boxes_desc *desc, halo_topology **topology) {
    return create_from<BoxesTopology>(context, desc, HALO_BOXES_DESC_INIT, "boxes", topology);
}

halo_status halo_topology_create_regions(halo_context *context, const halo_regions_desc *desc, halo_topology **topology) {
    return create_from<RegionsTopology>(context, desc, HALO_REGIONS_DESC_INIT, "regions", topology);
}

halo_status halo_topology_destroy(halo_topology **topology) {
    return guard([&] {
        require(topology, "topology");
        const CallLock::Call call = require_callable(shell_of(*topology), HandleKind::topology);
        const Topology &object = object_of<Topology>(*topology);
        if (!object.fields.empty())
            fail(HALO_BUSY, "topology: fields on it still exist: %s", fields_on(shell_of(*topology)->owner->shells, object).c_str());
        if (const std::string particles = particles_on(shell_of(*topology)->owner->shells, object); !particles.empty())
            fail(HALO_BUSY, "topology: particles on it still exist: %s", particles.c_str());
        destroy_object<Topology>(topology);
    });
}

halo_status halo_topology_local_parts(const halo_topology *topology, const int64_t **gids, int64_t *n) {
    return with_handle(topology, [&] {
        require(n, "n");
        const auto &parts = object_of<Topology>(topology).local_parts();
        if (gids) *gids = parts.data();
        *n = std::ssize(parts);
    });
}

halo_status halo_topology_part(const halo_topology *topology, int64_t gid, halo_part *part) {
    return with_handle(topology, [&] {
        require(part, "part");
        write_struct(part, object_of<Topology>(topology).part(gid));
    });
}

int32_t halo_element(int32_t x, int32_t y, int32_t z) { return HALO_ELEMENT(x, y, z); }

halo_status halo_topology_neighbours(const halo_topology *topology, int64_t gid, size_t row_bytes, halo_neighbour *neighbours, int64_t capacity,
                                     int64_t *n) {
    return with_handle(topology,
                       [&] { write_rows(object_of<Topology>(topology).neighbours(gid), row_bytes, neighbours, capacity, n, "neighbours"); });
}

halo_status halo_topology_peers(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(object_of<Topology>(topology).peers(), ranks, capacity, n, "ranks"); });
}

halo_status halo_topology_create_keys(halo_context *context, const halo_keys_desc *desc, halo_topology **topology) {
    return create_from<KeysTopology>(context, desc, HALO_KEYS_DESC_INIT, "keys", topology);
}

halo_status halo_topology_create_graph(halo_context *context, const halo_graph_desc *desc, halo_topology **topology) {
    return create_from<GraphTopology>(context, desc, HALO_GRAPH_DESC_INIT, "graph", topology);
}

halo_status halo_topology_create_star(halo_context *context, const halo_star_desc *desc, halo_topology **topology) {
    return create_from<ListsTopology>(context, desc, HALO_STAR_DESC_INIT, "star", topology);
}

halo_status halo_topology_create_lists(halo_context *context, const halo_lists_desc *desc, halo_topology **topology) {
    return create_from<ListsTopology>(context, desc, HALO_LISTS_DESC_INIT, "lists", topology);
}

halo_status halo_topology_keys_report(const halo_topology *topology, halo_keys_report *report) {
    return with_handle(topology, [&] {
        require(report, "report");
        const PointsTopology &points = points_of(topology, "keys report");
        const auto *keys = dynamic_cast<const KeysTopology *>(&points);
        halo_keys_report value = HALO_KEYS_REPORT_INIT;
        if (keys) value = keys->report();
        value.n_points = points.n_points();
        value.n_owned = points.n_owned();
        value.n_ghosts = points.n_ghosts();
        value.first_global = points.first_global();
        value.n_global = points.n_global();
        write_struct(report, value);
    });
}

halo_status halo_topology_local_indices(const halo_topology *topology, uint32_t *indices, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(points_of(topology, "local indices").local_indices(), indices, capacity, n, "indices"); });
}

halo_status halo_topology_owners(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(points_of(topology, "owners").owners(), ranks, capacity, n, "ranks"); });
}

halo_status halo_topology_sharers(const halo_topology *topology, int64_t local_index, int32_t *ranks, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(points_of(topology, "sharers").sharers(local_index), ranks, capacity, n, "ranks"); });
}

halo_status halo_topology_graph_rows(const halo_topology *topology, const int64_t **offsets, const uint32_t **neighbours, int64_t *n_rows) {
    return with_handle(topology, [&] {
        require(offsets, "offsets");
        require(neighbours, "neighbours");
        require(n_rows, "n_rows");
        const GraphPoints &graph = graph_of(topology, "graph rows").graph();
        *offsets = graph.offsets.list().data();
        *neighbours = graph.neighbours.data();
        *n_rows = graph.offsets.n_rows();
    });
}

halo_status halo_topology_rings(const halo_topology *topology, int32_t *rings, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(graph_of(topology, "rings").rings(), rings, capacity, n, "rings"); });
}

halo_status halo_topology_point_keys(const halo_topology *topology, uint64_t *keys, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(points_of(topology, "point keys").point_keys(), keys, capacity, n, "keys"); });
}

halo_status halo_topology_edit_keys(const halo_topology *topology, const halo_keys_edit *edit, halo_topology **edited) {
    return with_handle(topology, [&] {
        shell_of(topology)->owner->context.admit(Inside::nothing);
        require(edit, "edit");
        require(edited, "edited");
        const halo_keys_edit known = read_struct(edit, halo_keys_edit HALO_KEYS_EDIT_INIT);
        const auto *from = dynamic_cast<const KeysTopology *>(&object_of<Topology>(topology));
        if (!from) fail(HALO_ERR_ARGUMENT, "edit: the topology was not made from keys");
        ContextObject *owner = shell_of(topology)->owner;
        const CollectiveCall call(owner->context, "edit", HALO_TIMEOUT_CONFIGURED, from->id());
        auto object = std::make_unique<KeysTopology>(*from, known);
        *edited = owner->shells.make<halo_topology>(owner, static_cast<Topology *>(object.get()));
        object.release();
    });
}
