// SPDX-License-Identifier: BSD-3-Clause
// Ghosts between blocks of three levels against as many of one level; making ghosts behind coarser blocks against loops by hand; making it all.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "benchmarks.h"
#include "halo_levels.hpp"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

constexpr int32_t n_ghosts = 2;
constexpr int64_t n_roots = 4; // per direction

using Point = std::array<int64_t, 3>;

// About 8^3 leaves of three levels around a corner of a cube, or 8^3 of one; each rank has a run of them along the curve.
halo::Forest make_forest(int64_t n_cells, bool refined, int64_t wanted, int32_t n_ranks) {
    halo::Forest forest(3, { n_cells, n_cells, n_cells });
    forest.tree({ n_roots, n_roots, n_roots });
    int32_t level = 0;
    while ((n_roots * n_roots * n_roots << 3 * (level + (refined ? 1 : 0))) < wanted) ++level;
    forest.uniform(refined ? std::max(level - 1, 0) : level);
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
        for (size_t i = 0; i < static_cast<size_t>(share * n); ++i) marks[near[i].second] = HALO_MARK_REFINE;
        forest.adapt(marks);
    }
    forest.place(n_ranks);
    return forest;
}

// Of a linear function of the place, which all ways between levels keep.
double value_at(int32_t level, const Point &cell) {
    const auto at = [&](size_t d) { return (static_cast<double>(cell[d]) + 0.5) / std::ldexp(1, level); };
    return 4 * at(0) + 16 * at(1) - 8 * at(2);
}

class Ghosts {
public:
    Ghosts(const Session &session, const halo::Forest &forest, int64_t n_cells)
        : n_cells_(n_cells),
          topology_(forest.topology(session.context())),
          field_(make_field()),
          exchange_({ field_ }) {
        for (const int64_t gid : topology_.local_parts())
            visit(gid, [&](double &value, const Point &cell, bool owned) { value = owned ? value_at(level(gid), cell) : -1; });
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
    // Of values that come into ghosts, in one run.
    int64_t bytes() const {
        const halo_exchange_stats stats = exchange_.stats();
        return (stats.payload_bytes + stats.local_bytes) / std::max<int64_t>(stats.runs, 1);
    }
    // But for ghosts outside of the domain, and those made from cells there.
    void verify() {
        for (const int64_t gid : topology_.local_parts()) {
            const int64_t end = (n_roots * n_cells_) << level(gid);
            visit(gid, [&](double &value, const Point &cell, bool) {
                const auto far = [&](int64_t at) { return at >= 2 * n_ghosts && at < end - 2 * n_ghosts; };
                if (std::ranges::all_of(cell, far) && std::abs(value - value_at(level(gid), cell)) > 1e-9)
                    throw std::runtime_error("levels: a ghost has another value");
            });
        }
    }

private:
    halo::Field make_field() {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u";
        std::fill_n(desc.ghost_low, 3, n_ghosts);
        std::fill_n(desc.ghost_high, 3, n_ghosts);
        halo::Field field(topology_, desc);
        field.allocate();
        return field;
    }
    template <class Visit>
    void visit(int64_t gid, Visit &&visit) {
        const halo_layout at = field_.layout(gid);
        const halo_part part = topology_.part(gid);
        auto *const data = static_cast<double *>(field_.data(gid));
        for (int64_t z = -n_ghosts; z < n_cells_ + n_ghosts; ++z)
            for (int64_t y = -n_ghosts; y < n_cells_ + n_ghosts; ++y)
                for (int64_t x = -n_ghosts; x < n_cells_ + n_ghosts; ++x) {
                    const auto inside = [&](int64_t i) { return i >= 0 && i < n_cells_; };
                    visit(data[at.first_owned + x * at.stride[0] + y * at.stride[1] + z * at.stride[2]],
                          Point{ part.cells.low[0] + x, part.cells.low[1] + y, part.cells.low[2] + z }, inside(x) && inside(y) && inside(z));
                }
    }

    int64_t n_cells_;
    halo::Topology topology_;
    halo::Field field_;
    halo::Exchange exchange_;
};

// Ghosts of one part behind coarser blocks, made by hand from the same coarse cells.
class ByHand {
public:
    explicit ByHand(Ghosts &ghosts) : ghosts_(ghosts) {
        for (const int64_t gid : ghosts.topology().local_parts())
            for (const halo_neighbour &other : ghosts.topology().neighbours(gid))
                if (other.level < ghosts.level(gid)) jobs_.push_back(job_of(gid, other.element));
    }
    size_t n_boxes() const { return jobs_.size(); }
    void make() const {
        for (const Job &job : jobs_) make(job);
    }

private:
    struct Job {
        double *fine;
        const double *coarse;
        std::array<int64_t, 3> fine_stride, coarse_stride;
        halo_box box;
    };

