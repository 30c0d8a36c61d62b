// SPDX-License-Identifier: BSD-3-Clause
// Ranks to test with: threads of this process, or, under a launcher, the processes it started.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "halo_channel.h"

namespace test {

// 0: not started by a launcher.
int launched_ranks();

struct Rank {
    halo_context *context = nullptr;
    int32_t rank = 0;
    int32_t size = 1;
    bool first() const { return rank == 0; }
};

// Run `body` on every rank of a new group; contexts are created before and destroyed after. Under a launcher the test is skipped
// unless the number of processes is `n`.
void run_ranks(int n, const std::function<void(Rank &)> &body, const halo_context_options *options = nullptr);

#define RUN_RANKS(n, ...)                                                                                                                            \
    do {                                                                                                                                             \
        if (test::launched_ranks() != 0 && test::launched_ranks() != (n))                                                                            \
            GTEST_SKIP() << "wants " << (n) << " ranks, the launcher started " << test::launched_ranks();                                            \
        test::run_ranks((n), __VA_ARGS__);                                                                                                           \
    } while (0)

// The status is as wanted, else the test fails and prints the library's text.
void expect_status(halo_status wanted, halo_status got, const char *what, const char *file, int line);
#define EXPECT_STATUS(wanted, call) test::expect_status((wanted), (call), #call, __FILE__, __LINE__)
#define EXPECT_OK(call) EXPECT_STATUS(HALO_SUCCESS, call)
#define ASSERT_OK(call)                                                                                                                              \
    do {                                                                                                                                             \
        const halo_status assert_status = (call);                                                                                                    \
        ASSERT_EQ(assert_status, HALO_SUCCESS) << #call << ": " << halo_last_error();                                                                \
    } while (0)

// Every part is in the thread's last error text.
void expect_text(std::initializer_list<std::string> parts, const char *file, int line);
#define EXPECT_TEXT(...) test::expect_text({ __VA_ARGS__ }, __FILE__, __LINE__)

// Key 3 -> 7, field 2, an element, and `extra`.
halo_channel_key key_of(int64_t send_gid, int64_t receive_gid, int32_t element = 14, int64_t extra = 0);

halo_channel_desc desc_of(int32_t send_rank, int32_t receive_rank, int64_t count, halo_type type = HALO_FLOAT64);

// The caller's memory, in each of the three ways.
class Memory {
public:
    // `kind`: HALO_BUFFER_...
    Memory(int32_t kind, int64_t bytes);
    void describe(halo_channel_desc &desc);
    int64_t blocks_out() const { return blocks_out_; } // of the allocator

private:
    static void *allocate(void *user, const halo_channel_key *key, size_t bytes);
    static void release(void *user, const halo_channel_key *key, void *pointer, size_t bytes);

    int32_t kind_;
    std::vector<unsigned char> own_;
    halo_channel_allocator allocator_ = HALO_CHANNEL_ALLOCATOR_INIT;
    int64_t blocks_out_ = 0;
};

halo_group *commit(Rank &rank, const std::vector<halo_channel *> &channels, int32_t messages = HALO_MESSAGES_PER_CHANNEL);

int32_t state_of(halo_channel *channel);
halo_buffer buffer_of(halo_channel *channel);

// Polls, with a limit that fails the test.
bool wait_received(halo_channel *channel, int32_t *state = nullptr);
bool wait_writable(halo_channel *channel);

} // namespace test
