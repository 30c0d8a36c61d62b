// SPDX-License-Identifier: BSD-3-Clause
// What a peer tells of its storage in memory that both see: no more is read than that memory holds, and nothing is reached outside of the storage.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "exchange/paths/storage_notice.h"
#include "expect_failure.h"
#include "plan/piece_cache.h"
#include "topology/blocks/blocks.h"
#include "two_contexts.h"

namespace halo {

namespace {

// Does a notice of 1024 bytes with these counts get read?
bool is_taken(Context &context, const NoticeCounts &counts, uint64_t bytes = 1024) {
    alignas(64) std::byte memory[1024] = {};
    std::memcpy(memory + SharedBlock::front, &counts, sizeof counts);
    SharedOffer offer;
    offer.bytes = bytes;
    const SharedBlock block(memory, offer);
    try {
        return PeerStorage(context, block, 1).n_slots() == counts.n_slots;
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), HALO_ERR_WIRE);
        EXPECT_NE(error.text().find("bytes of shared memory"), std::string::npos) << error.text();
        return false;
    }
}

TEST(StorageNotice, HoldsWhatItCounts) {
    const TwoContexts ranks;
    const uint64_t room = 1024 - SharedBlock::front - 120; // behind its head
    EXPECT_TRUE(is_taken(ranks.context(), { 1, 1, 1 }));
    EXPECT_TRUE(is_taken(ranks.context(), { 0, 0, room / 4 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, 0, room / 4 + 1 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 1, 0, room / 4 }));
    EXPECT_FALSE(is_taken(ranks.context(), { UINT32_MAX, 0, 0 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, UINT32_MAX, 0 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, 0, UINT64_MAX / 4 + 2 }));
    EXPECT_FALSE(is_taken(ranks.context(), { 0, 0, 0 }, SharedBlock::front + 8));
}

// Counts are read once: what is written into the notice later changes none of them.
TEST(StorageNotice, CountsThatGrow) {
    const TwoContexts ranks;
    alignas(64) std::byte memory[1024] = {};
    const auto write = [&](const NoticeCounts &counts) { std::memcpy(memory + SharedBlock::front, &counts, sizeof counts); };
    write({ 2, 1, 3 });
    SharedOffer offer;
    offer.bytes = sizeof memory;
    const PeerStorage peer(ranks.context(), SharedBlock(memory, offer), 1);
    write({ UINT32_MAX, UINT32_MAX, UINT64_MAX });
    EXPECT_EQ(peer.n_slots(), 2u);
    const ToldEdges told = peer.edges();
    EXPECT_EQ(told.edges.size(), 1u);
    EXPECT_EQ(told.lists.size(), 3u);
    EXPECT_EQ(told.slot_bytes.size(), 2u);
    expect_failure(HALO_ERR_WIRE, { "rank 1", "before it has told" }, [&] { peer.layout_version(); });
    std::vector<PeerStorage::Slot> slots;
    EXPECT_FALSE(peer.reach(slots));
    EXPECT_EQ(slots.size(), 2u);
}

// A block of each of two ranks, side by side: two cells of this one are two ghosts of the other.
class ForgedEdges : public testing::Test {
protected:
    ForgedEdges() {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1, desc.n_blocks[0] = 2, desc.n_cells[0] = 4;
        topology_ = std::make_unique<BlocksTopology>(ranks_.context(), desc);
        halo_field_desc one = HALO_FIELD_DESC_INIT;
        one.name = "u", one.n_components = 3, one.ghost_low[0] = one.ghost_high[0] = 2;
        field_ = std::make_unique<Field>(*topology_, one);
        TopologyUse use;
        use.request.ghosts = field_->spec().ghosts;
        const PieceSpec spec{ field_.get(), field_.get(), edges_of_topology(*topology_, use), {}, 0 };
        plan_ = std::make_unique<Plan>(std::vector<PlanPiece>{ { piece_for(spec), 0, 0, field_.get(), 0 } }, PlanScope{});
    }

    // Of one slot.
    ToldEdges told(StoredEdge edge, std::vector<uint32_t> lists = {}) const { return { { edge }, std::move(lists), { 0 }, {} }; }
    uint64_t bytes_of(const StoredEdge &edge, std::vector<uint32_t> lists = {}) const {
        ToldEdges all = told(edge, std::move(lists));
        divide(*plan_, plan_->links().front(), true, all);
        EXPECT_EQ(all.pieces.size(), 1u);
        return all.slot_bytes[0];
    }
    void is_refused(const StoredEdge &edge, const std::vector<uint32_t> &lists = {}) const {
        expect_failure(HALO_ERR_WIRE, { "rank 1 tells" }, [&] { bytes_of(edge, lists); });
    }

