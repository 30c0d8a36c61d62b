// SPDX-License-Identifier: BSD-3-Clause
// Storage that a peer was using when a run ended here: nobody else has it until the peer has ended too, its process is dead, or it is said to be
// gone.
#include "memory/leases.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <list>
#include <thread>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect_failure.h"

namespace halo {

namespace {

constexpr uint32_t serial = 5, run = 3;

class Leases : public testing::Test {
protected:
    Leases() { leases_.arena = &arena_; }

    // A peer that is at this storage.
    StorageGate lend(Storage storage, int32_t peer = 1, const Process &process = {}) {
        const SharedBlock block = arena_.allocate(64);
        StorageGate gate(block);
        gate.open(serial, run);
        EXPECT_TRUE(gate.claim(serial, run));
        std::list<Lease> lease;
        lease.push_back({ block, peer, process, "exchange 5 over u", run, { storage } });
        lease.front().memory.reserve(1);
        leases_.take_over(lease);
        return gate;
    }
    void expect_busy(Storage storage) {
        expect_failure(HALO_BUSY, { "field u: rank 1 may still use it", "run 3 of exchange 5 over u" },
                       [&] { leases_.require_free(storage.data(), storage.size(), "field u"); });
    }
    void expect_free(Storage storage) { EXPECT_NO_THROW(leases_.require_free(storage.data(), storage.size(), "field u")); }

    SharedArena arena_;
    OutstandingLeases leases_;
    std::byte memory_[300]{};
    const Storage all_{ memory_ }, low_ = all_.first(100), middle_ = all_.subspan(100, 100), high_ = all_.last(100);
};

TEST_F(Leases, StorageIsBusyUntilThePeerHasEnded) {
    const StorageGate gate = lend(middle_);
    expect_busy(middle_);
    expect_busy(all_);
    expect_busy(all_.subspan(199, 1));
    expect_free(low_);
    expect_free(high_);
    expect_free({});
    gate.done(serial, run);
    expect_free(all_);
    EXPECT_TRUE(leases_.empty());
}

TEST_F(Leases, WhoseTurnWasRevokedLearnsIt) {
    for (const bool declines : { false, true }) {
        const StorageGate gate = lend(middle_);
        EXPECT_TRUE(gate.revoke());
        expect_busy(middle_);
        EXPECT_FALSE(declines ? gate.decline(serial, run) : gate.done(serial, run));
        EXPECT_FALSE(gate.is_done(serial, run));
        EXPECT_FALSE(gate.revoke()) << "it has ended";
        expect_free(all_);
    }
}

// The word of the gate has 30 bits for a run, none of which is that of a turn that was revoked.
TEST_F(Leases, AreOfAnyRun) {
    for (const uint32_t any : { 0u, 0x3fffffffu, 0x40000000u, UINT32_MAX }) {
        const SharedBlock block = arena_.allocate(64);
        const StorageGate gate(block);
        bool unused = false;
        gate.open(serial, any);
        EXPECT_FALSE(gate.claim(serial, any + 1));
        EXPECT_TRUE(gate.claim(serial, any));
        EXPECT_TRUE(gate.decline(serial, any));
        EXPECT_TRUE(gate.close(&unused) && unused);
        gate.open(serial, any);
        EXPECT_TRUE(gate.claim(serial, any) && gate.done(serial, any));
        EXPECT_TRUE(gate.close(&unused) && !unused);
        gate.open(serial, any);
        EXPECT_TRUE(gate.claim(serial, any) && gate.revoke());
        EXPECT_FALSE(gate.done(serial, any)) << "run " << any;
        arena_.release(block, 0);
    }
}

TEST_F(Leases, OfAPeerThatIsGoneEnd) {
    lend(low_, 1);
    lend(low_, 2);
    leases_.forget(2);
    expect_busy(low_);
    leases_.forget(1);
    expect_free(low_);
}

TEST_F(Leases, OfAProcessThatHasEndedEnd) {
    int told[2], end[2];
    ASSERT_EQ(pipe(told), 0);
    ASSERT_EQ(pipe(end), 0);
    const pid_t child = fork();
    if (child == 0) {
        const Process own = this_process();
        char token = 0;
        _exit(write(told[1], &own, sizeof own) == sizeof own && read(end[0], &token, 1) == 1 ? 0 : 1);
    }
    close(told[1]);
    Process process;
    ASSERT_EQ(read(told[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
    ASSERT_EQ(process.number, child);
    lend(low_, 1, process);
    expect_busy(low_);
    ASSERT_EQ(write(end[1], "x", 1), 1);
    siginfo_t status{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &status, WEXITED | WNOWAIT), 0);
    expect_free(low_); // though its parent has not asked how it ended
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(has_ended(process));
}

TEST_F(Leases, MemoryIsKeptUntilNobodyHoldsAnyOfIt) {
    Pools pools(1 << 20);
    halo_allocator host{};
    host.allocate = [](void *, size_t bytes) { return std::aligned_alloc(64, bytes); };
    host.release = [](void *, void *data, size_t) { std::free(data); };
    pools.add(host);
    Buffer buffer = pools.get(HALO_MEMORY_HOST, 1000);
    const Storage all(buffer.data(), buffer.bytes());
    const StorageGate first = lend(all.first(10)), second = lend(all.last(10));
    leases_.keep(std::move(buffer));
    EXPECT_GT(pools.pool(HALO_MEMORY_HOST).figures().in_use_bytes, 0);
    first.done(serial, run);
    leases_.reap();
    EXPECT_GT(pools.pool(HALO_MEMORY_HOST).figures().in_use_bytes, 0);
    second.done(serial, run);
    leases_.reap();
    EXPECT_EQ(pools.pool(HALO_MEMORY_HOST).figures().in_use_bytes, 0);
}

// Its first thread has ended, and another works on: the system shows it as one that is only waited for.
TEST(Processes, EndWithTheirLastThread) {
    int told[2], end[2];
    ASSERT_EQ(pipe(told), 0);
    ASSERT_EQ(pipe(end), 0);
    const pid_t child = fork();
    if (child == 0) {
        std::thread([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50)); // the first one has ended
            const Process own = this_process();
            char token = 0;
            _exit(write(told[1], &own, sizeof own) == sizeof own && read(end[0], &token, 1) == 1 ? 0 : 1);
        }).detach();
        syscall(SYS_exit, 0); // this thread alone
    }
    close(told[1]);
    Process process;
    ASSERT_EQ(read(told[0], &process, sizeof process), static_cast<ssize_t>(sizeof process));
    EXPECT_FALSE(has_ended(process));
    ASSERT_EQ(write(end[1], "x", 1), 1);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(has_ended(process));
}

TEST(Processes, AreToldFromThoseThatHaveTheirNumberLater) {
    const Process own = this_process();
    ASSERT_NE(own.host, 0u);
    EXPECT_FALSE(has_ended(own));
    EXPECT_TRUE(has_ended({ own.host, own.started + 1, own.number }));
    EXPECT_FALSE(has_ended({ own.host + 1, own.started + 1, own.number })) << "of another host nothing is known";
    EXPECT_FALSE(has_ended({}));
}

} // namespace

} // namespace halo
