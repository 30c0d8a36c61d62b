// SPDX-License-Identifier: BSD-3-Clause
// What runs with sparse fields on devices take of memory follows what has storage, not what there might be.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "late/ring.h"

namespace {

using namespace conformance;

constexpr int64_t n_blocks = 40; // of each rank, side by side; those of the other rank lie above
constexpr std::array<int64_t, 2> n_cells = { 32, 8 };
constexpr int64_t ghosts = 2;
constexpr int64_t row = n_cells[0] + 2 * ghosts;
constexpr size_t size = static_cast<size_t>(row * (n_cells[1] + 2 * ghosts)); // of a block's storage

// Fields of blocks of which those have storage that come first.
class Blocks {
public:
    explicit Blocks(Rank &rank) : rank_(rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2;
        blocks.n_blocks[0] = n_blocks;
        blocks.n_blocks[1] = rank.size;
        blocks.n_cells[0] = n_cells[0];
        blocks.n_cells[1] = n_cells[1];
        blocks.order = HALO_ORDER_ROWS;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.sparse = 1;
        for (int d = 0; d < 2; ++d) field.ghost_low[d] = field.ghost_high[d] = ghosts;
        OK(halo_field_create(topology_, &field, &field_));
        for (int64_t b = 0; b < n_blocks; ++b) storage_.push_back(std::make_unique<late::Array<double>>(rank.context, size));
    }
    ~Blocks() {
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }
    Blocks(const Blocks &) = delete;
    Blocks &operator=(const Blocks &) = delete;

    halo_field *field() const { return field_; }
    halo_device *device() const { return storage_.front()->device(); }
    void store(int64_t n_stored, halo_stream stream) const {
        const halo_binding nothing = HALO_BINDING_INIT;
        for (int64_t b = 0; b < n_blocks; ++b) {
            const int64_t gid = rank_.rank * n_blocks + b;
            storage(b).write(std::vector<double>(size, value(rank_.rank, b)), stream);
            if (b < n_stored)
                late::bind(field_, gid, storage(b).data(), HALO_MEMORY_DEVICE, 0);
            else
                OK(halo_field_bind(field_, gid, &nothing));
        }
    }
    // Each block with storage has got what the one of the other rank has.
    void expect(int64_t n_stored, halo_stream stream) const {
        const int64_t y = rank_.rank == 0 ? ghosts + n_cells[1] : 0;
        for (int64_t b = 0; b < n_stored; ++b) {
            const std::vector<double> now = storage(b).read(stream);
            for (int64_t at = y * row; at < (y + ghosts) * row; ++at)
                if (const int64_t x = at % row; x >= ghosts && x < ghosts + n_cells[0] && now[static_cast<size_t>(at)] != value(1 - rank_.rank, b))
                    stop("block %lld: %g at %lld", static_cast<long long>(b), now[static_cast<size_t>(at)], static_cast<long long>(at));
        }
    }

private:
    static double value(int32_t rank, int64_t block) { return 1 + 100.0 * rank + static_cast<double>(block); }
    const late::Array<double> &storage(int64_t block) const { return *storage_[static_cast<size_t>(block)]; }

    Rank &rank_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    std::vector<std::unique_ptr<late::Array<double>>> storage_;
};

// The most that there was of memory that host and device reach, with some of a hundred blocks in storage.
int64_t most_pinned(int64_t percent, int n_turns = 5) {
    std::array<int64_t, 2> most{};
    run(2, late::settings(), [&](Rank &rank) {
        const Blocks blocks(rank);
        const int64_t n_stored = n_blocks * percent / 100;
        const late::RingExchange exchange({ blocks.field() });
        const late::Stream stream(blocks.device());
        for (int turn = 0; turn < n_turns; ++turn) {
            blocks.store(n_stored, stream);
            OK(halo_exchange_start(exchange, nullptr, stream));
            OK(halo_exchange_finish(exchange, stream));
            blocks.expect(n_stored, stream);
        }
        most[static_cast<size_t>(rank.rank)] = late::pool_of(rank.context, HALO_MEMORY_PINNED).peak_bytes;
    });
    return std::max(most[0], most[1]);
}

// Not to the byte: sizes are those that pools have, and a message may still be on its way when the next one is packed.
TEST(SparseOnDevices, MemoryFollowsOccupancy) {
    const int64_t none = most_pinned(0), all = most_pinned(100) - none;
    for (const int64_t percent : { 5, 25 }) {
        const int64_t some = most_pinned(percent) - none;
        EXPECT_LE(some * 100, all * (percent * 5 / 3 + 3)) << percent << " %: " << some << " bytes beside " << none << ", with all " << all;
    }
    EXPECT_LE(none, all / 10);
}

// In one run there is a message to send and one that has come, and no copy of what was in that.
TEST(SparseOnDevices, WhatHasComeIsReadWhereItIs) {
    const int64_t values = n_blocks * n_cells[0] * ghosts + 2 * (n_blocks - 1) * ghosts * ghosts; // of sides and corners, one way
    const int64_t both_ways = 2 * values * static_cast<int64_t>(sizeof(double)), most = most_pinned(100, 1);
    EXPECT_GE(most, both_ways);
    EXPECT_LE(most, 2 * both_ways); // sizes are those that pools have
}

} // namespace
