// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "parameters.h"
#include "queue.h"

#include <halo.hpp>

#include <cstdint>
#include <vector>

namespace euler {

/// What a run leaves behind: the same on every rank.
struct Outcome {
    Parameters parameters;
    double time = 0;
    bool passed = true;
    double density_error = 0;                             ///< sod: mean |density - exact density|
    std::vector<double> profile;                          ///< sod: density along the tube
    std::vector<double> density;                          ///< blast: the plane in the middle of z, x fastest
    std::vector<std::vector<double>> tracers;             ///< blast: the tracers' densities in that plane
    std::vector<std::vector<std::int64_t>> tracer_blocks; ///< blast: per tracer and block (x, then y) of that plane, 1 where it has storage
};

/// Run one problem to its end, on the host or on a device. Collective; rank 0 prints progress, checks and counters.
Outcome run(const halo::Context &context, const device::Device &device, const Parameters &parameters);

} // namespace euler
