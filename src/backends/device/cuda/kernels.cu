// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#define HALO_GPU(name) cuda##name
#include "gpu_kernels.h"
