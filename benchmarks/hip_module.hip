// SPDX-License-Identifier: BSD-3-Clause
#include <hip/hip_runtime.h>

#define GPU(name) hip##name
#include "gpu_module.h"
