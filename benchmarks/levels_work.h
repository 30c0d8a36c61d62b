// SPDX-License-Identifier: BSD-3-Clause
// Forests of blocks on several levels, ghosts on them, and pairs of what is done with them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "benchmarks.h"
#include "halo_levels.hpp"
#include "pairs.h"
#include "timed.h"

namespace bench {

constexpr int32_t n_ghosts = 2;

using Point = std::array<int64_t, 3>;

// About as many leaves as wanted, of three levels around a corner of a cube, or of one; each rank has a run of them along the curve.
inline halo::Forest make_forest(int64_t n_cells, bool refined, int64_t wanted, int32_t n_ranks) {
    constexpr int64_t n_roots = 4; // per direction
    halo::Forest forest(3, { n_cells, n_cells, n_cells });
    forest.tree({ n_roots, n_roots, n_roots });
    int32_t level = 0;
    while ((n_roots * n_roots * n_roots << 3 * (level + (refined ? 1 : 0))) < wanted) ++level;
    forest.uniform(level);
    for (int pass = 0; refined && pass < 2; ++pass) {
        // Where each of two steps is to end: the first refines most, as the second's leaves are an eighth as large.
        const auto n = static_cast<double>(forest.leaves().size());
        const double share = (pass == 0 ? 0.55 : 1) * (static_cast<double>(wanted) - n) / 7 / n;
        std::vector<std::pair<double, size_t>> near;
        for (size_t i = 0; i < forest.leaves().size(); ++i) {
            const halo_leaf &leaf = forest.leaves()[i];
            double distance = 0;
            for (const int64_t at : leaf.at) distance += std::pow((static_cast<double>(at) + 0.5) / std::ldexp(1, leaf.level), 2);
            near.emplace_back(distance, i);
        }
        std::ranges::sort(near);
        std::vector<int32_t> marks(near.size(), HALO_MARK_KEEP);
        const size_t n_refined = std::min(near.size(), static_cast<size_t>(std::max(share * n, 0.0)));
        for (size_t i = 0; i < n_refined; ++i) marks[near[i].second] = HALO_MARK_REFINE;
        forest.adapt(marks);
    }
    forest.place(n_ranks);
    return forest;
}

// Of a linear function of the place, which all ways between levels keep.
inline double value_at(int32_t level, const Point &point, int32_t component, int32_t centring) {
    const auto at = [&](size_t d) { return (static_cast<double>(point[d]) + ((centring >> d & 1) != 0 ? 0 : 0.5)) / std::ldexp(1, level); };
    return 4 * at(0) + 16 * at(1) - 8 * at(2) + component;
}

struct GhostsOf {
    int32_t n_components = 1;
    int32_t messages = HALO_MESSAGES_AUTO;
    int32_t centring = HALO_CENTRE_CELL;
    const halo::Field *before = nullptr; // on another list, whose storage the field has where blocks stay
    bool operates = true;                // else nothing is made of other levels: the program would do it
};

// A field of such a function, with one place in each cell, and the exchange of its ghosts. Values are still to be filled in.
class Ghosts {
public:
    Ghosts(const Session &session, const halo::Forest &forest, int64_t n_cells, const GhostsOf &of = {})
        : n_cells_(n_cells),
          n_components_(of.n_components),
          centring_(of.centring),
          n_roots_(forest.desc().trees->n_roots[0]),
          topology_(timed_as(0, [&] { return forest.topology(session.context()); })),
          field_(timed_as(1, [&] { return make_field(of); })),
          exchange_(timed_as(2, [&] { return halo::Exchange({ field_ }, how(of.messages)); })) {}

    // Seconds on this rank: topology, field with its storage, exchange.
    const std::array<double, 3> &made_in() const { return made_in_; }

    void fill() {
        for (const int64_t gid : topology_.local_parts()) {
            const int32_t at_level = level(gid);
            visit(gid,
                  [&](double &value, const Point &point, int32_t c, bool owned) { value = owned ? value_at(at_level, point, c, centring_) : -1; });
        }
    }

    void run() {
        exchange_.start();
        exchange_.finish();
    }
    const halo::Topology &topology() const { return topology_; }
    halo::Exchange &exchange() { return exchange_; }
    halo::Field &field() { return field_; }
    int64_t n_cells() const { return n_cells_; }
    int32_t level(int64_t gid) const { return topology_.part(gid).level; }
    // Of this rank, in one run: what goes into ghosts, and the cells of other levels that they are made from.
    int64_t bytes_moved() const {
        const halo_exchange_stats stats = exchange_.stats();
        return (stats.payload_bytes + stats.local_bytes) / std::max<int64_t>(stats.runs, 1);
    }
    // But for ghosts outside of the domain, and those made from cells there.
    void verify() {
        for (const int64_t gid : topology_.local_parts()) {
            const int32_t at_level = level(gid);
            const int64_t end = (n_roots_ * n_cells_) << at_level;
            visit(gid, [&](double &value, const Point &point, int32_t c, bool) {
                const auto far = [&](int64_t at) { return at >= 2 * n_ghosts && at < end - 2 * n_ghosts; };
                if (std::ranges::all_of(point, far) && std::abs(value - value_at(at_level, point, c, centring_)) > 1e-9)
                    throw std::runtime_error("levels: a ghost has another value");
            });
        }
    }

