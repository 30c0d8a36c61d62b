// SPDX-License-Identifier: BSD-3-Clause
// Exchanges share a piece where all is alike that it is made from, and nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "inproc_context.h"
#include "plan/piece_cache.h"
#include "topology/blocks/blocks.h"

namespace halo {

namespace {

// What an exchange of one field asks for.
struct Wanted {
    halo_field_desc field = HALO_FIELD_DESC_INIT;
    int64_t lead = 0; // elements in front of the field's natural layout
    TopologyUse use;
    Combining combining;
    uint64_t meaning = 0;
};

using Change = std::function<void(Wanted &)>;

// Each leads to other tables or other edges, whatever else is the same.
const Change changes[] = {
    [](Wanted &) {},
    [](Wanted &wanted) { wanted.field.type = HALO_INT64; },
    [](Wanted &wanted) { wanted.field.type = HALO_BYTES, wanted.field.element_bytes = 4; },
    [](Wanted &wanted) { wanted.field.type = HALO_BYTES, wanted.field.element_bytes = 8; },
    [](Wanted &wanted) { wanted.field.n_components = 2; },
    [](Wanted &wanted) { wanted.field.vector = 1; },
    [](Wanted &wanted) { wanted.field.sparse = 1; },
    [](Wanted &wanted) { wanted.field.centring = HALO_CENTRE_FACE_X; },
    [](Wanted &wanted) { wanted.lead = 5; },
    [](Wanted &wanted) { wanted.use.request.ghosts.low[0] = 0; },
    [](Wanted &wanted) { wanted.use.request.stencil = HALO_STENCIL_FACES; },
    [](Wanted &wanted) { wanted.use.request.shared = HALO_SHARED_OWNER; },
    [](Wanted &wanted) { wanted.use.request.flow = Flow::between_copies; },
    [](Wanted &wanted) { wanted.use.request.sections = 1; },
    [](Wanted &wanted) { wanted.use.reversed = true; },
    [](Wanted &wanted) { wanted.use.sweep = 0; },
    [](Wanted &wanted) { wanted.use.sweep = 1; },
    [](Wanted &wanted) { wanted.combining.op = HALO_SUM; },
    [](Wanted &wanted) { wanted.combining.op = HALO_MAX; },
    [](Wanted &wanted) { wanted.combining.op = HALO_SUM, wanted.combining.canonical = true; },
    [](Wanted &wanted) { wanted.combining.op = HALO_SUM, wanted.combining.owner_overwrites = true; },
    [](Wanted &wanted) { wanted.combining.op = HALO_SUM, wanted.combining.reads_in_place = true; },
    [](Wanted &wanted) { wanted.meaning = 1; },
};

class Pieces : public testing::Test {
protected:
    explicit Pieces(int64_t n_blocks = 2) {
        context_ = open_context(group_, 0);
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 2;
        desc.n_blocks[0] = desc.n_blocks[1] = n_blocks;
        desc.n_cells[0] = desc.n_cells[1] = 4;
        topology_ = std::make_unique<BlocksTopology>(*context_, desc);
    }
    ~Pieces() override {
        topology_.reset();
        context_.reset();
        destroy_inproc_group(group_);
    }
    std::shared_ptr<Piece> piece(const Change &change, const char *name) const {
        Wanted wanted;
        wanted.field.n_components = 3;
        for (int d = 0; d < 2; ++d) wanted.field.ghost_low[d] = wanted.field.ghost_high[d] = 1;
        wanted.use.request.ghosts = { { 1, 1, 0 }, { 1, 1, 0 } };
        change(wanted);
        wanted.field.name = name;
        Field field(*topology_, wanted.field);
        bind(field, wanted.lead);
        return piece_for({ &field, &field, edges_of_topology(*topology_, wanted.use), wanted.combining, wanted.meaning });
    }

    // Made for `n` exchanges that are no more: how many are there still?
    int64_t kept_of(uint64_t n) const {
        std::vector<std::weak_ptr<Piece>> made;
        for (uint64_t i = 0; i < n; ++i) made.push_back(piece([i](Wanted &wanted) { wanted.meaning = i; }, "u"));
        return std::ranges::count_if(made, [](const std::weak_ptr<Piece> &one) { return !one.expired(); });
    }
    // Tables of single components, from the first to the end; returns how many had to be made.
    int64_t lowered(Piece &piece, int32_t first, int32_t end) const {
        int64_t compiled = 0;
        for (int32_t c = first; c < end; ++c) piece.lowered(context_->device(), { .components = { c, 1 } }, false, compiled);
        return compiled;
    }

private:
    static void bind(Field &field, int64_t lead) {
        const PartLayout &natural = field.layout(0);
        halo_layout layout = HALO_LAYOUT_INIT;
        layout.elements = natural.elements + lead;
        layout.first_owned = natural.first_owned + lead;
        std::copy(natural.stride.begin(), natural.stride.end(), layout.stride);
        layout.component_stride = natural.component_stride;
        layout.place_stride = natural.place_stride;
        halo_binding binding = HALO_BINDING_INIT;
        binding.layout = &layout;
        field.bind(field.topology().local_parts()[0], binding);
    }

    halo_inproc *group_ = create_inproc_group(1);
    std::unique_ptr<Context> context_;
    std::unique_ptr<BlocksTopology> topology_;
};

TEST_F(Pieces, AreSharedByWhatIsAlikeAlone) {
    std::vector<std::shared_ptr<Piece>> pieces;
    for (const Change &change : changes) pieces.push_back(piece(change, "u"));
    EXPECT_EQ(std::set(pieces.begin(), pieces.end()).size(), pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i) EXPECT_EQ(piece(changes[i], "v"), pieces[i]) << "change " << i;
}

void with_components(Wanted &wanted) { wanted.field.n_components = 24; }

TEST_F(Pieces, AreKeptWhileTheyAreSmall) {
    EXPECT_EQ(kept_of(100), 100);
    const std::shared_ptr<Piece> small = piece(with_components, "u");
    EXPECT_EQ(lowered(*small, 0, 24), 24);
    EXPECT_EQ(lowered(*small, 0, 24), 0);
}

// 32,000 edges each, of 80 bytes, and as many rows.
class LargePieces : public Pieces {
protected:
    LargePieces() : Pieces(64) {}
};

TEST_F(LargePieces, AreBounded) { EXPECT_EQ(kept_of(12), 8); }

TEST_F(LargePieces, TakeFewBytesForEachEdge) {
    const std::shared_ptr<Piece> large = piece(with_components, "u");
    const PlacedEdges &edges = large->edges();
    constexpr size_t most = 120;
    EXPECT_GT(edges.local.size(), 30000u);
    EXPECT_LE(edges.bytes(), most * edges.local.size());
}

TEST_F(LargePieces, HaveTheTablesUsedLast) {
    const std::shared_ptr<Piece> large = piece(with_components, "u");
    EXPECT_EQ(lowered(*large, 0, 24), 24);
    EXPECT_EQ(lowered(*large, 8, 24), 0);
    EXPECT_EQ(lowered(*large, 0, 1), 1);
}

} // namespace

} // namespace halo
