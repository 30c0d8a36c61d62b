/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { NX = 4, NY = 3 };

/* Part 0 has 4 by 3 cells. Part 1 lies to its right and is turned: its y runs to the right, its x down. */
static const int64_t cells[] = { NX, NY, 1, NY, NX, 1 };
static const halo_join joins[] = {
    { 1, 0, { { 0, 0, 0 }, { NY, 1, 1 } }, { { NX, 0, 0 }, { NX + 1, NY, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } },
    { 0, 1, { { NX - 1, 0, 0 }, { NX, NY, 1 } }, { { 0, -1, 0 }, { NY, 0, 1 } }, { 1, 0, 2 }, { -1, 1, 1 } },
};

/* Place in the plane, and direction of a vector that is (1, 2) in the plane, both in the words of a part. */
static double place(int64_t gid, int64_t x, int64_t y) { return gid == 0 ? (double)(x + 100 * y) : (double)(NX + y + 100 * (NY - 1 - x)); }
static double wind(int64_t gid, int64_t component) { return gid == 0 ? (component == 0 ? 1.0 : 2.0) : (component == 0 ? -2.0 : 1.0); }

/* Sets a box of a part, or counts what is wrong there. */
static int visit(halo_field *const *fields, int64_t gid, const halo_box *box, int set) {
    halo_layout p = HALO_LAYOUT_INIT, w = HALO_LAYOUT_INIT;
    void *places, *winds;
    int wrong = 0;
    need(halo_field_layout(fields[0], gid, &p));
    need(halo_field_layout(fields[1], gid, &w));
    need(halo_field_data(fields[0], gid, 0, &places));
    need(halo_field_data(fields[1], gid, 0, &winds));
    for (int64_t y = box->low[1]; y < box->high[1]; ++y)
        for (int64_t x = box->low[0]; x < box->high[0]; ++x) {
            double *at = (double *)places + p.first_owned + x * p.stride[0] + y * p.stride[1];
            if (set) *at = place(gid, x, y);
            wrong += *at != place(gid, x, y);
            for (int64_t c = 0; c < 2; ++c) {
                double *component = (double *)winds + w.first_owned + x * w.stride[0] + y * w.stride[1] + c * w.component_stride;
                if (set) *component = wind(gid, c);
                wrong += *component != wind(gid, c);
            }
        }
    return wrong;
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT; /* the same on all ranks */
    desc.n_dims = 2, desc.cells = cells, desc.n_parts = 2, desc.joins = joins, desc.n_joins = 2, desc.reach = 1;
    halo_topology *grid;
    need(halo_topology_create_regions(context, &desc, &grid));
    const int64_t *gids;
    int64_t n;
    need(halo_topology_local_parts(grid, &gids, &n));

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = 1;
    halo_field *fields[2];
    field_desc.name = "place";
    need(halo_field_create(grid, &field_desc, &fields[0]));
    field_desc.name = "wind", field_desc.n_components = 2,
    field_desc.vector = HALO_VECTOR_COMPONENTS; /* components change place and sign on the way */
    need(halo_field_create(grid, &field_desc, &fields[1]));
    for (int f = 0; f < 2; ++f) need(halo_field_allocate(fields[f], -1));
    halo_exchange *ghosts;
    need(halo_exchange_create(fields, 2, NULL, &ghosts)); /* both in one message */

    for (int64_t i = 0; i < n; ++i) {
        const halo_box owned = { { 0, 0, 0 }, { cells[3 * gids[i]], cells[3 * gids[i] + 1], 1 } };
        visit(fields, gids[i], &owned, 1);
    }
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    int wrong = 0;
    for (int64_t i = 0; i < n; ++i) wrong += visit(fields, gids[i], &joins[gids[i]].receive, 0); /* the joins are in the order of their receivers */
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    for (int f = 0; f < 2; ++f) need(halo_field_destroy(&fields[f]));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
