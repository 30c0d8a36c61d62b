// SPDX-License-Identifier: BSD-3-Clause
// What a device of libhalo does in an exchange of blocks, without the messages: packing, unpacking, copies from block to block. Its one launch for
// all buffers against one for each, and against kernels by hand for just this shape. The storage is that of a Work, on one rank.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "benchmarks.h"
#include "device_module.h"
#include "pairs.h"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
constexpr DeviceTask tasks[] = { DeviceTask::pack, DeviceTask::unpack, DeviceTask::direct };

const char *name_of(DeviceTask task) { return task == DeviceTask::pack ? "pack" : task == DeviceTask::unpack ? "unpack" : "block to block"; }

// Of all blocks, in the order of a message that has them all.
std::vector<GhostBuffer> buffers_of(const Work &work) {
    const int64_t row = work.row(), ghost = work.size().ghost, block = work.size().block;
    const auto element = [&](int64_t gid, const Offset &cell) {
        return (gid - work.first_local()) * work.block_elements() + ((cell[2] + ghost) * row + cell[1] + ghost) * row + cell[0] + ghost;
    };
    std::vector<GhostBuffer> buffers;
    int64_t end = 0;
    for (int64_t gid = 0; gid < work.n_blocks(); ++gid)
        for (int32_t number = 0; number < 27; ++number) {
            const Offset offset{ number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1 };
            if (offset == Offset{}) continue;
            GhostBuffer buffer{};
            Offset from{}, to{};
            int64_t values = work.size().components;
            for (size_t d = 0; d < 3; ++d) {
                buffer.extent[d] = static_cast<int32_t>(offset[d] == 0 ? block : ghost);
                from[d] = offset[d] < 0 ? block - ghost : 0;
                to[d] = offset[d] < 0 ? -ghost : offset[d] > 0 ? block : 0;
                values *= buffer.extent[d];
            }
            buffer.source = element(work.neighbour(gid, offset), from);
            buffer.target = element(gid, to);
            buffer.message = end;
            buffer.offset = number;
            end += values;
            buffers.push_back(buffer);
        }
    return buffers;
}

// The two sides of a task, as strides along y, z and components.
struct Side {
    bool message;
    int64_t row; // of a block

    void set(int64_t *bytes, const int32_t *extent) const {
        const int64_t x = message ? extent[0] : row, y = message ? extent[1] : row, z = message ? extent[2] : row;
        bytes[0] = x * 8, bytes[1] = x * y * 8, bytes[2] = x * y * z * 8;
    }
};

// Base 0: all blocks. Base 1: the message.
std::unique_ptr<DeviceTable> make_table(const DeviceModule &module, const Work &work, const std::vector<GhostBuffer> &buffers, DeviceTask task) {
    const Side from{ task == DeviceTask::unpack, work.row() }, to{ task == DeviceTask::pack, work.row() };
    std::vector<halo_copy_shape> shapes(27);
    std::vector<halo_copy_row> rows;
    for (const GhostBuffer &buffer : buffers) {
        halo_copy_shape &shape = shapes[static_cast<size_t>(buffer.offset)];
        shape.n_pieces = 1, shape.element_bytes = sizeof(double);
        shape.run[0] = static_cast<uint32_t>(buffer.extent[0]);
        shape.n[0] = static_cast<uint32_t>(buffer.extent[1]);
        shape.n[1] = static_cast<uint32_t>(buffer.extent[2]);
        shape.n[2] = static_cast<uint32_t>(work.size().components);
        shape.dst_step = shape.src_step[0] = sizeof(double);
        to.set(shape.dst_stride, buffer.extent);
        from.set(shape.src_stride[0], buffer.extent);
        halo_copy_row row{};
        row.shape = static_cast<uint32_t>(buffer.offset);
        row.dst_base = to.message ? 1 : 0, row.src_base[0] = from.message ? 1 : 0;
        row.dst_offset = (to.message ? buffer.message : buffer.target) * 8;
        row.src_offset[0] = (from.message ? buffer.message : buffer.source) * 8;
        rows.push_back(row);
    }
    shapes[13] = shapes[0]; // a block and itself: no row has it
    return std::make_unique<DeviceTable>(module, shapes, rows);
}

// Until the device has done it; the first three are not in the median: by then launches that come again are recorded.
template <class Action>
double median_until_done(const DeviceModule &module, halo_stream stream, int repetitions, Action &&action) {
    std::vector<double> seconds;
    for (int i = -3; i < repetitions; ++i) {
        const double time = seconds_of([&] {
            action();
            module.complete(stream);
        });
        if (i >= 0) seconds.push_back(time);
    }
    return median_of(std::move(seconds));
}

