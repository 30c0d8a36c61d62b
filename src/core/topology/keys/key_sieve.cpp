// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/key_sieve.h"

#include <algorithm>

namespace halo {

KeySieve::KeySieve(uint64_t low, uint64_t high, int64_t n) : low_(low) {
    constexpr uint64_t bits_per_key = 16; // by a hash, so many fewer are kept for nothing
    constexpr uint64_t least = 64;
    const uint64_t most = std::max(bits_per_key * static_cast<uint64_t>(n), least);
    hashed_ = high - low >= most;
    n_slots_ = hashed_ ? most : high - low + 1;
    once_.assign(n_slots_ / 64 + 1, 0);
    twice_.assign(n_slots_ / 64 + 1, 0);
}

} // namespace halo
