// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

#include "base/digest.h"

namespace halo {

namespace {

// Whichever of the sums a byte goes into.
TEST(Checksum, TellsEveryChangedBit) {
    for (size_t bytes = 0; bytes < 100; ++bytes) {
        std::vector<std::byte> data(bytes);
        for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 37);
        std::set<uint64_t> sums{ checksum(data.data(), bytes) };
        for (size_t bit = 0; bit < 8 * bytes; ++bit) {
            const std::byte mask = std::byte{ 1 } << bit % 8;
            data[bit / 8] ^= mask;
            EXPECT_TRUE(sums.insert(checksum(data.data(), bytes)).second) << "bit " << bit << " of " << bytes << " bytes";
            data[bit / 8] ^= mask;
        }
    }
}

TEST(Checksum, TellsOrderAndLength) {
    std::vector<std::byte> data(64);
    std::set<uint64_t> sums;
    for (size_t bytes = 0; bytes <= data.size(); ++bytes) EXPECT_TRUE(sums.insert(checksum(data.data(), bytes)).second) << bytes;
    for (size_t word = 0; word < data.size() / 8; ++word) {
        data[8 * word] = std::byte{ 5 };
        EXPECT_TRUE(sums.insert(checksum(data.data(), data.size())).second) << "word " << word;
        data[8 * word] = std::byte{};
    }
}

} // namespace

} // namespace halo