    // visit(value, point in its tree, component, is it owned?) of a part, with ghosts, x fastest.
    template <class Visit>
    void visit(int64_t gid, Visit &&visit) {
        const halo_layout at = field_.layout(gid);
        const halo_part part = topology_.part(gid);
        auto *const data = static_cast<double *>(field_.data(gid));
        const auto end = [&](size_t d) { return n_cells_ + (centring_ >> d & 1); };
        const auto inside = [&](int64_t i, size_t d) { return i >= 0 && i < end(d); };
        for (int32_t c = 0; c < n_components_; ++c)
            for (int64_t z = -n_ghosts; z < end(2) + n_ghosts; ++z)
                for (int64_t y = -n_ghosts; y < end(1) + n_ghosts; ++y)
                    for (int64_t x = -n_ghosts; x < end(0) + n_ghosts; ++x)
                        visit(data[at.first_owned + x * at.stride[0] + y * at.stride[1] + z * at.stride[2] + c * at.component_stride],
                              Point{ part.cells.low[0] + x, part.cells.low[1] + y, part.cells.low[2] + z }, c,
                              inside(x, 0) && inside(y, 1) && inside(z, 2));
    }

private:
    halo::Field make_field(const GhostsOf &of) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u", desc.n_components = n_components_, desc.centring = centring_;
        std::fill_n(desc.ghost_low, 3, n_ghosts);
        std::fill_n(desc.ghost_high, 3, n_ghosts);
        halo::Field field(topology_, desc);
        if (of.before)
            halo::allocate_from(field, *of.before);
        else
            field.allocate();
        if (!of.operates) halo::set_prolongation(field, HALO_PROLONG_OWN), halo::set_restriction(field, HALO_RESTRICT_OWN);
        return field;
    }
    template <class Make>
    std::invoke_result_t<Make> timed_as(size_t place, Make &&make) {
        std::optional<std::invoke_result_t<Make>> made;
        made_in_[place] = seconds_of([&] { made.emplace(make()); });
        return *std::move(made);
    }
    static halo_exchange_desc how(int32_t messages) {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = messages;
        return desc;
    }

    int64_t n_cells_;
    int32_t n_components_;
    int32_t centring_;
    int64_t n_roots_; // of the tree, along each direction
    std::array<double, 3> made_in_{};
    halo::Topology topology_;
    halo::Field field_;
    halo::Exchange exchange_;
};

// Cells that are made of those of the next coarser level with limited slopes, as one writes it: each coarse cell's slopes once, for the 8 cells in
// it.
struct ProlongedBox {
    double *fine; // of the block's first cells
    const double *coarse;
    Point fine_stride, coarse_stride;
    halo_box box; // of fine cells, from even to even

    static double slope(const double *at, int64_t stride) {
        const double below = at[0] - at[-stride], above = at[stride] - at[0];
        return below * above > 0 ? (std::abs(below) < std::abs(above) ? below : above) : 0;
    }
    void make() const {
        const Point &s = coarse_stride, &t = fine_stride;
        for (int64_t z = box.low[2]; z < box.high[2]; z += 2)
            for (int64_t y = box.low[1]; y < box.high[1]; y += 2)
                for (int64_t x = box.low[0]; x < box.high[0]; x += 2) {
                    const double *const at = coarse + (x >> 1) * s[0] + (y >> 1) * s[1] + (z >> 1) * s[2];
                    const double along[3] = { 0.25 * slope(at, s[0]), 0.25 * slope(at, s[1]), 0.25 * slope(at, s[2]) };
                    double *const to = fine + x * t[0] + y * t[1] + z * t[2];
                    for (int i = 0; i < 8; ++i) {
                        const int64_t u = i & 1, v = i >> 1 & 1, w = i >> 2;
                        to[u * t[0] + v * t[1] + w * t[2]] =
                            *at + (u ? along[0] : -along[0]) + (v ? along[1] : -along[1]) + (w ? along[2] : -along[2]);
                    }
                }
    }
};

// A run by phases, up to refine.
inline void run_until_refine(halo::Exchange &exchange) {
    exchange.start();
    while (!exchange.test()) {}
    exchange.unpack();
}

// Of refine alone.
inline double seconds_to_refine(halo::Exchange &exchange) {
    run_until_refine(exchange);
    return seconds_of([&] { exchange.refine(); });
}

// Of what makes the same by hand, in its place.
inline double seconds_by_hand(halo::Exchange &exchange, const std::function<void()> &make) {
    run_until_refine(exchange);
    const double seconds = seconds_of(make);
    exchange.refine();
    return seconds;
}

// Two actions in turn and their ratio. Each answers its time, in the unit of its column. Two pairs come before, which are not in it.
inline Pairs add_pairs(Row &row, int n_pairs, const char *first_name, const char *second_name, const std::function<double()> &first,
                       const std::function<double()> &second) {
    const Turn first_turn = [&](bool) { return first(); }, second_turn = [&](bool) { return second(); };
    alternate(2, first_turn, second_turn);
    Pairs pairs = alternate(n_pairs, first_turn, second_turn);
    const Estimate ratio = pairs.ratio();
    row.add(first_name, median_of(pairs.first))
        .add(second_name, median_of(pairs.second))
        .add("ratio", ratio.median)
        .add("low", ratio.low)
        .add("high", ratio.high);
    return pairs;
}

} // namespace bench
