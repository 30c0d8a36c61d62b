/* SPDX-License-Identifier: BSD-3-Clause */
/* What the pictures of docs/concepts.md show, asked from the library: docs/pictures/tables.txt is what this program prints. Ranks are threads. */
#include <pthread.h>
#include <string.h>

#include <halo_access.h>
#include <halo_sphere.h>

#include "../guides/need.h"

enum { MAX_RANKS = 9, NX = 4, NY = 3, GHOSTS = 1 };
enum { MESH_X = 6, MESH_Y = 3, N_CELLS = MESH_X * MESH_Y, N_NODES = (MESH_X + 1) * (MESH_Y + 1) };

static const char *path = "auto"; /* setting of the contexts that are made next */

typedef struct rank_task {
    void (*body)(halo_context *context, FILE *out);
    halo_inproc *group;
    int32_t rank;
    FILE *out;
} rank_task;

static void *run_rank(void *argument) {
    const rank_task *task = (const rank_task *)argument;
    const halo_setting settings[] = { { "path", path }, { "shared_memory", "yes" }, { "shared_memory.least", "0" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings, options.n_settings = 3;
    halo_context *context;
    need(halo_context_create_inproc(task->group, task->rank, &options, &context));
    task->body(context, task->out);
    need(halo_context_destroy(&context));
    return NULL;
}

/* What each rank prints, in the order of the ranks. */
static void run_ranks(const char *title, int32_t n_ranks, void (*body)(halo_context *, FILE *)) {
    pthread_t threads[MAX_RANKS];
    rank_task tasks[MAX_RANKS];
    halo_inproc *group;
    need(halo_inproc_create(n_ranks, &group));
    for (int32_t rank = 0; rank < n_ranks; ++rank) {
        tasks[rank] = (rank_task){ body, group, rank, tmpfile() };
        if (!tasks[rank].out || pthread_create(&threads[rank], NULL, run_rank, &tasks[rank])) exit(EXIT_FAILURE);
    }
    printf("%s\n", title);
    for (int32_t rank = 0; rank < n_ranks; ++rank) {
        char line[512];
        pthread_join(threads[rank], NULL);
        rewind(tasks[rank].out);
        while (fgets(line, sizeof line, tasks[rank].out)) fputs(line, stdout);
        fclose(tasks[rank].out);
    }
    need(halo_inproc_destroy(&group));
}

static halo_field *make_field(halo_topology *grid) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.ghost_low[0] = desc.ghost_low[1] = desc.ghost_high[0] = desc.ghost_high[1] = GHOSTS;
    halo_field *field;
    need(halo_field_create(grid, &desc, &field));
    need(halo_field_allocate(field, -1));
    return field;
}

/* Twice: the messages of the first run also say that both ends mean the same. */
static void run(halo_field *field, FILE *out) {
    halo_exchange *exchange;
    halo_exchange_stats stats[2] = { HALO_EXCHANGE_STATS_INIT, HALO_EXCHANGE_STATS_INIT };
    need(halo_exchange_create(&field, 1, NULL, &exchange));
    for (int i = 0; i < 2; ++i) {
        need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
        need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        need(halo_exchange_get_stats(exchange, &stats[i]));
    }
    fprintf(out, "run: messages sent %d received %d edges local %d from other ranks %d\n", (int)(stats[1].messages_sent - stats[0].messages_sent),
            (int)(stats[1].messages_received - stats[0].messages_received), (int)stats[1].channels_local, (int)stats[1].channels_receive);
    need(halo_exchange_destroy(&exchange));
}

/* `visit` is called with each value of a part, ghosts too, and its place counted from the first owned cell. */
static void each_value(halo_topology *grid, halo_field *field, FILE *out,
                       void (*visit)(const halo_part *, int64_t x, int64_t y, double *value, FILE *)) {
    const int64_t *gids;
    int64_t n;
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data;
        need(halo_topology_part(grid, gids[i], &part));
        need(halo_field_layout(field, gids[i], &layout));
        need(halo_field_data(field, gids[i], 0, &data));
        for (int64_t y = -GHOSTS; y < part.cells.high[1] - part.cells.low[1] + GHOSTS; ++y)
            for (int64_t x = -GHOSTS; x < part.cells.high[0] - part.cells.low[0] + GHOSTS; ++x)
                visit(&part, x, y, (double *)data + layout.first_owned + x * layout.stride[0] + y * layout.stride[1], out);
    }
}

