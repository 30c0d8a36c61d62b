// SPDX-License-Identifier: BSD-3-Clause
// Whole exchanges of fields in memory of a device.
#pragma once

#include <string>

#include "benchmarks.h"
#include "device_contest.h"

namespace bench {

// A copy within the device and a launch; reported with recorded launches. `others` may be null.
DeviceCosts measure_device(const DeviceModule &module, const DeviceKernels *others, const Options &options, Report &report);
// Why this host cannot hold a case; empty: it can.
std::string lacks_for(const WorkSize &size);

// Ranks are the processes of a launcher, or so many threads of this one (Options::threads). All of them are on the first device. `known`: what was
// measured there before, or null.
void run_exchanges_on_processes(const Session &session, const Options &options, Report &report, const DeviceCosts *known);
void run_exchanges_on_threads(const Options &options, Report &report);

} // namespace bench
