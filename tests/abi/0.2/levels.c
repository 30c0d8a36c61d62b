/* SPDX-License-Identifier: BSD-3-Clause */
#include <halo_stencil.h>

#include "need.h"

enum { BLOCKS = 2, CELLS = 8, N = BLOCKS * CELLS, LEVELS = 10, GROUND = 6 }; /* levels 0 to 5 are near the ground */
enum { U, OUT, N_FIELDS };

static halo_stencil *describe(void) {
    static const int64_t splitters[] = { 0, GROUND, LEVELS }; /* splitter 0 lies below all levels, 1 between 5 and 6, 2 above all */
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.n_dims = 3, desc.cells[0] = desc.cells[1] = CELLS, desc.cells[2] = LEVELS;
    desc.splitters = splitters, desc.n_splitters = 3;
    halo_stencil *stencil;
    need(halo_stencil_create(&desc, &stencil));
    const char *names[N_FIELDS] = { "u", "out" };
    for (int32_t f = 0, number; f < N_FIELDS; ++f) {
        halo_stencil_field_desc field = HALO_STENCIL_FIELD_DESC_INIT;
        field.name = names[f];
        need(halo_stencil_add_field(stencil, &field, &number));
    }
    /* Three cells wide near the ground, one cell wide above; the last number says in which of the stage's intervals. */
    const halo_stencil_access accesses[] = { { OUT, HALO_STENCIL_WRITE, { 0, 0, 0 }, { 0, 0, 0 }, HALO_STENCIL_ALL, 0 },
                                             { U, HALO_STENCIL_READ, { -3, -3, 0 }, { 3, 3, 0 }, 0, 0 },
                                             { U, HALO_STENCIL_READ, { -1, -1, 0 }, { 1, 1, 0 }, 1, 0 } };
    const halo_stencil_interval intervals[] = { { { 0, 1 }, { 1, -1 } },   /* from the first level above splitter 0 to the last below 1 */
                                                { { 1, 1 }, { 2, -1 } } }; /* from there to the top */
    halo_stencil_stage_desc stage = HALO_STENCIL_STAGE_DESC_INIT;
    int32_t number;
    stage.name = "smooth", stage.accesses = accesses, stage.n_accesses = 3, stage.intervals = intervals, stage.n_intervals = 2;
    need(halo_stencil_add_stage(stencil, &stage, &number));
    need(halo_stencil_analyse(stencil));
    return stencil;
}

static int64_t width_at(const halo_stencil_range *ranges, int64_t n, int64_t level) {
    for (int64_t i = 0; i < n; ++i)
        if (ranges[i].first <= level && level <= ranges[i].last) return ranges[i].high[0];
    return 0;
}

static double value(int64_t x, int64_t y, int64_t z) { return (double)((x + N) % N + 100 * ((y + N) % N) + 10000 * z); }

/* Owned cells get their values; ghosts are counted that should have theirs and have not. */
static int64_t visit(halo_field *u, const halo_part *part, const halo_stencil_range *ranges, int64_t n_ranges, int set) {
    halo_layout at = HALO_LAYOUT_INIT;
    void *data;
    int64_t wrong = 0;
    need(halo_field_layout(u, part->gid, &at));
    need(halo_field_data(u, part->gid, 0, &data));
    for (int64_t z = 0; z < LEVELS; ++z) {
        const int64_t width = set ? 0 : width_at(ranges, n_ranges, z);
        for (int64_t y = -width; y < CELLS + width; ++y)
            for (int64_t x = -width; x < CELLS + width; ++x) {
                double *cell = (double *)data + at.first_owned + x * at.stride[0] + y * at.stride[1] + z * at.stride[2];
                const double right = value(part->gid % BLOCKS * CELLS + x, part->gid / BLOCKS * CELLS + y, z);
                if (set) *cell = right;
                wrong += *cell != right;
            }
    }
    return wrong;
}

int main(void) {
    halo_stencil *stencil = describe();
    halo_stencil_range ranges[LEVELS]; /* of the one exchange, which is u's */
    int64_t n_ranges;
    need(halo_stencil_exchange_ranges(stencil, 0, ranges, LEVELS, &n_ranges));
    for (int64_t i = 0; i < n_ranges; ++i)
        printf("levels %d to %d: %d ghost layers\n", (int)ranges[i].first, (int)ranges[i].last, (int)ranges[i].high[0]);

    halo_context *context;
    need(halo_context_create(NULL, &context));
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.order = HALO_ORDER_ROWS;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = BLOCKS, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1;
    blocks.n_cells[2] = LEVELS; /* levels are not cut */
    halo_topology *grid;
    halo_field *u;
    halo_exchange *ghosts;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    need(halo_stencil_create_topology(stencil, 0, context, &blocks, &grid)); /* exchanges on it fill what each level needs */
    need(halo_stencil_fill_field_desc(stencil, U, &desc));
    need(halo_field_create(grid, &desc, &u));
    need(halo_field_allocate(u, -1));
    halo_field *const fields[N_FIELDS] = { u, NULL }; /* out is not exchanged */
    need(halo_stencil_create_exchange(stencil, 0, fields, N_FIELDS, NULL, &ghosts));

    const int64_t *gids;
    int64_t n, wrong = 0;
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int set = 1; set >= 0; --set) {
        for (int64_t i = 0; i < n; ++i) {
            halo_part part = HALO_PART_INIT;
            need(halo_topology_part(grid, gids[i], &part));
            wrong += visit(u, &part, ranges, n_ranges, set);
        }
        if (set) need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
        if (set) need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    }
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    need(halo_exchange_get_stats(ghosts, &stats));
    int64_t bytes = stats.payload_bytes + stats.local_bytes, all;
    need(halo_context_allreduce(context, &bytes, &all, 1, HALO_INT64, HALO_SUM));
    printf("%d bytes, of the box around it %d; %d wrong\n", (int)all, BLOCKS * BLOCKS * LEVELS * ((CELLS + 6) * (CELLS + 6) - CELLS * CELLS) * 8,
           (int)wrong);

    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&u));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    need(halo_stencil_destroy(&stencil));
    return wrong != 0;
}
