// SPDX-License-Identifier: BSD-3-Clause
#include <hip/hip_runtime.h>

#define HALO_GPU(name) hip##name
#include "gpu_kernels.h"
