// SPDX-License-Identifier: BSD-3-Clause
// In the steady state the library neither allocates, in any space, nor compiles or patches a table, whatever storage the runs work on.
// Run as threads, or with --processes under a launcher, where the MPI's own allocations are printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "heap_of_library.h"
#include "ranks.h"

namespace conformance {

namespace {

constexpr int n_warm = 24;
constexpr int n_counted = 60;
constexpr int n_windows = 16;
constexpr int64_t n_cells = 6;
constexpr int64_t width = 2;
constexpr int64_t stride = n_cells + 2 * width;
constexpr int64_t n_values = stride * stride * stride;

struct Mode {
    int32_t messages;
    int32_t receive;
    int32_t sparse;
    bool phases;          // post, send, test, unpack, refine instead of start and finish
    bool landing = false; // storage that peers write themselves
};

Settings settings_of(const Mode &mode) {
    if (!mode.landing) return {};
    return { { "shared_memory.least", "0" }, { "path", "direct" }, { "check", "no" } };
}

std::string name_of_mode(const testing::TestParamInfo<Mode> &info) {
    return std::string(info.param.messages == HALO_MESSAGES_AGGREGATE ? "aggregate" : "per_channel") +
           (info.param.receive == HALO_RECEIVE_POSTED ? "_posted" : "_probed") + (info.param.sparse ? "_sparse" : "_dense") +
           (info.param.phases ? "_phases" : "") + (info.param.landing ? "_landing" : "");
}

// An exchange whose runs take two sets of arrays in turns.
class Runs {
public:
    Runs(const Rank &rank, const Mode &mode) : context_(rank.context), mode_(mode) {}
    Runs(const Runs &) = delete;
    Runs &operator=(const Runs &) = delete;
    virtual ~Runs() = default;

    // Sparse: which parts have data changes from run to run.
    void fill(int step, bool all_data) {
        for (size_t part = 0; part < arrays_[0].size(); ++part) {
            const bool null = mode_.sparse && !all_data && (part + static_cast<size_t>(step)) % 3 == 0;
            std::fill_n(static_cast<double *>(arrays_[step % 2][part]), length_, null ? 0.0 : 1.0 + step);
        }
    }
    void run(int step, bool pauses) {
        halo_run run = HALO_RUN_INIT;
        run.data = arrays_[step % 2].data(), run.n_data = std::ssize(arrays_[step % 2]);
        run.op = step % 4 < 2 ? 0 : other_op_;
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
        OK(halo_exchange_get_stats(exchange_, &stats));
        return stats;
    }
    bool lands() const { return mode_.landing; }
    int64_t pool_allocations() const { return heap::pool_allocations(context_); }
    void destroy() {
        OK(halo_exchange_destroy(&exchange_));
        OK(halo_field_destroy(&field_));
        OK(halo_topology_destroy(&topology_));
        for (auto &arrays : arrays_)
            for (void *&array : arrays) OK(halo_memory_release(context_, &array));
    }

protected:
    void make_arrays(int64_t n_parts, int64_t length) {
        length_ = length;
        for (auto &arrays : arrays_) {
            arrays.resize(static_cast<size_t>(n_parts));
            for (void *&array : arrays)
                OK(halo_memory_allocate(context_, mode_.landing ? HALO_MEMORY_SHARED : HALO_MEMORY_HOST,
                                        length * static_cast<int64_t>(sizeof(double)), &array));
        }
    }

