// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on sizes that callers give. What does not fit is noticed in the end, once, by an error that names the quantity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.h"

namespace halo {

// A sum or product of sizes that remembers whether any step overflowed.
class Checked {
public:
    constexpr Checked(int64_t value) : value_(value) {}

    friend constexpr Checked operator+(Checked a, Checked b) {
        Checked sum = 0;
        sum.fits_ = !__builtin_add_overflow(a.value_, b.value_, &sum.value_) && a.fits_ && b.fits_;
        return sum;
    }
    friend constexpr Checked operator*(Checked a, Checked b) {
        Checked product = 0;
        product.fits_ = !__builtin_mul_overflow(a.value_, b.value_, &product.value_) && a.fits_ && b.fits_;
        return product;
    }

    // Is it a size, of at most `most`?
    constexpr bool fits(int64_t most = INT64_MAX) const { return fits_ && value_ >= 0 && value_ <= most; }
    // HALO_ERR_LIMIT where it is none: "field u, part 3: the bytes of its storage exceeds ...".
    int64_t value(const char *what, int64_t most = INT64_MAX) const {
        if (!fits(most)) [[unlikely]]
            fail(HALO_ERR_LIMIT, "%s exceeds %lld", what, static_cast<long long>(most));
        return value_;
    }

private:
    int64_t value_;
    bool fits_ = true;
};

// HALO_ERR_ARGUMENT: none of 0, more, and HALO_TIMEOUT_CONFIGURED.
inline void check_timeout(const char *what, double seconds) {
    if (!(seconds >= 0) && seconds != HALO_TIMEOUT_CONFIGURED)
        fail(HALO_ERR_ARGUMENT, "%s: timeout_seconds %g: it must be 0 or more, or HALO_TIMEOUT_CONFIGURED", what, seconds);
}

// HALO_ERR_LIMIT where a size is above the library's limit: "blocks: n_cells 2147483648 exceeds 2147483647".
inline void check_limit(const char *what, int64_t value, int64_t most) {
    if (value > most) [[unlikely]]
        fail(HALO_ERR_LIMIT, "%s %lld exceeds %lld", what, static_cast<long long>(value), static_cast<long long>(most));
}
inline void check_bytes_limit(const char *what, size_t bytes, int64_t most) {
    if (bytes > static_cast<size_t>(most)) [[unlikely]]
        fail(HALO_ERR_LIMIT, "%s %zu exceeds %lld", what, bytes, static_cast<long long>(most));
}

} // namespace halo
