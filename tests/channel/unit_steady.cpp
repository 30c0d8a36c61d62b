// SPDX-License-Identifier: BSD-3-Clause
// In the steady state, sending and receiving allocate nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "channel/group.h"
#include "unit_pair.h"

namespace {

std::atomic<int64_t> n_allocations{ 0 };

void *counted(std::size_t bytes, std::size_t alignment) {
    ++n_allocations;
    void *block = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (!block) throw std::bad_alloc();
    return block;
}

} // namespace

void *operator new(std::size_t bytes) { return counted(bytes, 16); }
void *operator new(std::size_t bytes, std::align_val_t alignment) { return counted(bytes, static_cast<std::size_t>(alignment)); }
[[gnu::noinline]] void operator delete(void *block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void *block, std::size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void *block, std::align_val_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void *block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace {

using namespace halo;
using namespace test;

// Allocations of `run` after it has run a few times.
template <class Run>
int64_t steady_allocations(Run &&run) {
    for (int i = 0; i < 20; ++i) run(i);
    const int64_t before = n_allocations;
    for (int i = 0; i < 200; ++i) run(i);
    return n_allocations - before;
}

TEST(Steady, CountsAllocations) {
    EXPECT_EQ(steady_allocations([](int) { ::operator delete(::operator new(sizeof(int))); }), 200); // a new-expression might be left out
}

TEST(Steady, MailboxesAllocateNothing) {
    for (const bool sparse : { false, true }) {
        Pair pair;
        Ends ends(pair, 1000, sparse);
        const auto run = [&](int i) {
            const bool null = i % 3 == 0;
            while (!ends.sender.writable()) pair.context(1).fabric().progress();
            ASSERT_TRUE(ends.sender.allocate());
            EXPECT_TRUE(null ? ends.sender.send_null() : ends.sender.send());
            while (!ends.receiver.try_receive()) pair.context(0).fabric().progress();
            ends.receiver.stale();
        };
        EXPECT_EQ(steady_allocations(run), 0) << (sparse ? "sparse" : "dense");
        const int64_t asked = pair.context(1).pools().pool(HALO_MEMORY_HOST).figures().allocations;
        run(1);
        EXPECT_EQ(pair.context(1).pools().pool(HALO_MEMORY_HOST).figures().allocations, asked);
    }
}

TEST(Steady, AggregatedGroupsAllocateNothing) {
    Pair pair;
    std::unique_ptr<ChannelRegistry> registries[2];
    std::unique_ptr<Group> groups[2];
    Pair::on_both([&](int rank) {
        registries[rank] = std::make_unique<ChannelRegistry>(pair.context(rank));
        std::vector<halo_channel *> channels;
        for (int64_t i = 0; i < 30; ++i) {
            halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
            desc.send_rank = static_cast<int32_t>(i % 2);
            desc.receive_rank = 1 - desc.send_rank;
            desc.count = i;
            channels.push_back(&registries[rank]->add(check_channel(pair.context(rank), { i, 1, 0, 0, 0 }, desc)));
        }
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_AGGREGATE;
        desc.timeout_seconds = 60;
        groups[rank] = std::make_unique<Group>(*registries[rank], channels.data(), 30, desc);
    });
    AggregateRun &left = groups[0]->run("test");
    AggregateRun &right = groups[1]->run("test");
    const int64_t even[] = { 28, 0, 4 }, odd[] = { 29, 1, 5 }; // some of what each sends
    const auto run = [&](int i) {
        for (AggregateRun *side : { &left, &right }) {
            while (!side->writable()) pair.context(0).fabric().progress();
            if (i % 2 == 1) {
                EXPECT_TRUE(side->send_rows(side == &left ? even : odd, nullptr));
            }
            EXPECT_TRUE(side->send(nullptr));
        }
        for (bool left_done = false, right_done = false; !left_done || !right_done;) {
            left_done = left.try_receive();
            right_done = right.try_receive();
        }
        groups[0]->table(sizeof(halo_group_row));
        left.stale();
        right.stale();
    };
    EXPECT_EQ(steady_allocations(run), 0);
    for (auto &group : groups) group.reset();
    for (auto &registry : registries) registry.reset();
}

} // namespace
