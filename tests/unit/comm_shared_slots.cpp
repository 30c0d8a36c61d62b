// SPDX-License-Identifier: BSD-3-Clause
// Payloads in shared memory: runs alternate between two slots, and a slot is written again only when its reader has read it.
#include "stream/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>

#include "expect_failure.h"
#include "inproc_context.h"

namespace halo {

namespace {

constexpr size_t payload_bytes = 20000; // enough to go by shared memory

class TwoRanks {
public:
    TwoRanks() {
        std::thread other([&] { open(1); });
        open(0);
        other.join();
    }
    ~TwoRanks() {
        for (auto &link : links) link.reset();
        for (RunId &id : ids) id = {};
        std::thread other([&] { contexts[1].reset(); });
        contexts[0].reset();
        other.join();
        destroy_inproc_group(group_);
    }
    TwoRanks(const TwoRanks &) = delete;
    TwoRanks &operator=(const TwoRanks &) = delete;

    void connect() {
        for (int32_t rank : { 0, 1 }) {
            StreamDirection both_ways;
            both_ways.active = true;
            both_ways.payload_bytes = payload_bytes;
            StreamSpec spec;
            spec.peer = 1 - rank;
            ids[rank] = contexts[rank]->next_run();
            spec.serial = ids[rank].serial();
            spec.tag = ids[rank].tag();
            spec.send = spec.receive = both_ways;
            spec.shared = true;
            spec.what = "link under test";
            links[rank] = std::make_unique<Stream>(*contexts[rank], spec);
        }
    }

    std::unique_ptr<Context> contexts[2];
    RunId ids[2];
    std::unique_ptr<Stream> links[2];

private:
    void open(int32_t rank) { contexts[rank] = open_context(group_, rank); }

    halo_inproc *group_ = create_inproc_group(2);
};

// The rank's message of this run, full of one value. The transport gets it, unless it lies in shared memory.
void send(Stream &link, uint32_t epoch, std::byte value, bool shared) {
    const int64_t before = link.bytes_sent;
    link.post(epoch, {});
    ASSERT_TRUE(link.writable());
    std::fill_n(link.send_payload(), payload_bytes, value);
    link.send(payload_bytes);
    EXPECT_EQ(link.bytes_sent == before, shared) << "run " << epoch;
}

void expect_run(Stream &link, std::byte value) {
    for (int turn = 0; turn < 1000 && !link.test(); ++turn) std::this_thread::yield();
    ASSERT_TRUE(link.arrived());
    EXPECT_EQ(std::count(link.received_payload(), link.received_payload() + payload_bytes, value), static_cast<std::ptrdiff_t>(payload_bytes));
}

// In which each learns that the other reads shared memory.
void make_known(Stream &writer, Stream &reader) {
    for (uint32_t epoch = 1; epoch <= 2; ++epoch) {
        send(writer, epoch, std::byte{ 1 }, false);
        send(reader, epoch, std::byte{ 1 }, false);
        for (Stream *link : { &writer, &reader }) {
            expect_run(*link, std::byte{ 1 });
            link->consume();
        }
    }
}

class SharedSlots : public testing::Test {
protected:
    void SetUp() override {
        if (!ranks.contexts[0]->shared_arena(payload_bytes)) GTEST_SKIP() << "this system has no memory that ranks can share";
        ranks.connect();
        make_known(writer(), reader());
        send(reader(), 3, std::byte{ 1 }, true);
        send(writer(), 3, std::byte{ 3 }, true);
    }
    void TearDown() override {
        for (auto &link : ranks.links)
            if (link) link->abandon();
    }
    Stream &writer() { return *ranks.links[0]; }
    Stream &reader() { return *ranks.links[1]; }

    TwoRanks ranks;
};

// A peer that is handed run 3 while it has not unpacked run 1 must find run 1 as it was: run 3 goes by message.
TEST_F(SharedSlots, AreNotWrittenAgainBeforeTheyAreRead) {
    expect_run(reader(), std::byte{ 3 });
    for (uint32_t epoch = 4; epoch <= 5; ++epoch) send(writer(), epoch, static_cast<std::byte>(epoch), epoch == 4); // 5 has the slot of 3
    EXPECT_EQ(std::count(reader().received_payload(), reader().received_payload() + payload_bytes, std::byte{ 3 }),
              static_cast<std::ptrdiff_t>(payload_bytes));
    for (uint32_t epoch = 4; epoch <= 5; ++epoch) {
        reader().consume();
        reader().post(epoch, {});
        expect_run(reader(), static_cast<std::byte>(epoch));
    }
}

TEST_F(SharedSlots, HoldTheMessageOfTheRunThatIsWaitedFor) {
    constexpr uint32_t another = 5;
    std::memcpy(writer().send_buffer() + offsetof(MessageHeader, epoch), &another, sizeof another);
    expect_failure(HALO_ERR_WIRE, { "run 3 of rank 0", "run 5" }, [&] { expect_run(reader(), std::byte{ 3 }); });
}

} // namespace

} // namespace halo
