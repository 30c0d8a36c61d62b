// SPDX-License-Identifier: BSD-3-Clause
// A code with blocks of its own, whose boundaries are sparse channels by hand in memory of a device: each turn it gives back the buffers of blocks
// without storage, sets and sends the others, and probes what comes, over the device that CONFORMANCE_DEVICE names. usage: set_and_send [--processes]
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halo_channel.h"
#include "heap_of_library.h"
#include "placed.h"

namespace {

using namespace conformance;

// How many channels of each size there are from one rank to the other, and within one. Their buffers have sizes that pools have, and of each number a
// whole part is occupied.
struct Size {
    size_t n; // doubles
    int between, within;
};
constexpr Size sizes[] = { { 1024, 20, 0 }, { 512, 20, 0 }, { 128, 20, 20 }, { 32, 20, 0 } };
constexpr int n_around = 20; // turns after which all have been occupied

struct Edge {
    halo_channel *channel = nullptr;
    size_t n = 0;
    int32_t from = 0, to = 0;
    int place = 0, of = 0; // among those of its kind
    int64_t id = 0;
    std::vector<double> values;

    bool is_occupied(int turn, int percent) const { return (place + turn) % of < of * percent / 100; }
    double value(int turn, size_t i) const { return 1e7 * turn + 1e4 * static_cast<double>(id) + static_cast<double>(i); }
    int32_t state() const {
        int32_t now = -1;
        OK(halo_channel_state(channel, &now));
        return now;
    }
    void *data(size_t bytes) const {
        halo_buffer buffer = HALO_BUFFER_INIT;
        OK(halo_channel_buffer(channel, &buffer));
        if (!buffer.data || buffer.bytes != static_cast<int64_t>(bytes)) stop("channel %lld has no buffer", static_cast<long long>(id));
        return buffer.data;
    }
};

void until(const char *what, const std::function<bool()> &done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (; !done(); std::this_thread::yield())
        if (std::chrono::steady_clock::now() > end) stop("%s does not happen", what);
}

halo_pool_stats pool_of(halo_context *context, int32_t memory) {
    halo_pool_stats stats = HALO_POOL_STATS_INIT;
    OK(halo_context_pool_stats(context, memory, &stats));
    return stats;
}

// One rank's ends of the channels.
class Ends {
public:
    Ends(Rank &rank, int percent) : rank_(rank), percent_(percent) {
        OK(halo_memory_allocate_on(rank.context, HALO_MEMORY_DEVICE, 0, 64, &other_));
        device_ = test_device().enter(other_);
        int64_t id = 0;
        for (const Size &size : sizes)
            for (int32_t from = 0; from < 2; ++from)
                for (int32_t to = 0; to < 2; ++to)
                    for (int place = 0, of = from == to ? size.within : size.between; place < of; ++place, ++id)
                        if (from == rank.rank || to == rank.rank) add({ nullptr, size.n, from, to, place, of, id, std::vector<double>(size.n) });
        std::vector<halo_channel *> channels;
        for (const Edge &edge : edges_) channels.push_back(edge.channel);
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = HALO_MESSAGES_PER_CHANNEL;
        OK(halo_group_create(rank.context, channels.data(), std::ssize(channels), &desc, &group_));
        first_ = pool_of(rank.context, HALO_MEMORY_DEVICE);
    }
    void destroy() {
        OK(halo_context_barrier(rank_.context));
        until("the group's end", [&] { return halo_group_destroy(&group_) == HALO_SUCCESS; });
        for (Edge &edge : edges_) until("a channel's end", [&] { return halo_channel_destroy(&edge.channel) == HALO_SUCCESS; });
        OK(halo_memory_release(rank_.context, &other_));
    }

