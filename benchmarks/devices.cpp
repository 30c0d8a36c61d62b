// SPDX-License-Identifier: BSD-3-Clause
// What a device does in an exchange, without the messages: packing, unpacking, copies within the rank. libhalo's one launch for all buffers against
// one for each, fused loops, and kernels by hand for just this shape; beside what a copy, a launch and a recorded launch cost there.
#include "device_exchanges.h"

#include <limits>
#include <stdexcept>

#include "device_contest.h"
#include "pairs.h"
#include "text.h"

namespace bench {

namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

// Of a copy within the device, too large for its caches.
double seconds_of_a_copy(const DeviceModule &module, halo_stream stream, size_t bytes, int repetitions) {
    const DeviceMemory from(module, bytes), to(module, bytes);
    const double zero = 0;
    module.check(module.ops().fill(module.get(), from.get(), &zero, sizeof zero, static_cast<int64_t>(bytes / sizeof zero), stream));
    module.complete(stream);
    return median_until_done(module, stream, repetitions,
                             [&] { module.check(module.ops().copy(module.get(), to.get(), from.get(), bytes, stream)); });
}

// One value from here to there.
std::unique_ptr<DeviceTable> least_table(const DeviceModule &module) {
    halo_copy_shape shape{};
    shape.n_pieces = 1, shape.element_bytes = sizeof(double), shape.run[0] = shape.n[0] = shape.n[1] = shape.n[2] = 1;
    shape.dst_step = shape.src_step[0] = sizeof(double);
    halo_copy_row row{};
    row.dst_base = 1;
    return std::make_unique<DeviceTable>(module, std::vector{ shape }, std::vector{ row });
}

struct LaunchCosts {
    double one, many; // until it is done; each of a hundred, until all are
};

template <class Action>
LaunchCosts costs_of(const DeviceModule &module, halo_stream stream, int repetitions, Action &&action) {
    constexpr int many = 100;
    const double one = median_until_done(module, stream, repetitions, action);
    const double all = median_until_done(module, stream, repetitions, [&] {
        for (int i = 0; i < many; ++i) action();
    });
    return { one, all / many };
}

void measure_graphs(const DeviceModule &module, halo_stream stream, int repetitions, Report &report) {
    DeviceGraph graph(module);
    if (!graph.lacks().empty()) return report.remark("nothing is recorded: " + graph.lacks());
    const DeviceMemory from(module, sizeof(double)), to(module, sizeof(double));
    const std::vector<void *> bases{ from.get(), to.get() };
    const std::unique_ptr<DeviceTable> first = least_table(module), second = least_table(module);
    const std::vector<halo_copy_range> ranges{ first->range(bases), second->range(bases) };
    const double zero = 0;
    from.upload(&zero, stream);
    std::vector<double> recording;
    for (int i = 0; i < repetitions; ++i) {
        DeviceGraph made(module);
        int32_t how = HALO_STEPS_LAUNCHED;
        double seconds = 0;
        for (int run = 0; run < 3 && how == HALO_STEPS_LAUNCHED; ++run) seconds = seconds_of([&] { how = made.run(ranges, stream); });
        if (how != HALO_STEPS_RECORDED) throw std::runtime_error("launches that come again are not recorded");
        module.complete(stream);
        recording.push_back(seconds);
    }
    const LaunchCosts replay = costs_of(module, stream, repetitions, [&] { graph.run(ranges, stream); });
    const LaunchCosts launches = costs_of(module, stream, repetitions, [&] {
        for (const halo_copy_range &range : ranges) module.check(module.ops().ranges_run(module.get(), &range, 1, stream));
    });
    report.begin("two launches of a kernel of libhalo, recorded (device.graphs)",
                 "to record them; a replay, and both as launches of their own: waited for, and each of a hundred");
    report.row(Row()
                   .add("record us", median_of(recording) * microseconds)
                   .add("replay and wait us", replay.one * microseconds)
                   .add("replay us", replay.many * microseconds)
                   .add("launches and wait us", launches.one * microseconds)
                   .add("launches us", launches.many * microseconds));
}

int repetitions_of(const Options &options) { return options.repetitions > 0 ? options.repetitions : 5; }

void compare(DeviceContest &all, const DeviceCase &one, DeviceTask task, const DeviceCosts &costs, const Options &options, Report &report) {
    const int repetitions = repetitions_of(options);
    const auto turn = [&](void (DeviceContest::*contender)(DeviceTask), int n) {
        return [&all, contender, task, n](bool last) { return all.turn(contender, task, n, last); };
    };
    constexpr int64_t many_launches = 4096; // of which few turns tell enough
    const bool few = one.n_buffers > many_launches;
    const Pairs apart = alternate(few ? std::min(options.pairs, 5) : options.pairs, turn(&DeviceContest::fused, repetitions),
                                  turn(&DeviceContest::one_by_one, few ? 1 : repetitions));
    Pairs loops, hand;
    if (all.has_loops()) loops = alternate(options.pairs, turn(&DeviceContest::fused, repetitions), turn(&DeviceContest::loops, repetitions));
    if (all.has_hand()) hand = alternate(options.pairs, turn(&DeviceContest::fused, repetitions), turn(&DeviceContest::by_hand, repetitions));
    const std::vector<double> &libhalo = all.has_loops() ? loops.first : apart.first;
    const double fused = median_of(libhalo), moved = 2 * static_cast<double>(one.payload_bytes());
    const auto bound = static_cast<double>(one.line_bytes(task, costs.line_bytes));
    const Estimate none{ not_measured, not_measured, not_measured };
    const auto median = [](const Pairs &pairs) { return pairs.second.empty() ? not_measured : median_of(pairs.second) * microseconds; };
    const Estimate to_loops = all.has_loops() ? loops.ratio() : none, to_hand = all.has_hand() ? hand.ratio() : none;
    report.row(Row()
                   .add("work", one.text)
                   .add("task", name_of(task))
                   .add("buffers", one.n_buffers)
                   .add("payload MB", static_cast<double>(one.payload_bytes()) * 1e-6)
                   .add("lines MB", bound * 1e-6)
                   .add("libhalo us", fused * microseconds)
                   .add("GB/s", moved / fused * 1e-9)
                   .add("of a copy %", 100 * moved / fused / costs.copy_rate)
                   .add("of the bound %", 100 * bound / costs.copy_rate / fused)
                   .add("launch %", 100 * costs.launch / fused)
                   .add("launch each us", median(apart))
                   .add("to each", apart.ratio().median)
                   .add("loops us", median(loops))
                   .add("to loops", to_loops.median)
                   .add("low", to_loops.low)
                   .add("high", to_loops.high)
                   .add("by hand us", median(hand))
                   .add("to hand", to_hand.median)
                   .add("hand low", to_hand.low)
                   .add("hand high", to_hand.high));
}

Row compare_graphs(DeviceContest &all, const DeviceCase &one, DeviceGraph &graph, const Options &options) {
    const int repetitions = repetitions_of(options);
    const Pairs pairs = alternate(
        options.pairs, [&](bool last) { return all.together(&graph, repetitions, last); },
        [&](bool last) { return all.together(nullptr, repetitions, last); });
    return Row()
        .add("work", one.text)
        .add("replay us", median_of(pairs.first) * microseconds)
        .add("two launches us", median_of(pairs.second) * microseconds)
        .add("ratio", pairs.ratio());
}

// Each of the cases in its turn: one at a time has its memory.
template <class Visit>
void for_each_case(const Options &options, Report &report, Visit &&visit) {
    const auto visit_if_it_fits = [&](const std::string &text, auto &&make) {
        try {
            visit(make());
        } catch (const NoMemory &error) {
            report.remark(text + " left out: " + error.what());
        }
    };
    for (const WorkSize &size : options.works) {
        const std::string lacks = lacks_for(size);
        if (!lacks.empty())
            report.remark(lacks);
        else
            visit_if_it_fits(format("W%s", size.text().c_str()), [&] { return device_case_of(size); });
    }
    constexpr int64_t values_of_a_point = 5;
    for (const bool shuffled : { false, true })
        if (options.points > 0) visit_if_it_fits("points", [&] { return device_case_of_points(options.points, values_of_a_point, shuffled); });
}

void compare_kernels(const DeviceModule &module, DeviceKernels *others, const DeviceCosts &costs, const Options &options, Report &report) {
    report.begin(
        "ghosts on a device, without messages",
        format(
            "libhalo's one launch, against a launch for each buffer, fused loops over lists of indices, and a kernel by hand for this shape. GB/s: "
            "values read and written. lines: of %lld bytes, all that must be read or written, each once; the bound is their time at the rate of "
            "the copy. launch: its share",
            static_cast<long long>(costs.line_bytes)));
    DeviceGraph graph(module);
    std::vector<Row> recorded;
    for_each_case(options, report, [&](const DeviceCase &one) {
        DeviceContest all(module, others, one);
        for (const DeviceTask task : device_tasks) compare(all, one, task, costs, options, report);
        if (graph.lacks().empty()) recorded.push_back(compare_graphs(all, one, graph, options));
    });
    if (!others)
        report.remark("no fused loops and no kernels by hand: the module of halo_bench for " + options.device +
                      " was not built; launches for each buffer are those of libhalo's module");
    if (!graph.lacks().empty()) return;
    report.begin("packing and copies within the rank, recorded", "one replay against two launches, until the device has done them (device.graphs)");
    for (Row &row : recorded) report.row(std::move(row));
}

} // namespace