class Contestants {
public:
    Contestants(const DeviceModule &module, DeviceKernels *by_hand, const WorkSize &size)
        : module_(module),
          by_hand_(by_hand),
          stream_(by_hand ? by_hand->stream() : nullptr),
          work_(size, 0, 1),
          buffers_(buffers_of(work_)),
          blocks_(module, static_cast<size_t>(work_.elements()) * sizeof(double)),
          message_(module, static_cast<size_t>(payload_bytes())) {
        work_.fill();
        begin_.assign(work_.data(), work_.data() + work_.elements());
        for (const GhostBuffer &buffer : buffers_) append(buffer);
        for (const DeviceTask task : tasks) tables_.push_back(make_table(module, work_, buffers_, task));
        if (by_hand) by_hand->prepare(static_cast<int>(size.block), size.ghost, size.components, buffers_, blocks_.data(), message_.data());
    }

    int64_t payload_bytes() const { return work_.ghost_bytes(Part::all); }
    size_t n_buffers() const { return buffers_.size(); }
    std::string text() const { return work_.size().text(); }

    void fused(DeviceTask task) { table(task).run(bases_, stream_); }
    // As codes with a kernel for each buffer do it; where none is written by hand, by the module's.
    void one_by_one(DeviceTask task) {
        if (by_hand_)
            by_hand_->run_each(task);
        else
            table(task).run_row_by_row(bases_, stream_);
    }
    void by_hand(DeviceTask task) { by_hand_->run(task); }

    // What start puts on a device: packing, and copies from block to block. Recorded, or a launch for each.
    double together(DeviceGraph *graph, int repetitions, bool last) {
        const std::vector<halo_copy_range> ranges{ table(DeviceTask::pack).range(bases_), table(DeviceTask::direct).range(bases_) };
        if (last) reset(DeviceTask::direct);
        int not_replayed = 0;
        const double seconds = median_until_done(module_, stream_, repetitions, [&] {
            if (graph) {
                if (!graph->run(ranges, stream_) && ++not_replayed > 3) throw std::runtime_error("launches that come again are not replayed");
            } else {
                for (const halo_copy_range &range : ranges) module_.check(module_.ops().ranges_run(module_.get(), &range, 1, stream_));
            }
        });
        if (last) verify(DeviceTask::pack), verify(DeviceTask::direct);
        return seconds;
    }

    // Before its last turn what a contender writes is taken away, and afterwards compared.
    double turn(void (Contestants::*contender)(DeviceTask), DeviceTask task, int repetitions, bool last) {
        if (last) reset(task);
        const double seconds = median_until_done(module_, stream_, repetitions, [&] { (this->*contender)(task); });
        if (last) verify(task);
        return seconds;
    }

private:
    DeviceTable &table(DeviceTask task) { return *tables_[static_cast<size_t>(task)]; }

    // As packing by hand on the host has it.
    void append(const GhostBuffer &buffer) {
        const int64_t row = work_.row();
        for (int64_t c = 0; c < work_.size().components; ++c)
            for (int64_t z = 0; z < buffer.extent[2]; ++z)
                for (int64_t y = 0; y < buffer.extent[1]; ++y) {
                    const double *const values = begin_.data() + buffer.source + ((c * row + z) * row + y) * row;
                    packed_.insert(packed_.end(), values, values + buffer.extent[0]);
                }
    }
    void reset(DeviceTask task) {
        const std::vector<double> nothing(packed_.size(), -1);
        blocks_.upload(begin_.data(), stream_);
        message_.upload(task == DeviceTask::unpack ? packed_.data() : nothing.data(), stream_);
    }
    void verify(DeviceTask task) {
        bool wrong = false;
        if (task == DeviceTask::pack) {
            std::vector<double> found(packed_.size());
            message_.download(found.data(), stream_);
            wrong = found != packed_;
        } else {
            blocks_.download(work_.data(), stream_);
            wrong = work_.wrong_values(Part::all) != 0;
        }
        if (wrong) throw std::runtime_error(text() + ", " + name_of(task) + ": a contender has written other values");
    }

    const DeviceModule &module_;
    DeviceKernels *by_hand_;
    halo_stream stream_;
    Work work_;
    std::vector<GhostBuffer> buffers_;
    std::vector<double> begin_, packed_; // all blocks, without their ghosts; the message
    DeviceMemory blocks_, message_;
    std::vector<std::unique_ptr<DeviceTable>> tables_;
    std::vector<void *> bases_{ blocks_.data(), message_.data() };
};

