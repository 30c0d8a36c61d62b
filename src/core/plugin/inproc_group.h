// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks that live in this process, as the built-in transport makes them.
#pragma once

#include <cstdint>

#include "halo.h"

namespace halo {

halo_inproc *create_inproc_group(int32_t n_ranks);
int32_t inproc_group_size(const halo_inproc *group);
// HALO_BUSY while contexts of the group live.
void destroy_inproc_group(halo_inproc *group);

} // namespace halo
