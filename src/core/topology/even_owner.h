// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halo {

// Ranks own equal runs of `n` gids; the owner of one is the largest rank whose run starts at or before it.
inline int32_t even_owner(int64_t gid, int64_t n, int32_t n_ranks) {
    return static_cast<int32_t>((static_cast<__int128>(gid + 1) * n_ranks - 1) / n);
}

inline int64_t first_of_owner(int32_t rank, int64_t n, int32_t n_ranks) { return static_cast<int64_t>(static_cast<__int128>(rank) * n / n_ranks); }

} // namespace halo
