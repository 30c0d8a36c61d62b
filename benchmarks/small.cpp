// SPDX-License-Identifier: BSD-3-Clause
// Small exchanges: two ranks, points known by keys, of which some are ghosts on the other rank. What counts here is what a run costs beside its
// bytes.
#include <numeric>
#include <random>
#include <stdexcept>

#include "benchmarks.h"
#include "contenders.h"
#include "pairs.h"
#include "text.h"
#include "timed.h"

namespace bench {

namespace {

// One array per rank: owned points, then as many ghosts as are sent.
class SmallWork {
public:
    SmallWork(const Session &session, int64_t n_ghosts, bool scattered)
        : session_(session),
          n_owned_(scattered ? 4 * n_ghosts : n_ghosts),
          n_ghosts_(n_ghosts),
          storage_(own_storage(n_owned_ + n_ghosts)),
          sent_(static_cast<size_t>(n_owned_)) {
        std::iota(sent_.begin(), sent_.end(), 0);
        std::vector<int32_t> chosen;
        std::sample(sent_.begin(), sent_.end(), std::back_inserter(chosen), n_ghosts, std::mt19937_64(1));
        sent_ = std::move(chosen);
    }
    int32_t peer() const { return 1 - session_.rank(); }
    int64_t n_owned() const { return n_owned_; }
    int64_t n_ghosts() const { return n_ghosts_; }
    double *storage() const { return storage_.get(); }
    const std::vector<int32_t> &sent() const { return sent_; } // the same on both ranks

    void prepare() {
        ++pass_;
        for (int64_t i = 0; i < n_owned_; ++i) storage()[i] = value(session_.rank(), i);
        std::fill_n(storage() + n_owned_, n_ghosts_, -1.0);
    }
    void check(const char *who) const {
        int64_t wrong = 0;
        for (int64_t i = 0; i < n_ghosts_; ++i) wrong += storage()[n_owned_ + i] != value(peer(), sent_[static_cast<size_t>(i)]);
        for (int64_t i = 0; i < n_owned_; ++i) wrong += storage()[i] != value(session_.rank(), i);
        session_.sum({ &wrong, 1 });
        if (wrong)
            throw std::runtime_error(
                format("%s, %lld ghosts: %lld wrong values", who, static_cast<long long>(n_ghosts_), static_cast<long long>(wrong)));
    }

private:
    double value(int32_t rank, int64_t point) const { return static_cast<double>(2 * (pass_ * 1000003 + point) + rank); }

    const Session &session_;
    int64_t n_owned_, n_ghosts_;
    Values storage_;
    std::vector<int32_t> sent_; // local indices
    int64_t pass_ = 0;
};

halo::Topology topology_of(const Session &session, const SmallWork &work) {
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags(static_cast<size_t>(work.n_owned()), 0);
    for (int64_t i = 0; i < work.n_owned(); ++i) keys.push_back(static_cast<uint64_t>(session.rank() * work.n_owned() + i));
    for (const int32_t i : work.sent()) keys.push_back(static_cast<uint64_t>(work.peer() * work.n_owned() + i));
    flags.resize(keys.size(), HALO_KEY_WANT);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(keys.size());
    desc.keys = keys.data();
    desc.flags = flags.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    return halo::Topology(session.context(), desc);
}

class SmallExchange {
public:
    SmallExchange(const Session &session, const SmallWork &work)
        : topology_(topology_of(session, work)),
          field_(topology_, halo_field_desc HALO_FIELD_DESC_INIT),
          exchange_({ field_ }) {
        field_.bind(session.rank(), work.storage());
        exchange_.prepare();
    }
    void operator()() { exchange(exchange_); }

private:
    halo::Topology topology_;
    halo::Field field_;
    halo::Exchange exchange_;
};

// Runs back to back; the slower rank counts. The first of them are not timed.
template <class Run>
Turn turn_of(const Session &session, SmallWork &work, int rounds, const char *who, Run &run) {
    return [&session, &work, rounds, who, &run](bool) {
        work.prepare();
        session.barrier();
        for (int round = 0; round < rounds / 10 + 20; ++round) run();
        const double seconds = timed(session, [&] {
            for (int round = 0; round < rounds; ++round) run();
        });
        work.check(who);
        return seconds / rounds;
    };
}

void compare(const Session &session, const Options &options, Report &report, bool scattered) {
    report.begin(format("ghosts of one peer, plain memory, %s, against Irecv, pack, Isend, Waitall",
                        scattered ? "a quarter of the points" : "all points in order"),
                 "exchanges back to back; the bar is a difference of 0.1 us at 64 ghosts, a ratio of 1.05 above");
    for (const int64_t n_ghosts : { 64, 256, 1024, 4096 }) {
        SmallWork work(session, n_ghosts, scattered);
        SmallExchange libhalo(session, work);
        const auto by_hand = session.mpi()->peer_ghosts(work.peer(), work.sent(), work.n_owned());
        auto hand = [&] { by_hand->exchange(work.storage()); };
        const int rounds = n_ghosts > 1024 ? 500 : 2000;
        const Pairs pairs =
            alternate(options.pairs, turn_of(session, work, rounds, "libhalo", libhalo), turn_of(session, work, rounds, "by hand", hand));
        const Estimate ratio = pairs.ratio(), difference = pairs.difference();
        report.row(Row()
                       .add("ghosts", n_ghosts)
                       .add("libhalo us", median_of(pairs.first) * microseconds)
                       .add("by hand us", median_of(pairs.second) * microseconds)
                       .add("difference us", difference.median * microseconds)
                       .add("ratio", ratio));
    }
}

} // namespace

void run_small(const Session &session, const Options &options, Report &report) {
    if (session.n_ranks() != 2 || !session.mpi()) throw std::runtime_error("this needs 2 ranks under the launcher of an MPI whose module was built");
    for (const bool scattered : { false, true }) compare(session, options, report, scattered);
}

} // namespace bench
