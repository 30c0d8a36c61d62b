// SPDX-License-Identifier: BSD-3-Clause
// Messages that their receiver reads where they lie at the sender: from one that is stopped, killed or has closed in the middle, by one that is, and
// where the system does not permit it.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <thread>

#include "shm/endpoint.h"
#include "shm/segment.h"
#include "shm_ranks.h"

namespace shm_tests {
namespace {

using halo::shm::chunk_bytes;
using halo::shm::Segment;
using halo::shm::SegmentAddress;

constexpr size_t huge = 64 << 20; // in many chunks: the first is read when the message is received, others in later calls

pid_t process_of(Rank &r, int32_t peer) {
    const pid_t own = getpid();
    pid_t other = 0;
    Bytes mine(sizeof own), theirs(sizeof own);
    std::memcpy(mine.data(), &own, sizeof own);
    halo_request sending, receiving;
    r.receive(peer, 90, theirs, receiving);
    r.send(peer, 90, mine, sending);
    r.wait(receiving);
    r.wait(sending);
    std::memcpy(&other, theirs.data(), sizeof other);
    return other;
}

// As /proc has it: 'T' for one that is stopped, 'Z' for one that only its parent waits for; 0: there is none.
char state_of(pid_t process) {
    char path[64], text[512] = {};
    std::snprintf(path, sizeof path, "/proc/%d/stat", process);
    std::FILE *file = std::fopen(path, "re");
    if (file == nullptr) return 0;
    const size_t n = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    const char *behind_name = n > 0 ? std::strrchr(text, ')') : nullptr;
    return behind_name != nullptr && behind_name[1] == ' ' ? behind_name[2] : static_cast<char>(0);
}

template <class Is>
void wait_until(Is is, const char *what) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!is()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        require(std::chrono::steady_clock::now() < end, "%s: waited a minute in vain", what);
    }
}

void stop(pid_t process) {
    kill(process, SIGSTOP);
    wait_until([&] { return state_of(process) == 'T'; }, "a process that is to stop");
}

void end(pid_t process) {
    kill(process, SIGKILL);
    wait_until([&] { return state_of(process) == 0 || state_of(process) == 'Z'; }, "a process that is to end");
}

// It is offered, and the first chunk of it read.
void begin_receive(Rank &r, int32_t peer, int32_t tag, Bytes &in, halo_request &receiving) {
    size_t bytes = 0;
    halo_matched message;
    r.wait_for_message(peer, tag, bytes, message);
    require(bytes == in.size(), "the probe says %zu bytes", bytes);
    r.receive_matched(message, in, receiving);
}

bool is_done(Rank &r, halo_request &request) {
    int32_t done = 0;
    size_t bytes = 0;
    const halo_status status = r.ops.test(r.transport, &request, &done, &bytes);
    require(status == HALO_SUCCESS, "test: status %d: %s", status, r.error.c_str());
    return done != 0;
}

void expect_pending(Rank &r, halo_request &request, std::chrono::milliseconds time, const char *what) {
    const auto limit = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < limit) require(!is_done(r, request), "%s is done", what);
}

void expect_end(Rank &r, halo_request &request) {
    size_t bytes = 0;
    const halo_status status = r.outcome(request, bytes);
    require(status == HALO_ERR_TRANSPORT, "status %d", status);
    require(r.error.find("rank 1") != std::string::npos && r.error.find("ended") != std::string::npos, "text: %s", r.error.c_str());
}

// Rank 1 offers a message and is stopped; rank 0 has it before that one goes on, or only afterwards.
void check_stopped_sender(Rank &r, int64_t number, bool is_read) {
    const pid_t other = process_of(r, 1 - r.rank);
    halo_request request;
    if (r.rank == 1) {
        const Bytes out = payload(1, 0, number, huge);
        r.send(0, 1, out, request);
        r.wait(request);
        return r.meet(0);
    }
    Bytes in(huge);
    size_t bytes = 0;
    halo_matched message;
    r.wait_for_message(1, 1, bytes, message);
    stop(other);
    r.receive_matched(message, in, request);
    if (is_read)
        require(r.wait(request) == huge, "wrong size");
    else
        expect_pending(r, request, std::chrono::milliseconds(300), "a message that cannot be read where it lies");
    kill(other, SIGCONT);
    if (!is_read) require(r.wait(request) == huge, "wrong size");
    check_payload(in, huge, 1, 0, number);
    r.meet(1);
}

