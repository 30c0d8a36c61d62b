// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>

#define GPU(name) cuda##name
#include "gpu_module.h"
