/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of C about points, loops and channels that the guides show besides whole programs, line for line, on one rank. */
/* clang-format off */
/* NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result) */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* what is not given is zero */
#include <halo_access.h>
#include <halo_channel.h>
#include <halo_mesh.h>

#include "pieces.h"

/* docs/meshes.md: a strip of triangles, of which cell c has the nodes c, c + 1 and c + 2 */
enum { CELLS = 4, NODES = CELLS + 2, most_layers = 2 };

static halo_mesh *strip(halo_context *context) {
    uint64_t keys[NODES], ends[3 * CELLS];
    for (uint64_t i = 0; i < NODES; ++i) keys[i] = i;
    for (uint64_t c = 0; c < CELLS; ++c)
        for (uint64_t k = 0; k < 3; ++k) ends[3 * c + k] = c + k;
    halo_mesh_set sets[2] = { HALO_MESH_SET_INIT, HALO_MESH_SET_INIT };
    sets[0].name = "cells", sets[0].n = CELLS, sets[0].keys = keys;
    sets[1].name = "nodes", sets[1].n = NODES, sets[1].keys = keys;
    halo_mesh_map map = HALO_MESH_MAP_INIT;
    map.name = "nodes of cells", map.from = 0, map.to = 1, map.arity = 3, map.keys = ends;
    halo_mesh_desc desc = HALO_MESH_DESC_INIT;
    desc.n_sets = 2, desc.sets = sets, desc.n_maps = 1, desc.maps = &map;
    halo_mesh *mesh;
    need(halo_mesh_create(context, &desc, &mesh));
    return mesh;
}

static void meshes(halo_context *context) {
    enum { cells = 0, nodes = 1, nodes_of_cells = 0, rank = 0, n = 3 };
    halo_mesh *mesh = strip(context);
    double u[NODES] = { 0 }, values[n] = { 1, 2, 4 };
    const uint64_t keys[n] = { 3, 0, 3 };
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u";
    halo_field *field;
    halo_exchange *exchange;
    halo_exchange_desc exchange_desc = HALO_EXCHANGE_DESC_INIT;
    halo_binding own = HALO_BINDING_INIT, list = HALO_BINDING_INIT;
    halo_topology *targets;
    halo_mesh_target_topology(mesh, nodes, keys, n, &targets);       /* all ranks; those that name nothing with n = 0 */
    halo_field_create(targets, &field_desc, &field);
    own.data = u, list.data = values;                                /* u: as on halo_mesh_topology, by local index */
    halo_field_bind(field, 2 * rank, &own);
    halo_field_bind(field, 2 * rank + 1, &list);
    exchange_desc.kind = HALO_KIND_REVERSE;                          /* u[keys[i]] += values[i]; GHOSTS: values[i] = u[keys[i]] */
    halo_exchange_create(&field, 1, &exchange_desc, &exchange);
    need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    check(u[3] == 5 && u[0] == 2 && u[1] == 0, "meshes: values at keys");
    destroy(exchange, field, targets);
    need(halo_mesh_destroy(&mesh));
}

static int n_added;
static void add(const double *value) {
    if (*value == 1) ++n_added;
}

static void columns(halo_context *context) {
    enum { cells = 0, nodes = 1, nodes_of_cells = 0, capacity = 6 * CELLS, n_cells = CELLS };
    halo_mesh *mesh = strip(context);
    const int32_t layers[CELLS] = { 1, 2, 1, 2 };
    uint32_t lowest[capacity];
    double u[NODES * (most_layers + 1)];
    for (int i = 0; i < NODES * (most_layers + 1); ++i) u[i] = 1;
    const int64_t known[CELLS + 1] = { 0, 1, 3, 4, 6 }, *starts = known;
    int64_t n;
    int32_t wedges, nodes_above;
    halo_mesh_add_columns(mesh, cells, 0, layers, &wedges);          /* layers of each own cell */
    halo_mesh_add_columns(mesh, nodes, most_layers + 1, NULL, &nodes_above);
    const halo_column_entry corners[6] = { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 }, { 2, 1, 1 } };
    halo_mesh_get_column_map(mesh, nodes_of_cells, wedges, nodes_above, corners, 6, lowest, capacity, &n);
    for (int64_t c = 0; c < n_cells; ++c)
        for (int64_t l = 0; l < starts[c + 1] - starts[c]; ++l)
            for (int k = 0; k < 6; ++k) add(&u[lowest[6 * c + k] + l]);
    check(n == capacity && n_added == 6 * 6, "meshes: corners of wedges");
    need(halo_mesh_get_columns(mesh, wedges, &starts, NULL));
    check(memcmp(starts, known, sizeof known) == 0, "meshes: starts of columns");
    need(halo_mesh_destroy(&mesh));
}

