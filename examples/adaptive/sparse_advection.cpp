// SPDX-License-Identifier: BSD-3-Clause
// Many tracers that turn with a disc, on blocks of three levels, each in a few of them: what sparse storage saves.
//   sparse_advection                        alone: dense, sparse with storage everywhere, sparse
//   mpirun -n 4 sparse_advection            with MPI
//   sparse_advection --inproc 4 --fields 16 --steps 50
#include "tracer.h"

#include "digest.h"
#include "exact_sum.h"
#include "program.h"

#include <chrono>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <halo_levels.hpp>

namespace adaptive {

namespace {

constexpr int n_roots = 8, n_levels = 3;
constexpr double inner = 0.24, outer = 0.36; // of the ring in which blocks are fine
constexpr double turns_per_step = 1.0 / 1024, spot_radius = 0.02;

enum class Storage { dense, everywhere, sparse };

struct Options {
    int fields = 64, steps = 50;
    double most = 0.25; // of the dense memory that the sparse run may take
};

using Point = std::array<double, 2>;

double width_of(int level) { return 1.0 / static_cast<double>(std::int64_t{ n_roots * n_cells } << level); }
Point middle_of(std::int64_t x, std::int64_t y, int level) {
    return { (static_cast<double>(x) + 0.5) * width_of(level), (static_cast<double>(y) + 0.5) * width_of(level) };
}

halo::Forest make_forest(const halo::Context &context) {
    halo::Forest forest(2, { n_cells, n_cells, 1 });
    forest.tree({ n_roots, n_roots, 1 });
    forest.uniform(0);
    for (int level = 0; level + 1 < n_levels; ++level) {
        std::vector<std::int32_t> marks;
        for (const halo_leaf &leaf : forest.leaves()) {
            const double size = width_of(leaf.level) * n_cells;
            const double from_middle =
                std::hypot((static_cast<double>(leaf.at[0]) + 0.5) * size - 0.5, (static_cast<double>(leaf.at[1]) + 0.5) * size - 0.5);
            marks.push_back(from_middle > inner - size / 2 && from_middle < outer + size / 2 ? HALO_MARK_REFINE : HALO_MARK_KEEP);
        }
        forest.adapt(marks);
    }
    forest.place(context.n_ranks());
    return forest;
}

/// All tracers, and what they do in a step.
class Tracers {
public:
    Tracers(const halo::Context &context, const halo::Forest &forest, Storage storage, int n_fields)
        : storage_(storage),
          topology_(forest.topology(context)),
          amounts_(make_amounts(n_fields)),
          fluxes_(make_fluxes(n_fields)),
          ghosts_(handles(amounts_), how(HALO_KIND_GHOSTS, arrives)),
          corrections_(handles(fluxes_), how(HALO_KIND_FLUXES, nullptr)) {
        for (const halo_part &part : halo::parts(topology_)) {
            coarser_.push_back(coarser_sides(topology_, part.gid));
            for (std::size_t f = 0; f < amounts_.size(); ++f) set_out(part, f);
        }
    }

    void step() {
        ghosts_.start();
        ghosts_.finish();
        const double chance = chance_of(static_cast<std::uint64_t>(++steps_));
        const std::vector<halo_part> parts = halo::parts(topology_);
        for (std::size_t p = 0; p < parts.size(); ++p) compute_fluxes(parts[p], coarser_[p], chance);
        corrections_.start();
        corrections_.finish();
        for (const halo_part &part : parts)
            for (std::size_t f = 0; f < amounts_.size(); ++f)
                if (const auto amounts = halo::view(amounts_[f], part.gid)) add_carried(amounts, halo::view(fluxes_[f], part.gid), part.level);
    }
    /// visit(field, level, x, y, amount) of what has storage.
    template <class Visit>
    void for_each_cell(Visit &&visit) const {
        for (const halo_part &part : halo::parts(topology_))
            for (std::size_t f = 0; f < amounts_.size(); ++f)
                if (const auto amounts = halo::view(amounts_[f], part.gid))
                    for (std::int64_t y = 0; y < n_cells; ++y)
                        for (std::int64_t x = 0; x < n_cells; ++x) visit(f, part.level, part.cells.low[0] + x, part.cells.low[1] + y, amounts(x, y));
    }
    /// Of this rank: what is bound, and in how many blocks of tracers.
    std::array<std::int64_t, 2> stored() const {
        std::array<std::int64_t, 2> stored{};
        for (const std::vector<halo::Field> *fields : { &amounts_, &fluxes_ })
            for (const halo::Field &field : *fields)
                for (const std::int64_t gid : topology_.local_parts())
                    if (field.data(gid)) {
                        stored[0] += field.layout(gid).elements * static_cast<std::int64_t>(sizeof(double));
                        stored[1] += fields == &amounts_ ? 1 : 0;
                    }
        return stored;
    }
    std::int64_t null_states() const { return ghosts_.stats().sparse_null; }

private:
    static halo_status arrives(void *, const halo_arrival *arrival) { return halo_field_allocate(arrival->field, arrival->gid); }
    static halo_exchange_desc how(std::int32_t kind, halo_arrival_fn arrival) {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = kind, desc.arrival = arrival;
        desc.stencil = kind == HALO_KIND_GHOSTS ? HALO_STENCIL_FACES : HALO_STENCIL_FULL;
        return desc;
    }
    static std::vector<halo_field *> handles(const std::vector<halo::Field> &fields) { return { fields.begin(), fields.end() }; }

