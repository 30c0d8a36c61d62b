// SPDX-License-Identifier: BSD-3-Clause
// Lists of plain values as the bytes of a message.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace halo {

template <class T>
std::vector<std::byte> to_bytes(const std::vector<T> &values) {
    static_assert(std::has_unique_object_representations_v<T>, "without padding, so that equal values are equal bytes");
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// HALO_ERR_WIRE: they are not whole values.
template <class T>
std::vector<T> from_bytes(std::span<const std::byte> bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes.size() % sizeof(T) != 0) fail(HALO_ERR_WIRE, "a message of %zu bytes does not hold whole records of %zu", bytes.size(), sizeof(T));
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(static_cast<void *>(values.data()), bytes.data(), values.size() * sizeof(T));
    return values;
}

// Values behind each other, of so many bytes altogether.
class Packer {
public:
    explicit Packer(size_t n_bytes) : bytes_(n_bytes) {}

    template <class T>
    void add(std::span<const T> values) {
        if (!values.empty()) std::memcpy(bytes_.data() + at_, values.data(), values.size_bytes());
        at_ += values.size_bytes();
    }
    template <class T>
    void add(const T &value) {
        add(std::span<const T>(&value, 1));
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
    size_t at_ = 0;
};

} // namespace halo