    void run(int turn) {
        set(turn);
        for (const Edge &edge : edges_) {
            if (!sends(edge)) continue;
            OK(halo_channel_send(edge.channel, stream()));
            see(edge);
        }
        receive(turn);
        expect_in_use(turn, "all has come", bytes([](const Edge &) { return true; }, turn));
        compare(turn);
        for (const Edge &edge : edges_)
            if (receives(edge)) OK(halo_channel_stale(edge.channel, stream()));
        until("that sends end",
              [&] { return std::all_of(edges_.begin(), edges_.end(), [&](const Edge &edge) { return !sends(edge) || is_writable(edge); }); });
        until("that what was received goes back", [&] {
            OK(halo_context_progress(rank_.context));
            return in_use() == bytes([&](const Edge &edge) { return sends(edge); }, turn);
        });
    }

    // Of buffers, if all were occupied.
    int64_t bytes_of_all() const {
        int64_t all = 0;
        for (const Edge &edge : edges_) all += static_cast<int64_t>(edge.n * sizeof(double));
        return all;
    }
    // The most that the pool of the device has held for them.
    int64_t peak() const { return pool_of(rank_.context, HALO_MEMORY_DEVICE).peak_bytes - first_.peak_bytes; }
    bool has_seen(int32_t state) const { return seen_[static_cast<size_t>(state)]; }

private:
    void add(Edge edge) {
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = edge.from, desc.receive_rank = edge.to, desc.count = static_cast<int64_t>(edge.n);
        desc.sparse = 1, desc.memory = HALO_MEMORY_DEVICE;
        const halo_channel_key key{ edge.id, edge.id + 1, 0, static_cast<int32_t>(edge.id % 27), 0 };
        OK(halo_channel_register(rank_.context, &key, &desc, &edge.channel));
        edges_.push_back(std::move(edge));
    }
    bool sends(const Edge &edge) const { return edge.from == rank_.rank; }
    bool receives(const Edge &edge) const { return edge.to == rank_.rank; }
    void see(const Edge &edge) { seen_[static_cast<size_t>(edge.state())] = true; }
    int64_t in_use() const { return pool_of(rank_.context, HALO_MEMORY_DEVICE).in_use_bytes - first_.in_use_bytes; }
    template <class Wanted>
    int64_t bytes(const Wanted &wanted, int turn) const {
        int64_t all = 0;
        for (const Edge &edge : edges_)
            if (edge.is_occupied(turn, percent_) && wanted(edge)) all += static_cast<int64_t>(edge.n * sizeof(double));
        return all;
    }
    void expect_in_use(int turn, const char *when, int64_t wanted) const {
        if (in_use() != wanted)
            stop("turn %d, when %s: %lld bytes of the device in use, not %lld", turn, when, static_cast<long long>(in_use()),
                 static_cast<long long>(wanted));
    }

    // Buffers of what has no storage any more go back first.
    void set(int turn) {
        for (const Edge &edge : edges_)
            if (sends(edge) && !edge.is_occupied(turn, percent_)) OK(halo_channel_release(edge.channel));
        pieces_.clear();
        for (Edge &edge : edges_) {
            if (!sends(edge)) continue;
            see(edge);
            if (!edge.is_occupied(turn, percent_)) continue;
            OK(halo_channel_allocate(edge.channel));
            for (size_t i = 0; i < edge.n; ++i) edge.values[i] = edge.value(turn, i);
            pieces_.push_back({ edge.data(edge.n * sizeof(double)), edge.values.data(), edge.n * sizeof(double) });
        }
        copy();
    }
    // As tasks do: each channel is asked until it has come.
    void receive(int turn) {
        waiting_.clear();
        for (const Edge &edge : edges_)
            if (receives(edge)) waiting_.push_back(&edge);
        until("that all comes", [&] {
            std::erase_if(waiting_, [&](const Edge *edge) {
                int32_t done = 0, state = -1;
                OK(halo_channel_try_receive(edge->channel, &done, &state));
                if (done && state != (edge->is_occupied(turn, percent_) ? HALO_RECEIVED : HALO_RECEIVED_NULL))
                    stop("turn %d: channel %lld is in state %d", turn, static_cast<long long>(edge->id), state);
                see(*edge);
                return done != 0;
            });
            return waiting_.empty();
        });
    }
    void compare(int turn) {
        pieces_.clear();
        for (Edge &edge : edges_)
            if (receives(edge) && edge.is_occupied(turn, percent_))
                pieces_.push_back({ edge.values.data(), edge.data(edge.n * sizeof(double)), edge.n * sizeof(double) });
        copy();
        for (const Edge &edge : edges_)
            for (size_t i = 0; receives(edge) && edge.is_occupied(turn, percent_) && i < edge.n; ++i)
                if (edge.values[i] != edge.value(turn, i))
                    stop("turn %d: channel %lld has %g at %zu", turn, static_cast<long long>(edge.id), edge.values[i], i);
    }
    void copy() {
        if (!pieces_.empty()) test_device().copy(device_, pieces_, stream());
    }
    static bool is_writable(const Edge &edge) {
        int32_t writable = 0;
        OK(halo_channel_writable(edge.channel, &writable));
        return writable != 0;
    }