    halo::Field make(const std::string &name, std::int32_t centring, const std::string &controller) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name.c_str(), desc.centring = centring;
        if (controller.empty()) desc.ghost_low[0] = desc.ghost_low[1] = desc.ghost_high[0] = desc.ghost_high[1] = 1;
        desc.sparse = storage_ == Storage::dense ? 0 : 1;
        if (desc.sparse && !controller.empty()) desc.controller = controller.c_str(); // fluxes are where the tracer is
        if (desc.sparse && controller.empty() && storage_ == Storage::sparse) desc.release_after = 1;
        halo::Field field(topology_, desc);
        halo::set_prolongation(field, HALO_PROLONG_CONSTANT);
        return field;
    }
    std::vector<halo::Field> make_amounts(int n) const {
        std::vector<halo::Field> fields;
        for (int f = 0; f < n; ++f) fields.push_back(make("tracer" + std::to_string(f), HALO_CENTRE_CELL, {}));
        return fields;
    }
    std::vector<halo::Field> make_fluxes(int n) const {
        std::vector<halo::Field> fields;
        for (int f = 0; f < n; ++f) {
            fields.push_back(make("flux of tracer" + std::to_string(f), HALO_CENTRE_FACES, "tracer" + std::to_string(f)));
            if (storage_ == Storage::dense) fields.back().allocate();
        }
        if (storage_ != Storage::sparse)
            for (const halo::Field &amounts : amounts_) halo::check(halo_field_allocate(amounts, -1)); // of a controller: its fluxes too
        return fields;
    }
    /// A spot on the ring.
    void set_out(const halo_part &part, std::size_t field) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(field) / static_cast<double>(amounts_.size()), radius = (inner + outer) / 2;
        const Point spot{ 0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle) };
        for (std::int64_t y = 0; y < n_cells; ++y)
            for (std::int64_t x = 0; x < n_cells; ++x) {
                const Point at = middle_of(part.cells.low[0] + x, part.cells.low[1] + y, part.level);
                if (std::hypot(at[0] - spot[0], at[1] - spot[1]) > spot_radius) continue;
                if (!amounts_[field].data(part.gid)) amounts_[field].allocate(part.gid);
                halo::view(amounts_[field], part.gid)(x, y) = 1;
            }
    }
    void compute_fluxes(const halo_part &part, const std::array<int, 4> &coarser, double chance) const {
        std::vector<Donor> donors((n_cells + 2) * (n_cells + 2)); // those of a block are alike in all tracers, but for what they hold
        const auto donor = [&](std::int64_t x, std::int64_t y) -> Donor & {
            return donors[static_cast<std::size_t>((y + 1) * (n_cells + 2) + x + 1)];
        };
        for (std::int64_t y = -1; y <= n_cells; ++y)
            for (std::int64_t x = -1; x <= n_cells; ++x) {
                const int side = side_of(x, y), up = side < 0 ? 0 : coarser[static_cast<std::size_t>(side)], level = part.level - up;
                const Point at = middle_of((part.cells.low[0] + x) >> up, (part.cells.low[1] + y) >> up, level);
                const double courant = 2 * std::numbers::pi * turns_per_step / width_of(level);
                donor(x, y) = { 0, { (0.5 - at[1]) * courant, (at[0] - 0.5) * courant }, level };
            }
        for (std::size_t f = 0; f < amounts_.size(); ++f)
            if (const auto amounts = halo::view(amounts_[f], part.gid))
                carry(halo::view(fluxes_[f], part.gid), chance, [&](std::int64_t x, std::int64_t y) {
                    Donor from = donor(x, y);
                    from.amount = amounts(x, y);
                    return from;
                });
    }

    Storage storage_;
    halo::Topology topology_;
    std::vector<halo::Field> amounts_, fluxes_;
    halo::Exchange ghosts_, corrections_;
    std::vector<std::array<int, 4>> coarser_; // of each part
    int steps_ = 0;
};

/// What a run has come to, on all ranks together.
struct Outcome {
    double seconds;                 ///< of a step
    double blocks;                  ///< with storage, of those of a dense run, in the mean over steps
    std::int64_t bound, most_bound; ///< bytes, at the end and at most
    std::int64_t pool;              ///< bytes in use in the pools because of it, at the end
    double change;                  ///< of the worst tracer's total
    std::uint64_t digest;
};

std::vector<double> totals(const halo::Context &context, const Tracers &tracers, int n_fields) {
    std::vector<ranks::ExactSum> sums(static_cast<std::size_t>(n_fields));
    tracers.for_each_cell([&](std::size_t f, int level, std::int64_t, std::int64_t, double amount) { sums[f].add(std::ldexp(amount, -2 * level)); });
    std::vector<double> totals;
    for (ranks::ExactSum &sum : sums) {
        context.allreduce(sum.words(), HALO_SUM);
        totals.push_back(sum.value());
    }
    return totals;
}

