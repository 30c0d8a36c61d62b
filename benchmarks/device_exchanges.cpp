// SPDX-License-Identifier: BSD-3-Clause
#include "device_exchanges.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "device_subjects.h"
#include "pairs.h"

namespace bench {

namespace {

using MakeContext = std::function<halo::Context(const halo_context_options &options)>;

// One rank, with a stream of its own on the first device.
struct DeviceRank {
    const Session &session;
    const Options &options;
    Report &report;
    DeviceKernels &kernels;
    const DeviceModule &module;
    MakeContext make_context; // collective
};

struct RunCounts {
    int64_t launches = 0; // of the rank that has most
    int64_t messages = 0, landed = 0, bytes = 0;
};

// A subject in device memory of a context that sends its values by one path.
class OnDevice {
public:
    OnDevice(const DeviceRank &rank, DeviceSubject &subject, const char *path)
        : rank_(rank),
          subject_(subject),
          path_(path),
          context_(context_with(path)),
          bytes_(subject.n_values() * static_cast<int64_t>(sizeof(double))) {
        const halo_status status = halo_memory_allocate_on(context_, HALO_MEMORY_DEVICE, 0, bytes_, &storage_);
        if (status != HALO_SUCCESS && status != HALO_ERR_MEMORY) throw std::runtime_error(halo_last_error());
        int64_t lacking = status != HALO_SUCCESS;
        const std::string why = lacking != 0 ? halo_last_error() : "another rank has no memory";
        rank.session.sum({ &lacking, 1 });
        if (lacking != 0) {
            if (storage_) context_.release(storage_);
            throw NoMemory(why);
        }
        make_exchange();
    }
    ~OnDevice() {
        if (std::uncaught_exceptions() == 0) rank_.session.barrier(); // peers write there no longer
        exchange_.reset(), field_.reset(), topology_.reset();
        context_.release(storage_);
    }
    OnDevice(const OnDevice &) = delete;
    OnDevice &operator=(const OnDevice &) = delete;

    const char *path() const { return path_; }
    void run() {
        exchange_->start(nullptr, rank_.kernels.stream());
        exchange_->finish(rank_.kernels.stream());
        rank_.module.complete(rank_.kernels.stream());
    }
    void verify() {
        subject_.renew();
        copy(storage_, subject_.data());
        rank_.session.barrier();
        run();
        copy(subject_.data(), storage_);
        int64_t wrong = subject_.wrong_values();
        rank_.session.sum({ &wrong, 1 });
        if (wrong != 0) throw std::runtime_error(subject_.text() + " by " + path_ + ": " + std::to_string(wrong) + " wrong values");
    }
    double turn(bool last) {
        constexpr int usual_repetitions = 5;
        const double seconds = timed_turn(
            rank_.session, rank_.options.repetitions > 0 ? rank_.options.repetitions : usual_repetitions, [] {}, [this] { run(); });
        if (last) verify();
        return seconds;
    }
    // Of one run; messages of all ranks.
    RunCounts counts() {
        const halo_exchange_stats before = exchange_->stats();
        run();
        const halo_exchange_stats after = exchange_->stats();
        auto launches = static_cast<double>(after.device_launches - before.device_launches);
        int64_t sums[] = { after.messages_sent - before.messages_sent, after.messages_landed - before.messages_landed,
                           after.bytes_sent - before.bytes_sent };
        rank_.session.max({ &launches, 1 });
        rank_.session.sum(sums);
        return { static_cast<int64_t>(launches), sums[0], sums[1], sums[2] };
    }

private:
    halo::Context context_with(const char *path) const {
        const halo_setting settings[] = {
            { "device", rank_.options.device.c_str() }, { "device.context", rank_.kernels.context() }, { "device.ordinal", "0" }, { "path", path }
        };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = settings, options.n_settings = static_cast<int32_t>(std::size(settings));
        return rank_.make_context(options);
    }
    void make_exchange() {
        topology_.emplace(subject_.make_topology(context_));
        field_.emplace(subject_.make_field(*topology_));
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = storage_, binding.memory = HALO_MEMORY_DEVICE;
        field_->bind_many(subject_.part_stride(), binding);
        exchange_.emplace(std::initializer_list<halo_field *>{ *field_ });
        constexpr int runs_until_it_has_recorded = 8;
        verify();
        for (int i = 0; i < runs_until_it_has_recorded; ++i) run();
    }
    void copy(void *to, const void *from) const {
        const halo_stream stream = rank_.kernels.stream();
        rank_.module.check(rank_.module.ops().copy(rank_.module.get(), to, from, static_cast<size_t>(bytes_), stream));
        rank_.module.complete(stream);
    }

