// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "test_device.h"

namespace conformance {

// A program's own OpenCL: context, queues and copies; libhalo is told of the context, and its module is in this file.
std::unique_ptr<TestDevice> make_opencl_device(const char *module);

} // namespace conformance
