// SPDX-License-Identifier: BSD-3-Clause
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#define HALO_GPU(name) hip##name
#define HALO_GPU_NAME "HIP"
#define HALO_GPU_HOST_ALLOC hipHostMalloc
#define HALO_GPU_HOST_FREE hipHostFree
#define HALO_GPU_HOST_FLAGS (hipHostMallocPortable | hipHostMallocMapped)
#define HALO_GPU_PROPERTIES hipDeviceProp_t
#define HALO_GPU_GET_PROPERTIES hipGetDeviceProperties
#define HALO_GPU_LEAST_MAJOR 0 // which targets there is code for says the compiler
#define HALO_GPU_LEAST "0"
#include "gpu_runtime.h"