std::string lacks_for(const WorkSize &size) {
    constexpr double gigabyte = 1e9;
    const auto needs = static_cast<double>(host_bytes_of(size)), there = static_cast<double>(host_bytes_there());
    if (needs <= there) return "";
    return format("W%s left out: takes %.1f GB of the host's memory, of which %.1f are there", size.text().c_str(), needs / gigabyte,
                  there / gigabyte);
}

DeviceCosts measure_device(const DeviceModule &module, const DeviceKernels *others, const Options &options, Report &report) {
    constexpr size_t bytes_of_a_copy = size_t{ 256 } << 20;
    const halo_stream stream = others ? others->stream() : nullptr;
    const double copy = seconds_of_a_copy(module, stream, bytes_of_a_copy, options.pairs);
    const DeviceMemory one_value(module, sizeof(double));
    const double zero = 0;
    const LaunchCosts launch = costs_of(module, stream, options.pairs,
                                        [&] { module.check(module.ops().fill(module.get(), one_value.get(), &zero, sizeof zero, 1, stream)); });
    constexpr int64_t usual_line = 128;
    const DeviceCosts costs{ 2 * static_cast<double>(bytes_of_a_copy) / copy, launch.many, others ? others->line_bytes() : usual_line };
    report.begin("device", "copies of 256 MiB within it, read and written; a launch that is waited for; each of a hundred launches; bytes of a line");
    report.row(Row()
                   .add("device", module.what())
                   .add("copy GB/s", costs.copy_rate * 1e-9)
                   .add("launch and wait us", launch.one * microseconds)
                   .add("launch us", launch.many * microseconds)
                   .add("line bytes", costs.line_bytes));
    measure_graphs(module, stream, options.pairs, report);
    return costs;
}

std::vector<WorkSize> device_suite() { return { { 64, 16, 4, 2 }, { 128, 16, 4, 2 }, { 256, 16, 5, 2 }, { 256, 32, 5, 2 } }; }

void run_devices(const Session &session, const Options &options, Report &report) {
    if (session.n_ranks() > 1) return run_exchanges_on_processes(session, options, report, nullptr);
    if (options.threads > 1) return run_exchanges_on_threads(options, report);
    DeviceCosts costs;
    {
        const std::unique_ptr<DeviceKernels> others = load_device_kernels(options.device);
        const DeviceModule module(options.device, others ? others->context() : "");
        costs = measure_device(module, others.get(), options, report);
        compare_kernels(module, others.get(), costs, options, report);
    }
    run_exchanges_on_processes(session, options, report, &costs);
}

} // namespace bench
