// SPDX-License-Identifier: BSD-3-Clause
// Memory and events that another instance opens, of this process and of another one. The other process runs one test of this program, which is not
// run else; both talk by a socket, whose number it finds in the environment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_memory.h"

namespace {

using namespace halo::test;

constexpr size_t n = 1 << 20, n_small = 1000; // bytes
constexpr int n_turns = 3;
constexpr char socket_variable[] = "HALO_TEST_IPC_SOCKET";

#define NEEDS_IPC()                                                                                                                                  \
    if (!tested_plugin().ipc) GTEST_SKIP() << "device " << tested_plugin().name << " has no ipc: no other rank reaches its memory"

const halo_ipc_ops &ipc() { return *tested_plugin().ipc; }

void fill(const TestedDevice &device, void *memory, unsigned char value, size_t bytes = n) {
    EXPECT_EQ(device.ops().fill(device.get(), memory, &value, 1, static_cast<int64_t>(bytes), HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
}

// When the device's own stream comes to it, which takes a while.
void fill_late(const TestedDevice &device, void *memory, unsigned char value) {
    constexpr int n_before = 200;
    for (int i = 0; i < n_before; ++i) fill(device, memory, static_cast<unsigned char>(200 + i % 50));
    fill(device, memory, value);
}

// Waits.
bool is_filled(const TestedDevice &device, const void *memory, unsigned char value, size_t bytes = n) {
    std::vector<unsigned char> seen(bytes, static_cast<unsigned char>(~value));
    EXPECT_EQ(device.ops().copy(device.get(), seen.data(), memory, bytes, HALO_STREAM_NONE), HALO_SUCCESS) << device.report();
    return std::all_of(seen.begin(), seen.end(), [&](unsigned char one) { return one == value; });
}

halo_ipc_handle exported(const TestedDevice &device, const Memory &block) {
    halo_ipc_handle handle{};
    EXPECT_EQ(ipc().export_memory(device.get(), block.data(), &handle), HALO_SUCCESS) << device.report();
    return handle;
}

// What another instance has exported, open in this one.
class OpenMemory {
public:
    OpenMemory(const TestedDevice &device, const halo_ipc_handle &handle) : device_(device) {
        EXPECT_EQ(ipc().open_memory(device.get(), &handle, &memory_), HALO_SUCCESS) << device.report();
    }
    ~OpenMemory() {
        if (memory_) ipc().close_memory(device_.get(), memory_);
    }
    OpenMemory(const OpenMemory &) = delete;
    OpenMemory &operator=(const OpenMemory &) = delete;

    void *data() const { return memory_; }

private:
    const TestedDevice &device_;
    void *memory_ = nullptr;
};

class OpenEvent {
public:
    OpenEvent(const TestedDevice &device, const halo_ipc_handle &handle) : device_(device) {
        EXPECT_EQ(ipc().open_event(device.get(), &handle, &event_), HALO_SUCCESS) << device.report();
    }
    ~OpenEvent() {
        if (event_) device_.ops().event_destroy(device_.get(), event_);
    }
    OpenEvent(const OpenEvent &) = delete;
    OpenEvent &operator=(const OpenEvent &) = delete;

    bool is_there() const { return event_ != nullptr; }
    void await() const { EXPECT_EQ(device_.ops().event_wait(device_.get(), event_, HALO_STREAM_NONE), HALO_SUCCESS) << device_.report(); }

private:
    const TestedDevice &device_;
    halo_event *event_ = nullptr;
};

// The event is the exporter's still when the other one has destroyed what it had opened.
TEST(Ipc, AnotherInstanceOfThisProcess) {
    NEEDS_IPC();
    const TestedDevice mine, other;
    const Memory block(mine, n, HALO_MEMORY_DEVICE);
    const halo_ipc_handle memory = exported(mine, block);
    halo_ipc_handle told{};
    halo_event *event = nullptr;
    ASSERT_EQ(ipc().export_event(mine.get(), &event, &told), HALO_SUCCESS) << mine.report();
    for (unsigned char turn = 1; turn <= n_turns; ++turn) {
        const OpenMemory opened(other, memory);
        const OpenEvent recorded(other, told);
        ASSERT_TRUE(opened.data() && recorded.is_there());
        fill_late(mine, block.data(), turn);
        EXPECT_EQ(mine.ops().event_record(mine.get(), event, HALO_STREAM_NONE), HALO_SUCCESS) << mine.report();
        recorded.await();
        EXPECT_TRUE(is_filled(other, opened.data(), turn));
        fill(other, opened.data(), static_cast<unsigned char>(100 + turn));
        EXPECT_TRUE(is_filled(other, opened.data(), static_cast<unsigned char>(100 + turn)));
        EXPECT_TRUE(is_filled(mine, block.data(), static_cast<unsigned char>(100 + turn)));
    }
    mine.ops().event_destroy(mine.get(), event);
}

TEST(Ipc, WhatOthersCannotOpen) {
    NEEDS_IPC();
    const TestedDevice device;
    const Memory pinned(device, n, HALO_MEMORY_PINNED);
    halo_ipc_handle handle{};
    EXPECT_EQ(ipc().export_memory(device.get(), pinned.data(), &handle), HALO_ERR_DEVICE);
    EXPECT_FALSE(device.report().empty());
}

template <class T>
bool tell(int socket, const T &what) {
    return send(socket, &what, sizeof what, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof what);
}
template <class T>
bool hear(int socket, T &what) {
    return recv(socket, &what, sizeof what, MSG_WAITALL) == static_cast<ssize_t>(sizeof what);
}

struct Offer {
    halo_ipc_handle memory, small[2], event;
};

// Another process of this program, over the same module.
class OtherProcess {
public:
    OtherProcess() {
        int ends[2] = { -1, -1 };
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        socket_ = ends[0];
        std::string module = std::string("--module=") + tested_file();
        std::string arguments[] = { "device_module_tests", module, "--gtest_brief=1", "--gtest_also_run_disabled_tests",
                                    "--gtest_filter=Ipc.DISABLED_InTheOtherProcess" };
        std::vector<char *> list;
        for (std::string &one : arguments) list.push_back(one.data());
        list.push_back(nullptr);
        setenv(socket_variable, std::to_string(ends[1]).c_str(), 1);
        EXPECT_EQ(posix_spawn(&process_, "/proc/self/exe", nullptr, nullptr, list.data(), environ), 0);
        unsetenv(socket_variable);
        close(ends[1]);
    }
    ~OtherProcess() {
        int status = -1;
        close(socket_); // it ends then, if it has not
        EXPECT_EQ(waitpid(process_, &status, 0), process_);
        EXPECT_EQ(status, 0) << "the other process has failed";
    }
    OtherProcess(const OtherProcess &) = delete;
    OtherProcess &operator=(const OtherProcess &) = delete;

    int socket() const { return socket_; }

private:
    int socket_ = -1;
    pid_t process_ = -1;
};

// It waits for each of the events, reads what was written before, and writes; also memory that a runtime may have taken from one larger piece.
TEST(Ipc, AnotherProcess) {
    NEEDS_IPC();
    const TestedDevice mine;
    const Memory block(mine, n, HALO_MEMORY_DEVICE), one(mine, n_small, HALO_MEMORY_DEVICE), two(mine, n_small, HALO_MEMORY_DEVICE);
    fill(mine, one.data(), 11, n_small);
    fill(mine, two.data(), 12, n_small);
    Offer offer{ exported(mine, block), { exported(mine, one), exported(mine, two) }, {} };
    halo_event *event = nullptr;
    ASSERT_EQ(ipc().export_event(mine.get(), &event, &offer.event), HALO_SUCCESS) << mine.report();
    {
        const OtherProcess other;
        ASSERT_TRUE(tell(other.socket(), offer));
        for (unsigned char turn = 1; turn <= n_turns; ++turn) {
            fill_late(mine, block.data(), turn);
            EXPECT_EQ(mine.ops().event_record(mine.get(), event, HALO_STREAM_NONE), HALO_SUCCESS) << mine.report();
            ASSERT_TRUE(tell(other.socket(), turn));
            unsigned char written = 0;
            ASSERT_TRUE(hear(other.socket(), written)) << "the other process has gone";
            EXPECT_EQ(written, 100 + turn);
            EXPECT_TRUE(is_filled(mine, block.data(), written));
        }
        unsigned char closed = 0;
        ASSERT_TRUE(hear(other.socket(), closed));
        EXPECT_TRUE(is_filled(mine, one.data(), 21, n_small));
        EXPECT_TRUE(is_filled(mine, two.data(), 22, n_small));
    }
    mine.ops().event_destroy(mine.get(), event);
}

TEST(Ipc, DISABLED_InTheOtherProcess) {
    const char *const number = std::getenv(socket_variable);
    ASSERT_NE(number, nullptr) << "the test AnotherProcess runs this one";
    const int socket = std::atoi(number);
    Offer offer{};
    ASSERT_TRUE(hear(socket, offer));
    const TestedDevice device;
    {
        const OpenMemory opened(device, offer.memory), one(device, offer.small[0]), two(device, offer.small[1]);
        const OpenEvent recorded(device, offer.event);
        ASSERT_TRUE(opened.data() && one.data() && two.data() && recorded.is_there());
        for (unsigned char turn = 0; turn < n_turns;) {
            ASSERT_TRUE(hear(socket, turn));
            recorded.await();
            EXPECT_TRUE(is_filled(device, opened.data(), turn)) << int{ turn };
            const auto next = static_cast<unsigned char>(100 + turn);
            fill(device, opened.data(), next);
            EXPECT_TRUE(is_filled(device, opened.data(), next));
            ASSERT_TRUE(tell(socket, next));
        }
        EXPECT_TRUE(is_filled(device, one.data(), 11, n_small)); // behind the events, and so behind what wrote it
        EXPECT_TRUE(is_filled(device, two.data(), 12, n_small));
        fill(device, one.data(), 21, n_small);
        fill(device, two.data(), 22, n_small);
        EXPECT_TRUE(is_filled(device, two.data(), 22, n_small));
    }
    ASSERT_TRUE(tell(socket, static_cast<unsigned char>(1)));
}

} // namespace