/* docs/sections-and-access.md: a closed ring, edge e between the nodes e and e + 1, all on this rank */
enum { RING = 6 };
static double conductances[RING], heats[2 * RING], changes[RING];
static uint64_t ring_keys[RING];
static uint32_t edge_nodes[2 * RING];
enum { core_edges, owned_edges, exec_edges };
static halo_section_sizes ring_sizes = HALO_SECTION_SIZES_INIT;

static void flows(int edges) {
    if (edges != core_edges) return; /* there are no others */
    for (int64_t e = 0; e < ring_sizes.n[HALO_SECTION_CORE]; ++e) {
        const double flow = conductances[e] * (heats[edge_nodes[2 * e + 1]] - heats[edge_nodes[2 * e]]);
        changes[edge_nodes[2 * e]] += flow, changes[edge_nodes[2 * e + 1]] -= flow;
    }
}

static halo_field *on_ring(halo_topology *topology, const char *name, double *values, int32_t n_sets) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name, desc.n_sets = n_sets;
    halo_field *field;
    need(halo_field_create(topology, &desc, &field));
    for (int32_t set = 0; set < n_sets; ++set) {
        halo_binding memory = HALO_BINDING_INIT;
        memory.data = values + set * RING, memory.set = set;
        need(halo_field_bind(field, 0, &memory));
    }
    return field;
}

