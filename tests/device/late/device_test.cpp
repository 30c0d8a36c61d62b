// SPDX-License-Identifier: BSD-3-Clause
// Does the late device forgive nothing, and do what it accepts?
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "../random_table.h"
#include "fixture.h"

namespace {

using namespace halo::test;

TEST(LateDevice, MemoryIsOutOfTheHostsReach) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const LateDevice device;
    const Block block(device, 100);
    auto *touched = static_cast<volatile char *>(block.get());
    EXPECT_DEATH(touched[50] = 1, "");
    EXPECT_DEATH(static_cast<void>(touched[99]), "");
    EXPECT_EQ(block.read(), std::vector<unsigned char>(100, 0xa5));
}

TEST(LateDevice, MovesAsTheHostDevice) {
    int64_t launches = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        const LateDevice device(seed);
        Random random(seed);
        RandomTable work(random, {}, 30, 2);
        const LateTable table(device, work.shapes(), work.rows());
        std::vector<std::unique_ptr<Block>> blocks;
        std::vector<void *> bases;
        const halo_stream stream = device.stream();
        for (const auto &part : work.storage()) {
            blocks.push_back(std::make_unique<Block>(device, part.size(), pick(random, 0, 3) == 0 ? HALO_MEMORY_PINNED : HALO_MEMORY_DEVICE));
            blocks.back()->write(part.data(), stream);
            bases.push_back(blocks.back()->get());
        }
        ASSERT_EQ(table.run(bases, stream), HALO_SUCCESS) << device.report;
        const std::vector<void *> on_host = work.bases();
        for (const halo_copy_row &row : work.rows())
            for_each_element(work.shapes()[row.shape], row, on_host.data(),
                             [&](unsigned char *dst, const unsigned char *src) { std::memcpy(dst, src, work.shapes()[row.shape].element_bytes); });
        for (size_t i = 0; i < blocks.size(); ++i) ASSERT_EQ(blocks[i]->read(stream), work.storage()[i]) << "seed " << seed << ", part " << i;
        launches += device.counts().launches;
    }
    EXPECT_EQ(launches, 10);
}

TEST(LateDevice, CombinesAndTests) {
    const LateDevice device;
    const LateTable table(device, line(3), one_row);
    const Block from(device, 24), to(device, 24);
    const double values[] = { 1, 0, -2 }, before[] = { 10, 20, 30 };
    from.write(values);
    to.write(before);
    ASSERT_EQ(table.run({ from.get(), to.get() }, HALO_STREAM_NONE, HALO_SUM, HALO_FLOAT64), HALO_SUCCESS);
    double sums[3];
    std::memcpy(sums, to.read().data(), 24);
    EXPECT_EQ(sums[0], 11);
    EXPECT_EQ(sums[1], 20);
    EXPECT_EQ(sums[2], 28);
    uint8_t non_null = 77;
    void *const bases[] = { from.get(), to.get() };
    for (const auto &[threshold, data] : { std::pair{ 1.5, 1 }, { 2.5, 0 } }) {
        const halo_null_test test{ HALO_FLOAT64, 0, threshold };
        ASSERT_EQ(LateDevice::ops().table_test(device.get(), table.get(), 0, 1, bases, 2, &test, &non_null, HALO_STREAM_NONE), HALO_SUCCESS);
        EXPECT_EQ(non_null, data);
        ASSERT_EQ(LateDevice::ops().table_run_tested(device.get(), table.get(), 0, 1, bases, 2, &test, &non_null, HALO_STREAM_NONE), HALO_SUCCESS);
        EXPECT_EQ(non_null, data);
    }
    std::memcpy(sums, to.read().data(), 24);
    EXPECT_EQ(sums[2], -2);
    EXPECT_EQ(device.counts().tests, 4);
}

