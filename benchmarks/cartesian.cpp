// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <stdexcept>

#include "benchmarks.h"
#include "cartesian_contenders.h"
#include "contest.h"
#include "text.h"

namespace bench {

namespace {

class CartesianCase {
public:
    CartesianCase(const Session &session, const Options &options, Report &report, const CartesianSize &size, const Index &per_side)
        : session_(session),
          options_(options),
          report_(report),
          topology_(cut_domain(session, size, per_side)),
          work_(size, per_side, places_of(topology_, size, session.n_ranks()), session.rank(), session.storage(options.storage)),
          contest_(session, work_, options.repetitions > 0 ? options.repetitions : 5, [this] { return work_.wrong_values(); }),
          payload_(contest_.total(work_.ghost_bytes())) {
        work_.fill();
    }
    void run();

private:
    std::vector<std::unique_ptr<Contender>> others();
    void row(Contender &contender, const Estimate &ratio, const std::vector<double> &seconds);
    void add_counts(Row &row, Contender &contender);

    const Session &session_;
    const Options &options_;
    Report &report_;
    halo::Topology topology_;
    CartesianWork work_;
    Contest<CartesianWork> contest_;
    int64_t payload_;
};

std::vector<std::unique_ptr<Contender>> CartesianCase::others() {
    std::vector<std::unique_ptr<Contender>> others;
    if (session_.n_ranks() > 1) others.push_back(make_cartesian_libhalo(topology_, work_, HALO_MESSAGES_PER_CHANNEL));
    if (session_.n_ranks() > 1 && session_.mpi() == nullptr) return others;
    others.push_back(make_directions(session_, work_));
    others.push_back(make_sweeps(session_, work_));
    if (session_.n_ranks() > 1) others.push_back(make_direction_datatypes(session_, work_));
    return others;
}

// Of all ranks.
void CartesianCase::add_counts(Row &row, Contender &contender) {
    const Counts counts = contender.counts().value();
    row.add("messages", contest_.total(counts.messages)).add("wire bytes", contest_.total(counts.wire_bytes));
    row.add("copy jobs", contest_.total(counts.jobs));
}

void CartesianCase::row(Contender &contender, const Estimate &ratio, const std::vector<double> &seconds) {
    Row row;
    row.add("contender", contender.name());
    if (!options_.counts) add_times(row, payload_, ratio, seconds);
    add_counts(row, contender);
    report_.row(std::move(row));
}

void CartesianCase::run() {
    const std::unique_ptr<Contender> libhalo = make_cartesian_libhalo(topology_, work_, HALO_MESSAGES_AGGREGATE);
    const std::vector<std::unique_ptr<Contender>> all = others();
    contest_.verify(*libhalo);
    for (const auto &other : all) contest_.verify(*other);
    bool first = true;
    for (const auto &other : all) {
        const Pairs pairs = options_.counts ? Pairs{} : contest_.pairs(options_.pairs, *libhalo, *other);
        if (first) row(*libhalo, { 1.0, 1.0, 1.0 }, pairs.first);
        first = false;
        row(*other, options_.counts ? Estimate{} : pairs.ratio(), pairs.second);
    }
}

// Cubes per direction: a factor of two after the other is taken along x, y, z in turn (x first), or z first; what is left stays with the first.
Index grid_of(int32_t n_ranks, bool x_first) {
    Index per_side{ 1, 1, 1 };
    size_t turn = 0;
    const auto direction = [&] { return x_first ? turn % 3 : 2 - turn % 3; };
    for (; n_ranks % 2 == 0; n_ranks /= 2, ++turn) per_side[direction()] *= 2;
    per_side[direction()] *= n_ranks;
    return per_side;
}

} // namespace

std::vector<CartesianSize> cartesian_suite() { return { { 100, 1, 3 }, { 64, 5, 8 } }; }

void run_cartesian(const Session &session, const Options &options, Report &report) {
    for (const CartesianSize &size : options.cubes)
        for (const bool x_first : { false, true }) {
            const Index per_side = grid_of(session.n_ranks(), x_first);
            if (x_first && per_side == grid_of(session.n_ranks(), false)) continue;
            report.begin(size.text(), format("%lld x %lld x %lld cubes", static_cast<long long>(per_side[0]), static_cast<long long>(per_side[1]),
                                             static_cast<long long>(per_side[2])));
            CartesianCase(session, options, report, size, per_side).run();
        }
}

} // namespace bench