    halo_context *context_;
    Mode mode_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
    halo_op other_op_ = 0; // of every other two runs

private:
    int64_t length_ = 0;
    std::vector<void *> arrays_[2];
};

// A cube of blocks.
class Cube final : public Runs {
public:
    Cube(const Rank &rank, const Mode &mode) : Runs(rank, mode) {
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
        make_arrays(n, n_values);
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.messages = mode.messages;
        desc.receive = mode.receive;
        OK(halo_exchange_create(&field_, 1, &desc, &exchange_));
    }
};

halo_status by_hand(void *, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
    for (int64_t i = 0; i < n; ++i) static_cast<double *>(values)[i] += static_cast<const double *>(contributions)[i];
    return HALO_SUCCESS;
}

// Every rank draws from the counters of all, or adds to them: some in runs, some several times.
class Draws final : public Runs {
public:
    Draws(const Rank &rank, const Mode &mode, int32_t kind, halo_op op, int32_t stable) : Runs(rank, mode) {
        constexpr int64_t n_counters = 200;
        std::vector<int32_t> ranks;
        std::vector<uint32_t> indices;
        for (int32_t of = 0; of < rank.size; ++of)
            for (uint32_t i = 0; i < 3 * n_counters; ++i) {
                ranks.push_back(of);
                indices.push_back(i < n_counters ? i : i * 7 % n_counters);
            }
        halo_star_desc star = HALO_STAR_DESC_INIT;
        star.n_leaves = static_cast<int64_t>(ranks.size());
        star.n_points = n_counters + star.n_leaves;
        star.ranks = ranks.data();
        star.indices = indices.data();
        OK(halo_topology_create_star(rank.context, &star, &topology_));
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = "counters";
        OK(halo_field_create(topology_, &field, &field_));
        make_arrays(1, star.n_points);
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = kind;
        desc.op = op;
        desc.combine = by_hand;
        other_op_ = op == HALO_USER ? HALO_MAX : HALO_USER;
        desc.source_stable = stable;
        desc.messages = mode.messages;
        desc.receive = mode.receive;
        OK(halo_exchange_create(&field_, 1, &desc, &exchange_));
    }
};

struct Window {
    heap::Calls calls;
    int64_t pools = 0; // that asked for memory
    std::string caller;
};

Window count_runs(Runs &runs, int first_step) {
    Window window;
    const int64_t before = runs.pool_allocations();
    for (int step = first_step; step < first_step + n_counted; ++step) {
        runs.fill(step, false);
        heap::start_counting();
        runs.run(step, false);
        const heap::Calls more = heap::stop_counting();
        window.calls.library += more.library;
        window.calls.others += more.others;
        if (window.caller.empty()) window.caller = heap::first_caller();
    }
    window.pools = runs.pool_allocations() - before;
    return window;
}

// What is made once may come to be needed after the warm-up still: a second buffer for a late peer, tables for a peer whose storage can be read, and
// others for when it is late (3 for each of 2 peers on 3 ranks, at most). Then, and only then, another window is looked at.
void expect_steady(const Rank &rank, Runs &runs) {
    // Each rank in turn is late in taking its messages, so that the others come to need the second buffer of theirs.
    for (int step = 0; step < n_warm; ++step) {
        runs.fill(step, step < n_warm / 2);
        runs.run(step, step % rank.size == rank.rank);
    }
    const halo_exchange_stats before = runs.stats();
    Window window;
    int64_t anywhere = 1;
    for (int number = 0; number < n_windows && anywhere > 0; ++number) {
        window = count_runs(runs, n_warm + number * n_counted);
        const int64_t here = window.calls.library + window.pools + (threads() ? window.calls.others : 0);
        OK(halo_context_allreduce(rank.context, &here, &anywhere, 1, HALO_INT64, HALO_MAX));
    }
    const halo_exchange_stats after = runs.stats();
    if (prints(rank))
        std::printf("heap calls in %d runs: %lld of the library, %lld of others; %lld of %lld messages landed\n", n_counted,
                    static_cast<long long>(window.calls.library), static_cast<long long>(window.calls.others),
                    static_cast<long long>(after.messages_landed - before.messages_landed),
                    static_cast<long long>(after.messages_sent - before.messages_sent));
    if (anywhere != 0)
        stop("in each of %d windows of %d runs there were allocations; here %lld of the library in the last, first at %s, %lld of pools and %lld of "
             "others",
             n_windows, n_counted, static_cast<long long>(window.calls.library), window.caller.c_str(), static_cast<long long>(window.pools),
             static_cast<long long>(window.calls.others));
    if (after.tables_compiled != before.tables_compiled || after.rows_compiled != before.rows_compiled)
        stop("%lld tables were compiled, then %lld", static_cast<long long>(before.tables_compiled), static_cast<long long>(after.tables_compiled));
    const int64_t landed = after.messages_landed - before.messages_landed;
    int64_t landed_anywhere = 0;
    OK(halo_context_allreduce(rank.context, &landed, &landed_anywhere, 1, HALO_INT64, HALO_SUM));
    if (runs.lands() != (landed_anywhere > 0)) stop("%lld messages landed", static_cast<long long>(landed_anywhere));
}

class Steady : public testing::TestWithParam<Mode> {};

TEST_P(Steady, AllocatesAndCompilesNothing) {
    run(3, settings_of(GetParam()), [](Rank &rank) {
        Cube cube(rank, GetParam());
        expect_steady(rank, cube);
        cube.destroy();
    });
}

class SteadyFetch : public testing::TestWithParam<Mode> {};

TEST_P(SteadyFetch, AllocatesAndCompilesNothing) {
    run(3, settings_of(GetParam()), [](Rank &rank) {
        for (const halo_op op : { HALO_SUM, HALO_USER })
            for (const int32_t stable : { 0, 1 }) {
                Draws draws(rank, GetParam(), HALO_KIND_FETCH, op, stable);
                expect_steady(rank, draws);
                draws.destroy();
            }
    });
}

TEST_P(SteadyFetch, ReverseAllocatesAndCompilesNothing) {
    run(3, settings_of(GetParam()), [](Rank &rank) {
        Draws draws(rank, GetParam(), HALO_KIND_REVERSE, HALO_SUM, 1);
        expect_steady(rank, draws);
        draws.destroy();
    });
}

INSTANTIATE_TEST_SUITE_P(Modes, SteadyFetch,
                         testing::Values(Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, false },
                                         Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_PROBED, 0, true },
                                         Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED, 0, false },
                                         Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, false, true },
                                         Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, true, true }),
                         name_of_mode);

INSTANTIATE_TEST_SUITE_P(
    Modes, Steady,
    testing::Values(Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, false }, Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, true },
                    Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 1, false }, Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_PROBED, 1, true },
                    Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED, 0, false }, Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED, 1, true },
                    Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_PROBED, 0, false },
                    Mode{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_PROBED, 1, false },
                    Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, false, true },
                    Mode{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED, 0, true, true }),
    name_of_mode);

// The counter counts: what the library does at creation, and what it does not do.
TEST(HeapCalls, AreCountedWhereTheyAreAskedFor) {
    run(1, {}, [](Rank &rank) {
        heap::start_counting();
        ::operator delete(::operator new(400)); // a vector that nobody reads might be left out
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