static int is_owned(const halo_part *part, int64_t x, int64_t y) {
    return x >= 0 && y >= 0 && x < part->cells.high[0] - part->cells.low[0] && y < part->cells.high[1] - part->cells.low[1];
}
/* Part, column and row in one number; what nobody fills is -1. */
static void number(const halo_part *part, int64_t x, int64_t y, double *value, FILE *out) {
    (void)out;
    *value = is_owned(part, x, y) ? (double)(100 * part->gid + 10 * x + y) : -1.0;
}
static void print(const halo_part *part, int64_t x, int64_t y, double *value, FILE *out) {
    const int number = (int)*value;
    if (number < 0)
        fprintf(out, "outside %d: %d %d\n", (int)part->gid, (int)x, (int)y);
    else if (is_owned(part, x, y))
        fprintf(out, "cell %d: %d %d\n", (int)part->gid, (int)x, (int)y);
    else
        fprintf(out, "ghost %d: %d %d from %d: %d %d\n", (int)part->gid, (int)x, (int)y, number / 100, number / 10 % 10, number % 10);
}

static void print_parts(halo_topology *grid, halo_field *field, FILE *out) {
    const int64_t *gids;
    int64_t n;
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        halo_neighbour neighbours[26];
        halo_boundary boundaries[26];
        int64_t n_neighbours, n_boundaries;
        need(halo_topology_part(grid, gids[i], &part));
        need(halo_topology_neighbours(grid, gids[i], sizeof neighbours[0], neighbours, 26, &n_neighbours));
        need(halo_field_boundaries(field, gids[i], sizeof boundaries[0], boundaries, 26, &n_boundaries));
        fprintf(out, "part %d: rank %d cells %d %d to %d %d\n", (int)part.gid, (int)part.rank, (int)part.cells.low[0], (int)part.cells.low[1],
                (int)part.cells.high[0], (int)part.cells.high[1]);
        for (int64_t j = 0; j < n_neighbours; ++j)
            fprintf(out, "neighbour %d: element %d part %d\n", (int)part.gid, (int)neighbours[j].element, (int)neighbours[j].gid);
        for (int64_t j = 0; j < n_boundaries; ++j) fprintf(out, "boundary %d: element %d\n", (int)part.gid, (int)boundaries[j].element);
    }
}

static void show(halo_topology *grid, FILE *out) {
    halo_field *field = make_field(grid);
    print_parts(grid, field, out);
    each_value(grid, field, out, number);
    run(field, out);
    each_value(grid, field, out, print);
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&grid));
}

/* Six blocks, three on each rank. */
static void blocks(halo_context *context, FILE *out) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 2, desc.order = HALO_ORDER_ROWS;
    desc.n_blocks[0] = 3, desc.n_blocks[1] = 2, desc.n_cells[0] = NX, desc.n_cells[1] = NY;
    halo_topology *grid;
    need(halo_topology_create_blocks(context, &desc, &grid));
    show(grid, out);
}

/* Part 0 has part 1 to its right, turned: what part 1 calls up is right, what it calls right is down. */
static void join(halo_context *context, FILE *out) {
    const int64_t cells[] = { NX, NY, 1, NY, NX, 1 };
    const halo_join joins[] = {
        { 1, 0, { { 0, 0, 0 }, { NY, 1, 1 } }, { { NX, 0, 0 }, { NX + 1, NY, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } },
        { 0, 1, { { NX - 1, 0, 0 }, { NX, NY, 1 } }, { { 0, -1, 0 }, { NY, 0, 1 } }, { 1, 0, 2 }, { -1, 1, 1 } },
    };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 2, desc.cells = cells, desc.n_parts = 2, desc.joins = joins, desc.n_joins = 2, desc.reach = GHOSTS;
    halo_topology *grid;
    need(halo_topology_create_regions(context, &desc, &grid));
    show(grid, out);
}

/* Nine blocks on as many ranks; how the one in the middle hears its neighbours. */
static void rounds(halo_context *context, FILE *out) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 2, desc.order = HALO_ORDER_ROWS;
    for (int d = 0; d < 2; ++d) desc.n_blocks[d] = 3, desc.n_cells[d] = NY;
    halo_topology *grid;
    need(halo_topology_create_blocks(context, &desc, &grid));
    halo_field *field = make_field(grid);
    for (int32_t pattern = HALO_PATTERN_DIRECT; pattern <= HALO_PATTERN_SWEEPS; ++pattern) {
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.pattern = pattern, how.source_stable = 1;
        halo_exchange *exchange;
        need(halo_exchange_create(&field, 1, &how, &exchange));
        need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
        need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        int32_t rank, n_ranks;
        char text[4096];
        need(halo_context_rank(context, &rank, &n_ranks));
        need(halo_exchange_describe(exchange, text, sizeof text, NULL));
        for (char *line = rank == 4 ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
            fprintf(out, "%.*s\n", (int)strcspn(line, ";"), line);
        need(halo_exchange_destroy(&exchange));
    }
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&grid));
}

