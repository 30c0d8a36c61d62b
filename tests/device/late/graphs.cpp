// SPDX-License-Identifier: BSD-3-Clause
#include "graphs.h"

#include <atomic>
#include <span>

#include "late.h"

namespace late {

namespace {

std::atomic<bool> refused{ false };

} // namespace

bool graphs_are_refused() { return refused; }

int32_t Graphs::come(const halo_device_step *steps, int64_t n) {
    constexpr size_t most = 16;
    std::vector<Range> form;
    for (const halo_device_step &step : std::span(steps, static_cast<size_t>(n)))
        for (int64_t i = 0; i < step.n; ++i)
            if (step.kind == HALO_STEP_COMBINE)
                form.emplace_back(step.kind, step.combined[i].table, step.combined[i].first, step.combined[i].n, step.combined[i].op);
            else
                form.emplace_back(step.kind, step.ranges[i].table, step.ranges[i].first, step.ranges[i].n, step.ranges[i].rows);
    if (times_.size() == most && !times_.contains(form)) times_.clear();
    const int64_t times = times_[form]++;
    return times == 0 ? HALO_STEPS_LAUNCHED : times == 1 ? HALO_STEPS_RECORDED : HALO_STEPS_REPLAYED;
}

halo_status run_steps(halo_device *device, const halo_device_step *steps, int64_t n, halo_stream stream) {
    const halo_device_ops &ops = *halo_device_late.ops;
    for (const halo_device_step &step : std::span(steps, static_cast<size_t>(n))) {
        halo_status status = HALO_ERR_ARGUMENT;
        if (step.kind == HALO_STEP_RUN) status = ops.ranges_run(device, step.ranges, step.n, stream);
        if (step.kind == HALO_STEP_TEST) status = ops.ranges_test(device, step.ranges, step.n, stream);
        if (step.kind == HALO_STEP_COMBINE) status = ops.ranges_combine(device, step.combined, step.n, stream);
        if (status != HALO_SUCCESS) return status;
    }
    return HALO_SUCCESS;
}

} // namespace late

void late_refuse_graphs(bool refuse) { late::refused = refuse; }
