// SPDX-License-Identifier: BSD-3-Clause
// The setting threads: exchanges of several threads in one context, and what is refused.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>

#include "ring.h"

namespace {

using namespace progress;

constexpr halo_setting several{ "threads", "multiple" };
constexpr halo_setting patient{ "timeout", "30s" };

// Its own thread has something to do where messages go by the transport.
std::vector<halo_setting> settings_of(const std::string &own_thread) {
    return { several, patient, { "progress_thread", own_thread == "yes" ? "yes" : "no" }, { "path", own_thread == "yes" ? "message" : "auto" } };
}

void expect_refused(halo_status status, const char *text) {
    EXPECT_EQ(status, HALO_ERR_STATE) << halo_status_name(status);
    EXPECT_NE(std::strstr(halo_last_error(), text), nullptr) << halo_last_error();
}

class Threads : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(ProgressThread, Threads, testing::Values("no", "yes"), [](const auto &of) { return std::string(of.param); });

// The first threads of the two ranks meet only when the second ones have done all they have to do: whoever waits lets the other in.
TEST_P(Threads, OneThatWaitsLetsTheOtherIn) {
    constexpr int n_runs = 40;
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Ring ring(group, rank, settings_of(GetParam()));
        std::thread second([&] {
            for (int run = 1; run <= n_runs; ++run) ring.run(1, run);
        });
        if (rank == 1) second.join();
        for (int run = 1; run <= n_runs; ++run) ring.run(0, run);
        if (rank == 0) second.join();
    });
}

TEST_P(Threads, BothRunAtOnce) {
    constexpr int n_runs = 200;
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Ring ring(group, rank, settings_of(GetParam()));
        const auto run_all = [&](int i) {
            for (int run = 1; run <= n_runs; ++run) {
                ring.run(i, run);
                halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
                EXPECT_EQ(halo_exchange_get_stats(ring.exchanges[i], &stats), HALO_SUCCESS);
                EXPECT_EQ(stats.runs, run);
            }
        };
        std::thread second(run_all, 1);
        run_all(0);
        second.join();
    });
}

// While a thread of rank 0 waits in an exchange, another makes a call on the context. Rank 1 comes when it has.
void while_one_waits(const char *own_thread, const std::function<void(Ring &)> &other_call) {
    std::atomic<bool> waits{ false }, called{ false };
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.log = [](void *user, int32_t, const char *text) {
            if (user && std::strstr(text, "waiting for")) *static_cast<std::atomic<bool> *>(user) = true;
        };
        options.log_user = rank == 0 ? &waits : nullptr;
        std::vector<halo_setting> settings = settings_of(own_thread);
        settings.push_back({ "warn_after", "20ms" });
        Ring ring(group, rank, settings, options);
        std::thread other;
        if (rank == 0)
            other = std::thread([&] {
                while (!waits) std::this_thread::yield();
                other_call(ring);
                called = true;
            });
        else
            while (!called) std::this_thread::yield();
        ring.run(0, 1);
        if (rank == 0) other.join();
        ring.run(0, 2);
    });
}

TEST_P(Threads, TheSameExchangeIsRefused) {
    while_one_waits(GetParam(), [](Ring &ring) {
        int32_t done = 0;
        expect_refused(halo_exchange_test(ring.exchanges[0], &done), "another thread is in a call on the same exchange");
        expect_refused(ring.finish(0), "another thread is in a call on the same exchange");
        expect_refused(halo_exchange_abandon(ring.exchanges[0]), "another thread is in a call on the same exchange");
        halo_exchange *same = ring.exchanges[0];
        expect_refused(halo_exchange_destroy(&same), "another thread is in a call on the same exchange");
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        EXPECT_EQ(halo_exchange_get_stats(ring.exchanges[0], &stats), HALO_SUCCESS) << halo_last_error();
    });
}

TEST_P(Threads, OtherCallsComeInBetween) {
    while_one_waits(GetParam(), [](Ring &ring) {
        EXPECT_EQ(halo_context_progress(ring.context), HALO_SUCCESS) << halo_last_error();
        void *memory = nullptr;
        EXPECT_EQ(halo_memory_allocate(ring.context, HALO_MEMORY_HOST, 1000, &memory), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(halo_memory_release(ring.context, &memory), HALO_SUCCESS) << halo_last_error();
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = ring.values[0].data();
        EXPECT_EQ(halo_field_bind(ring.fields[0], 0, &binding), HALO_BUSY) << "it is in the run";
    });
}

TEST_P(Threads, AContextInWhichOneWaitsIsNotDestroyed) {
    while_one_waits(GetParam(), [](Ring &ring) {
        halo_context *same = ring.context;
        EXPECT_EQ(halo_context_destroy(&same), HALO_BUSY);
        expect_refused(halo_context_destroy_with_all(&same), "another thread");
        EXPECT_EQ(same, ring.context);
    });
}

// What the program has promised is looked at in check mode: while its function is called back, rank 0 is in a call.
struct Overlapped {
    Ring *ring = nullptr; // null: nothing is to be tried
    std::atomic<bool> is_over{ false };

    static void log(void *user, int32_t, const char *) {
        auto *own = static_cast<Overlapped *>(user);
        if (!own || !own->ring || own->is_over) return;
        std::thread(refuse, own->ring).join();
        int32_t rank = -1;
        EXPECT_EQ(halo_context_rank(own->ring->context, &rank, nullptr), HALO_SUCCESS) << halo_last_error();
        own->is_over = true;
    }
    static void refuse(Ring *ring) {
        int32_t number = 0;
        expect_refused(halo_context_progress(ring->context), "threads = multiple");
        expect_refused(halo_exchange_test(ring->exchanges[1], &number), "threads = multiple");
        expect_refused(halo_context_rank(ring->context, &number, nullptr), "threads = multiple");
    }
};

TEST(PromisedOrder, AnOverlapIsRefusedInCheckModeAndDoesNoHarm) {
    Overlapped overlapped;
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.log = Overlapped::log;
        options.log_user = rank == 0 ? &overlapped : nullptr;
        Ring ring(group, rank, { patient, { "warn_after", "20ms" }, { "check", "yes" } }, options);
        if (rank == 0) overlapped.ring = &ring;
        while (rank == 1 && !overlapped.is_over) std::this_thread::yield();
        ring.run(0, 1); // rank 0 waits in it, and says so
        ring.run(1, 1);
        if (rank == 0) overlapped.ring = nullptr;
    });
    EXPECT_TRUE(overlapped.is_over);
}

} // namespace
