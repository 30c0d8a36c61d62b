// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of faces and nodes behind coarser blocks, made by the phase refine, against loops by hand over the same points.
#include <algorithm>
#include <vector>

#include "levels_work.h"
#include "timed.h"

namespace bench {

namespace {

constexpr double to_be_made = -1e30;

// Points that lie behind each other along x, and the coarse ones below the first.
struct PointRow {
    double *fine;
    const double *coarse;
    int64_t n;
    Point at; // of the first in its block
    Point coarse_stride;
};

// Exactly what refine makes: what it changes after the rest has come.
std::vector<PointRow> made_rows(Ghosts &ghosts) {
    halo::Exchange &exchange = ghosts.exchange();
    run_until_refine(exchange);
    for (const int64_t gid : ghosts.topology().local_parts())
        ghosts.visit(gid, [&](double &value, const Point &, int32_t, bool owned) { value = owned ? value : to_be_made; });
    exchange.refine();
    std::vector<PointRow> rows;
    for (const int64_t gid : ghosts.topology().local_parts()) {
        const halo_box cells = ghosts.topology().part(gid).cells;
        const halo::CoarseCells<double> beside = halo::coarse_cells(exchange, 0, gid);
        const halo_layout &at = beside.layout;
        ghosts.visit(gid, [&](double &value, const Point &point, int32_t, bool owned) {
            if (owned || value == to_be_made) return;
            const Point in_block{ point[0] - cells.low[0], point[1] - cells.low[1], point[2] - cells.low[2] };
            const bool goes_on = !rows.empty() && rows.back().fine + rows.back().n == &value && rows.back().at[1] == in_block[1] &&
                                 rows.back().at[2] == in_block[2]; // strides along x are 1
            if (goes_on) {
                ++rows.back().n;
                return;
            }
            const double *const coarse = beside.data + at.first_owned + (in_block[0] >> 1) * at.stride[0] + (in_block[1] >> 1) * at.stride[1] +
                                         (in_block[2] >> 1) * at.stride[2];
            rows.push_back({ &value, coarse, 1, in_block, { at.stride[0], at.stride[1], at.stride[2] } });
        });
    }
    return rows;
}

// Nodes are means of the coarse nodes around, or the one in their place.
void make_nodes(const PointRow &row) {
    const int64_t sy = (row.at[1] & 1) * row.coarse_stride[1], sz = (row.at[2] & 1) * row.coarse_stride[2];
    const auto plane = [&](int64_t i) {
        const double *const at = row.coarse + i * row.coarse_stride[0];
        return 0.25 * (at[0] + at[sy] + at[sz] + at[sy + sz]);
    };
    const int64_t odd = row.at[0] & 1;
    for (int64_t x = 0; x < row.n; ++x) {
        const int64_t i = (x + odd) >> 1;
        row.fine[x] = ((x + odd) & 1) != 0 ? 0.5 * (plane(i) + plane(i + 1)) : plane(i);
    }
}

// Faces of x too along x; along y and z coarse ones have slopes.
void make_faces(const PointRow &row) {
    const double offset_y = (row.at[1] & 1) != 0 ? 0.25 : -0.25, offset_z = (row.at[2] & 1) != 0 ? 0.25 : -0.25;
    const auto face = [&](int64_t i) {
        const double *const at = row.coarse + i * row.coarse_stride[0];
        return *at + offset_y * ProlongedBox::slope(at, row.coarse_stride[1]) + offset_z * ProlongedBox::slope(at, row.coarse_stride[2]);
    };
    const int64_t odd = row.at[0] & 1;
    for (int64_t x = 0; x < row.n; ++x) {
        const int64_t i = (x + odd) >> 1;
        row.fine[x] = ((x + odd) & 1) != 0 ? 0.5 * (face(i) + face(i + 1)) : face(i);
    }
}

void compare(const Session &session, const Options &options, Report &report, const char *name, int32_t centring, void (*make)(const PointRow &)) {
    const halo::Forest forest = make_forest(16, true, 512, session.n_ranks());
    Ghosts ghosts(session, forest, 16, { .centring = centring });
    ghosts.fill();
    ghosts.run();
    const std::vector<PointRow> rows = made_rows(ghosts);
    int64_t n_points = 0;
    for (const PointRow &row : rows) n_points += row.n;
    const auto refine = [&] { return microseconds * seconds_to_refine(ghosts.exchange()); };
    const auto by_hand = [&] {
        for (const PointRow &row : rows) make(row);
    };
    Row figures;
    figures.add("of", name).add("points", n_points);
    add_pairs(figures, options.pairs, "refine us", "by hand us", refine, [&] { return microseconds * seconds_by_hand(ghosts.exchange(), by_hand); });
    for (const bool hand : { false, true }) {
        for (const PointRow &row : rows) std::fill_n(row.fine, row.n, to_be_made);
        if (hand)
            by_hand();
        else
            refine();
        ghosts.verify();
    }
    report.row(figures);
}

} // namespace

void run_level_points(const Session &session, const Options &options, Report &report) {
    report.begin("prolongation of points",
                 "ghosts of faces and nodes behind coarser blocks, made by the phase refine, against loops by hand over the same points; us");
    compare(session, options, report, "nodes", HALO_CENTRE_NODE, make_nodes);
    compare(session, options, report, "faces of x", HALO_CENTRE_FACE_X, make_faces);
}

} // namespace bench
