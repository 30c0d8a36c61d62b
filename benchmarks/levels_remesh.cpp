// SPDX-License-Identifier: BSD-3-Clause
// Another list of blocks: what a remesh costs against making all from nothing, and remesh in every step against messages per channel without.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "levels_work.h"
#include "timed.h"

namespace bench {

namespace {

// ---- a remesh against making all from nothing

// Of the coarsest blocks, which are far from what is refined already: those around the middle of the cube's far side, or every so many-th.
std::vector<int32_t> some_refined(const halo::Forest &forest, size_t n_refined, bool clustered) {
    const std::vector<halo_leaf> &leaves = forest.leaves();
    const int32_t coarsest = std::ranges::min(leaves, {}, &halo_leaf::level).level;
    const double side = std::ldexp(static_cast<double>(forest.desc().trees->n_roots[0]), coarsest);
    std::vector<std::pair<double, size_t>> chosen;
    for (size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i].level != coarsest) continue;
        double distance = static_cast<double>(chosen.size() * 7919 % 1009); // scattered, if those of least distance are taken
        if (clustered) {
            distance = std::pow(side - static_cast<double>(leaves[i].at[0]), 2);
            for (const size_t d : { 1, 2 }) distance += std::pow(side / 2 - static_cast<double>(leaves[i].at[d]), 2);
        }
        chosen.emplace_back(distance, i);
    }
    std::ranges::sort(chosen);
    std::vector<int32_t> marks(leaves.size(), HALO_MARK_KEEP);
    for (size_t i = 0; i < std::min(n_refined, chosen.size()); ++i) marks[chosen[i].second] = HALO_MARK_REFINE;
    return marks;
}

// Of a list and the one that it has come from: blocks that were there, on the same rank.
std::vector<bool> unchanged(const halo::Forest &before, const halo::Forest &after, const std::vector<int64_t> &from) {
    std::vector<bool> same;
    for (size_t gid = 0; gid < from.size(); ++gid) {
        const auto old = static_cast<size_t>(from[gid]);
        same.push_back(before.leaves()[old].level == after.leaves()[gid].level && before.owners()[old] == after.owners()[gid]);
    }
    return same;
}

// Of pairs of a block and one that it touches, those of which one has changed.
double share_of_channels(const Session &session, const halo::Topology &topology, const std::vector<bool> &same) {
    std::array<int64_t, 2> counts{};
    for (const int64_t gid : topology.local_parts())
        for (const halo_neighbour &other : topology.neighbours(gid)) {
            ++counts[0];
            if (!same[static_cast<size_t>(gid)] || !same[static_cast<size_t>(other.gid)]) ++counts[1];
        }
    session.sum(counts);
    return static_cast<double>(counts[1]) / static_cast<double>(std::max<int64_t>(counts[0], 1));
}

void move_values(Ghosts &from, Ghosts &to) {
    halo_field *const sources[] = { from.field() }, *const destinations[] = { to.field() };
    const halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
    halo::Exchange move(sources, destinations, desc);
    move.start();
    move.finish();
}

void compare_with_rebuild(const Session &session, const Options &options, Report &report, bool clustered) {
    constexpr int64_t n_cells = 8, n_blocks = 4096;
    constexpr size_t n_refined = 24;
    const halo::Forest before = make_forest(n_cells, true, n_blocks, session.n_ranks());
    const std::vector<int32_t> marks = some_refined(before, n_refined, clustered);
    halo::Forest after = before;
    const std::vector<bool> same = unchanged(before, after, [&] {
        std::vector<int64_t> from = after.adapt(marks);
        after.place(session.n_ranks());
        return from;
    }());
    Ghosts old(session, before, n_cells);
    old.fill();
    old.run();
    std::unique_ptr<Ghosts> made;
    double tables = 0;
    const auto build = [&](const halo::Forest &list, const halo::Field *from) {
        made = std::make_unique<Ghosts>(session, list, n_cells, GhostsOf{ .before = from });
        tables = seconds_of([&] { made->exchange().prepare(); });
    };
    const auto rebuild = [&] {
        made.reset();
        return milliseconds * timed(session, [&] { build(after, nullptr); });
    };
    constexpr const char *phases[] = { "lists ms", "topology ms", "field ms", "exchange ms", "tables ms", "move ms" }; // of a remesh, on this rank
    std::array<std::vector<double>, std::size(phases)> spent;
    const auto remesh = [&] {
        made.reset();
        double list = 0, move = 0;
        const double seconds = timed(session, [&] {
            halo::Forest next = before;
            list = seconds_of([&] {
                next.adapt(marks);
                next.place(session.n_ranks());
            });
            build(next, &old.field());
            move = seconds_of([&] { move_values(old, *made); });
        });
        const auto &[topology, field, exchange] = made->made_in();
        const double of_phases[] = { list, topology, field, exchange, tables, move };
        for (size_t phase = 0; phase < spent.size(); ++phase) spent[phase].push_back(of_phases[phase]);
        return milliseconds * seconds;
    };
    build(after, nullptr);
    const double share = share_of_channels(session, made->topology(), same);
    Row row;
    row.add("changes", clustered ? "clustered" : "scattered")
        .add("blocks", static_cast<int64_t>(after.leaves().size()))
        .add("changed", static_cast<int64_t>(std::ranges::count(same, false)))
        .add("channels changed %", 100 * share);
    const Pairs pairs = add_pairs(row, std::min(options.pairs, 9), "remesh ms", "rebuild ms", remesh, rebuild);
    remesh(); // with its values, whichever was last
    made->run();
    made->verify();
    const double wanted = 1.5 * share * median_of(pairs.second) + 0.1; // ms
    row.add("wanted ms", wanted).add("in wanted", median_of(pairs.first) / wanted);
    for (size_t phase = 0; phase < spent.size(); ++phase) row.add(phases[phase], median_of(spent[phase]) * milliseconds);
    report.row(row);
}

