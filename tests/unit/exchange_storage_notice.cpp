// SPDX-License-Identifier: BSD-3-Clause
// What a peer tells of its storage in memory that both see: no more is read than that memory holds.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "exchange/paths/storage_notice.h"
#include "two_contexts.h"

namespace halo {

namespace {

// As the notice begins: slots, edges, listed points.
struct Counts {
    uint32_t n_slots;
    uint32_t n_edges;
    uint64_t n_listed;
};

// Does a notice of 1024 bytes with these counts get read?
bool is_taken(Context &context, const Counts &counts, uint64_t bytes = 1024) {
    alignas(64) std::byte memory[1024] = {};
    std::memcpy(memory + SharedBlock::front, &counts, sizeof counts);
    SharedOffer offer;
    offer.bytes = bytes;
    const SharedBlock block(memory, offer);
    try {
        return PeerStorage(context, block).edges().n_slots == counts.n_slots;
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), HALO_ERR_WIRE);
        EXPECT_NE(error.text().find("bytes of shared memory"), std::string::npos) << error.text();
        return false;
    }
}

TEST(StorageNotice, HoldsWhatItCounts) {
    const TwoContexts ranks;
    const uint64_t room = 1024 - SharedBlock::front - 24; // behind its head
    EXPECT_TRUE(is_taken(ranks.context(), { 1, 1, 1 }));
    EXPECT_TRUE(is_taken(ranks.context(), { 0, 0, room / 4 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, 0, room / 4 + 1 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 1, 0, room / 4 }));
    EXPECT_FALSE(is_taken(ranks.context(), { UINT32_MAX, 0, 0 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, UINT32_MAX, 0 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, 0, UINT64_MAX / 4 + 2 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, 0, 0 }, SharedBlock::front + 8));
}

} // namespace

} // namespace halo
