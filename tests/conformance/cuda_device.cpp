// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#define HALO_GPU(name) cuda##name
#define HALO_GPU_MODULE "cuda"
#include "gpu_device.h"

namespace conformance {

std::unique_ptr<TestDevice> make_cuda_device(const char *file) { return std::make_unique<GpuDevice>(file); }

} // namespace conformance
