// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table in the order in which a run takes them: what is sent, then what is received, each by peer, then what stays on this rank. So a
// launch for all peers is one range.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "inproc_context.h"
#include "plan/lower/rows.h"
#include "topology/blocks/blocks.h"

namespace halo {

namespace {

constexpr int n_ranks = 4;

// Of some field: sparse or dense, moved or combined, each edge with a message of its own or all in one.
struct Kind {
    int32_t sparse = 0;
    halo_op op = op_move;
    bool alone = false;
};

// Each begins where the last one ended.
class InOrder {
public:
    void expect(const RowRange &rows, const char *what) {
        if (rows.n == 0) return;
        EXPECT_EQ(rows.first, end_) << what;
        end_ = rows.first + rows.n;
    }
    void expect_row(int64_t row, const char *what) { expect({ row, 1 }, what); }
    int64_t end() const { return end_; }

private:
    int64_t end_ = 0;
};

void expect_sent(const Lowered &lowered, InOrder &rows) {
    for (const LoweredDirection &direction : lowered.send) {
        EXPECT_NE(direction.dense_bytes > 0, !direction.singles.empty());
        rows.expect(direction.rows, "sent");
        for (const SingleEdge &one : direction.singles) rows.expect(one.copy, "sent alone");
    }
}

void expect_received(const Lowered &lowered, bool sparse, InOrder &rows) {
    for (const LoweredDirection &direction : lowered.receive) {
        rows.expect(direction.rows, "received");
        for (const SingleEdge &one : direction.singles) rows.expect(one.copy, "received alone");
        for (const SingleEdge &one : direction.singles)
            if (sparse) rows.expect_row(one.fill_row, "filled where null is received");
    }
}

void expect_local(const Lowered &lowered, InOrder &rows) {
    rows.expect(lowered.local, "on this rank");
    for (const SingleEdge &one : lowered.local_singles) rows.expect(one.copy, "on this rank, alone");
    for (const SingleEdge &one : lowered.local_singles) rows.expect_row(one.fill_row, "filled where null is on this rank");
    for (const SingleEdge &one : lowered.local_singles) rows.expect(one.stage, "set aside");
    for (const SingleEdge &one : lowered.local_singles) rows.expect_row(one.unstage_row, "taken from there");
}

void expect_by_peer(const Piece &piece) {
    const auto &links = piece.edges().links;
    ASSERT_EQ(links.size(), n_ranks - 1u);
    for (size_t i = 1; i < links.size(); ++i) EXPECT_LT(links[i - 1].peer, links[i].peer);
}

void expect_order(Topology &topology, const Kind &kind) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.sparse = kind.sparse;
    desc.n_components = 2;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
    Field field(topology, desc);
    TopologyUse use;
    use.request.ghosts = field.spec().ghosts;
    use.reversed = kind.op != op_move;
    Combining combining;
    combining.op = kind.op;
    const Piece piece({ &field, &field, edges_of_topology(topology, use), combining, 0 });
    expect_by_peer(piece);
    const Lowered lowered = lower(piece, topology.context().device(), {}, kind.alone);
    InOrder rows;
    expect_sent(lowered, rows);
    expect_received(lowered, kind.sparse != 0, rows);
    EXPECT_LT(rows.end(), lowered.table.rows());
    expect_local(lowered, rows);
    for (const CombineStep &step : lowered.combine_steps) rows.expect(step.rows, "combined");
    EXPECT_EQ(rows.end(), lowered.table.rows());
}

// Calls body(topology) on each rank; four blocks of each, of which each has neighbours on all ranks.
template <class Body>
void on_ranks(Body &&body) {
    halo_inproc *group = create_inproc_group(n_ranks);
    const auto run = [&](int rank) {
        const std::unique_ptr<Context> context = open_context(group, rank);
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 2;
        for (int d = 0; d < 2; ++d) desc.n_blocks[d] = 4, desc.n_cells[d] = 3, desc.periodic[d] = 1;
        BlocksTopology topology(*context, desc);
        body(topology);
    };
    std::vector<std::thread> others;
    for (int rank = 1; rank < n_ranks; ++rank) others.emplace_back(run, rank);
    run(0);
    for (std::thread &other : others) other.join();
    destroy_inproc_group(group);
}

} // namespace

TEST(Rows, SendsThenReceivesByPeerThenLocal) {
    on_ranks([](Topology &topology) {
        for (const Kind &kind : { Kind{}, Kind{ 1 }, Kind{ 0, op_move, true }, Kind{ 0, HALO_SUM }, Kind{ 0, HALO_SUM, true } })
            expect_order(topology, kind);
    });
}

} // namespace halo