// Whoever does not ask the event may find the old values.
TEST(LateDevice, WorkIsDoneAfterTheCall) {
    const LateDevice device;
    const LateTable table(device, line(1), one_row);
    const Block from(device, 8, HALO_MEMORY_PINNED), to(device, 8, HALO_MEMORY_PINNED);
    auto *const source = static_cast<double *>(from.get()), *const result = static_cast<double *>(to.get());
    halo_event *event = nullptr;
    ASSERT_EQ(LateDevice::ops().event_create(device.get(), &event), HALO_SUCCESS);
    int32_t done = 0;
    EXPECT_EQ(LateDevice::ops().event_query(device.get(), event, &done), HALO_SUCCESS);
    EXPECT_EQ(done, 1) << "nothing has been recorded";
    int early = 0;
    for (int turn = 1; turn <= 50; ++turn) {
        *source = turn;
        ASSERT_EQ(table.run({ from.get(), to.get() }), HALO_SUCCESS);
        ASSERT_EQ(LateDevice::ops().event_record(device.get(), event, HALO_STREAM_NONE), HALO_SUCCESS);
        ASSERT_EQ(LateDevice::ops().event_query(device.get(), event, &done), HALO_SUCCESS);
        early += done == 0;
        for (done = 0; done == 0; std::this_thread::yield()) ASSERT_EQ(LateDevice::ops().event_query(device.get(), event, &done), HALO_SUCCESS);
        ASSERT_EQ(*result, turn);
    }
    EXPECT_GT(early, 0);
    LateDevice::ops().event_destroy(device.get(), event);
}

// A chain through two streams, each link of which waits for the one before: nothing else orders them.
TEST(LateDevice, EventsOrderStreams) {
    const LateDevice device(7);
    const LateTable table(device, line(1), one_row);
    const halo_stream streams[] = { device.stream(), device.stream() };
    constexpr size_t n = 40;
    std::vector<std::unique_ptr<Block>> blocks;
    for (size_t i = 0; i <= n; ++i) blocks.push_back(std::make_unique<Block>(device, 8));
    const double value = 42;
    blocks[0]->write(&value, streams[0]);
    halo_event *event = nullptr;
    ASSERT_EQ(LateDevice::ops().event_create(device.get(), &event), HALO_SUCCESS);
    for (size_t i = 0; i < n; ++i) { // the event is recorded again while others still wait for it
        ASSERT_EQ(table.run({ blocks[i]->get(), blocks[i + 1]->get() }, streams[i % 2]), HALO_SUCCESS);
        ASSERT_EQ(LateDevice::ops().event_record(device.get(), event, streams[i % 2]), HALO_SUCCESS);
        ASSERT_EQ(LateDevice::ops().event_wait(device.get(), event, streams[(i + 1) % 2]), HALO_SUCCESS);
    }
    LateDevice::ops().event_destroy(device.get(), event); // work still knows it
    double last = 0;
    std::memcpy(&last, blocks[n]->read(streams[n % 2]).data(), 8);
    EXPECT_EQ(last, value);
}

// An event that another stream records anew still releases only those who wait for the new recording.
TEST(LateDevice, RecordingsAreKeptApart) {
    const LateDevice device(11, 3000);
    const LateTable table(device, line(1), one_row);
    const halo_stream slow = device.stream(), quick = device.stream(), waiting = device.stream();
    const Block first(device, 8), second(device, 8), third(device, 8);
    const double value = 5;
    first.write(&value, slow);
    for (int step = 0; step < 10; ++step) ASSERT_EQ(table.run({ first.get(), second.get() }, slow), HALO_SUCCESS);
    halo_event *event = nullptr;
    ASSERT_EQ(LateDevice::ops().event_create(device.get(), &event), HALO_SUCCESS);
    ASSERT_EQ(LateDevice::ops().event_record(device.get(), event, slow), HALO_SUCCESS);
    ASSERT_EQ(LateDevice::ops().event_wait(device.get(), event, waiting), HALO_SUCCESS);
    ASSERT_EQ(LateDevice::ops().event_record(device.get(), event, quick), HALO_SUCCESS);
    ASSERT_EQ(table.run({ second.get(), third.get() }, waiting), HALO_SUCCESS);
    double found = 0;
    std::memcpy(&found, third.read(waiting).data(), 8);
    EXPECT_EQ(found, value);
    LateDevice::ops().event_destroy(device.get(), event);
}

