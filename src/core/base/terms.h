// SPDX-License-Identifier: BSD-3-Clause
// What ranks must have alike, in words: the first that differs can be named with the values of both ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

class Terms {
public:
    Terms() = default;
    explicit Terms(std::string packed) : packed_(std::move(packed)) {}

    // "field u", "2", "ghost layers": once for each `of` and `unit`.
    void add(std::string_view of, std::string_view value, std::string_view unit = {});

    // A line for each, as it travels.
    const std::string &packed() const { return packed_; }
    // As many whole lines as fit.
    std::string packed(size_t most_bytes) const;
    uint64_t hash() const { return prefix_hashes().back(); }
    // Of the first 0, 1, ... of them.
    std::vector<uint64_t> prefix_hashes() const;
    // The one at a place; what stands here about the same thing as `one`. Empty: there is none.
    Terms at(int64_t place) const;
    Terms about(const Terms &one) const;

private:
    std::string packed_;
};

// "field u: 2 ghost layers on rank 0, 3 on rank 1"; empty: there is none. The terms of `a` come first, in their order.
std::string first_difference(const Terms &a, int32_t rank_a, const Terms &b, int32_t rank_b);

} // namespace halo
