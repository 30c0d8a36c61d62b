// SPDX-License-Identifier: BSD-3-Clause
// How lane, tag and source of a message lie in the 64 bits that UCX matches by.
#pragma once

#include <cstdint>

namespace halo::ucx {

constexpr int source_bits = 22;
constexpr int tag_bits = 26;
constexpr int lane_bits = 64 - tag_bits - source_bits;

constexpr int32_t most_ranks = int32_t{ 1 } << source_bits;
constexpr int32_t max_tag = (int32_t{ 1 } << tag_bits) - 1;
constexpr int32_t most_lanes = (int32_t{ 1 } << lane_bits) - 1;
constexpr int32_t goodbye_lane = most_lanes; // of the module's own messages

constexpr uint64_t source_mask = most_ranks - 1;

struct Address {
    int32_t peer;
    int32_t lane;
    int32_t tag;
};

constexpr uint64_t match_bits(int32_t lane, int32_t tag, int32_t source) {
    return static_cast<uint64_t>(lane) << (tag_bits + source_bits) | static_cast<uint64_t>(tag) << source_bits | static_cast<uint64_t>(source);
}
constexpr int32_t source_of(uint64_t bits) { return static_cast<int32_t>(bits & source_mask); }

} // namespace halo::ucx
