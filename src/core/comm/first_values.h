// SPDX-License-Identifier: BSD-3-Clause
// Memory in the space of a device that begins with known values. Nobody knows in which stream it will be used first: the host waits. HALO_TIMEOUT.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "comm/context.h"

namespace halo {

// `put` puts what writes them into the device's own stream.
void write_first_values(Context &context, const Device &device, FunctionRef<void()> put);
void write_zeros(Context &context, const Device &device, void *data, int64_t bytes);

} // namespace halo
