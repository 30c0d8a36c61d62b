// SPDX-License-Identifier: BSD-3-Clause
// What the fuzzers of messages share: the input, taken byte by byte, and what must hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace fuzz {

inline void check(bool holds) {
    if (!holds) std::abort();
}

class Input {
public:
    Input(const unsigned char *data, size_t size) : at_(data), left_(size) {}

    bool empty() const { return left_ == 0; }
    unsigned char byte() { return value<unsigned char>(); }
    // Zeros where there are no more bytes.
    template <class T>
    T value() {
        T value{};
        take(&value, sizeof value);
        return value;
    }
    size_t take(void *into, size_t bytes) {
        const size_t taken = std::min(bytes, left_);
        if (taken > 0) std::memcpy(into, at_, taken);
        at_ += taken;
        left_ -= taken;
        return taken;
    }
    // At most so many.
    std::vector<std::byte> bytes(size_t most) {
        std::vector<std::byte> taken(std::min(most, left_));
        take(taken.data(), taken.size());
        return taken;
    }

private:
    const unsigned char *at_;
    size_t left_;
};

template <class Header>
std::vector<std::byte> joined(const Header &header, const std::vector<std::byte> &behind) {
    std::vector<std::byte> message(sizeof header + behind.size());
    std::memcpy(message.data(), &header, sizeof header);
    std::copy(behind.begin(), behind.end(), message.begin() + sizeof header);
    return message;
}

} // namespace fuzz
