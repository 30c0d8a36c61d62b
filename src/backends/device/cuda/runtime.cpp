// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#define HALO_GPU(name) cuda##name
#define HALO_GPU_NAME "CUDA"
#define HALO_GPU_HOST_ALLOC cudaHostAlloc
#define HALO_GPU_HOST_FREE cudaFreeHost
#define HALO_GPU_HOST_FLAGS (cudaHostAllocPortable | cudaHostAllocMapped)
#define HALO_GPU_PROPERTIES cudaDeviceProp
#define HALO_GPU_GET_PROPERTIES cudaGetDeviceProperties
#define HALO_GPU_LEAST_MAJOR 8
#define HALO_GPU_LEAST "8.0"
#include "gpu_runtime.h"