    Job job_of(int64_t gid, int32_t element) const {
        Job job{};
        void *coarse = nullptr;
        halo_layout coarse_at = HALO_LAYOUT_INIT;
        halo::check(halo_exchange_coarse_data(ghosts_.exchange(), 0, gid, &coarse, &coarse_at));
        const halo_layout at = ghosts_.field().layout(gid);
        job.fine = static_cast<double *>(ghosts_.field().data(gid)) + at.first_owned;
        job.coarse = static_cast<const double *>(coarse) + coarse_at.first_owned;
        std::copy_n(at.stride, 3, job.fine_stride.begin());
        std::copy_n(coarse_at.stride, 3, job.coarse_stride.begin());
        for (size_t d = 0; d < 3; ++d) {
            const int64_t side = element / (d == 0 ? 1 : d == 1 ? 3 : 9) % 3 - 1;
            job.box.low[d] = side < 0 ? -n_ghosts : side > 0 ? ghosts_.n_cells() : 0;
            job.box.high[d] = side < 0 ? 0 : side > 0 ? ghosts_.n_cells() + n_ghosts : ghosts_.n_cells();
        }
        return job;
    }
    static double slope(const double *at, int64_t stride) {
        const double below = at[0] - at[-stride], above = at[stride] - at[0];
        return below * above > 0 ? (std::abs(below) < std::abs(above) ? below : above) : 0;
    }
    // As one writes it: each coarse cell's slopes once, for the 8 cells in it.
    static void make(const Job &job) {
        const auto &s = job.coarse_stride, &t = job.fine_stride;
        for (int64_t z = job.box.low[2]; z < job.box.high[2]; z += 2)
            for (int64_t y = job.box.low[1]; y < job.box.high[1]; y += 2)
                for (int64_t x = job.box.low[0]; x < job.box.high[0]; x += 2) {
                    const double *const at = job.coarse + (x >> 1) * s[0] + (y >> 1) * s[1] + (z >> 1) * s[2];
                    const double along[3] = { 0.25 * slope(at, s[0]), 0.25 * slope(at, s[1]), 0.25 * slope(at, s[2]) };
                    double *const to = job.fine + x * t[0] + y * t[1] + z * t[2];
                    for (int i = 0; i < 8; ++i) {
                        const int64_t u = i & 1, v = i >> 1 & 1, w = i >> 2;
                        to[u * t[0] + v * t[1] + w * t[2]] =
                            *at + (u ? along[0] : -along[0]) + (v ? along[1] : -along[1]) + (w ? along[2] : -along[2]);
                    }
                }
    }

