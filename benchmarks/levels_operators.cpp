// SPDX-License-Identifier: BSD-3-Clause
// What goes from one level of boxes to the next: means of cells, faces and nodes, and cells made with limited slopes, against loops by hand over the
// same storage. Each coarse box lies under one finer box, on the same rank.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "levels_work.h"
#include "text.h"
#include "timed.h"

namespace bench {

namespace {

constexpr int64_t n_boxes = 4; // per direction

// A level's boxes, and a field without ghosts on them.
class Level {
public:
    Level(const Session &session, const char *name, int64_t n_cells, int64_t ratio, int32_t centring)
        : n_cells_(n_cells),
          ratio_(ratio),
          centring_(centring),
          topology_(make_topology(session)),
          field_(make_field(name)) {}

    halo::Field &field() { return field_; }
    const halo::Topology &topology() const { return topology_; }
    int64_t n_cells() const { return n_cells_; }
    int64_t end(size_t d) const { return n_cells_ + (centring_ >> d & 1); }
    // First own point of a part, and strides.
    double *first(int64_t gid) const { return field_.data(gid) + field_.layout(gid).first_owned; }
    Point strides(int64_t gid) const {
        const halo_layout at = field_.layout(gid);
        return { at.stride[0], at.stride[1], at.stride[2] };
    }
    void fill(double otherwise) {
        for_each([&](double &value, const Point &) { value = otherwise; });
    }
    void fill() {
        for_each([&](double &value, const Point &point) { value = wanted(point); });
    }
    // But for what is made of cells outside the domain.
    void verify(const char *who, int64_t margin) {
        for_each([&](double &value, const Point &point) {
            const auto far = [&](int64_t at) { return at >= margin && at < n_boxes * n_cells_ - margin; };
            if ((margin == 0 || std::ranges::all_of(point, far)) && std::abs(value - wanted(point)) > 1e-9)
                throw std::runtime_error(format("levels of boxes, %s: another value", who));
        });
    }

private:
    // Of a linear function of the place, in cells of the coarser level.
    double wanted(const Point &point) const {
        const auto at = [&](size_t d) {
            return (static_cast<double>(point[d]) + ((centring_ >> d & 1) != 0 ? 0 : 0.5)) / static_cast<double>(ratio_);
        };
        return 4 * at(0) + 16 * at(1) - 8 * at(2);
    }
    halo::Topology make_topology(const Session &session) const {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        std::fill_n(desc.n_blocks, 3, n_boxes);
        std::fill_n(desc.n_cells, 3, n_cells_);
        return halo::Topology(session.context(), desc);
    }
    halo::Field make_field(const char *name) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.centring = centring_;
        halo::Field field(topology_, desc);
        field.allocate();
        return field;
    }
    template <class Visit>
    void for_each(Visit &&visit) const {
        for (const int64_t gid : topology_.local_parts()) {
            const halo_part part = topology_.part(gid);
            const Point stride = strides(gid);
            double *const data = first(gid);
            for (int64_t z = 0; z < end(2); ++z)
                for (int64_t y = 0; y < end(1); ++y)
                    for (int64_t x = 0; x < end(0); ++x)
                        visit(data[x * stride[0] + y * stride[1] + z * stride[2]],
                              Point{ part.cells.low[0] + x, part.cells.low[1] + y, part.cells.low[2] + z });
        }
    }