class ShmOnce : public CopiedOnce {};
class ShmRead : public CopiedOnce {
    void SetUp() override {
        if (!forked_may_read()) GTEST_SKIP() << "processes may not read each other's memory here";
    }
};

TEST_F(ShmRead, AMessageOfAStoppedPeerComes) {
    run_ranks(2, [](Rank &r) { check_stopped_sender(r, 1, true); });
}

// It is enough that one of the two does not want it.
TEST_F(ShmOnce, EitherEndMayForbidIt) {
    for (const int32_t forbids : { 0, 1 }) {
        run_unopened(2, [forbids](const halo_transport_plugin &plugin, const halo_transport_params &params) {
            if (params.bootstrap->rank == forbids) world.settings["shm.copy"] = "twice";
            Rank r(plugin, params);
            check_stopped_sender(r, 1, false);
        });
    }
}

TEST_F(ShmOnce, AReceiverThatStopsInTheMiddleIsWaitedFor) {
    run_ranks(2, [](Rank &r) {
        const pid_t other = process_of(r, 1 - r.rank);
        halo_request request;
        if (r.rank == 1) {
            Bytes in(huge);
            begin_receive(r, 0, 1, in, request);
            raise(SIGSTOP);
            require(r.wait(request) == huge, "wrong size");
            check_payload(in, huge, 0, 1, 1);
        } else {
            const Bytes out = payload(0, 1, 1, huge);
            r.send(1, 1, out, request);
            wait_until([&] { return state_of(other) == 'T' || is_done(r, request); }, "a receiver that is to stop");
            expect_pending(r, request, std::chrono::milliseconds(400), "a message whose receiver is stopped");
            kill(other, SIGCONT);
            r.wait(request);
        }
        r.meet(1 - r.rank);
    });
}

TEST_F(ShmOnce, ASenderKilledInTheMiddleIsNamed) {
    const auto body = [](Rank &r) {
        const pid_t other = process_of(r, 1 - r.rank);
        halo_request request;
        Bytes data(huge);
        if (r.rank == 1) {
            r.send(0, 1, data, request);
            r.wait(request);
            require(false, "all of it was read");
        }
        begin_receive(r, 1, 1, data, request);
        end(other);
        expect_end(r, request);
    };
    run_ranks(2, body, { 1 });
}

TEST_F(ShmOnce, AReceiverKilledInTheMiddleIsNamed) {
    const auto body = [](Rank &r) {
        halo_request request;
        Bytes data(huge);
        if (r.rank == 1) {
            begin_receive(r, 0, 1, data, request);
            raise(SIGKILL);
        }
        r.send(1, 1, data, request);
        expect_end(r, request);
    };
    run_ranks(2, body, { 1 });
}

// By then its sender's memory may be used for other things.
TEST_F(ShmOnce, WhatIsReadAfterItsSenderHasClosedDoesNotCount) {
    constexpr size_t size = chunk_bytes + 1;
    run_unopened(2, [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank other(plugin, params);
        Rank r(plugin, params);
        halo_request request;
        size_t bytes = 0;
        if (r.rank == 0) {
            Bytes out = payload(0, 1, 1, size);
            r.send(1, 1, out, request);
            other.meet(1); // one chunk has been read
            r.close();
            std::fill(out.begin(), out.end(), 0xee);
            other.meet(1);
            return other.meet(1);
        }
        Bytes in(size);
        begin_receive(r, 0, 1, in, request);
        other.meet(0);
        other.meet(0);
        const halo_status status = r.outcome(request, bytes);
        require(status == HALO_ERR_TRANSPORT && r.error.find("rank 0 closed") != std::string::npos, "status %d: %s", status, r.error.c_str());
        other.meet(0);
    });
}

// Its sender need not do anything for it.
TEST_F(ShmRead, CancelWaitsForWhatIsRead) {
    constexpr size_t size = 3 << 20; // read well within the time that cancel waits
    run_ranks(2, [](Rank &r) {
        const pid_t other = process_of(r, 1 - r.rank);
        halo_request request;
        if (r.rank == 0) {
            const Bytes out = payload(0, 1, 1, size);
            r.send(1, 1, out, request);
            r.wait(request);
        } else {
            Bytes in(size);
            begin_receive(r, 0, 1, in, request);
            stop(other);
            int32_t done = 0;
            const halo_status status = r.ops.cancel(r.transport, &request, &done);
            kill(other, SIGCONT);
            require(status == HALO_SUCCESS && done == 1, "status %d, done %d: %s", status, done, r.error.c_str());
            check_payload(in, size, 0, 1, 1);
        }
        r.meet(1 - r.rank);
    });
}

