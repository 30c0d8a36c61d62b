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

    friend Checked operator+(Checked a, Checked b);
    friend Checked operator*(Checked a, Checked b);

    // Is it a size, of at most `most`?
    bool fits(int64_t most = INT64_MAX) const { return fits_ && value_ >= 0 && value_ <= most; }
    // HALO_ERR_LIMIT where it is none: "field u, part 3: the bytes of its storage exceeds ...".
    int64_t value(const char *what, int64_t most = INT64_MAX) const;

private:
    int64_t value_;
    bool fits_ = true;
};

// HALO_ERR_ARGUMENT: none of 0, more, and HALO_TIMEOUT_CONFIGURED.
void check_timeout(const char *what, double seconds);

// HALO_ERR_LIMIT where a size is above the library's limit: "blocks: n_cells 2147483648 exceeds 2147483647".
void check_limit(const char *what, int64_t value, int64_t most);
void check_bytes_limit(const char *what, size_t bytes, int64_t most);

} // namespace halo
