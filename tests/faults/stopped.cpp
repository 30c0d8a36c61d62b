// SPDX-License-Identifier: BSD-3-Clause
// A peer is stopped at some moment of a run, perhaps while it writes this rank's ghosts, or reads what this rank has lent. This rank gives the run up
// and wants its memory for something else. The peer goes on: nothing of what lies there now may change.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <unistd.h>

#include "ranks.h"

namespace conformance {

namespace {

constexpr int64_t n_cells = 768;
constexpr int64_t width = 384; // ghosts as wide as can be: most of a run is copying
constexpr int64_t stride = n_cells + 2 * width;
constexpr int64_t n_values = stride * n_cells;
constexpr auto turn = std::chrono::milliseconds(2);

class Ring {
public:
    explicit Ring(const Rank &rank, double *memory) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 2;
        blocks.n_blocks[0] = rank.size, blocks.n_blocks[1] = 1;
        blocks.n_cells[0] = n_cells, blocks.n_cells[1] = n_cells;
        blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        halo_exchange_desc options = HALO_EXCHANGE_DESC_INIT;
        options.timeout_seconds = 0.3;
        for (const size_t i : { 0u, 1u }) {
            const halo_field_desc described = desc(i);
            OK(halo_field_create(topology_, &described, &fields_[i]));
            OK(bind(memory, i));
            OK(halo_exchange_create(&fields_[i], 1, &options, &exchanges_[i]));
        }
    }
    // The first failure, after how ever many runs.
    halo_status run_until_it_fails() {
        halo_status status = HALO_SUCCESS;
        while (status == HALO_SUCCESS) {
            status = halo_exchange_start(exchanges_[0], nullptr, HALO_STREAM_NONE);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchanges_[0], HALO_STREAM_NONE);
        }
        return status;
    }
    // Whatever state the run is in, both succeed; then there is another field.
    void give_up() {
        const halo_status status = halo_exchange_abandon(exchanges_[0]);
        if (status != HALO_SUCCESS && status != HALO_ERR_STATE) OK(status);
        OK(halo_exchange_destroy(&exchanges_[0]));
        OK(halo_field_destroy(&fields_[0]));
        const halo_field_desc described = desc(0);
        OK(halo_field_create(topology_, &described, &fields_[0]));
    }
    halo_status bind(double *memory, size_t i = 0) {
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = memory;
        return halo_field_bind_many(fields_[i], 1, &binding);
    }
    // Of the other field, which has the same memory.
    halo_status start_other() { return halo_exchange_start(exchanges_[1], nullptr, HALO_STREAM_NONE); }
    // Nobody has been told of starts of it that were refused.
    void run_other() {
        OK(start_other());
        OK(halo_exchange_finish(exchanges_[1], HALO_STREAM_NONE));
    }
    void destroy() {
        OK(halo_exchange_destroy(&exchanges_[1]));
        for (halo_field *&field : fields_) OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology_));
    }

private:
    static halo_field_desc desc(size_t i) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = i == 0 ? "u" : "v";
        desc.ghost_low[0] = desc.ghost_high[0] = width;
        return desc;
    }

    halo_topology *topology_ = nullptr;
    halo_field *fields_[2] = {};
    halo_exchange *exchanges_[2] = {};
};

struct Counts {
    int busy = 0;
    int free = 0;
};

// How storage comes to be free that the peer was at.
enum class Frees : uint8_t { goes_on, said_to_be_gone };

// Rank 0's memory has other content from now on. Returns whether it was busy.
bool bind_when_free(Ring &ring, halo_context *context, double *memory, pid_t peer, Frees how) {
    const halo_status first = ring.bind(memory);
    if (first == HALO_BUSY) {
        const auto expect_text = [](const char *what) {
            const std::string text = halo_last_error();
            for (const char *word : { what, "rank 1 may still use it", "over u ended here" })
                if (text.find(word) == std::string::npos) stop("%s is not in: %s", word, text.c_str());
        };
        expect_text("field u, part 0");
        void *address = memory;
        EXPECT_EQ(halo_memory_release(context, &address), HALO_BUSY);
        expect_text("memory");
        EXPECT_EQ(ring.start_other(), HALO_BUSY);
        expect_text("field v, part 0");
        if (how == Frees::goes_on)
            kill(peer, SIGCONT);
        else
            OK(halo_context_rank_gone(context, 1));
        for (int n = 0; how == Frees::goes_on && n < 5000 && ring.bind(memory) == HALO_BUSY; ++n) std::this_thread::sleep_for(turn);
        OK(ring.bind(memory));
    } else {
        OK(first);
    }
    return first == HALO_BUSY;
}

