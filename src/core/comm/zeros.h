// SPDX-License-Identifier: BSD-3-Clause
// Memory that begins as zeros.
#pragma once

#include <cstdint>

#include "comm/context.h"

namespace halo {

// In the space of a device, where nobody knows in which stream it will be used first: the host waits. HALO_TIMEOUT.
void write_zeros(Context &context, const Device &device, void *data, int64_t bytes);

} // namespace halo
