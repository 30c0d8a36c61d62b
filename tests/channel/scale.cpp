// SPDX-License-Identifier: BSD-3-Clause
// A million channels over two ranks, registered in random key order: time and memory of registering and committing, without payload.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>

#include "ranks.h"

namespace {

using namespace test;

constexpr int64_t n_channels = 1000000;

int64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    int64_t pages = 0;
    int64_t resident = 0;
    file >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

struct Clock {
    double wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    double cpu = thread_seconds(); // says more where cores are shared

    static double thread_seconds() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
    }
};

// 26 neighbours of each of many parts, both directions.
std::vector<halo_channel_key> shuffled_keys(uint64_t seed) {
    std::vector<halo_channel_key> keys;
    keys.reserve(n_channels);
    for (int64_t i = 0; i < n_channels; ++i) {
        const int64_t element = i / 2 % 26;
        keys.push_back({ i / 52, i / 52 + element + 1, static_cast<int32_t>(i % 2), static_cast<int32_t>(element < 13 ? element : element + 1), 0 });
    }
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
    return keys;
}

class Scale : public testing::TestWithParam<int32_t> {};

TEST_P(Scale, AMillionChannels) {
    RUN_RANKS(2, [&](Rank &rank) {
        const std::vector<halo_channel_key> keys = shuffled_keys(static_cast<uint64_t>(rank.rank));
        std::vector<halo_channel *> channels(n_channels, nullptr);
        EXPECT_OK(halo_context_barrier(rank.context));
        const int64_t before = resident_bytes();
        const Clock begin;
        for (int64_t i = 0; i < n_channels; ++i) {
            const auto from = static_cast<int32_t>(keys[static_cast<size_t>(i)].field);
            halo_channel_desc desc = desc_of(from, 1 - from, 1, HALO_BYTES);
            ASSERT_OK(halo_channel_register(rank.context, &keys[static_cast<size_t>(i)], &desc, &channels[static_cast<size_t>(i)]));
        }
        const Clock registered;
        halo_group *group = commit(rank, channels, GetParam());
        const Clock committed;
        malloc_trim(0);
        EXPECT_OK(halo_context_barrier(rank.context));
        // Threads share the process's memory: it grows by what all of them need.
        const int sharing = launched_ranks() != 0 ? 1 : 2;
        const double each = static_cast<double>(resident_bytes() - before) / static_cast<double>(n_channels * sharing);
        std::printf("rank %d: %lld channels: registered in %.2f s (%.2f s of processor), committed in %.2f s (%.2f s), %.0f bytes each\n", rank.rank,
                    static_cast<long long>(n_channels), registered.wall - begin.wall, registered.cpu - begin.cpu, committed.wall - registered.wall,
                    committed.cpu - registered.cpu, each);
        EXPECT_LT(each, 220); // the bound is 200 without payload and the caller's arrays; the allocator's slack varies
        EXPECT_OK(halo_context_barrier(rank.context));
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) ASSERT_OK(halo_channel_destroy(&channel));
    });
}

INSTANTIATE_TEST_SUITE_P(Messages, Scale, testing::Values(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL), testing::PrintToStringParamName());

} // namespace
