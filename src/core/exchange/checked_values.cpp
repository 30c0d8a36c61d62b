// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/checked_values.h"

#include <algorithm>

namespace halo {

namespace {

// Goes on with a value of any size; never 0. Each value that differs in one half of a word gives another hash. Operations of 32 bits, which compilers
// do for several values at once.
inline uint32_t folded(uint32_t hash, const std::byte *value, int64_t bytes) {
    for (int64_t done = 0; done < bytes; done += 8) {
        uint64_t word = 0;
        std::memcpy(&word, value + done, static_cast<size_t>(std::min<int64_t>(8, bytes - done)));
        hash = (hash ^ static_cast<uint32_t>(word)) * 0x9e3779b1u;
        hash = (hash ^ hash >> 15 ^ static_cast<uint32_t>(word >> 32)) * 0x85ebca77u;
        hash ^= hash >> 13;
    }
    return hash + (hash == unknown_hash);
}

template <class Number>
void negate_all(std::byte *value, int64_t bytes) {
    for (int64_t done = 0; done < bytes; done += static_cast<int64_t>(sizeof(Number))) {
        Number number;
        std::memcpy(&number, value + done, sizeof number);
        number = static_cast<Number>(Number{} - number);
        std::memcpy(value + done, &number, sizeof number);
    }
}

void flip_signs(std::byte *value, int64_t bytes) { // of IEEE numbers: also of zeros and NaN
    value[bytes - 1] ^= std::byte{ 0x80 };
}

} // namespace

void negate(halo_type type, std::byte *value, int64_t bytes) {
    switch (type) {
    case HALO_INT8: return negate_all<uint8_t>(value, bytes);
    case HALO_INT16: return negate_all<uint16_t>(value, bytes);
    case HALO_INT32: return negate_all<uint32_t>(value, bytes);
    case HALO_INT64: return negate_all<uint64_t>(value, bytes);
    case HALO_FLOAT16:
    case HALO_BFLOAT16:
        for (int64_t done = 0; done < bytes; done += 2) flip_signs(value + done, 2);
        return;
    case HALO_FLOAT32:
    case HALO_COMPLEX64:
        for (int64_t done = 0; done < bytes; done += 4) flip_signs(value + done, 4);
        return;
    case HALO_FLOAT64:
    case HALO_COMPLEX128:
        for (int64_t done = 0; done < bytes; done += 8) flip_signs(value + done, 8);
        return;
    default: return;
    }
}

void add_hashes(const BoxValues &values, const std::byte *storage, std::vector<uint32_t> &hashes) {
    values.for_each_row(storage, [&](int64_t point, auto n, auto bytes, auto at) {
        uint32_t *const hash = hashes.data() + point;
        for (int64_t i = 0; i < n; ++i) hash[i] = folded(hash[i], storage + at(i), bytes);
    });
}

void add_negated(const BoxCopy &box, const std::byte *storage, std::vector<uint32_t> &hashes) {
    std::vector<std::byte> value(box.element_bytes);
    BoxValues::of_source(box).for_each_row(storage, [&](int64_t point, int64_t n, int64_t bytes, auto at) {
        for (int64_t i = 0; i < n; ++i) {
            std::memcpy(value.data(), storage + at(i), value.size());
            negate(box.negate, value.data(), bytes);
            uint32_t &hash = hashes[static_cast<size_t>(point + i)];
            hash = folded(hash, value.data(), bytes);
        }
    });
}

void gather(const BoxValues &values, const std::byte *storage, std::byte *into) {
    std::byte *next = into;
    values.for_each_row(storage, [&](int64_t, auto n, auto bytes, auto at) {
        gather_row(storage, next, n, bytes, at);
        next += n * bytes;
    });
}

} // namespace halo