    int64_t n_cells_;
    int64_t ratio_; // to the coarser level
    int32_t centring_;
    halo::Topology topology_;
    halo::Field field_;
};

halo::Exchange between(Level &coarse, Level &fine, int32_t what) {
    halo_field *const coarse_field = coarse.field(), *const fine_field = fine.field();
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
    desc.what = what;
    return halo::levels_exchange({ &coarse_field, 1 }, { &fine_field, 1 }, desc);
}

// ---- means

// Of X * Y * Z points.
template <int64_t X, int64_t Y, int64_t Z>
void average(const Level &coarse, const Level &fine, int64_t ratio) {
    for (const int64_t gid : coarse.topology().local_parts()) {
        const Point s = fine.strides(gid), t = coarse.strides(gid);
        const double *const from = fine.first(gid);
        double *const to = coarse.first(gid);
        for (int64_t z = 0; z < coarse.end(2); ++z)
            for (int64_t y = 0; y < coarse.end(1); ++y)
                for (int64_t x = 0; x < coarse.end(0); ++x) {
                    const double *const first = from + ratio * (x * s[0] + y * s[1] + z * s[2]);
                    double sum = 0;
                    for (int64_t w = 0; w < Z; ++w)
                        for (int64_t v = 0; v < Y; ++v)
                            for (int64_t u = 0; u < X; ++u) sum += first[u * s[0] + v * s[1] + w * s[2]];
                    to[x * t[0] + y * t[1] + z * t[2]] = sum * (1.0 / (X * Y * Z));
                }
    }
}

struct Mean {
    const char *name;
    int64_t ratio;
    int32_t centring;
    void (*by_hand)(const Level &coarse, const Level &fine, int64_t ratio);
};

constexpr Mean means[] = {
    { "cells, ratio 2", 2, HALO_CENTRE_CELL, average<2, 2, 2> },        { "cells, ratio 4", 4, HALO_CENTRE_CELL, average<4, 4, 4> },
    { "faces of x, ratio 2", 2, HALO_CENTRE_FACE_X, average<1, 2, 2> }, { "edges along z, ratio 2", 2, HALO_CENTRE_EDGE_Z, average<1, 1, 2> },
    { "nodes, ratio 2", 2, HALO_CENTRE_NODE, average<1, 1, 1> },
};

void compare_mean(const Session &session, const Options &options, Report &report, const Mean &mean) {
    Level coarse(session, "coarse", 32 / mean.ratio, 1, mean.centring), fine(session, "fine", 32, mean.ratio, mean.centring);
    halo::Exchange exchange = between(coarse, fine, HALO_LEVELS_AVERAGE);
    fine.fill();
    const auto run = [&] {
        return microseconds * timed(session, [&] {
                   exchange.start();
                   exchange.finish();
               });
    };
    const auto by_hand = [&] { return microseconds * timed(session, [&] { mean.by_hand(coarse, fine, mean.ratio); }); };
    Row row;
    row.add("operator", mean.name);
    add_pairs(row, options.pairs, "libhalo us", "by hand us", run, by_hand);
    for (const bool hand : { false, true }) {
        coarse.fill(-1);
        hand ? by_hand() : run();
        coarse.verify(mean.name, 0);
    }
    report.row(row);
}

// ---- cells made of coarser ones

void compare_slopes(const Session &session, const Options &options, Report &report) {
    Level coarse(session, "coarse", 16, 1, HALO_CENTRE_CELL), fine(session, "fine", 32, 2, HALO_CENTRE_CELL);
    halo::Exchange exchange = between(coarse, fine, HALO_LEVELS_WHOLE);
    coarse.fill();
    std::vector<ProlongedBox> boxes;
    for (const int64_t gid : fine.topology().local_parts()) {
        const halo::CoarseCells<double> cells = halo::coarse_cells(exchange, 1, gid); // the coarser field is the first
        const int64_t n = fine.n_cells();
        boxes.push_back({ fine.first(gid),
                          cells.data + cells.layout.first_owned,
                          fine.strides(gid),
                          { cells.layout.stride[0], cells.layout.stride[1], cells.layout.stride[2] },
                          { { 0, 0, 0 }, { n, n, n } } });
    }
    const auto refine = [&] { return microseconds * seconds_to_refine(exchange); };
    const auto by_hand = [&] {
        for (const ProlongedBox &box : boxes) box.make();
    };
    Row row;
    row.add("operator", "cells by limited slopes, ratio 2");
    refine();
    add_pairs(row, options.pairs, "libhalo us", "by hand us", refine, [&] { return microseconds * seconds_by_hand(exchange, by_hand); });
    for (const bool hand : { false, true }) {
        fine.fill(-1);
        if (hand)
            by_hand();
        else
            refine();
        fine.verify(hand ? "slopes by hand" : "slopes", 4);
    }
    report.row(row);
}

} // namespace

void run_level_operators(const Session &session, const Options &options, Report &report) {
    report.begin("operators between levels of boxes",
                 "128^3 fine cells in boxes of 32^3, each over one coarse box of the same rank; means with all that a run does, slopes in the phase "
                 "refine, against loops by hand; us");
    for (const Mean &mean : means) compare_mean(session, options, report, mean);
    compare_slopes(session, options, report);
}

} // namespace bench
