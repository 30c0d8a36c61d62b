// SPDX-License-Identifier: BSD-3-Clause
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include "halo_plugin.h"

#define HALO_GPU(name) hip##name
#define HALO_GPU_NAME "HIP"
#define HALO_GPU_HOST_ALLOC hipHostMalloc
#define HALO_GPU_HOST_FREE hipHostFree
#define HALO_GPU_HOST_FLAGS (hipHostMallocPortable | hipHostMallocMapped)
#define HALO_GPU_PROPERTIES hipDeviceProp_t
#define HALO_GPU_GET_PROPERTIES hipGetDeviceProperties
#define HALO_GPU_LEAST_MAJOR 0 // which targets there is code for says the compiler
#define HALO_GPU_LEAST "0"
#define HALO_GPU_PAGEABLE_ACCESS hipDeviceAttributePageableMemoryAccess
#define HALO_GPU_POINTER_ATTRIBUTES hipPointerAttribute_t

// The member that tells is called `type` from HIP 6 on, which also knows memory that nobody has told it of.
template <class Attributes>
static int32_t gpu_pointer_kind(const Attributes &found) {
    if (found.isManaged != 0) return HALO_POINTER_BOTH;
    const auto type = [&] {
        if constexpr (requires { found.type; })
            return found.type;
        else
            return found.memoryType;
    }();
    if (type == hipMemoryTypeDevice) return HALO_POINTER_DEVICE;
    if (type == hipMemoryTypeHost) return HALO_POINTER_BOTH;
    return found.devicePointer == nullptr ? HALO_POINTER_HOST : HALO_POINTER_UNKNOWN;
}

#include "gpu_runtime.h"
