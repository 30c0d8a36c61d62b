// SPDX-License-Identifier: BSD-3-Clause
// The transport fails while a rank computes, and its progress thread finds out: the rank's next call on what was under way says so.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

// A rank with a thread of its own, and a function of the program's that is called in the middle of a call: then that thread does nothing.
class Watched {
public:
    Watched(halo_inproc_group *group, int32_t rank) {
        wrapper().seat(group, rank);
        halo_allocator allocator{};
        allocator.memory = HALO_MEMORY_HOST;
        allocator.user = this;
        allocator.allocate = [](void *self, size_t bytes) {
            if (auto &inside = static_cast<Watched *>(self)->inside_) inside();
            return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        };
        allocator.release = [](void *, void *pointer, size_t) { std::free(pointer); };
        const halo_setting settings[] = { { "progress_thread", "yes" }, { "shared_memory", "no" }, { "timeout", "20s" } };
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.settings = settings;
        options.n_settings = 3;
        options.allocators = &allocator;
        options.n_allocators = 1;
        OK(halo_context_create(&options, &rank_.context));
        OK(halo_context_rank(rank_.context, &rank_.rank, &rank_.size));
    }
    ~Watched() { halo_context_destroy(&rank_.context); }
    Watched(const Watched &) = delete;
    Watched &operator=(const Watched &) = delete;

    const Rank &rank() const { return rank_; }
    // Calls `body` inside a call that has nothing to do with messages.
    void undisturbed(const std::function<void()> &body) {
        inside_ = body;
        void *memory = nullptr;
        OK(halo_memory_allocate(rank_.context, HALO_MEMORY_HOST, 1 << 20, &memory));
        inside_ = nullptr;
        OK(halo_memory_release(rank_.context, &memory));
        OK(halo_context_trim(rank_.context)); // so that the next one is asked for, too
    }

private:
    std::function<void()> inside_;
    Rank rank_;
};

void let_the_next_message_be_lost(Watched &watched) {
    watched.undisturbed([] {
        wrap_faults faults{};
        faults.fail = 1;
        faults.most = 1;
        wrapper().set_faults(&faults);
    });
}

bool is_lost(Watched &watched) {
    int64_t n_faults = 0;
    watched.undisturbed([&] { n_faults = wrapper().counts().faults; });
    return n_faults > 0;
}

TEST(WhileARankComputes, AFailureIsToldByItsNextCall) {
    choose_wrapper();
    halo_inproc_group *group = wrapper().group_create(2);
    std::atomic<bool> armed{ false }, over{ false };
    const auto body = [&](int32_t number) {
        try {
            Watched watched(group, number);
            SolverShape shape;
            shape.timeout_seconds = 20;
            Solver solver(watched.rank(), shape);
            for (int run = 0; run < 3; ++run) solver.run();
            if (number == 0) {
                solver.fill();
                OK(solver.start());
                let_the_next_message_be_lost(watched);
                armed = true;
                const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                while (!is_lost(watched) && std::chrono::steady_clock::now() < end)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // computes
                if (!is_lost(watched)) stop("its own thread has not found out");
                expect_failure(solver.finish(), HALO_ERR_TRANSPORT, { "wrap: a message with another rank is lost" });
            }
            if (number == 1) {
                while (!armed && !over) std::this_thread::yield();
                solver.run(); // that of rank 0 has left
                while (!over) std::this_thread::yield();
            }
            solver.destroy();
        } catch (const Stop &reason) {
            ADD_FAILURE() << "rank " << number << ": " << reason.text;
        }
        over = true;
    };
    std::thread other(body, 1);
    body(0);
    other.join();
    if (!testing::Test::HasFailure()) {
        EXPECT_EQ(wrapper().group_destroy(group), HALO_SUCCESS);
    }
}

} // namespace

} // namespace conformance
