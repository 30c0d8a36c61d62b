// SPDX-License-Identifier: BSD-3-Clause
#include "base/checked.h"

namespace halo {

Checked operator+(Checked a, Checked b) {
    Checked sum = 0;
    sum.fits_ = !__builtin_add_overflow(a.value_, b.value_, &sum.value_) && a.fits_ && b.fits_;
    return sum;
}

Checked operator*(Checked a, Checked b) {
    Checked product = 0;
    product.fits_ = !__builtin_mul_overflow(a.value_, b.value_, &product.value_) && a.fits_ && b.fits_;
    return product;
}

int64_t Checked::value(const char *what, int64_t most) const {
    if (!fits(most)) fail(HALO_ERR_LIMIT, "%s exceeds %lld", what, static_cast<long long>(most));
    return value_;
}

void check_timeout(const char *what, double seconds) {
    if (!(seconds >= 0) && seconds != HALO_TIMEOUT_CONFIGURED)
        fail(HALO_ERR_ARGUMENT, "%s: timeout_seconds %g: it must be 0 or more, or HALO_TIMEOUT_CONFIGURED", what, seconds);
}

void check_limit(const char *what, int64_t value, int64_t most) {
    if (value > most) fail(HALO_ERR_LIMIT, "%s %lld exceeds %lld", what, static_cast<long long>(value), static_cast<long long>(most));
}

void check_bytes_limit(const char *what, size_t bytes, int64_t most) {
    if (bytes > static_cast<size_t>(most)) fail(HALO_ERR_LIMIT, "%s %zu exceeds %lld", what, bytes, static_cast<long long>(most));
}

} // namespace halo
