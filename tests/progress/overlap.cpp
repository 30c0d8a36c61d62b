// SPDX-License-Identifier: BSD-3-Clause
// The setting progress_thread: messages are taken while their rank computes and makes no call. Told by states: its peer may go, or may not.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "ring.h"

namespace {

using namespace progress;

std::vector<halo_setting> settings_of(const char *own_thread, const char *receive, const char *timeout) {
    return { { "progress_thread", own_thread }, { "receive", receive }, { "timeout", timeout }, { "path", "message" }, { "shared_memory", "no" } };
}

// What rank 0 logs while it gives its context up behind a run that rank 1 has started and does not look at.
struct Departure {
    std::string log;
    bool is_right = false; // what rank 1 finds afterwards

    Departure(const char *own_thread, const char *receive, const char *timeout) {
        std::atomic<bool> started{ false }, gone{ false };
        on_two_ranks([&](halo_inproc *group, int32_t rank) {
            halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
            options.log = [](void *text, int32_t, const char *line) {
                if (text) static_cast<std::string *>(text)->append(line).append("\n");
            };
            options.log_user = rank == 0 ? &log : nullptr;
            Ring ring(group, rank, settings_of(own_thread, receive, timeout), options);
            for (int run = 1; run <= 3; ++run) ring.run(0, run);
            if (rank == 1) {
                EXPECT_EQ(ring.start(0, 4), HALO_SUCCESS) << halo_last_error();
                started = true;
                while (!gone) std::this_thread::yield(); // computes
                is_right = ring.finish(0) == HALO_SUCCESS && ring.is_right(0, 4);
                return;
            }
            while (!started) std::this_thread::yield(); // so that its start finds nothing of this rank
            EXPECT_EQ(ring.start(0, 4), HALO_SUCCESS) << halo_last_error();
            EXPECT_EQ(ring.finish(0), HALO_SUCCESS) << halo_last_error();
            ring.destroy();
            gone = true;
        });
    }
};

class Overlap : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Receive, Overlap, testing::Values("posted", "probed"), [](const auto &of) { return std::string(of.param); });

TEST_P(Overlap, AMessageIsTakenWhileItsRankComputes) {
    const Departure departure("yes", GetParam(), "20s");
    EXPECT_EQ(departure.log, "");
    EXPECT_TRUE(departure.is_right);
}

TEST_P(Overlap, WithoutTheThreadItIsNot) {
    const Departure departure("no", GetParam(), "2s");
    EXPECT_NE(departure.log.find("a message that rank 1 has not taken"), std::string::npos) << departure.log;
    EXPECT_FALSE(departure.is_right);
}

// Functions of the program are called by the thread that calls the library, whatever comes meanwhile.
struct Callers {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    void note() {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
    }
};

TEST(ProgressThread, CallsNoFunctionOfTheProgram) {
    on_two_ranks([&](halo_inproc *group, int32_t rank) {
        Callers callers;
        halo_allocator allocator{};
        allocator.memory = HALO_MEMORY_HOST;
        allocator.user = &callers;
        allocator.allocate = [](void *user, size_t bytes) {
            static_cast<Callers *>(user)->note();
            return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        };
        allocator.release = [](void *user, void *pointer, size_t) {
            static_cast<Callers *>(user)->note();
            std::free(pointer);
        };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.allocators = &allocator;
        options.n_allocators = 1;
        options.log = [](void *user, int32_t, const char *) { static_cast<Callers *>(user)->note(); };
        options.log_user = &callers;
        std::vector<halo_setting> settings = settings_of("yes", "probed", "20s");
        settings.push_back({ "log_level", "debug" });
        {
            Ring ring(group, rank, settings, options);
            for (int run = 1; run <= 50; ++run) {
                ASSERT_EQ(ring.start(0, run), HALO_SUCCESS) << halo_last_error();
                ASSERT_EQ(ring.start(1, run), HALO_SUCCESS) << halo_last_error();
                if (run % 10 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
                for (const int i : { 1, 0 }) ASSERT_EQ(ring.finish(i), HALO_SUCCESS) << halo_last_error();
                for (const int i : { 0, 1 }) ASSERT_TRUE(ring.is_right(i, run)) << "run " << run;
            }
        }
        EXPECT_EQ(callers.threads, std::set<std::thread::id>{ std::this_thread::get_id() });
    });
}

TEST(ProgressThread, AContextMayBeMadeAndDestroyedAtOnce) {
    for (int time = 0; time < 50; ++time) {
        const halo_setting settings[] = { { "progress_thread", "yes" }, { "transport", "inproc" } };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = settings;
        options.n_settings = 2;
        halo_context *context = nullptr;
        ASSERT_EQ(halo_context_create(&options, &context), HALO_SUCCESS) << halo_last_error();
        if (time % 2 == 1) {
            EXPECT_EQ(halo_context_barrier(context), HALO_SUCCESS);
        }
        ASSERT_EQ(halo_context_destroy(&context), HALO_SUCCESS) << halo_last_error();
    }
}

// Returns the status of a child that has been given a second and more to end.
int status_of(pid_t child) {
    int status = -1;
    for (int hundredths = 0; waitpid(child, &status, WNOHANG) == 0; ++hundredths) {
        if (hundredths == 2000) kill(child, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return status;
}

halo_context *make_alone() {
    const halo_setting settings[] = { { "progress_thread", "yes" }, { "transport", "inproc" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = 2;
    halo_context *context = nullptr;
    EXPECT_EQ(halo_context_create(&options, &context), HALO_SUCCESS) << halo_last_error();
    return context;
}

TEST(ProgressThread, AProgramMayEndWithoutDestroyingItsContext) {
    const pid_t child = fork();
    if (child == 0) std::exit(make_alone() ? 0 : 1);
    EXPECT_EQ(status_of(child), 0);
}

// It has no such thread.
TEST(ProgressThread, AForkedChildMayEnd) {
    halo_context *context = make_alone();
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    EXPECT_EQ(status_of(child), 0);
    EXPECT_EQ(halo_context_barrier(context), HALO_SUCCESS);
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
}

} // namespace
