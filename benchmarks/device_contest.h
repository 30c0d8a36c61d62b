// SPDX-License-Identifier: BSD-3-Clause
// A case on a device with all who do it: one launch of libhalo's module, a launch for each buffer, fused loops, kernels by hand.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "device_case.h"
#include "device_module.h"
#include "statistics.h"
#include "timed.h"

namespace bench {

const char *name_of(DeviceTask task);

// What a launch costs on this device.
struct DeviceCosts {
    double copy_rate = 0; // bytes per second that a copy within it reads and writes
    double launch = 0;    // seconds, among many
    int64_t line_bytes = 0;
};

// Until the device has done it. The first three are not in the median: by then launches that come again are recorded.
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

class DeviceContest {
public:
    // `others` may be null: there is none but libhalo's module.
    DeviceContest(const DeviceModule &module, DeviceKernels *others, const DeviceCase &one);

    bool has_loops() const { return others_ != nullptr; }
    bool has_hand() const { return has_hand_; }

    void fused(DeviceTask task) { table(task).run(bases_, stream_); }
    // As codes with a kernel for each buffer do it: by hand, or where there is none by libhalo's module.
    void one_by_one(DeviceTask task);
    void loops(DeviceTask task);
    void by_hand(DeviceTask task);

    // Seconds. Before the last turn of a contender what it writes is taken away, and afterwards compared.
    double turn(void (DeviceContest::*contender)(DeviceTask), DeviceTask task, int repetitions, bool last);
    // What start puts on a device: packing, and copies within the rank. Recorded, or a launch for each.
    double together(DeviceGraph *graph, int repetitions, bool last);

private:
    DeviceTable &table(DeviceTask task) { return *tables_[static_cast<size_t>(task)]; }
    std::vector<IndexLoop> loops_of(DeviceTask task) const;
    void reset(DeviceTask task);
    void verify(DeviceTask task);

    const DeviceModule &module_;
    DeviceKernels *others_;
    halo_stream stream_;
    const DeviceCase &case_;
    DeviceMemory storage_, message_;
    std::vector<std::unique_ptr<DeviceTable>> tables_;
    std::vector<void *> bases_{ storage_.data(), message_.data() };
    bool has_hand_ = false;
    std::unique_ptr<DeviceMemory> buffers_, lists_, loops_[3];
    size_t groups_by_hand_ = 1, groups_of_loops_ = 1;
};

} // namespace bench
