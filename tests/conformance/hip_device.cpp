// SPDX-License-Identifier: BSD-3-Clause
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#define HALO_GPU(name) hip##name
#define HALO_GPU_MODULE "hip"
#include "gpu_device.h"

namespace conformance {

std::unique_ptr<TestDevice> make_hip_device(const char *file) { return std::make_unique<GpuDevice>(file); }

} // namespace conformance
