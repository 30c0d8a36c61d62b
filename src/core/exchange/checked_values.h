// SPDX-License-Identifier: BSD-3-Clause
// What check mode does with values of boxes: hashes, copies beside, comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "exchange/box_values.h"
#include "halo.h"

namespace halo {

constexpr uint32_t unknown_hash = 0; // of what a device sends

// One hash per point over its components, in the receiver's order.
void add_hashes(const BoxValues &values, const std::byte *storage, std::vector<uint32_t> &hashes);
// Of values that rows negate.
void add_negated(const BoxCopy &box, const std::byte *storage, std::vector<uint32_t> &hashes);

// The value as the device's rows give it.
void negate(halo_type type, std::byte *value, int64_t bytes);

void gather(const BoxValues &values, const std::byte *storage, std::byte *into);

// Between a part's storage and values side by side, in the order of BoxValues.
template <class N, class Bytes, class At>
void gather_row(const std::byte *storage, std::byte *into, N n, Bytes bytes, At at) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(into + i * bytes, storage + at(i), static_cast<size_t>(bytes));
}
template <class N, class Bytes>
void gather_row(const std::byte *storage, std::byte *into, N n, Bytes bytes, SideBySide at) {
    std::memcpy(into, storage + at.begin, static_cast<size_t>(n * bytes));
}

template <class N, class Bytes, class At>
void scatter_row(const std::byte *from, std::byte *storage, N n, Bytes bytes, At at) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(storage + at(i), from + i * bytes, static_cast<size_t>(bytes));
}

template <class N, class Bytes>
void scatter_row(const std::byte *from, std::byte *storage, N n, Bytes bytes, SideBySide at) {
    std::memcpy(storage + at.begin, from, static_cast<size_t>(n * bytes));
}

template <class N, class Bytes, class At>
int64_t first_different(const std::byte *expected, const std::byte *storage, N n, Bytes bytes, At at) {
    for (int64_t i = 0; i < n; ++i)
        if (std::memcmp(expected + i * bytes, storage + at(i), static_cast<size_t>(bytes)) != 0) return i;
    return n;
}

template <class N, class Bytes, class At>
bool is_row(const std::byte *expected, const std::byte *storage, N n, Bytes bytes, At at) {
    return first_different(expected, storage, n, bytes, at) == n;
}
template <class N, class Bytes>
bool is_row(const std::byte *expected, const std::byte *storage, N n, Bytes bytes, SideBySide at) {
    return std::memcmp(expected, storage + at.begin, static_cast<size_t>(n * bytes)) == 0;
}

} // namespace halo
