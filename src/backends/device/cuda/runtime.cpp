// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include "halo_plugin.h"

#define HALO_GPU(name) cuda##name
#define HALO_GPU_NAME "CUDA"
#define HALO_GPU_HOST_ALLOC cudaHostAlloc
#define HALO_GPU_HOST_FREE cudaFreeHost
#define HALO_GPU_HOST_FLAGS (cudaHostAllocPortable | cudaHostAllocMapped)
#define HALO_GPU_PROPERTIES cudaDeviceProp
#define HALO_GPU_GET_PROPERTIES cudaGetDeviceProperties
#define HALO_GPU_LEAST_MAJOR 8
#define HALO_GPU_LEAST "8.0"
#define HALO_GPU_PAGEABLE_ACCESS cudaDevAttrPageableMemoryAccess
#define HALO_GPU_POINTER_ATTRIBUTES cudaPointerAttributes

static int32_t gpu_pointer_kind(const cudaPointerAttributes &found) {
    switch (found.type) {
    case cudaMemoryTypeUnregistered: return HALO_POINTER_HOST;
    case cudaMemoryTypeHost:
    case cudaMemoryTypeManaged: return HALO_POINTER_BOTH;
    case cudaMemoryTypeDevice: return HALO_POINTER_DEVICE;
    default: return HALO_POINTER_UNKNOWN;
    }
}

#include "gpu_runtime.h"
