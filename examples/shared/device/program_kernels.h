// SPDX-License-Identifier: BSD-3-Clause
/// A program's kernels as each vendor's runtime wants them. CMake's device_kernels() makes them from the header that they are in.
#pragma once

namespace device {

/// OpenCL: their text.
extern const char *const kernels_text;

/// CUDA: the functions, up to one without a name.
struct NamedKernel {
    const char *name;
    const void *function;
};
extern const NamedKernel kernels[];

} // namespace device