    const DeviceRank &rank_;
    DeviceSubject &subject_;
    const char *path_;
    halo::Context context_;
    int64_t bytes_;
    void *storage_ = nullptr;
    std::optional<halo::Topology> topology_;
    std::optional<halo::Field> field_;
    std::optional<halo::Exchange> exchange_;
};

void add_row(const DeviceRank &rank, DeviceSubject &subject, OnDevice &one, const std::vector<double> &seconds, const Estimate &ratio,
             double launch) {
    int64_t payload = subject.ghost_bytes();
    rank.session.sum({ &payload, 1 });
    const RunCounts counts = one.counts();
    const double median = median_of(seconds);
    rank.report.row(Row()
                        .add("work", subject.text())
                        .add("path", one.path())
                        .add("payload MB", static_cast<double>(payload) * 1e-6)
                        .add("exchange us", median * microseconds)
                        .add("GB/s", static_cast<double>(payload) / median * 1e-9)
                        .add("launches", counts.launches)
                        .add("their share %", 100 * static_cast<double>(counts.launches) * launch / median)
                        .add("messages", counts.messages)
                        .add("written by peers", counts.landed)
                        .add("sent bytes", counts.bytes)
                        .add("to message", ratio));
}

void compare_paths(const DeviceRank &rank, DeviceSubject &subject, double launch) {
    const Estimate itself{ 1, 1, 1 };
    if (rank.session.n_ranks() == 1) {
        OnDevice alone(rank, subject, "auto");
        std::vector<double> seconds(static_cast<size_t>(rank.options.pairs));
        for (double &time : seconds) time = alone.turn(&time == &seconds.back());
        return add_row(rank, subject, alone, seconds, itself, launch);
    }
    OnDevice by_message(rank, subject, "message"), put(rank, subject, "put");
    const Pairs pairs = alternate(
        rank.options.pairs, [&](bool last) { return put.turn(last); }, [&](bool last) { return by_message.turn(last); });
    add_row(rank, subject, by_message, pairs.second, itself, launch);
    add_row(rank, subject, put, pairs.first, pairs.ratio(), launch);
}

void run_exchanges(const DeviceRank &rank, double launch) {
    rank.report.begin(
        "whole exchanges of fields on a device, start to the end of the device's work",
        "the slowest rank; all ranks on one device. launches: of a rank; their share: as if each were a launch of its own, at what one costs. put: "
        "the device writes into its peer's ghosts, which `written by peers` counts");
    const auto compare = [&](const std::string &lacks, const std::function<std::unique_ptr<DeviceSubject>()> &make) {
        int64_t lacking = !lacks.empty();
        rank.session.sum({ &lacking, 1 });
        if (lacking != 0) return rank.report.remark(lacks.empty() ? "left out: another rank's memory" : lacks);
        const std::unique_ptr<DeviceSubject> subject = make();
        try {
            compare_paths(rank, *subject, launch);
        } catch (const NoMemory &error) {
            rank.report.remark(subject->text() + " left out: " + error.what());
        }
    };
    const int32_t at = rank.session.rank(), n = rank.session.n_ranks();
    for (const WorkSize &size : rank.options.works) compare(lacks_for(size), [&] { return make_blocks_subject(size, at, n); });
    constexpr int32_t values_of_a_point = 5;
    for (const bool shuffled : { false, true })
        if (rank.options.points > 0) compare("", [&] { return make_points_subject(rank.options.points, values_of_a_point, shuffled, at, n); });
}

void run_rank(const Session &session, const Options &options, Report &report, const DeviceCosts *known, const MakeContext &make_context) {
    static std::mutex one_at_a_time; // drivers of OpenCL are not all made for threads when they are opened
    std::unique_ptr<DeviceKernels> kernels;
    {
        const std::lock_guard lock(one_at_a_time);
        kernels = load_device_kernels(options.device);
    }
    if (!kernels) {
        const DeviceModule throws_where_there_is_none(options.device, "");
        report.begin("whole exchanges of fields on a device", "");
        return report.remark("not measured: the module of halo_bench for " + options.device + " was not built");
    }
    const DeviceModule module(options.device, kernels->context());
    DeviceCosts costs;
    if (known)
        costs = *known;
    else if (session.rank() == 0) // the others wait: it has the device for itself
        costs = measure_device(module, kernels.get(), options, report);
    session.barrier();
    const DeviceRank rank{ session, options, report, *kernels, module, make_context };
    run_exchanges(rank, costs.launch);
}

} // namespace

void run_exchanges_on_processes(const Session &session, const Options &options, Report &report, const DeviceCosts *known) {
    run_rank(session, options, report, known, [](const halo_context_options &given) { return halo::Context(&given); });
}

void run_exchanges_on_threads(const Options &options, Report &report) {
    report.condition("ranks", std::to_string(options.threads) + " threads");
    const int32_t n = options.threads;
    // A context has a group to itself: all ranks make the same ones in the same order, and who comes first makes the group.
    std::mutex mutex;
    std::deque<halo::Inproc> groups;
    const auto group = [&](size_t number) -> halo::Inproc & {
        const std::lock_guard lock(mutex);
        while (groups.size() <= number) groups.emplace_back(n);
        return groups[number];
    };
    const auto body = [&](int32_t at) {
        size_t made = 0;
        const Session session(halo::Context(group(made++), at));
        Report mute(Style::table, false);
        run_rank(session, options, at == 0 ? report : mute, nullptr,
                 [&](const halo_context_options &given) { return halo::Context(group(made++), at, &given); });
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(n));
    for (int32_t at = 0; at < n; ++at)
        threads.emplace_back([&, at] {
            try {
                body(at);
            } catch (const std::exception &error) { // the others would wait for it
                std::fprintf(stderr, "halo_bench: rank %d: %s\n", at, error.what());
                std::_Exit(1);
            }
        });
    for (std::thread &thread : threads) thread.join();
}

} // namespace bench
