/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <halo_sphere.h>

#include "need.h"

enum { NX = 12, NY = 6, REACH = 2, N = 4 };
static const double pi = 3.14159265358979323846;

/* Place on the sphere, and a wind that is the same everywhere in space, as seen at cell (x, y); beyond a pole x and y go straight on. */
static void at(int64_t x, int64_t y, double place[3], double wind[2]) {
    const double longitude = 2 * pi * ((double)x + 0.5) / NX, latitude = pi * ((double)y + 0.5) / NY - pi / 2;
    place[0] = cos(latitude) * cos(longitude), place[1] = cos(latitude) * sin(longitude), place[2] = sin(latitude);
    wind[0] = -sin(longitude) + cos(longitude);                                 /* eastwards */
    wind[1] = -sin(latitude) * cos(longitude) - sin(latitude) * sin(longitude); /* northwards; (1, 1, 0) in space */
}

/* Sets the cells of a part, or counts what is wrong there and in its ghosts. */
static int visit(const halo_topology *grid, halo_field *const *fields, int64_t gid, int set) {
    halo_part part = HALO_PART_INIT;
    need(halo_topology_part(grid, gid, &part));
    int wrong = 0;
    for (int f = 0; f < 2; ++f) {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data;
        need(halo_field_layout(fields[f], gid, &layout));
        need(halo_field_data(fields[f], gid, 0, &data));
        const int64_t widest = set ? 0 : REACH;
        for (int64_t y = part.cells.low[1] - widest; y < part.cells.high[1] + widest; ++y)
            for (int64_t x = part.cells.low[0] - widest; x < part.cells.high[0] + widest; ++x) {
                double values[2][3];
                at(x, y, values[0], values[1]);
                for (int c = 0; c < 3 - f; ++c) {
                    double *value = (double *)data + layout.first_owned + (x - part.cells.low[0]) * layout.stride[0] +
                                    (y - part.cells.low[1]) * layout.stride[1] + c * layout.component_stride;
                    if (set) *value = values[f][c];
                    wrong += fabs(*value - values[f][c]) > 1e-14;
                }
            }
    }
    return wrong;
}

static int on_latitudes(halo_context *context) {
    halo_latitudes_desc desc = HALO_LATITUDES_DESC_INIT;
    desc.cells[0] = NX, desc.cells[1] = NY, desc.parts[0] = 3, desc.parts[1] = 2, desc.reach = REACH;
    halo_topology *grid;
    need(halo_topology_create_latitudes(context, &desc, &grid));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = REACH;
    halo_field *fields[2];
    field_desc.name = "place", field_desc.n_components = 3;
    need(halo_field_create(grid, &field_desc, &fields[0]));
    field_desc.name = "wind", field_desc.n_components = 2,
    field_desc.vector = HALO_VECTOR_COMPONENTS; /* beyond a pole east is west, and north south */
    need(halo_field_create(grid, &field_desc, &fields[1]));
    for (int f = 0; f < 2; ++f) need(halo_field_allocate(fields[f], -1));
    halo_exchange *ghosts;
    need(halo_exchange_create(fields, 2, NULL, &ghosts));
    const int64_t *gids;
    int64_t n;
    need(halo_topology_local_parts(grid, &gids, &n));
    int wrong = 0;
    for (int64_t i = 0; i < n; ++i) visit(grid, fields, gids[i], 1);
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    for (int64_t i = 0; i < n; ++i) wrong += visit(grid, fields, gids[i], 0);
    need(halo_exchange_destroy(&ghosts));
    for (int f = 0; f < 2; ++f) need(halo_field_destroy(&fields[f]));
    need(halo_topology_destroy(&grid));
    return wrong;
}

/* Six faces, each a part with four neighbours: beyond its corners, which are corners of the cube, there are no cells. */
static int on_a_cube(halo_context *context) {
    halo_cubed_sphere_desc desc = HALO_CUBED_SPHERE_DESC_INIT;
    desc.n = N, desc.parts_per_side = 1, desc.levels = 3; /* of 4 x 4 x 3 cells */
    halo_topology *grid;
    need(halo_topology_create_cubed_sphere(context, &desc, &grid));
    const int64_t *gids;
    int64_t n, n_neighbours;
    int wrong = 0;
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        need(halo_topology_neighbours(grid, gids[i], sizeof(halo_neighbour), NULL, 0, &n_neighbours));
        wrong += n_neighbours != 4;
    }
    need(halo_topology_destroy(&grid));
    return wrong;
}

/* Fewer cells near the poles; a topology of points, each of which knows its neighbours. */
static int on_rows(halo_context *context) {
    static const int64_t cells[] = { 4, 8, 12, 8, 4 };
    halo_reduced_rows_desc desc = HALO_REDUCED_ROWS_DESC_INIT;
    desc.n_rows = 5, desc.cells = cells;
    halo_topology *grid;
    need(halo_topology_create_reduced_rows(context, &desc, &grid));
    const int64_t *offsets;
    const uint32_t *neighbours; /* local indices */
    int64_t n_owned;
    need(halo_topology_graph_rows(grid, &offsets, &neighbours, &n_owned));
    int wrong = 0;
    for (int64_t i = 0; i < n_owned; ++i) wrong += offsets[i + 1] - offsets[i] < 4;
    need(halo_topology_destroy(&grid));
    return wrong;
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));
    const int wrong = on_latitudes(context) + on_a_cube(context) + on_rows(context);
    printf("%d wrong\n", wrong);
    need(halo_context_destroy(&context));
    return wrong != 0;
}