/* Cells that touch nodes, as rank 0 sees them. Rank 0 has the left of both sets, and its cells reach farther in the upper rows. */
static void sections(void) {
    uint32_t nodes[N_CELLS * 4];
    int32_t cell_owners[N_CELLS], node_owners[N_NODES], of_cells[N_CELLS], of_nodes[N_NODES];
    for (uint32_t i = 0; i < N_CELLS; ++i) {
        const uint32_t x = i % MESH_X, y = i / MESH_X, corner = x + (MESH_X + 1) * y;
        const uint32_t corners[] = { corner, corner + 1, corner + MESH_X + 1, corner + MESH_X + 2 };
        memcpy(&nodes[(size_t)4 * i], corners, sizeof corners);
        cell_owners[i] = x >= 2 + y;
    }
    for (int32_t i = 0; i < N_NODES; ++i) node_owners[i] = i % (MESH_X + 1) > 3;
    const halo_map corners = { nodes, node_owners, N_NODES, 4, 0 };
    need(halo_sections_classify(0, cell_owners, N_CELLS, &corners, 1, of_cells, NULL, NULL));
    need(halo_sections_classify(0, node_owners, N_NODES, NULL, 0, of_nodes, NULL, NULL));
    printf("sections\n");
    for (int32_t i = 0; i < N_CELLS; ++i) printf("cell: %d %d owner %d section %d\n", i % MESH_X, i / MESH_X, cell_owners[i], of_cells[i]);
    for (int32_t i = 0; i < N_NODES; ++i)
        printf("node: %d %d owner %d section %d\n", i % (MESH_X + 1), i / (MESH_X + 1), node_owners[i], of_nodes[i]);
}

enum { SQUARES = 8, RINGS = 3 };

/* In thousandths of the sphere's radius. */
/* Runs of the exchange that have gone by the present path. */
static int32_t runs_by_path(const halo_exchange *exchange) {
    char text[1024];
    need(halo_exchange_describe(exchange, text, sizeof text, NULL));
    const char *found = strstr(text, "runs by ");
    found = found ? strstr(found, path) : NULL;
    return found ? (int32_t)atoi(found + strlen(path)) : 0;
}

/* Rank 1 has copies of the points of rank 0. Their values, by `get` sums of them, go again and again until one run has gone by the path: the first
 * ones swap what both ranks must know, and who finds the other one not there yet sends a message. */