    Ghosts &ghosts_;
    std::vector<Job> jobs_;
};

// Alternating pairs of two actions, and their ratio.
template <class First, class Second>
Row &add_pairs(Row &row, const Options &options, const char *first_name, const char *second_name, First &&first, Second &&second) {
    std::vector<double> firsts, seconds, ratios;
    for (int pair = -2; pair < options.pairs; ++pair) {
        const double a = pair % 2 == 0 ? first() : 0;
        const double b = second();
        const double c = pair % 2 == 0 ? a : first();
        if (pair < 0) continue;
        firsts.push_back(c);
        seconds.push_back(b);
        ratios.push_back(c / b);
    }
    const Estimate ratio = estimate(ratios);
    return row.add(first_name, median_of(firsts))
        .add(second_name, median_of(seconds))
        .add("ratio", ratio.median)
        .add("low", ratio.low)
        .add("high", ratio.high);
}

void compare_with_one_level(const Session &session, const Options &options, Report &report) {
    report.begin("ghosts between levels",
                 "blocks of 16^3 cells, 2 ghosts; time of a run by bytes that come into ghosts, against one level; ns per byte");
    constexpr int64_t n_cells = 16, n_blocks = 512;
    const halo::Forest of_levels = make_forest(n_cells, true, n_blocks, session.n_ranks());
    const halo::Forest of_one = make_forest(n_cells, false, n_blocks, session.n_ranks());
    Ghosts levels(session, of_levels, n_cells), one(session, of_one, n_cells);
    levels.run(), one.run();
    std::array<int64_t, 2> bytes{ levels.bytes(), one.bytes() };
    session.sum(bytes);
    const auto per_byte = [&](Ghosts &ghosts, int64_t n) { return timed(session, [&] { ghosts.run(); }) * 1e9 / static_cast<double>(n); };
    Row row;
    row.add("blocks", static_cast<int64_t>(of_levels.leaves().size())).add("of one level", static_cast<int64_t>(of_one.leaves().size()));
    add_pairs(
        row, options, "levels", "one level", [&] { return per_byte(levels, bytes[0]); }, [&] { return per_byte(one, bytes[1]); });
    levels.verify(), one.verify();
    report.row(row);
}

double seconds_of(auto &&action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Refine alone, in a run by phases; by hand the same boxes again.
void compare_prolongation(const Session &session, const Options &options, Report &report) {
    report.begin("prolongation", "ghosts behind coarser blocks, made by the phase refine, against loops by hand over the same cells; us");
    const halo::Forest forest = make_forest(16, true, 512, session.n_ranks());
    Ghosts ghosts(session, forest, 16);
    ghosts.run();
    const ByHand by_hand(ghosts);
    const auto refine = [&] {
        halo::Exchange &exchange = ghosts.exchange();
        exchange.start();
        while (!exchange.test()) {}
        exchange.unpack();
        return seconds_of([&] { exchange.refine(); }) * microseconds;
    };
    Row row;
    row.add("boxes", static_cast<int64_t>(by_hand.n_boxes()));
    add_pairs(row, options, "refine us", "by hand us", refine, [&] { return seconds_of([&] { by_hand.make(); }) * microseconds; });
    ghosts.verify();
    report.row(row);
}

void measure_set_up(const Session &session, const Options &, Report &report) {
    report.begin("set-up of levels", "topology, field, exchange and first run of blocks of 8^3 cells, in later runs of the same exchange; ms");
    const halo::Forest forest = make_forest(8, true, 32768, session.n_ranks());
    std::vector<double> runs;
    std::optional<Ghosts> ghosts;
    const double made = timed(session, [&] { ghosts.emplace(session, forest, 8); });
    const double first = timed(session, [&] { ghosts->run(); });
    for (int i = 0; i < 11; ++i) runs.push_back(timed(session, [&] { ghosts->run(); }));
    ghosts->verify();
    const double run = median_of(runs);
    report.row(Row()
                   .add("blocks", static_cast<int64_t>(forest.leaves().size()))
                   .add("made ms", made * milliseconds)
                   .add("first run ms", first * milliseconds)
                   .add("later run ms", run * milliseconds)
                   .add("in runs", (made + first) / run));
}

} // namespace

void run_levels(const Session &session, const Options &options, Report &report) {
    compare_with_one_level(session, options, report);
    compare_prolongation(session, options, report);
    measure_set_up(session, options, report);
}

} // namespace bench