// ---- where it is not permitted

// From now on this process may not read the memory of another.
bool forbid_reading() {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = { std::size(filter), filter };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Of a process of its own.
template <class Can>
bool can(Can body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(ShmOnce, WithoutPermissionMessagesAreCopiedTwice) {
    if (!can(forbid_reading)) GTEST_SKIP() << "filters of system calls are not permitted here";
    run_unopened(2, [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        require(forbid_reading(), "seccomp: %s", std::strerror(errno));
        Rank r(plugin, params);
        check_stopped_sender(r, 1, false);
    });
}

TEST_F(ShmRead, PermissionMayBeLostLater) {
    if (!can(forbid_reading)) GTEST_SKIP() << "filters of system calls are not permitted here";
    run_ranks(2, [](Rank &r) {
        check_stopped_sender(r, 1, true);
        if (r.rank == 0) require(forbid_reading(), "seccomp: %s", std::strerror(errno));
        check_stopped_sender(r, 2, false);
        check_stopped_sender(r, 3, false);
    });
}

// That the kernel itself does not read; nullptr: there is none.
unsigned char *secret_memory([[maybe_unused]] size_t bytes) {
#ifdef SYS_memfd_secret
    const int file = static_cast<int>(syscall(SYS_memfd_secret, 0));
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory != MAP_FAILED ? static_cast<unsigned char *>(memory) : nullptr;
#else
    return nullptr;
#endif
}

// A message that lies where nobody else can read is sent by its sender; others are read as before.
TEST_F(ShmRead, MemoryThatCannotBeReadIsCopiedTwice) {
    constexpr size_t bytes = 300000;
    if (!can([] { return secret_memory(bytes) != nullptr; })) GTEST_SKIP() << "there is no secret memory here";
    run_ranks(2, [](Rank &r) {
        halo_request request{};
        if (r.rank == 1) {
            unsigned char *memory = secret_memory(bytes);
            require(memory != nullptr, "memfd_secret: %s", std::strerror(errno));
            const Bytes out = payload(1, 0, 7, bytes);
            std::copy(out.begin(), out.end(), memory);
            require(r.ops.send(r.transport, 0, 0, 5, memory, bytes, &request) == HALO_SUCCESS, "send: %s", r.error.c_str());
            r.wait(request);
        } else {
            Bytes in(bytes);
            r.receive(1, 5, in, request);
            require(r.wait(request) == bytes, "wrong size");
            check_payload(in, bytes, 1, 0, 7);
        }
        check_stopped_sender(r, 2, true);
    });
}

// ---- what is read, and of whom

TEST(ShmSegment, IsReadOfItsOwnerAlone) {
    halo::shm::Trouble trouble = "";
    Segment own, mapped, of_another;
    ASSERT_TRUE(own.create(2, trouble)) << trouble;
    ASSERT_TRUE(mapped.map(own.address(), 1, trouble)) << trouble;
    const Bytes from = payload(0, 1, 3, 5000);
    Bytes to(from.size());
    if (mapped.copy_from_owner(nullptr, nullptr, 0) != Segment::Copied::done) GTEST_SKIP() << "not permitted here: " << std::strerror(errno);
    EXPECT_EQ(mapped.copy_from_owner(from.data(), to.data(), to.size()), Segment::Copied::done);
    EXPECT_EQ(to, from);
    EXPECT_EQ(mapped.copy_from_owner(reinterpret_cast<const void *>(8), to.data(), to.size()), Segment::Copied::not_there);
    // A process that has the number of the one that is gone has other things there.
    const uint64_t other_things[64] = {};
    SegmentAddress address = own.address();
    address.front = reinterpret_cast<uintptr_t>(other_things);
    ASSERT_TRUE(of_another.map(address, 1, trouble)) << trouble;
    EXPECT_EQ(of_another.copy_from_owner(from.data(), to.data(), to.size()), Segment::Copied::nothing);
}

} // namespace
} // namespace shm_tests