TEST(LateDevice, FaultsBehindABlock) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    LateDevice device;
    const Block from(device, 128), to(device, 64);
    EXPECT_EQ(LateDevice::ops().copy(device.get(), to.get(), from.get(), 65, HALO_STREAM_NONE), HALO_ERR_DEVICE);
    EXPECT_NE(device.report.find("65 bytes"), std::string::npos) << device.report;
    EXPECT_EQ(LateDevice::ops().fill(device.get(), to.get(), "", 1, 65, HALO_STREAM_NONE), HALO_ERR_DEVICE);
    const LateTable table(device, line(9), one_row);
    EXPECT_DEATH(
        {
            static_cast<void>(table.run({ from.get(), to.get() }));
            device.synchronize();
        },
        "");
}

TEST(LateDevice, ReachesPinnedMemoryOnly) {
    LateDevice device;
    const LateTable table(device, line(1), one_row);
    const Block own(device, 8);
    double plain = 3;
    EXPECT_EQ(table.run({ own.get(), &plain }), HALO_ERR_DEVICE);
    EXPECT_NE(device.report.find("row 0"), std::string::npos) << device.report;
    EXPECT_EQ(table.run({ &plain, own.get() }), HALO_ERR_DEVICE);
    EXPECT_EQ(LateDevice::ops().fill(device.get(), &plain, &plain, 8, 1, HALO_STREAM_NONE), HALO_ERR_DEVICE);
    EXPECT_EQ(plain, 3);
    void *pointer = nullptr;
    EXPECT_EQ(LateDevice::ops().allocate(device.get(), HALO_MEMORY_HOST, 8, &pointer), HALO_ERR_ARGUMENT);
    const Block pinned(device, 8, HALO_MEMORY_PINNED);
    EXPECT_EQ(table.run({ own.get(), pinned.get() }), HALO_SUCCESS);
    device.synchronize();
}

TEST(LateDevice, CopiesOfPlainMemoryAreTakenAtOnce) {
    const LateDevice device;
    const Block block(device, 8);
    uint64_t value = 5;
    block.write(&value);
    value = 6;
    uint64_t found = 0;
    std::memcpy(&found, block.read().data(), 8);
    EXPECT_EQ(found, 5u);
    ASSERT_EQ(LateDevice::ops().fill(device.get(), block.get(), &value, 4, 2, HALO_STREAM_NONE), HALO_SUCCESS);
    value = 7;
    EXPECT_EQ(block.read(), (std::vector<unsigned char>{ 6, 0, 0, 0, 6, 0, 0, 0 }));
    EXPECT_EQ(device.counts().host_waits, 2);
}

TEST(LateDevice, AllocationsFailOnOrder) {
    LateDevice device;
    late_fail_allocation(device.get(), 1);
    const Block first(device, 8);
    void *pointer = nullptr;
    EXPECT_EQ(LateDevice::ops().allocate(device.get(), HALO_MEMORY_DEVICE, 8, &pointer), HALO_ERR_MEMORY);
    EXPECT_NE(device.report.find("no 8 bytes"), std::string::npos);
    const Block third(device, 24);
    EXPECT_EQ(device.counts().allocations, 2);
    EXPECT_EQ(device.counts().bytes, 32);
}