void trial_of_stopper(const Rank &rank, double *memory, pid_t peer, std::chrono::microseconds moment, Frees how, Counts &counts) {
    Ring ring(rank, memory);
    std::fill_n(memory, n_values, 1.0);
    OK(halo_context_barrier(rank.context));
    std::thread stopper([&] {
        std::this_thread::sleep_for(moment);
        kill(peer, SIGSTOP);
    });
    const halo_status status = ring.run_until_it_fails();
    stopper.join();
    EXPECT_EQ(status, HALO_TIMEOUT) << halo_last_error();
    ring.give_up();
    const bool was_busy = bind_when_free(ring, rank.context, memory, peer, how);
    ++(was_busy ? counts.busy : counts.free);
    std::fill_n(memory, n_values, 2.0);
    kill(peer, SIGCONT);
    OK(halo_context_barrier(rank.context)); // which the peer reaches when it has given up too
    const auto changed = n_values - std::count(memory, memory + n_values, 2.0);
    const bool may_write = was_busy && how == Frees::said_to_be_gone; // it was not gone: the program has said so
    if (changed != 0 && !may_write) stop("%lld values were written by a peer that went on", static_cast<long long>(changed));
    if (how == Frees::goes_on) {
        ring.run_other();
        EXPECT_EQ(std::count(memory, memory + n_values, 3.0), 2 * width * n_cells);
    }
    ring.destroy();
}

void trial_of_stopped(const Rank &rank, double *memory, Frees how) {
    Ring ring(rank, memory);
    std::fill_n(memory, n_values, 3.0);
    OK(halo_context_barrier(rank.context));
    ring.run_until_it_fails();
    ring.give_up();
    OK(halo_context_barrier(rank.context));
    if (how == Frees::goes_on) ring.run_other();
    ring.destroy();
}

TEST(Stopped, PeersThatGoOnWriteNothingThatIsOthersNow) {
    ASSERT_FALSE(threads()) << "this is for processes";
    Counts counts;
    run(2, { { "path", "put" }, { "shared_memory.least", "0" }, { "check", "no" } }, [&](Rank &rank) {
        int64_t pids[2] = {};
        pids[rank.rank] = getpid();
        OK(halo_context_allreduce(rank.context, pids, pids, 2, HALO_INT64, HALO_SUM));
        void *memory = nullptr;
        OK(halo_memory_allocate(rank.context, HALO_MEMORY_SHARED, n_values * 8, &memory));
        std::mt19937 random(5);
        std::uniform_int_distribution<int> moments(5000, 60000);
        const auto n_trials = static_cast<int>(number_from("STOPPED_TRIALS", 24));
        int64_t busy = 0; // on a machine with much else to do the peer is seldom stopped while it writes
        for (int n = 0; n < n_trials || (busy == 0 && n < 4 * n_trials); ++n) {
            const Frees how = n % 4 == 3 ? Frees::said_to_be_gone : Frees::goes_on;
            if (rank.rank == 0)
                trial_of_stopper(rank, static_cast<double *>(memory), static_cast<pid_t>(pids[1]), std::chrono::microseconds(moments(random)), how,
                                 counts);
            else
                trial_of_stopped(rank, static_cast<double *>(memory), how);
            busy = counts.busy;
            OK(halo_context_allreduce(rank.context, &busy, &busy, 1, HALO_INT64, HALO_SUM));
        }
        if (rank.rank == 0) std::printf("%d times the memory was busy, %d times free\n", counts.busy, counts.free);
        counts.busy = static_cast<int>(busy);
        OK(halo_memory_release(rank.context, &memory));
    });
    if (!HasFailure() && counts.busy == 0) GTEST_SKIP() << "the peer was never stopped while it wrote";
}

} // namespace

} // namespace conformance