    Rank &rank_;
    const int percent_;
    void *other_ = nullptr; // memory that no channel has
    halo_device *device_ = nullptr;
    std::vector<Edge> edges_;
    std::vector<const Edge *> waiting_;
    std::vector<late_piece> pieces_;
    halo_group *group_ = nullptr;
    halo_pool_stats first_{};
    std::array<bool, 5> seen_{};
};

// CUDA's runtime is linked into libhalo's module: what it asks the heap for looks like the library's.
bool counts_heap() {
    const char *const device = std::getenv("CONFORMANCE_DEVICE");
    return !device || std::string(device) != "cuda";
}
constexpr int most_with_heap = 4; // where the device falls behind once more than before

class SetAndSend : public testing::TestWithParam<int> {};

TEST_P(SetAndSend, MemoryFollowsOccupancyAndStaysAsItIs) {
    const int percent = GetParam();
    run(2, {}, [&](Rank &rank) {
        begin_case(2); // on a stream of the program's
        Ends ends(rank, percent);
        int n_with_heap = 0;
        for (int turn = 0; turn < 2 * n_around; ++turn) {
            const int64_t device = pool_of(rank.context, HALO_MEMORY_DEVICE).allocations;
            const int64_t pinned = pool_of(rank.context, HALO_MEMORY_PINNED).allocations;
            heap::start_counting();
            ends.run(turn);
            const bool heap_grew = heap::stop_counting().library > 0;
            OK(halo_context_barrier(rank.context));
            if (turn < n_around) continue;
            n_with_heap += heap_grew;
            if (pool_of(rank.context, HALO_MEMORY_DEVICE).allocations != device) stop("turn %d: memory of the device has been taken", turn);
            if (pool_of(rank.context, HALO_MEMORY_PINNED).allocations != pinned) stop("turn %d: pinned memory has been taken", turn);
        }
        if (counts_heap() && n_with_heap > most_with_heap)
            stop("heap calls of the library in %d turns, in the last at %s", n_with_heap, heap::first_caller());
        if (ends.peak() * 100 != ends.bytes_of_all() * percent)
            stop("the device's pool has held %lld bytes, where %lld would be all", static_cast<long long>(ends.peak()),
                 static_cast<long long>(ends.bytes_of_all()));
        for (const int32_t state : { HALO_SENDING, HALO_RECEIVED })
            if (ends.has_seen(state) != (percent > 0)) stop("state %d", state);
        for (const int32_t state : { HALO_SENDING_NULL, HALO_RECEIVED_NULL })
            if (ends.has_seen(state) != (percent < 100)) stop("state %d", state);
        if (!ends.has_seen(HALO_STALE)) stop("no channel has been stale");
        ends.destroy();
    });
}

INSTANTIATE_TEST_SUITE_P(Percent, SetAndSend, testing::Values(0, 5, 25, 100), [](const auto &one) { return std::to_string(one.param); });

} // namespace

int main(int argc, char **argv) {
    setenv("CONFORMANCE_STORAGE", "device", 1);
    testing::InitGoogleTest(&argc, argv);
    if (argc > 1 && std::strcmp(argv[1], "--processes") == 0) conformance::set_processes();
    return RUN_ALL_TESTS();
}
