// SPDX-License-Identifier: BSD-3-Clause
// In the steady state the library neither allocates nor compiles or patches a table, whatever storage the runs work on.
// Run as threads, or with --processes under a launcher, where the MPI's own allocations are printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "heap_of_library.h"
#include "ranks.h"

namespace conformance {

namespace {

constexpr int n_warm = 24;
constexpr int n_counted = 60;
constexpr int n_windows = 3;
constexpr int64_t n_cells = 6;
constexpr int64_t width = 2;
constexpr int64_t stride = n_cells + 2 * width;
constexpr int64_t n_values = stride * stride * stride;

struct Mode {
    int32_t messages;
    int32_t receive;
    int32_t sparse;
    bool phases; // post, send, test, unpack, refine instead of start and finish
};

std::string name_of_mode(const testing::TestParamInfo<Mode> &info) {
    return std::string(info.param.messages == HALO_MESSAGES_AGGREGATE ? "aggregate" : "per_channel") +
           (info.param.receive == HALO_RECEIVE_POSTED ? "_posted" : "_probed") + (info.param.sparse ? "_sparse" : "_dense") +
           (info.param.phases ? "_phases" : "");
}

class Steady : public testing::TestWithParam<Mode> {};

// A cube of blocks with two arrays per block, which the runs take in turns.
class Cube {
public:
    Cube(const Rank &rank, const Mode &mode) : mode_(mode) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        for (int d = 0; d < 3; ++d) {
            blocks.n_blocks[d] = 4;
            blocks.n_cells[d] = n_cells;
            blocks.periodic[d] = 1;
        }
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = "u";
        field.sparse = mode.sparse;
        for (int d = 0; d < 3; ++d) field.ghost_low[d] = field.ghost_high[d] = width;
        OK(halo_field_create(topology_, &field, &field_));
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology_, &gids, &n));
        n_parts_ = static_cast<size_t>(n);
        for (auto &arrays : arrays_)
            for (size_t part = 0; part < n_parts_; ++part) {
                memory_.push_back(std::make_unique<double[]>(n_values));
                arrays.push_back(memory_.back().get());
            }
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = mode.messages;
        desc.receive = mode.receive;
        OK(halo_exchange_create(&field_, 1, &desc, &exchange_));
    }
    void destroy() {
        OK(halo_exchange_destroy(&exchange_));
        OK(halo_field_destroy(&field_));
        OK(halo_topology_destroy(&topology_));
    }
    // Sparse: which parts have data changes from run to run.
    void fill(int step, bool all_data) {
        for (size_t part = 0; part < n_parts_; ++part) {
            const bool null = mode_.sparse && !all_data && (part + static_cast<size_t>(step)) % 3 == 0;
            std::fill_n(static_cast<double *>(arrays_[step % 2][part]), n_values, null ? 0.0 : 1.0 + step);
        }
    }
    void run(int step, bool pauses) {
        halo_run run = HALO_RUN_INIT;
        run.data = arrays_[step % 2].data();
        if (mode_.phases) {
            OK(halo_exchange_post(exchange_, &run));
            halo_status status = HALO_BUSY;
            while ((status = halo_exchange_send(exchange_, HALO_STREAM_NONE)) == HALO_BUSY) std::this_thread::yield();
            OK(status);
        } else {
            OK(halo_exchange_start(exchange_, &run, HALO_STREAM_NONE));
        }
        if (pauses) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (!mode_.phases) return OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        for (int32_t done = 0; !done; std::this_thread::yield()) OK(halo_exchange_test(exchange_, &done));
        OK(halo_exchange_unpack(exchange_, HALO_STREAM_NONE));
        OK(halo_exchange_refine(exchange_, HALO_STREAM_NONE));
    }
    halo_exchange_stats stats() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_stats_get(exchange_, &stats));
        return stats;
    }

private:
    Mode mode_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
    size_t n_parts_ = 0;
    std::vector<std::unique_ptr<double[]>> memory_;
    std::vector<void *> arrays_[2];
};

struct Window {
    heap::Calls calls;
    std::string caller;
};

Window count_runs(Cube &cube, int first_step) {
    Window window;
    for (int step = first_step; step < first_step + n_counted; ++step) {
        cube.fill(step, false);
        heap::start_counting();
        cube.run(step, false);
        const heap::Calls more = heap::stop_counting();
        window.calls.library += more.library;
        window.calls.others += more.others;
        if (window.caller.empty()) window.caller = heap::first_caller();
    }
    return window;
}

// A buffer that a late peer makes necessary may come to be needed after the warm-up still: then, and only then, another window is looked at.
TEST_P(Steady, AllocatesAndCompilesNothing) {
    run(3, {}, [](Rank &rank) {
        Cube cube(rank, GetParam());
        // Each rank in turn is late in taking its messages, so that the others come to need the second buffer of theirs.
        for (int step = 0; step < n_warm; ++step) {
            cube.fill(step, step < n_warm / 2);
            cube.run(step, step % rank.size == rank.rank);
        }
        const halo_exchange_stats before = cube.stats();
        Window window;
        int64_t anywhere = 1;
        for (int number = 0; number < n_windows && anywhere > 0; ++number) {
            window = count_runs(cube, n_warm + number * n_counted);
            const int64_t here = window.calls.library + (threads() ? window.calls.others : 0);
            OK(halo_allreduce(rank.context, &here, &anywhere, 1, HALO_INT64, HALO_MAX));
        }
        const halo_exchange_stats after = cube.stats();
        if (prints(rank))
            std::printf("heap calls in %d runs: %lld of the library, %lld of others\n", n_counted, static_cast<long long>(window.calls.library),
                        static_cast<long long>(window.calls.others));
        if (anywhere != 0)
            stop("in each of %d windows of %d runs there were allocations; here %lld of the library in the last, first at %s, and %lld of others",
                 n_windows, n_counted, static_cast<long long>(window.calls.library), window.caller.c_str(),
                 static_cast<long long>(window.calls.others));
        if (after.tables_compiled != before.tables_compiled || after.rows_compiled != before.rows_compiled)
            stop("%lld tables were compiled, then %lld", static_cast<long long>(before.tables_compiled),
                 static_cast<long long>(after.tables_compiled));
        cube.destroy();
    });
}

INSTANTIATE_TEST_SUITE_P(
    Modes, Steady,
    testing::Values(Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, false }, Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, true },
                    Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 1, false }, Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_PROBED, 1, true },
                    Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED, 0, false }, Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED, 1, true },
                    Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_PROBED, 0, false },
                    Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_PROBED, 1, false }),
    name_of_mode);

// The counter counts: what the library does at creation, and what it does not do.
TEST(HeapCalls, AreCountedWhereTheyAreAskedFor) {
    run(1, {}, [](Rank &rank) {
        heap::start_counting();
        std::vector<int> own(100);
        const heap::Calls ours = heap::stop_counting();
        if (ours.library != 0 || ours.others < 1) stop("own: %lld, %lld", static_cast<long long>(ours.library), static_cast<long long>(ours.others));
        heap::start_counting();
        Cube cube(rank, { HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, false });
        const heap::Calls library = heap::stop_counting();
        if (library.library < 10 || !*heap::first_caller())
            stop("at creation the library is seen to allocate %lld times", static_cast<long long>(library.library));
        cube.destroy();
    });
}

} // namespace

} // namespace conformance
