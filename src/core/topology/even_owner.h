// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halo {

// Ranks own equal runs of `n` gids, and parts equal runs of `n` cells; the owner of one is the largest whose run starts at or before it.
inline int32_t even_owner(int64_t gid, int64_t n, int64_t n_owners) {
    return static_cast<int32_t>((static_cast<__int128>(gid + 1) * n_owners - 1) / n);
}

inline int64_t even_begin(int64_t owner, int64_t n, int64_t n_owners) { return static_cast<int64_t>(static_cast<__int128>(owner) * n / n_owners); }

} // namespace halo
