// SPDX-License-Identifier: BSD-3-Clause
// The addresses of all ranks' workers, exchanged by a bootstrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "halo_plugin.h"

namespace halo::ucx {

// What a rank tells the others: its address, or why it has none.
struct Own {
    std::string failure; // "": none
    const void *address = nullptr;
    size_t bytes = 0;
};

class Addresses {
public:
    // Collective. All ranks make the same calls of the bootstrap whatever has failed on one of them before; then all fail, with the rank's number.
    halo_status exchange(const halo_host *host, const halo_bootstrap &bootstrap, const Own &own);
    const unsigned char *of(int32_t rank) const { return packed_.data() + static_cast<size_t>(rank) * stride_; }

private:
    halo_status gather(const halo_host *host, const halo_bootstrap &bootstrap, const Own &own);

    size_t stride_ = 0;
    std::vector<unsigned char> packed_;
};

} // namespace halo::ucx
