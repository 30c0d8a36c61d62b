/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

#include <math.h>

#include <halo_levels.h>

enum { N = 24, RATIO = 2, GHOSTS = 2, STEPS = 2 }; /* N * N coarse cells; the finer level makes STEPS steps in one of the coarser */

/* The solution in the middle of a cell that is `width` wide. */
static double solution(int64_t x, int64_t y, double width, double time) { return (3 * ((double)x + 0.5) - ((double)y + 0.5)) * width + 8 * time; }

/* Goes over all local cells of a field, and `ghosts` around them: sets them, or says how far they are from the solution at most. */
static double visit(const halo_topology *level, halo_field *field, int64_t ghosts, double width, double time, int sets) {
    const int64_t *gids;
    int64_t n;
    double farthest = 0;
    need(halo_topology_local_parts(level, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        halo_layout at = HALO_LAYOUT_INIT;
        void *data;
        need(halo_topology_part(level, gids[i], &part));
        need(halo_field_layout(field, gids[i], &at));
        need(halo_field_data(field, gids[i], 0, &data));
        for (int64_t y = part.cells.low[1] - ghosts; y < part.cells.high[1] + ghosts; ++y)
            for (int64_t x = part.cells.low[0] - ghosts; x < part.cells.high[0] + ghosts; ++x) {
                double *cell = (double *)data + at.first_owned + (x - part.cells.low[0]) * at.stride[0] + (y - part.cells.low[1]) * at.stride[1];
                if (sets) *cell = solution(x, y, width, time);
                farthest = fmax(farthest, fabs(*cell - solution(x, y, width, time)));
            }
    }
    return farthest;
}

static halo_field *make_field(halo_topology *level, const char *name, int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    halo_field *field;
    desc.name = name;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    need(halo_field_create(level, &desc, &field));
    need(halo_field_allocate(field, -1));
    return field;
}

static void run(halo_exchange *exchange) {
    need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));

    /* The coarser level covers the domain; the finer one has three boxes in its middle, in its own cells. */
    halo_boxes_desc boxes = HALO_BOXES_DESC_INIT;
    halo_topology *coarse, *fine;
    boxes.n_dims = 2, boxes.domain.high[0] = boxes.domain.high[1] = N, boxes.n_parts_per_rank = 2;
    need(halo_topology_create_boxes(context, &boxes, &coarse));
    const halo_box refined[] = { { { 16, 16, 0 }, { 24, 32, 1 } }, { { 24, 16, 0 }, { 36, 28, 1 } }, { { 24, 28, 0 }, { 30, 32, 1 } } };
    boxes.domain.high[0] = boxes.domain.high[1] = RATIO * N, boxes.boxes = refined, boxes.n_boxes = 3;
    need(halo_topology_create_boxes(context, &boxes, &fine));

    halo_field *old = make_field(coarse, "old u", 0), *new = make_field(coarse, "u", 0), *u = make_field(fine, "u", GHOSTS);
    halo_exchange *fill, *average;
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT; /* HALO_LEVELS_GHOSTS */
    need(halo_exchange_create_levels(&old, &new, &u, 1, &desc, &fill));
    desc.what = HALO_LEVELS_AVERAGE;
    need(halo_exchange_create_levels(&new, NULL, &u, 1, &desc, &average));

    /* A step of the coarser level, from time 0 to 1; then those of the finer one, whose ghosts are filled at their own times. */
    double wrong = 0;
    visit(coarse, old, 0, 1, 0, 1);
    visit(coarse, new, 0, 1, 1, 1);
    for (int step = 0; step < STEPS; ++step) {
        const double time = (double)step / STEPS;
        visit(fine, u, 0, 1.0 / RATIO, time, 1);
        need(halo_exchange_set_fraction(fill, time));
        run(fill);
        wrong = fmax(wrong, visit(fine, u, GHOSTS, 1.0 / RATIO, time, 0));
    }
    visit(fine, u, 0, 1.0 / RATIO, 1, 1);
    run(average); /* coarse cells under the finer level become means */
    wrong = fmax(wrong, visit(coarse, new, 0, 1, 1, 0));

    int64_t cells[HALO_LEVEL_OUTSIDE + 1] = { 0 }, n;
    const int64_t *gids;
    need(halo_topology_local_parts(coarse, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_level_box found[64];
        int64_t n_found;
        need(halo_field_level_boxes(new, fine, gids[i], sizeof(halo_level_box), found, 64, &n_found));
        for (int64_t k = 0; k < n_found; ++k)
            cells[found[k].kind] += (found[k].cells.high[0] - found[k].cells.low[0]) * (found[k].cells.high[1] - found[k].cells.low[1]);
    }
    int64_t all[HALO_LEVEL_OUTSIDE + 1];
    need(halo_context_allreduce(context, cells, all, HALO_LEVEL_OUTSIDE + 1, HALO_INT64, HALO_SUM));
    printf("coarse cells: %d covered, %d beside them, %d others; farthest from the solution: %g\n", (int)all[HALO_LEVEL_COVERED],
           (int)all[HALO_LEVEL_BESIDE], (int)all[HALO_LEVEL_UNCOVERED], wrong);

    need(halo_exchange_destroy(&fill));
    need(halo_exchange_destroy(&average));
    halo_field *fields[] = { old, new, u };
    for (int f = 0; f < 3; ++f) need(halo_field_destroy(&fields[f]));
    need(halo_topology_destroy(&fine));
    need(halo_topology_destroy(&coarse));
    need(halo_context_destroy(&context));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
