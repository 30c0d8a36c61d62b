// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a payload of particles is found, whatever it says of itself.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "inproc_context.h"
#include "particles/sections.h"
#include "topology/blocks/blocks.h"

namespace halo {
namespace {

constexpr size_t record = 12;

// One rank with three blocks.
class Sections : public testing::Test {
protected:
    Sections() {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1, desc.n_blocks[0] = 3;
        topology_.emplace(*context_, desc);
    }
    ~Sections() override {
        topology_.reset();
        context_.reset();
        destroy_inproc_group(group_);
    }

    // A payload with two sections, as it is sent.
    std::vector<std::byte> good() {
        std::vector<ParticleSection> sections{ { 2, 0, 3, 0 }, { 1, 2, 2, 0 } };
        const std::vector<uint32_t> order{ 1, 0 };
        std::vector<std::byte> payload(place_sections(order, sections, record));
        write_sections(order, sections, payload.data());
        for (const ParticleSection &section : sections)
            std::memset(section.data, static_cast<int>(section.target), static_cast<size_t>(section.n) * record);
        return payload;
    }
    void put(std::vector<std::byte> &payload, size_t word, int64_t value) { std::memcpy(payload.data() + 8 * word, &value, sizeof value); }
    std::string error_of(const std::vector<std::byte> &payload) {
        arrived_.clear();
        const char *error = read_sections(payload, *topology_, record, arrived_);
        return error ? error : "";
    }

    halo_inproc *group_ = create_inproc_group(1);
    std::unique_ptr<Context> context_ = open_context(group_, 0);
    std::optional<BlocksTopology> topology_;
    std::vector<ArrivedSection> arrived_;
};

TEST_F(Sections, ComeAsTheyWereSent) {
    const std::vector<std::byte> payload = good();
    EXPECT_EQ(error_of(payload), "");
    ASSERT_EQ(arrived_.size(), 2u);
    EXPECT_EQ(arrived_[0].part, 1);
    EXPECT_EQ(arrived_[0].source, 2);
    EXPECT_EQ(arrived_[0].n, 2);
    EXPECT_EQ(arrived_[0].data[0], std::byte{ 1 });
    EXPECT_EQ(arrived_[1].part, 2);
    EXPECT_EQ(arrived_[1].data[3 * record - 1], std::byte{ 2 });
    EXPECT_EQ(error_of(std::vector<std::byte>(8)), "");
    EXPECT_TRUE(arrived_.empty());
}

TEST_F(Sections, AreRefusedWhereTheyDoNotFit) {
    EXPECT_EQ(error_of({}), "it is shorter than a count");
    EXPECT_EQ(error_of(std::vector<std::byte>(7)), "it is shorter than a count");
    for (const int64_t n : { int64_t{ 6 }, int64_t{ -1 }, std::numeric_limits<int64_t>::max() }) {
        std::vector<std::byte> payload = good();
        put(payload, 0, n);
        EXPECT_EQ(error_of(payload), "it is shorter than its sections") << n;
    }
    for (const int64_t gid : { int64_t{ -1 }, int64_t{ 3 } }) {
        std::vector<std::byte> payload = good();
        put(payload, 1, gid);
        EXPECT_EQ(error_of(payload), "it is for a part that is not here") << gid;
    }
    for (const int64_t n : { int64_t{ 0 }, int64_t{ -1 }, int64_t{ 6 }, std::numeric_limits<int64_t>::max() }) {
        std::vector<std::byte> payload = good();
        put(payload, 3, n);
        EXPECT_EQ(error_of(payload), "it is shorter than its particles") << n;
    }
    std::vector<std::byte> longer = good(), shorter = good(), fewer = good();
    longer.resize(longer.size() + 1);
    EXPECT_EQ(error_of(longer), "it is longer than its particles");
    shorter.pop_back();
    EXPECT_EQ(error_of(shorter), "it is shorter than its particles");
    put(fewer, 3, 1);
    EXPECT_EQ(error_of(fewer), "it is longer than its particles");
}

} // namespace
} // namespace halo
