// SPDX-License-Identifier: BSD-3-Clause
// What the settings threads and progress_thread cost each call, and how much of a message's time is hidden behind computing.
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "benchmarks.h"
#include "pairs.h"
#include "text.h"
#include "timed.h"

namespace bench {

namespace {

constexpr double nanoseconds = 1e9;
constexpr double compute_seconds = 20e-3;
constexpr int n_slices = 200; // between which a program may call the library: each 100 us

halo_context_options options_of(const std::vector<halo_setting> &settings) {
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings.data();
    options.n_settings = static_cast<int32_t>(settings.size());
    return options;
}

halo::Context make_context(const std::vector<halo_setting> &settings) {
    const halo_context_options options = options_of(settings);
    return halo::Context(&options);
}

halo::Context make_alone(const halo::Inproc &group, const std::vector<halo_setting> &settings) {
    const halo_context_options options = options_of(settings);
    return halo::Context(group, 0, &options);
}

// ---- what a call costs

// Of a rank alone: nobody else wants the context but its own thread.
double seconds_per_call(const halo::Context &context, bool progresses) {
    constexpr int n_calls = 200000;
    const double seconds = seconds_of([&] {
        for (int i = 0; i < n_calls; ++i) progresses ? context.progress() : static_cast<void>(context.rank());
    });
    return seconds / n_calls;
}

void cost_of_calls(const Options &options, Report &report) {
    report.begin("what a call costs more", "halo_context_rank, which reads a number, and halo_context_progress where nothing comes; one rank");
    const halo::Inproc group(1);
    const halo::Context plain = make_alone(group, {});
    for (const halo_setting setting : { halo_setting{ "threads", "multiple" }, { "progress_thread", "yes" }, { "check", "yes" } }) {
        const halo::Context locked = make_alone(group, { setting });
        for (const bool progresses : { false, true }) {
            const Pairs pairs = alternate(
                options.pairs, [&](bool) { return seconds_per_call(locked, progresses); }, [&](bool) { return seconds_per_call(plain, progresses); });
            const Estimate difference = pairs.difference();
            report.row(Row()
                           .add("setting", format("%s = %s", setting.key, setting.value))
                           .add("call", progresses ? "progress" : "rank")
                           .add("ns", median_of(pairs.first) * nanoseconds)
                           .add("without ns", median_of(pairs.second) * nanoseconds)
                           .add("difference ns", difference.median * nanoseconds)
                           .add("low", difference.low * nanoseconds)
                           .add("high", difference.high * nanoseconds));
        }
    }
}

// ---- what computing hides

// Work of a known length that uses no memory.
class Compute {
public:
    Compute() {
        const double seconds = seconds_of([&] { spend(n_per_slice_); });
        n_per_slice_ = static_cast<int64_t>(static_cast<double>(n_per_slice_) * compute_seconds / n_slices / seconds);
    }
    // Seconds that it took.
    template <class Between>
    double operator()(Between &&between) {
        return seconds_of([&] {
            for (int slice = 0; slice < n_slices; ++slice) {
                spend(n_per_slice_);
                between();
            }
        });
    }

private:
    void spend(int64_t n) {
        double value = value_;
        for (int64_t i = 0; i < n; ++i) value = std::sqrt(value + static_cast<double>(i & 7));
        value_ = value;
    }
    int64_t n_per_slice_ = 10'000'000; // to begin with
    volatile double value_ = 2;
};

// One message each way, by the transport alone.
class Message {
public:
    Message(const Session &session, halo::Context context, int64_t bytes)
        : context_(std::move(context)),
          n_(bytes / static_cast<int64_t>(sizeof(double))),
          peer_(1 - session.rank()),
          topology_(make_topology(session.rank())),
          field_(topology_, halo_field_desc HALO_FIELD_DESC_INIT),
          exchange_({ field_ }),
          values_(static_cast<size_t>(2 * n_)) {
        field_.bind(session.rank(), values_.data());
        std::iota(values_.begin(), values_.begin() + n_, first_of(session.rank()));
    }
    const halo::Context &context() const { return context_; }
    void start() {
        std::fill_n(values_.begin() + n_, n_, -1.0);
        exchange_.start();
    }
    void finish() { exchange_.finish(); }
    // In calls of the context that sends: what the peer still waits for moves in no others.
    void check() const {
        int64_t wrong = 0;
        for (int64_t i = 0; i < n_; ++i) wrong += values_[static_cast<size_t>(n_ + i)] != first_of(peer_) + static_cast<double>(i);
        context_.allreduce(std::span(&wrong, 1), HALO_SUM);
        if (wrong != 0)
            throw std::runtime_error(format("a message of %lld values: %lld are wrong", static_cast<long long>(n_), static_cast<long long>(wrong)));
    }

private:
    static double first_of(int32_t rank) { return 1.0 + 1e9 * rank; }
    halo::Topology make_topology(int32_t rank) const {
        std::vector<uint64_t> keys(static_cast<size_t>(2 * n_));
        std::vector<int32_t> flags(keys.size(), 0);
        std::iota(keys.begin(), keys.begin() + n_, static_cast<uint64_t>(rank * n_));
        std::iota(keys.begin() + n_, keys.end(), static_cast<uint64_t>(peer_ * n_));
        std::fill(flags.begin() + n_, flags.end(), HALO_KEY_WANT);
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = static_cast<int64_t>(keys.size());
        desc.keys = keys.data();
        desc.flags = flags.data();
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        return halo::Topology(context_, desc);
    }

