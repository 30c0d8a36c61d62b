// SPDX-License-Identifier: BSD-3-Clause
// What transports that open over a bootstrap have alike.
#pragma once

#include <cstddef>

#include "halo_plugin.h"

namespace halo::transport {

// nullptr: there is none, or the core is older than plugin ABI 1.5.
inline const halo_bootstrap *bootstrap_of(const halo_transport_params &params) {
    constexpr size_t end = offsetof(halo_transport_params, bootstrap) + sizeof params.bootstrap;
    return params.struct_size >= end ? params.bootstrap : nullptr;
}

} // namespace halo::transport