Outcome run_with(const halo::Context &context, const halo::Forest &forest, Storage storage, const Options &options) {
    halo::check(halo_context_trim(context));
    const std::int64_t pool_before = context.pool_stats().in_use_bytes;
    Outcome outcome{};
    Tracers tracers(context, forest, storage, options.fields);
    const std::vector<double> before = totals(context, tracers, options.fields);
    const double all = static_cast<double>(forest.leaves().size()) * options.fields;
    double blocks = 0;
    std::chrono::duration<double> time{};
    for (int step = 0; step < options.steps; ++step) {
        const auto start = std::chrono::steady_clock::now();
        tracers.step();
        time += std::chrono::steady_clock::now() - start;
        const auto [bytes, n] = tracers.stored();
        outcome.bound = bytes;
        outcome.most_bound = std::max(outcome.most_bound, bytes);
        blocks += static_cast<double>(n) / all / options.steps;
    }
    std::int64_t sums[] = { outcome.bound, outcome.most_bound, context.pool_stats().in_use_bytes - pool_before };
    context.allreduce(std::span<std::int64_t>(sums), HALO_SUM);
    outcome.bound = sums[0], outcome.most_bound = sums[1], outcome.pool = sums[2];
    outcome.blocks = context.allreduce(blocks, HALO_SUM);
    outcome.seconds = context.allreduce(time.count() / options.steps, HALO_MAX);
    const std::vector<double> after = totals(context, tracers, options.fields);
    for (std::size_t f = 0; f < before.size(); ++f) outcome.change = std::max(outcome.change, std::abs(after[f] - before[f]) / before[f]);
    ranks::Digest digest; // what is not stored is zero, and zeros do not count
    tracers.for_each_cell([&](std::size_t f, int level, std::int64_t x, std::int64_t y, double amount) {
        if (amount != 0)
            digest.add(((static_cast<std::uint64_t>(f) << 4 | static_cast<unsigned>(level)) << 20 | static_cast<std::uint64_t>(y)) << 20 |
                           static_cast<std::uint64_t>(x),
                       amount);
    });
    outcome.digest = digest.value(context);
    return outcome;
}

bool run(const halo::Context &context, const Options &options) {
    const bool speaks = context.rank() == 0;
    const halo::Forest forest = make_forest(context);
    if (speaks) std::printf("%d tracers on %zu blocks of %d levels, %d steps\n", options.fields, forest.leaves().size(), n_levels, options.steps);
    constexpr const char *names[] = { "dense", "sparse, all allocated", "sparse" };
    std::array<Outcome, 3> outcomes{};
    for (const Storage storage : { Storage::dense, Storage::everywhere, Storage::sparse }) {
        const auto number = static_cast<std::size_t>(storage);
        const Outcome &is = outcomes[number] = run_with(context, forest, storage, options);
        const Outcome &dense = outcomes[0];
        if (speaks)
            std::printf(
                "%-21s  blocks %5.1f %%, bound %7.2f MB (%5.1f %%), pools %7.2f MB (%5.1f %%), step %7.2f ms (%5.1f %%), totals changed by %.0e\n",
                names[number], 100 * is.blocks, static_cast<double>(is.bound) * 1e-6,
                100 * static_cast<double>(is.bound) / static_cast<double>(dense.bound), static_cast<double>(is.pool) * 1e-6,
                100 * static_cast<double>(is.pool) / static_cast<double>(dense.pool), is.seconds * 1e3, 100 * is.seconds / dense.seconds, is.change);
    }
    const Outcome &dense = outcomes[0], &sparse = outcomes[2];
    const bool same = sparse.digest == dense.digest && outcomes[1].digest == dense.digest;
    const bool conserved = std::ranges::all_of(outcomes, [](const Outcome &one) { return one.change < 1e-13; });
    const auto share = [](std::int64_t part, std::int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); };
    const bool follows = share(sparse.most_bound, dense.bound) < options.most && share(sparse.pool, dense.pool) < options.most &&
                         share(sparse.bound, dense.bound) < 3 * sparse.blocks;
    if (speaks) {
        std::printf("the same bits: %s\ntotals: %s\nmemory follows the tracers (below %.0f %% of dense): %s\n", same ? "pass" : "FAIL",
                    conserved ? "pass" : "FAIL", 100 * options.most, follows ? "pass" : "FAIL");
        std::printf("  result: %lld bytes bound, digest %016llx\n", static_cast<long long>(sparse.bound),
                    static_cast<unsigned long long>(sparse.digest));
    }
    return same && conserved && follows;
}

} // namespace

} // namespace adaptive

int main(int argc, char **argv) {
    CLI::App app("Many sparse tracers on blocks of three levels", "sparse_advection");
    adaptive::Options options;
    app.add_option("--fields", options.fields, "tracers")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--steps", options.steps, "of time")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--most", options.most, "part of the dense run's memory that the sparse one may have")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    return ranks::run_program(app, argc, argv, [&](const halo::Context &context) { return adaptive::run(context, options); });
}