TEST(LateDevice, PinnedAllocationsFailOnOrder) {
    late_fail_pinned_of_all(0);
    late_fail_allocations_of_all(1);
    const LateDevice device;
    late_fail_pinned_of_all(-1);
    late_fail_allocations_of_all(-1);
    void *pointer = nullptr;
    EXPECT_EQ(LateDevice::ops().allocate(device.get(), HALO_MEMORY_PINNED, 8, &pointer), HALO_ERR_MEMORY);
    EXPECT_NE(device.report.find("pinned"), std::string::npos);
    const Block own(device, 8), pinned(device, 8, HALO_MEMORY_PINNED);
    EXPECT_EQ(LateDevice::ops().allocate(device.get(), HALO_MEMORY_DEVICE, 8, &pointer), HALO_ERR_MEMORY);
    late_fail_pinned(device.get(), 0);
    EXPECT_EQ(LateDevice::ops().allocate(device.get(), HALO_MEMORY_PINNED, 8, &pointer), HALO_ERR_MEMORY);
}

// What was accepted is not done; the event behind it says so, and not the one behind the next work.
TEST(LateDevice, AcceptedWorkFailsOnOrder) {
    LateDevice device;
    const LateTable table(device, line(1), one_row);
    const Block from(device, 8, HALO_MEMORY_PINNED), to(device, 8, HALO_MEMORY_PINNED);
    void *const bases[] = { from.get(), to.get() };
    const halo_copy_range range{ table.get(), 0, 1, bases, 2, nullptr, {}, HALO_ROWS_ALL, 0 };
    halo_event *event = nullptr;
    ASSERT_EQ(LateDevice::ops().event_create(device.get(), &event), HALO_SUCCESS);
    late_fail_work(device.get(), 1);
    for (int turn = 0; turn < 3; ++turn) {
        *static_cast<double *>(from.get()) = turn;
        ASSERT_EQ(LateDevice::ops().ranges_run(device.get(), &range, 1, HALO_STREAM_NONE), HALO_SUCCESS);
        ASSERT_EQ(LateDevice::ops().event_record(device.get(), event, HALO_STREAM_NONE), HALO_SUCCESS);
        device.synchronize();
        int32_t done = 0;
        EXPECT_EQ(LateDevice::ops().event_query(device.get(), event, &done), turn == 1 ? HALO_ERR_DEVICE : HALO_SUCCESS) << turn;
        EXPECT_EQ(done, turn == 1 ? 0 : 1) << turn;
        EXPECT_EQ(*static_cast<double *>(to.get()), turn == 1 ? 0 : turn) << turn;
    }
    EXPECT_NE(device.report.find("has failed, as ordered"), std::string::npos) << device.report;
    LateDevice::ops().event_destroy(device.get(), event);
}

TEST(LateDevice, TablesInUseAreNotChanged) {
    LateDevice device(3, 20000);
    const LateTable table(device, line(1), one_row);
    const Block from(device, 8), to(device, 8);
    int refused = 0;
    for (int turn = 0; turn < 20 && refused == 0; ++turn) {
        ASSERT_EQ(table.run({ from.get(), to.get() }), HALO_SUCCESS);
        refused += LateDevice::ops().table_patch(device.get(), table.get(), 0, 1, one_row.data()) == HALO_ERR_STATE;
        device.synchronize();
    }
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(LateDevice::ops().table_patch(device.get(), table.get(), 0, 1, one_row.data()), HALO_SUCCESS);
}

TEST(LateDevice, RowsThatAreNotThere) {
    LateDevice device;
    const LateTable table(device, line(1), one_row);
    const Block block(device, 8);
    void *const bases[] = { block.get() };
    EXPECT_EQ(LateDevice::ops().table_run(device.get(), table.get(), 0, 2, bases, 1, HALO_COPY_MOVE, 0, HALO_STREAM_NONE), HALO_ERR_ARGUMENT);
    EXPECT_EQ(table.run({ block.get() }), HALO_ERR_DEVICE); // base 1 is not given
    EXPECT_EQ(table.run({ block.get(), block.get() }, HALO_STREAM_NONE, 99, HALO_FLOAT64), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.counts().launches, 0);
}

} // namespace