static void sections(halo_context *context) {
    enum { rank = 0, n_edges = RING, n_nodes = RING };
    int32_t edge_owners[n_edges] = { 0 }, node_owners[n_nodes] = { 0 }, owners[n_edges], edge_sections[n_edges];
    uint64_t edge_keys[n_edges], *const keys = ring_keys;
    uint32_t order[n_edges], groups[n_nodes] = { 0 };
    for (uint32_t e = 0; e < RING; ++e) edge_keys[e] = e, edge_nodes[2 * e] = e, edge_nodes[2 * e + 1] = (e + 1) % RING, conductances[e] = e, heats[e] = e * e;
    halo_map ends = { edge_nodes, node_owners, n_nodes, 2, 0 };        /* two nodes per edge */
    halo_section_sizes sizes = HALO_SECTION_SIZES_INIT;
    halo_sections_classify(rank, edge_owners, n_edges, &ends, 1, NULL, order, &sizes);
    for (int64_t p = 0; p < n_edges; ++p) keys[p] = edge_keys[order[p]], owners[p] = edge_owners[order[p]];
    check(sizes.n[HALO_SECTION_CORE] == n_edges && keys[2] == 2 && owners[2] == 0, "sections: all are core");
    ring_sizes = sizes;
    need(halo_sections_classify(rank, edge_owners, n_edges, &ends, 1, edge_sections, NULL, NULL));

    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = keys, desc.owners = owners, desc.n_keys = n_edges, desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *nodes, *edges;
    need(halo_topology_create_keys(context, &desc, &edges));
    need(halo_topology_create_keys(context, &desc, &nodes));
    halo_field *heat, *change = on_ring(edges, "change of another", changes, 1);
    need(halo_field_destroy(&change));
    halo_sections_reach(&ends, edge_sections, n_edges, 1u << HALO_SECTION_CORE | 1u << HALO_SECTION_OWNED, 1u << 4, groups);
    halo_topology_set_sections(nodes, groups, n_nodes);
    heat = on_ring(nodes, "heat", heats, 2);
    halo_access read = { heat, HALO_READ, HALO_VIA_MAP, 1u << 4 };     /* what own edges reach, and no more */
    check(groups[0] == 1u << 4 && groups[RING - 1] == 1u << 4, "sections: groups");
    halo_batch *reading;
    need(halo_access_begin(context, &read, 1, sizeof read, HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &reading));
    need(halo_access_ready(reading));
    need(halo_access_end(reading));

    halo_field *conductance = on_ring(edges, "conductance", conductances, 1);
    change = on_ring(nodes, "change", changes, 1);
    halo_access loop[] = {
        { conductance, HALO_READ, HALO_DIRECT },                       /* on edges; what is not given is zero: all ghosts, binding set 0 */
        { heat, HALO_READ, HALO_VIA_MAP },                             /* on nodes */
        { change, HALO_INC, HALO_VIA_MAP },
    };
    halo_batch *batch;
    int32_t needs_exec;
    halo_access_begin(context, loop, 3, sizeof loop[0], HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
    flows(core_edges);
    halo_access_ready(batch);
    flows(owned_edges);
    halo_access_needs_exec(batch, &needs_exec);
    if (needs_exec) flows(exec_edges);
    halo_access_end(batch);
    check(changes[1] == 1 * 3 - 0 * 1 && changes[0] == 0 * 1 - 5 * (0 - 25), "sections: a loop");
    need(halo_field_destroy(&conductance));
    destroy(NULL, change, NULL);
    need(halo_topology_destroy(&edges));
    destroy(NULL, heat, nodes);
}

static void old_and_new(halo_context *context) {
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = ring_keys, desc.n_keys = RING;
    halo_topology *nodes;
    need(halo_topology_create_keys(context, &desc, &nodes));
    halo_field *u = on_ring(nodes, "u", heats, 2);
    for (int step = 0; step < 2; ++step) {
        int32_t now = step % 2, next = 1 - now;
        halo_access loop[] = {
            { u, HALO_READ, HALO_VIA_MAP, 0, 0, now },
            { u, HALO_INC, HALO_VIA_MAP, 0, 0, next },
        };
        halo_batch *batch;
        need(halo_access_begin(context, loop, 2, sizeof loop[0], HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        need(halo_access_ready(batch));
        need(halo_access_end(batch));
        halo_access_state state = HALO_ACCESS_STATE_INIT;
        need(halo_access_get_state(u, next, &state));
        check(state.version > 0, "sections: the next set has changed");
    }
    destroy(NULL, u, nodes);
}

struct extent {
    double low, high;
};

static halo_status join_extents(void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes) {
    (void)user, (void)type, (void)element_bytes;
    struct extent *mine = values;
    const struct extent *theirs = contributions;
    for (int64_t i = 0; i < n; ++i) {
        if (theirs[i].low < mine[i].low) mine[i].low = theirs[i].low;
        if (theirs[i].high > mine[i].high) mine[i].high = theirs[i].high;
    }
    return HALO_SUCCESS;
}

static void reductions(halo_context *context) {
    halo_reduction *reduction;
    struct norms { double residual[2], step; int64_t where; struct extent extent; } mine, all;
    mine.residual[0] = 1, mine.residual[1] = 2, mine.step = 3, mine.where = 4, mine.extent.low = 5, mine.extent.high = 6;
    halo_reduction_item items[3] = { HALO_REDUCTION_ITEM_INIT, HALO_REDUCTION_ITEM_INIT, HALO_REDUCTION_ITEM_INIT };
    items[0].n = 2, items[0].offset = offsetof(struct norms, residual);            /* FLOAT64 by SUM, as the initialiser has it */
    items[1].op = HALO_MINLOC, items[1].offset = offsetof(struct norms, step), items[1].index_offset = offsetof(struct norms, where);
    items[2].type = HALO_BYTES, items[2].element_bytes = sizeof mine.extent, items[2].offset = offsetof(struct norms, extent);
    items[2].op = HALO_USER, items[2].combine = join_extents;                      /* halo_status join_extents(void *user, void *values, ...) */
    halo_reduction_create_items(context, items, sizeof items[0], 3, &reduction);
    halo_reduction_begin(reduction, &mine);
    halo_reduction_end(reduction, &all);
    check(all.residual[1] == 2 && all.step == 3 && all.where == 4 && all.extent.low == 5 && all.extent.high == 6, "sections: reductions on one rank give back what they get");
    need(halo_reduction_destroy(&reduction));
}

/* docs/unstructured.md */
static void unstructured(halo_context *context) {
    enum { rank = 0, n_points = 4, n_gone = 1, n_new = 2 };
    const uint64_t list[n_points] = { 10, 20, 30, 40 }, keys[n_new] = { 50, 60 };
    const int64_t positions[n_gone] = { 1 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = list, desc.n_keys = n_points, desc.editable = 1;
    halo_topology *nodes;
    need(halo_topology_create_keys(context, &desc, &nodes));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "pressure";
    halo_field *pressure;
    need(halo_field_create(nodes, &field_desc, &pressure));
    int64_t dof[n_points];
    for (int i = 0; i < n_points; ++i) dof[i] = i % 2 == 0 ? i / 2 : -1;
    halo_field_map_points(pressure, rank, dof, n_points); /* before storage is bound; an int64_t for each local point, -1: none */
    halo_layout layout = HALO_LAYOUT_INIT;
    need(halo_field_layout(pressure, rank, &layout));
    check(layout.elements == 2, "unstructured: points with a value");
    need(halo_field_destroy(&pressure));

    halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
    edit.n_remove = n_gone;
    edit.remove = positions;       /* in the list */
    edit.n_add = n_new;
    edit.add = keys;               /* behind what is left of the list */
    halo_topology *changed = NULL;
    halo_topology_edit_keys(nodes, &edit, &changed);
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    need(halo_topology_keys_report(changed, &report));
    check(report.n_owned == n_points - n_gone + n_new, "unstructured: edited keys");
    need(halo_topology_destroy(&changed));
    destroy(NULL, NULL, nodes);
}

/* docs/channels.md: channels of this rank to itself */
static void make_channels(halo_context *context, halo_channel **channels, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        const halo_channel_key key = { i, i + 1, 0, 14, 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.count = 2;
        need(halo_channel_register(context, &key, &desc, &channels[i]));
    }
}

static void channels_alone(halo_context *context) {
    enum { n = 2, n_changed = 1 };
    halo_channel *channels[n], *const *const changed = channels;
    const int64_t bytes[n_changed] = { 24 };
    make_channels(context, channels, n);
    halo_group_desc separate = HALO_GROUP_DESC_INIT;
    separate.messages = HALO_MESSAGES_PER_CHANNEL;
    halo_group *group, *more;
    need(halo_group_create(context, channels, n, &separate, &group));
    need(halo_channel_send_many(channels, n, HALO_STREAM_NONE));
    int64_t n_done;
    int32_t states[n];
    halo_channel_start_receive_many(channels, n);
    do halo_channel_try_receive_many(channels, n, &n_done, states); while (n_done < n);
    check(states[0] == HALO_RECEIVED_NULL && states[1] == HALO_RECEIVED_NULL, "channels: without a buffer null is sent");
    need(halo_channel_stale_many(channels, n, HALO_STREAM_NONE));
    int64_t i;
    for (i = 0; i < n_changed; ++i) halo_channel_set_bytes(changed[i], bytes[i]);       /* on both ends; HALO_BUSY while something is under way */
    halo_group_create(context, changed, n_changed, &separate, &more);                   /* one collective call, O(n_changed) */
    halo_buffer buffer = HALO_BUFFER_INIT;
    need(halo_channel_allocate(changed[0]));
    need(halo_channel_buffer(changed[0], &buffer));
    check(buffer.bytes == 24, "channels: other bytes");
    need(halo_group_destroy(&more));
    need(halo_group_destroy(&group));
    for (i = 0; i < n; ++i) need(halo_channel_destroy(&channels[i]));
}

static void pack(const halo_group_row *rows, int64_t n) {
    for (int64_t i = 0; i < n; ++i) *(double *)rows[i].data = (double)(i + 1);
}

static void unpack(const halo_group_row *rows, int64_t n) {
    check(n == 2 && rows[0].state == HALO_RECEIVED && *(double *)rows[0].data == 1 && rows[1].state == HALO_RECEIVED_NULL, "channels: a run");
}

static void channels_together(halo_context *context) {
    enum { n_channels = 2 };
    halo_channel *channels[n_channels];
    make_channels(context, channels, n_channels);
    halo_group *group;
    need(halo_group_create(context, channels, n_channels, NULL, &group));
    const halo_group_row *rows;
    const uint8_t null_flags[n_channels] = { 0, 1 };
    int32_t yes = 0, done = 0;
    int64_t n;
    while (halo_group_writable(group, &yes) == HALO_SUCCESS && !yes) {}           /* a peer is two runs behind: do something else */
    halo_group_table(group, sizeof(halo_group_row), &rows, &n);                   /* where each channel's slice is in this run */
    pack(rows, n);
    halo_group_send(group, null_flags, HALO_STREAM_NONE);                         /* null_flags[i] != 0: row i is null */
    while (halo_group_try_receive(group, &done) == HALO_SUCCESS && !done) {}      /* do something else */
    halo_group_table(group, sizeof(halo_group_row), &rows, &n);                   /* states, and where what came is */
    unpack(rows, n);
    halo_group_stale(group, HALO_STREAM_NONE);                                    /* the next run may begin */
    need(halo_group_destroy(&group));
    for (int i = 0; i < n_channels; ++i) need(halo_channel_destroy(&channels[i]));
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));
    meshes(context), columns(context), sections(context), old_and_new(context), reductions(context), unstructured(context);
    channels_alone(context), channels_together(context);
    need(halo_context_destroy(&context));
    printf("%d wrong\n", n_wrong);
    return n_wrong != 0;
}
/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