    halo::Context context_;
    int64_t n_;
    int32_t peer_;
    halo::Topology topology_;
    halo::Field field_;
    halo::Exchange exchange_;
    std::vector<double> values_;
};

double seconds_to_copy_twice(int64_t bytes) {
    std::vector<char> from(static_cast<size_t>(bytes), 1), to(from.size());
    std::vector<double> times;
    for (int time = 0; time < 9; ++time)
        times.push_back(seconds_of([&] {
            std::memcpy(to.data(), from.data(), from.size());
            std::memcpy(from.data(), to.data(), to.size());
        }));
    return median_of(times);
}

// Seconds in start and finish: at once, or with the computing between them, in whose slices the library may be called.
struct Turns {
    const Session &session;
    Message &message;
    Compute &compute;
    std::vector<double> &computed;

    double slowest(double seconds) const {
        message.check();
        session.max({ &seconds, 1 });
        return seconds;
    }
    double at_once() const {
        session.barrier();
        return slowest(seconds_of([&] {
            message.start();
            message.finish();
        }));
    }
    double around_computing(bool calls) const {
        session.barrier();
        const double all = seconds_of([&] {
            message.start();
            computed.push_back(compute([&] {
                if (calls) message.context().progress();
            }));
            message.finish();
        });
        return slowest(all - computed.back());
    }
};

void measure(const Session &session, const Options &options, Report &report, Message &message, int64_t bytes, const char *what, bool calls) {
    Compute compute;
    std::vector<double> alone, computed;
    for (int time = 0; time < 9; ++time) alone.push_back(compute([] {}));
    const Turns turns{ session, message, compute, computed };
    const Pairs pairs = alternate(
        options.pairs, [&](bool) { return turns.around_computing(calls); }, [&](bool) { return turns.at_once(); });
    const double left = median_of(pairs.first), at_once = median_of(pairs.second), copies = seconds_to_copy_twice(bytes);
    report.row(Row()
                   .add("bytes", bytes)
                   .add("while it computes", what)
                   .add("at once us", at_once * microseconds)
                   .add("left us", left * microseconds)
                   .add("two copies us", copies * microseconds)
                   .add("hidden share", (at_once - left) / (at_once - copies))
                   .add("compute time ratio", median_of(computed) / median_of(alone)));
}

// None where the transport may not be called by several threads.
std::optional<halo::Context> make_threaded(std::vector<halo_setting> settings, std::string &why_not) {
    settings.push_back({ "progress_thread", "yes" });
    try {
        return make_context(settings);
    } catch (const halo::error &error) {
        if (error.status() != HALO_ERR_STATE) throw;
        why_not = error.what();
        return std::nullopt;
    }
}

void overlap(const Session &session, const Options &options, Report &report) {
    report.begin("20 ms of computing between start and finish",
                 "one message each way, by the transport alone; hidden: of the message's time at once, less two copies; the bar is 0.9");
    const std::vector<halo_setting> by_message{ { "path", "message" }, { "shared_memory", "no" } };
    std::string why_no_thread;
    for (int64_t bytes = 1 << 18; bytes <= 1 << 24; bytes *= 4) {
        Message plain(session, make_context(by_message), bytes);
        measure(session, options, report, plain, bytes, "no call", false);
        measure(session, options, report, plain, bytes, "progress each 100 us", true);
        std::optional<halo::Context> with_thread = make_threaded(by_message, why_no_thread);
        if (!with_thread) continue;
        Message threaded(session, *std::move(with_thread), bytes);
        measure(session, options, report, threaded, bytes, "no call, progress thread", false);
    }
    if (!why_no_thread.empty())
        report.remark(format("without the progress thread: %s; HALO_MPI_THREADS=multiple and --mpi none", why_no_thread.c_str()));
}

} // namespace

void run_progress(const Session &session, const Options &options, Report &report) {
    cost_of_calls(options, report);
    if (session.n_ranks() == 2) overlap(session, options, report);
}

} // namespace bench
