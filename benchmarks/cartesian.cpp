// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <stdexcept>

#include "benchmarks.h"
#include "cartesian_contenders.h"
#include "pairs.h"
#include "text.h"

namespace bench {

namespace {

constexpr double microseconds = 1e6;

// One work with all who do it, on the same storage.
class CartesianCase {
public:
    CartesianCase(const Session &session, const Options &options, Report &report, const CartesianSize &size, const Index &per_side)
        : session_(session),
          options_(options),
          report_(report),
          topology_(cut_domain(session, size, per_side)),
          work_(size, per_side, places_of(topology_, size, session.n_ranks()), session.rank(), session.storage(options.storage)),
          repetitions_(options.repetitions > 0 ? options.repetitions : 5),
          payload_(total(work_.ghost_bytes())) {
        work_.fill();
    }
    void run();

private:
    int64_t total(int64_t value) const {
        session_.sum({ &value, 1 });
        return value;
    }
    std::vector<std::unique_ptr<Contender>> others();
    void check_values(const Contender &contender) const;
    void verify(Contender &contender);
    double turn(Contender &contender, bool last);
    void row(Contender &contender, const Estimate &ratio, const std::vector<double> &seconds);
    void add_counts(Row &row, Contender &contender);

    const Session &session_;
    const Options &options_;
    Report &report_;
    halo::Topology topology_;
    CartesianWork work_;
    int repetitions_;
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

void CartesianCase::check_values(const Contender &contender) const {
    if (const int64_t wrong = total(work_.wrong_values()))
        throw std::runtime_error(contender.name() + " on " + work_.size().text() + ": " + std::to_string(wrong) + " wrong values");
}

void CartesianCase::verify(Contender &contender) {
    for (int i = 0; i < 3; ++i) {
        work_.poison_ghosts();
        work_.change();
        contender.exchange();
        session_.barrier();
        check_values(contender);
    }
}

double CartesianCase::turn(Contender &contender, bool last) {
    const double seconds = timed_turn(
        session_, repetitions_, [this] { work_.change(); }, [&] { contender.exchange(); });
    if (last) check_values(contender);
    return seconds;
}

// Of all ranks.
void CartesianCase::add_counts(Row &row, Contender &contender) {
    const Counts counts = contender.counts().value();
    row.add("messages", total(counts.messages)).add("wire bytes", total(counts.wire_bytes)).add("copy jobs", total(counts.jobs));
}

void CartesianCase::row(Contender &contender, const Estimate &ratio, const std::vector<double> &seconds) {
    Row row;
    row.add("contender", contender.name());
    if (!options_.counts) {
        const double median = median_of(seconds);
        row.add("median us", median * microseconds).add("spread %", 100.0 * spread_of(seconds));
        row.add("GB/s", static_cast<double>(payload_) / median * 1e-9);
        row.add("libhalo/it", ratio.median).add("low", ratio.low).add("high", ratio.high);
    }
    add_counts(row, contender);
    report_.row(std::move(row));
}

void CartesianCase::run() {
    const std::unique_ptr<Contender> libhalo = make_cartesian_libhalo(topology_, work_, HALO_MESSAGES_AGGREGATE);
    const std::vector<std::unique_ptr<Contender>> all = others();
    verify(*libhalo);
    for (const auto &other : all) verify(*other);
    bool first = true;
    for (const auto &other : all) {
        const Pairs pairs = options_.counts
                                ? Pairs{}
                                : alternate(
                                      options_.pairs, [&](bool last) { return turn(*libhalo, last); }, [&](bool last) { return turn(*other, last); });
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
