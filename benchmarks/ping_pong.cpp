// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>

#include "benchmarks.h"
#include "hand_channels.h"
#include "pairs.h"
#include "text.h"
#include "timed.h"

namespace bench {

namespace {

// All ranks leave with the time of the slower of the two.
double slowest(const Session &session, double seconds) {
    session.max({ &seconds, 1 });
    return seconds;
}

void require_two(const Session &session) {
    if (session.n_ranks() < 2 || !session.mpi()) throw std::runtime_error("this needs 2 ranks under the launcher of an MPI whose module was built");
}

// Calls `run(rounds)` once untimed, then as a turn; answers seconds per round.
template <class Run>
Turn turn_of(const Session &session, int64_t rounds, Run run) {
    return [&session, rounds, run](bool) {
        run(rounds / 10 + 1);
        session.barrier();
        return slowest(session, run(rounds)) / static_cast<double>(rounds);
    };
}

int64_t rounds_for(int64_t bytes) { return std::max<int64_t>(200, 2000 * 4096 / std::max<int64_t>(bytes, 4096)); }

void one_channel(const Session &session, const Options &options, Report &report) {
    report.begin("one channel against MPI", "half of a round trip; the bar is a difference of 0.2 us at 8 bytes");
    for (int64_t bytes = options.bytes_from; bytes <= options.bytes_to; bytes *= 2) {
        HandChannels channel(session, 1, bytes, HALO_MESSAGES_PER_CHANNEL);
        const int64_t rounds = rounds_for(bytes);
        const Pairs pairs = alternate(options.pairs, turn_of(session, rounds, [&](int64_t n) { return channel.ping_pong(n) / 2; }),
                                      turn_of(session, rounds, [&](int64_t n) { return session.mpi()->ping_pong(bytes, n) / 2; }));
        const Estimate difference = pairs.difference();
        report.row(Row()
                       .add("bytes", bytes)
                       .add("libhalo us", median_of(pairs.first) * microseconds)
                       .add("MPI us", median_of(pairs.second) * microseconds)
                       .add("difference us", difference.median * microseconds)
                       .add("low", difference.low * microseconds)
                       .add("high", difference.high * microseconds));
    }
}

// `every_round`: the caller writes and checks a value of each channel in every round; otherwise the messages alone are timed.
void group_of_26(const Session &session, const Options &options, Report &report, bool every_round) {
    report.begin(format("26 channels in one message against one channel of as many bytes%s", every_round ? ", with the caller's use of each" : ""),
                 "half of a round trip; the bar is a ratio of 1.3");
    for (int64_t bytes = std::max<int64_t>(options.bytes_from, 8); bytes * 26 <= std::max<int64_t>(options.bytes_to, 416); bytes *= 4) {
        HandChannels group(session, 26, bytes, HALO_MESSAGES_AGGREGATE, 1, every_round);
        HandChannels one(session, 1, 26 * bytes, HALO_MESSAGES_PER_CHANNEL, 26, every_round);
        const int64_t rounds = rounds_for(26 * bytes);
        const Pairs pairs = alternate(options.pairs, turn_of(session, rounds, [&](int64_t n) { return group.ping_pong(n) / 2; }),
                                      turn_of(session, rounds, [&](int64_t n) { return one.ping_pong(n) / 2; }));
        const Estimate ratio = pairs.ratio();
        report.row(Row()
                       .add("bytes in all", 26 * bytes)
                       .add("26 channels us", median_of(pairs.first) * microseconds)
                       .add("one channel us", median_of(pairs.second) * microseconds)
                       .add("ratio", ratio));
    }
}

} // namespace

void run_ping_pong(const Session &session, const Options &options, Report &report) {
    require_two(session);
    one_channel(session, options, report);
    group_of_26(session, options, report, false);
    group_of_26(session, options, report, true);
}

void run_rate(const Session &session, const Options &options, Report &report) {
    require_two(session);
    report.begin("messages of 8 bytes", "both ways at once, a window of channels under way; millions per second and rank");
    for (const int32_t window : { 1, 8, 64, 512 }) {
        HandChannels channels(session, window, 8, HALO_MESSAGES_PER_CHANNEL);
        HandChannels group(session, window, 8, HALO_MESSAGES_AGGREGATE);
        const int64_t rounds = std::max(20, 4000 / window);
        const auto millions = [&](const std::vector<double> &seconds) { return window / median_of(seconds) * 1e-6; };
        const Turn by_mpi = turn_of(session, rounds, [&](int64_t n) { return session.mpi()->message_rate(window, n); });
        const Pairs pairs = alternate(options.pairs, turn_of(session, rounds, [&](int64_t n) { return channels.both_ways(n); }), by_mpi);
        const Pairs grouped = alternate(options.pairs, turn_of(session, rounds, [&](int64_t n) { return group.both_ways(n); }), by_mpi);
        const Estimate ratio = pairs.ratio();
        report.row(Row()
                       .add("channels", int64_t{ window })
                       .add("one message each", millions(pairs.first))
                       .add("MPI", millions(pairs.second))
                       .add("in one message", millions(grouped.first))
                       .add("time each/MPI", ratio));
    }
}

} // namespace bench
