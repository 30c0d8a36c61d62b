// SPDX-License-Identifier: BSD-3-Clause
// Ghosts between blocks of three levels against as many of one level; making ghosts behind coarser blocks against loops by hand; making it all.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "levels_work.h"
#include "timed.h"

namespace bench {

namespace {

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
        for (const ProlongedBox &job : jobs_) job.make();
    }

private:
    ProlongedBox job_of(int64_t gid, int32_t element) const {
        ProlongedBox job{};
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
    Ghosts &ghosts_;
    std::vector<ProlongedBox> jobs_;
};

void compare_with_one_level(const Session &session, const Options &options, Report &report, bool operates) {
    constexpr int64_t n_cells = 16, n_blocks = 512;
    const halo::Forest of_levels = make_forest(n_cells, true, n_blocks, session.n_ranks());
    const halo::Forest of_one = make_forest(n_cells, false, n_blocks, session.n_ranks());
    Ghosts levels(session, of_levels, n_cells, { .n_components = 4, .operates = operates }), one(session, of_one, n_cells, { .n_components = 4 });
    levels.fill(), one.fill();
    levels.run(), one.run();
    std::array<int64_t, 2> bytes{ levels.bytes_moved(), one.bytes_moved() };
    session.sum(bytes);
    const auto per_byte = [&](Ghosts &ghosts, int64_t n) { return timed(session, [&] { ghosts.run(); }) * 1e9 / static_cast<double>(n); };
    Row row;
    row.add("blocks", static_cast<int64_t>(of_levels.leaves().size()))
        .add("of one level", static_cast<int64_t>(of_one.leaves().size()))
        .add("operators", operates ? "libhalo's" : "none");
    add_pairs(
        row, options.pairs, "levels", "one level", [&] { return per_byte(levels, bytes[0]); }, [&] { return per_byte(one, bytes[1]); });
    if (operates) levels.verify();
    one.verify();
    report.row(row);
}

// Refine alone, in a run by phases; by hand the same boxes, in its place.
void compare_prolongation(const Session &session, const Options &options, Report &report) {
    report.begin("prolongation", "ghosts behind coarser blocks, made by the phase refine, against loops by hand over the same cells; us");
    const halo::Forest forest = make_forest(16, true, 512, session.n_ranks());
    Ghosts ghosts(session, forest, 16);
    ghosts.fill();
    ghosts.run();
    const ByHand by_hand(ghosts);
    Row row;
    row.add("boxes", static_cast<int64_t>(by_hand.n_boxes()));
    add_pairs(
        row, options.pairs, "refine us", "by hand us", [&] { return microseconds * seconds_to_refine(ghosts.exchange()); },
        [&] { return microseconds * seconds_by_hand(ghosts.exchange(), [&] { by_hand.make(); }); });
    ghosts.verify();
    report.row(row);
}

void measure_set_up(const Session &session, const Options &, Report &report) {
    report.begin("set-up of levels",
                 "topology, field, exchange and first run of blocks of 8^3 cells, in later runs of the same exchange; ms; medians of 5 and 11");
    const halo::Forest forest = make_forest(8, true, 32768, session.n_ranks());
    std::vector<double> making, first_runs, later_runs;
    std::optional<Ghosts> ghosts;
    for (int i = 0; i < 5; ++i) {
        ghosts.reset();
        making.push_back(timed(session, [&] { ghosts.emplace(session, forest, 8); }));
        ghosts->fill();
        first_runs.push_back(timed(session, [&] { ghosts->run(); }));
    }
    for (int i = 0; i < 11; ++i) later_runs.push_back(timed(session, [&] { ghosts->run(); }));
    ghosts->verify();
    const double made = median_of(making), first = median_of(first_runs), later = median_of(later_runs);
    report.row(Row()
                   .add("blocks", static_cast<int64_t>(forest.leaves().size()))
                   .add("made ms", made * milliseconds)
                   .add("first run ms", first * milliseconds)
                   .add("later run ms", later * milliseconds)
                   .add("in runs", (made + first) / later));
}

} // namespace

void run_levels(const Session &session, const Options &options, Report &report) {
    const auto wants = [&](const char *part) { return options.levels == "all" || options.levels == part; };
    if (wants("ghosts")) {
        report.begin(
            "ghosts between levels",
            "blocks of 16^3 cells, 4 doubles, 2 ghosts; time of a run by bytes moved, against one level; without operators: packing, messages, "
            "unpacking alone; ns per byte");
        for (const bool operates : { true, false }) compare_with_one_level(session, options, report, operates);
    }
    if (wants("operators")) {
        compare_prolongation(session, options, report);
        run_level_points(session, options, report);
        run_level_operators(session, options, report);
    }
    if (wants("remesh")) run_remesh(session, options, report);
    if (wants("sparse")) run_sparse_levels(session, options, report);
    if (wants("setup")) measure_set_up(session, options, report);
}

} // namespace bench