// Bytes per second that a copy within the device reads and writes.
double measure_device(const DeviceModule &module, const Options &options, Report &report) {
    constexpr size_t bytes = size_t{ 64 } << 20;
    constexpr int many = 100;
    const DeviceMemory from(module, bytes), to(module, bytes);
    const double zero = 0;
    const auto fill = [&](int64_t n) { module.check(module.ops().fill(module.get(), from.data(), &zero, sizeof zero, n, nullptr)); };
    fill(bytes / sizeof zero);
    module.complete(nullptr);
    const auto seconds = [&](auto &&action) { return median_until_done(module, nullptr, options.pairs, action); };
    const double copy = seconds([&] { module.check(module.ops().copy(module.get(), to.data(), from.data(), bytes, nullptr)); });
    const double one = seconds([&] { fill(1); });
    const double launches = seconds([&] {
        for (int i = 0; i < many; ++i) fill(1);
    });
    const double rate = 2 * static_cast<double>(bytes) / copy;
    report.begin("device", "copies within it, read and written; a launch that is waited for; a launch among many");
    report.row(Row()
                   .add("device", module.what())
                   .add("copy GB/s", rate * 1e-9)
                   .add("launch and wait us", one * microseconds)
                   .add("launch us", (launches - one) / (many - 1) * microseconds));
    return rate;
}

void compare(Contestants &all, DeviceTask task, bool with_hand, double rate, const Options &options, Report &report) {
    const int repetitions = options.repetitions > 0 ? options.repetitions : 5;
    const auto turn = [&](void (Contestants::*contender)(DeviceTask)) {
        return [&all, contender, task, repetitions](bool last) { return all.turn(contender, task, repetitions, last); };
    };
    const Pairs apart = alternate(options.pairs, turn(&Contestants::fused), turn(&Contestants::one_by_one));
    Pairs hand;
    if (with_hand) hand = alternate(options.pairs, turn(&Contestants::fused), turn(&Contestants::by_hand));
    const double fused = median_of(apart.first), moved = 2 * static_cast<double>(all.payload_bytes()) / fused;
    const Estimate to_apart = apart.ratio(), to_hand = with_hand ? hand.ratio() : Estimate{ not_measured, not_measured, not_measured };
    report.row(Row()
                   .add("work", all.text())
                   .add("task", name_of(task))
                   .add("buffers", static_cast<int64_t>(all.n_buffers()))
                   .add("payload MB", static_cast<double>(all.payload_bytes()) * 1e-6)
                   .add("one launch us", fused * microseconds)
                   .add("GB/s", moved * 1e-9)
                   .add("of a copy %", 100 * moved / rate)
                   .add("launch each us", median_of(apart.second) * microseconds)
                   .add("ratio", to_apart)
                   .add("by hand us", with_hand ? median_of(hand.second) * microseconds : not_measured)
                   .add("to hand", to_hand.median)
                   .add("to hand low", to_hand.low)
                   .add("to hand high", to_hand.high));
}

void compare_graphs(Contestants &all, DeviceGraph &graph, const Options &options, Report &report) {
    const int repetitions = options.repetitions > 0 ? options.repetitions : 5;
    const Pairs pairs = alternate(
        options.pairs, [&](bool last) { return all.together(&graph, repetitions, last); },
        [&](bool last) { return all.together(nullptr, repetitions, last); });
    const Estimate ratio = pairs.ratio();
    report.row(Row()
                   .add("work", all.text())
                   .add("replay us", median_of(pairs.first) * microseconds)
                   .add("two launches us", median_of(pairs.second) * microseconds)
                   .add("ratio", ratio));
}

} // namespace

void run_devices(const Session &session, const Options &options, Report &report) {
    if (session.n_ranks() > 1) throw std::runtime_error("devices: one rank alone: there are no messages in it");
    const std::unique_ptr<DeviceKernels> by_hand = load_device_kernels(options.device);
    DeviceModule module(options.device, by_hand ? by_hand->context() : "");
    const double rate = measure_device(module, options, report);
    report.begin("ghosts of blocks on a device",
                 "all in one launch, against a launch for each buffer, and one launch of a kernel by hand; values read and written");
    for (const WorkSize &size : options.works) {
        Contestants all(module, by_hand.get(), size);
        for (const DeviceTask task : tasks) compare(all, task, by_hand != nullptr, rate, options, report);
    }
    DeviceGraph graph(module);
    if (graph.lacks().empty()) {
        report.begin("packing and copies from block to block, recorded",
                     "one replay against two launches, until the device has done them (device.graphs)");
        for (const WorkSize &size : options.works) {
            Contestants all(module, by_hand.get(), size);
            compare_graphs(all, graph, options, report);
        }
    } else {
        report.remark("no comparison with recorded launches: " + graph.lacks());
    }
    if (!by_hand)
        report.remark("no kernels by hand: halo_bench has none for device " + options.device +
                      ", or the module with them was not built; launches for each buffer are those of libhalo's module");
}

} // namespace bench
