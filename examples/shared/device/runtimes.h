// SPDX-License-Identifier: BSD-3-Clause
/// The runtimes of vendors for which this is built.
#pragma once

#include "program_kernels.h"
#include "queue.h"

namespace device {

/// Each throws NotThere.
std::unique_ptr<Runtime> open_opencl();
std::unique_ptr<Runtime> open_cuda();

constexpr unsigned threads_of_group = 64;
constexpr std::int64_t n_groups(std::int64_t n) { return (n + threads_of_group - 1) / threads_of_group; }

} // namespace device