static void by_path(halo_context *context, FILE *out) {
    const int32_t owner[MESH_Y] = { 0 };
    const uint32_t roots[MESH_Y] = { 0, 1, 2 };
    const int sums = strcmp(path, "get") == 0, direct = sums || strcmp(path, "put") == 0;
    int32_t rank, n_ranks, n_by_path = 0;
    halo_topology *points;
    halo_exchange *exchange;
    need(halo_context_rank(context, &rank, &n_ranks));
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = MESH_Y, desc.n_leaves = rank == 1 ? MESH_Y : 0, desc.ranks = owner, desc.indices = roots;
    need(halo_topology_create_star(context, &desc, &points));
    const halo_field_desc u = HALO_FIELD_DESC_INIT;
    halo_field *field;
    need(halo_field_create(points, &u, &field));
    need(halo_field_allocate(field, -1));
    halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
    how.kind = sums ? HALO_KIND_REVERSE : HALO_KIND_GHOSTS, how.source_stable = 1;
    need(halo_exchange_create(&field, 1, &how, &exchange));
    halo_exchange_stats before = HALO_EXCHANGE_STATS_INIT, after = HALO_EXCHANGE_STATS_INIT;
    for (int run = 0; run < 1000 && n_by_path == 0; ++run) {
        before = after;
        need(halo_exchange_post(exchange, NULL));
        need(halo_context_barrier(context)); /* the receiver is there, */
        halo_status sent = HALO_BUSY;
        while (sent == HALO_BUSY) sent = halo_exchange_send(exchange, HALO_STREAM_NONE);
        need(sent);
        if (!(sums && rank == 0)) need(halo_context_barrier(context)); /* and looks when all has been sent; */
        need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        if (sums && rank == 0) need(halo_context_barrier(context)); /* by `get` it has read before the sender goes on */
        need(halo_exchange_get_stats(exchange, &after));
        n_by_path = direct ? (int32_t)(after.messages_landed - before.messages_landed) : runs_by_path(exchange);
        need(halo_context_allreduce(context, &n_by_path, &n_by_path, 1, HALO_INT32, HALO_MAX)); /* who only receives has landed nothing */
    }
    if (after.payload_bytes > before.payload_bytes)
        fprintf(out, "sender: rank %d values %d landed %d\n", rank, (int)(after.payload_bytes - before.payload_bytes) / 8,
                (int)(after.messages_landed - before.messages_landed));
    need(halo_exchange_destroy(&exchange));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&points));
}

static void print_place(FILE *out, int32_t kind, uint64_t key) {
    double place[3];
    need(halo_sphere_position(HALO_SPHERE_ICOSAHEDRON, SQUARES, kind, key, place));
    for (int d = 0; d < 3; ++d) fprintf(out, " %d", (int)(1000 * place[d] + (place[d] < 0 ? -0.5 : 0.5)));
}

/* Cells, edges and vertices of a part at the north pole, and its ghosts by ring: kind, ring, places of its vertices. */
static void rings(halo_context *context, FILE *out) {
    static const char *const names[] = { "cell", "edge", "vertex" };
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.n = SQUARES, desc.parts_per_side = 2;
    for (int kind = 0; kind < 3; ++kind) desc.rings[kind] = RINGS;
    halo_sphere *sphere;
    need(halo_sphere_create(context, &desc, &sphere));
    const int64_t *gids;
    int64_t n_parts;
    need(halo_sphere_local_parts(sphere, &gids, &n_parts));
    for (int32_t kind = HALO_SPHERE_CELLS; kind <= HALO_SPHERE_VERTICES; ++kind) {
        int64_t ends[RINGS + 1], n_ends, n;
        uint64_t keys[512];
        need(halo_sphere_ring_ends(sphere, gids[0], kind, ends, RINGS + 1, &n_ends));
        need(halo_sphere_keys(sphere, gids[0], kind, keys, 512, &n));
        for (int64_t i = 0, ring = 0; i < n; ++i) {
            uint64_t corners[6] = { keys[i] };
            int32_t n_corners = 1;
            if (kind != HALO_SPHERE_VERTICES)
                need(halo_sphere_key_neighbours(HALO_SPHERE_ICOSAHEDRON, SQUARES, kind, keys[i], HALO_SPHERE_VERTICES, corners, &n_corners));
            while (i >= ends[ring]) ++ring;
            fprintf(out, "%s: %d at", names[kind], (int)ring);
            for (int32_t c = 0; c < n_corners; ++c) print_place(out, HALO_SPHERE_VERTICES, corners[c]);
            fprintf(out, "\n");
        }
    }
    need(halo_sphere_destroy(&sphere));
}

int main(void) {
    run_ranks("blocks", 2, blocks);
    run_ranks("join", 2, join);
    run_ranks("rounds", 9, rounds);
    sections();
    run_ranks("rings", 1, rings);
    static const char *const paths[] = { "message", "slot", "put", "get" };
    for (int i = 0; i < 4; ++i) path = paths[i], run_ranks(path, 2, by_path);
    return 0;
}
