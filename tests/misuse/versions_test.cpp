// SPDX-License-Identifier: BSD-3-Clause
// Callers of other versions, with every struct that may grow: as short as it was first, shorter, longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "versions.h"

namespace {

using namespace versions;

constexpr size_t more = 16;
constexpr std::byte rubbish{ 0x5a };

// The caller's struct of `bytes`, and what lies behind it in his memory.
struct Caller {
    std::vector<std::byte> memory;
    size_t bytes;

    Caller(const Case &one, size_t size, std::byte beyond_known) : memory(one.bytes), bytes(size) {
        memory.resize(one.bytes.size() + more, beyond_known);
        std::fill(memory.begin() + static_cast<std::ptrdiff_t>(bytes), memory.end(), rubbish);
        std::memcpy(memory.data(), &bytes, sizeof bytes);
    }
    bool all(size_t from, size_t to, std::byte value) const {
        return std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(from), memory.begin() + static_cast<std::ptrdiff_t>(to),
                           [&](std::byte b) { return b == value; });
    }
};

class Versions : public testing::Test {
protected:
    World world;

    void taken(const Case &one, Caller &caller) {
        EXPECT_EQ(one.call(world, caller.memory.data()), HALO_SUCCESS) << one.name << " of " << caller.bytes << " bytes: " << halo_last_error();
        EXPECT_TRUE(caller.all(caller.bytes, caller.memory.size(), rubbish)) << one.name << " of " << caller.bytes << ": written behind its end";
        EXPECT_EQ(std::memcmp(caller.memory.data(), &caller.bytes, sizeof caller.bytes), 0) << one.name << ": another struct_size";
    }
    void refused(const Case &one, Caller &caller) {
        const std::vector<std::byte> before = caller.memory;
        EXPECT_EQ(one.call(world, caller.memory.data()), HALO_ERR_VERSION) << one.name << " of " << caller.bytes << " bytes";
        EXPECT_TRUE(std::string(halo_last_error()).starts_with(std::string(one.name) + ": struct_size is ")) << one.name << ": " << halo_last_error();
        EXPECT_EQ(caller.memory, before) << one.name;
    }
};

TEST_F(Versions, AsShortAsTheFirstOrLonger) {
    for (const Case &one : cases())
        for (size_t bytes = one.first_bytes; bytes <= one.bytes.size(); bytes += sizeof(int32_t)) {
            Caller older(one, bytes, rubbish);
            taken(one, older);
        }
}

TEST_F(Versions, ShorterThanTheFirst) {
    for (const Case &one : cases())
        for (const size_t bytes : { one.first_bytes - 1, sizeof(size_t), size_t{ 0 } }) {
            Caller none(one, bytes, rubbish);
            refused(one, none);
        }
}

TEST_F(Versions, LongerWithNothingInIt) {
    for (const Case &one : cases()) {
        Caller newer(one, one.bytes.size() + more, std::byte{});
        taken(one, newer);
    }
}

// What the library fills has zeros where it knows nothing; what it reads must have them.
TEST_F(Versions, LongerWithSomethingInIt) {
    for (const Case &one : cases()) {
        Caller newer(one, one.bytes.size() + more, rubbish);
        if (one.use == Use::read) {
            refused(one, newer);
            continue;
        }
        taken(one, newer);
        EXPECT_TRUE(newer.all(one.bytes.size(), newer.bytes, std::byte{})) << one.name;
    }
}

} // namespace