    const TwoContexts ranks_;
    std::unique_ptr<BlocksTopology> topology_;
    std::unique_ptr<Field> field_;
    std::unique_ptr<Plan> plan_;
};

TEST_F(ForgedEdges, ReachAsFarAsTheirLastValue) {
    EXPECT_EQ(bytes_of({ 0, 0, 0, 0, { 8, 0, 0, 64 } }), 8u + 2 * 64 + 8);
    EXPECT_EQ(bytes_of({ 0, 0, 0, 136, { -8, 0, 0, -64 } }), 136u + 8) << "turned: the first value lies highest";
    EXPECT_EQ(bytes_of({ 0, 0, 0, int64_t{ 1 } << 40, { 8, 0, 0, 64 } }), (uint64_t{ 1 } << 40) + 8 + 2 * 64 + 8);
    EXPECT_EQ(bytes_of({ 0, 0, 0, 0, { 8, 1 << 30, 1 << 30, 64 } }), 8u + 2 * 64 + 8) << "there is one y and one z";
    EXPECT_EQ(bytes_of({ 0, 2, 1, 0, { 8, 0, 0, 64 } }, { 77, 9, 5 }), 9 * 8u + 2 * 64 + 8);
}

TEST_F(ForgedEdges, OutsideOfAllStorage) {
    constexpr int64_t most = INT64_MAX, least = INT64_MIN;
    is_refused({ 0, 0, 0, -8, { 8, 0, 0, 64 } });
    is_refused({ 0, 0, 0, 0, { -8, 0, 0, 64 } });
    is_refused({ 0, 0, 0, 127, { 8, 0, 0, -64 } });
    is_refused({ 0, 0, 0, most, { 8, 0, 0, 64 } });
    is_refused({ 0, 0, 0, least, { 8, 0, 0, 64 } });
    for (const int64_t huge : { most, least, int64_t{ 1 } << 61 })
        for (int d = 0; d < 4; ++d) {
            StoredEdge edge{ 0, 0, 0, 0, { 8, 0, 0, 64 } };
            edge.stride[d] = huge;
            is_refused(edge);
        }
    is_refused({ 0, 2, 0, 0, { int64_t{ 1 } << 60, 0, 0, 64 } }, { 0, UINT32_MAX });
    is_refused({ 1, 0, 0, 0, { 8, 0, 0, 64 } });
    is_refused({ 0, 2, 1, 0, { 8, 0, 0, 64 } }, { 0, 1 });
    is_refused({ 0, 2, -1, 0, { 8, 0, 0, 64 } }, { 0, 1 });
}

TEST_F(ForgedEdges, FartherThanTheirSlot) {
    alignas(64) std::byte memory[1024] = {};
    const NoticeCounts counts{ 1, 1, 0 };
    std::memcpy(memory + SharedBlock::front, &counts, sizeof counts);
    SharedOffer offer;
    offer.bytes = sizeof memory;
    const PeerStorage peer(ranks_.context(), SharedBlock(memory, offer), 1);
    const StoredEdge edge{ 0, 0, 0, int64_t{ 1 } << 40, { 8, 0, 0, 64 } };
    const uint64_t bytes = bytes_of(edge);
    EXPECT_NO_THROW(peer.check({ { memory, bytes } }, { bytes }));
    expect_failure(HALO_ERR_WIRE, { "rank 1 lets 1099511627919 bytes", "reach 1099511627920" }, [&] {
        peer.check({ { memory, bytes - 1 } }, { bytes });
    });
}

// An offer tells how much there is behind the address.
TEST_F(ForgedEdges, StorageIsOfferedToTheEndOfItsFile) {
    SharedArena arena;
    std::byte *const data = arena.allocate_plain(1000);
    ASSERT_NE(data, nullptr);
    const SharedOffer offer = arena.locate(data);
    EXPECT_EQ(offer.bytes, offer.file_bytes - offer.offset);
    EXPECT_NE(arena.reach(offer), nullptr);
    SharedOffer more = offer;
    ++more.bytes;
    EXPECT_EQ(arena.reach(more), nullptr);
}

} // namespace

} // namespace halo
