// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "endpoint.h"

namespace halo::shm {

// Collective over the ranks of the bootstrap. All of them make the same exchanges, whatever has failed on one: then it fails on all, and names that
// one. Throws std::bad_alloc before the first exchange only. `readable_only` as of Endpoint.
halo_status open_endpoint(const halo_host *host, const halo_bootstrap &bootstrap, bool readable_only, std::unique_ptr<Endpoint> &opened);

} // namespace halo::shm