// ---- in every step

constexpr int64_t side = 8; // blocks of the work per direction

// Two lists of the work's blocks, of which 12 are refined, each list others; cut for ranks in different places.
class InTurns {
public:
    explicit InTurns(int32_t n_ranks) : n_ranks_(n_ranks), list_(3, { 16, 16, 16 }) {
        const int32_t tree = list_.tree({ side, side, side });
        for (int32_t d = 0; d < 3; ++d) list_.periodic(tree, d);
        list_.uniform(0);
        go_on();
    }
    // Merges what is refined, refines others, and moves a twentieth of the blocks.
    void go_on() {
        std::vector<int32_t> marks;
        for (const halo_leaf &leaf : list_.leaves()) {
            const int64_t number = leaf.at[0] + side * (leaf.at[1] + side * leaf.at[2]);
            marks.push_back(leaf.level > 0 ? HALO_MARK_COARSEN : number % 43 == (is_second_ ? 21 : 0) ? HALO_MARK_REFINE : HALO_MARK_KEEP);
        }
        list_.adapt(marks);
        std::vector<double> weights(list_.leaves().size(), 1);
        if (is_second_) std::fill_n(weights.begin(), weights.size() / 2, 1.25);
        list_.place(n_ranks_, weights);
        is_second_ = !is_second_;
    }
    const halo::Forest &list() const { return list_; }

private:
    int32_t n_ranks_;
    halo::Forest list_;
    bool is_second_ = false;
};

void compare_with_channels(const Session &session, const Options &options, Report &report) {
    report.begin("remesh in every step",
                 "512 blocks of 16^3, 4 doubles, 2 ghosts; 12 refined, 12 families merged, 5 % moved, then an exchange; against an exchange with a "
                 "message per channel on one list; ms");
    constexpr int32_t n_components = 4;
    InTurns turns(session.n_ranks());
    Ghosts channels(session, turns.list(), 16, { .n_components = n_components, .messages = HALO_MESSAGES_PER_CHANNEL });
    channels.fill();
    auto present = std::make_unique<Ghosts>(session, turns.list(), 16, GhostsOf{ .n_components = n_components });
    present->fill();
    present->run();
    const auto step = [&] {
        return milliseconds * timed(session, [&] {
                   turns.go_on();
                   auto next =
                       std::make_unique<Ghosts>(session, turns.list(), 16, GhostsOf{ .n_components = n_components, .before = &present->field() });
                   move_values(*present, *next);
                   present = std::move(next);
                   present->run();
               });
    };
    Row row;
    row.add("blocks", static_cast<int64_t>(turns.list().leaves().size()));
    add_pairs(row, std::min(options.pairs, 15), "remesh and exchange ms", "per channel ms", step,
              [&] { return milliseconds * timed(session, [&] { channels.run(); }); });
    present->verify(), channels.verify();
    report.row(row);
}

} // namespace

void run_remesh(const Session &session, const Options &options, Report &report) {
    report.begin(
        "remesh",
        "another list of about 4096 blocks of 8^3 cells: lists, topology, field, exchange, its tables, values moved; against making the same from "
        "nothing; wanted: 1.5 of that by share of channels, and 100 us");
    for (const bool clustered : { true, false }) compare_with_rebuild(session, options, report, clustered);
    compare_with_channels(session, options, report);
}

} // namespace bench
