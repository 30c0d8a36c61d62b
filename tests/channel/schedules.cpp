// SPDX-License-Identifier: BSD-3-Clause
// Random channels in random orders of calls, many epochs, payload checked against a model.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#include "model.h"
#include "payload.h"

namespace {

using namespace test;

int64_t n_seeds(int64_t usual) {
    const char *given = std::getenv("HALO_TEST_SEEDS");
    return given ? std::atoll(given) : usual;
}

// One end (or both) of a channel on this rank, on its way through the epochs.
struct End {
    Model model;
    Payload payload;
    halo_channel *channel = nullptr;
    int64_t sent = 0; // epochs
    int64_t received = 0;
    bool holding = false; // received, not yet stale

    End(halo_context *context, const Model &given, bool sends)
        : model(given),
          payload(context, sends ? given.send_kind : given.recv_kind, sends ? given.send_count : given.recv_count) {}
};

class Schedule {
public:
    Schedule(Rank &rank, uint64_t seed) : rank_(rank), random_(seed * 64 + static_cast<uint64_t>(rank.rank)) {
        Random shared(seed);
        n_epochs_ = 1 + shared.below(6);
        const int64_t n = 1 + shared.below(12);
        for (int64_t i = 0; i < n; ++i) add(random_model(shared, i, rank.size));
    }

    void run() {
        std::vector<halo_channel *> channels;
        for (auto &end : ends_) channels.push_back(end->channel);
        halo_group *group = commit(rank_, channels);
        ASSERT_NE(group, nullptr);
        while (step() && !testing::Test::HasFailure()) std::this_thread::yield(); // ranks outnumber cores
        finish_sends();
        EXPECT_OK(halo_context_barrier(rank_.context));
        destroy([&] { return halo_group_destroy(&group); });
        for (auto &end : ends_) {
            destroy([&] { return halo_channel_destroy(&end->channel); });
            EXPECT_EQ(end->payload.blocks_out(), 0);
        }
    }

private:
    // A device may still be at work on what is stale.
    template <class Call>
    static void destroy(const Call &call) {
        halo_status status = HALO_BUSY;
        for (int64_t turn = 0; status == HALO_BUSY && turn < 10'000'000; ++turn) status = call();
        EXPECT_STATUS(HALO_SUCCESS, status);
    }

    void add(const Model &model) {
        const bool sends = model.send_rank == rank_.rank;
        if (!sends && model.receive_rank != rank_.rank) return;
        auto end = std::make_unique<End>(rank_.context, model, sends);
        halo_channel_desc desc = desc_of(model.send_rank, model.receive_rank, sends ? model.send_count : model.recv_count, HALO_BYTES);
        desc.sparse = model.sparse;
        end->payload.describe(desc);
        ASSERT_OK(halo_channel_register(rank_.context, &model.key, &desc, &end->channel));
        ends_.push_back(std::move(end));
    }

    // False: everything is done.
    bool step() {
        bool all = true;
        for (auto &end : ends_) {
            const bool sends = end->model.send_rank == rank_.rank;
            const bool receives = end->model.receive_rank == rank_.rank;
            if (sends && end->sent < n_epochs_ && !random_.once_in(3)) try_send(*end);
            if (receives && end->received < n_epochs_ && !random_.once_in(3)) try_receive(*end);
            all = all && (!sends || end->sent == n_epochs_) && (!receives || end->received == n_epochs_);
        }
        return !all;
    }

    void try_send(End &end) {
        int32_t writable = 0;
        EXPECT_OK(halo_channel_writable(end.channel, &writable));
        if (!writable) return;
        const int64_t epoch = end.sent + 1;
        const bool null = end.model.null_in(epoch);
        if (null && random_.once_in(2)) {
            EXPECT_OK(halo_channel_release(end.channel)); // sends null, because no buffer is held
            EXPECT_OK(halo_channel_send(end.channel, Payload::stream()));
        } else if (null) {
            EXPECT_OK(halo_channel_send_null(end.channel, Payload::stream()));
        } else {
            EXPECT_OK(halo_channel_allocate(end.channel));
            std::vector<unsigned char> bytes(static_cast<size_t>(end.model.send_count));
            end.model.write(bytes.data(), epoch);
            end.payload.write(buffer_of(end.channel).data, bytes);
            EXPECT_OK(halo_channel_send(end.channel, Payload::stream()));
        }
        end.sent = epoch;
    }

    void try_receive(End &end) {
        if (!end.holding) {
            if (random_.once_in(2)) EXPECT_OK(halo_channel_start_receive(end.channel));
            int32_t done = 0;
            EXPECT_OK(halo_channel_try_receive(end.channel, &done, nullptr));
            end.holding = done != 0;
            return;
        }
        const int64_t epoch = end.received + 1;
        const halo_buffer buffer = buffer_of(end.channel);
        const bool null = end.model.null_in(epoch);
        EXPECT_EQ(buffer.state, null ? HALO_RECEIVED_NULL : HALO_RECEIVED);
        if (!null && buffer.state == HALO_RECEIVED) {
            EXPECT_EQ(buffer.bytes, end.model.send_count);
            EXPECT_TRUE(end.model.holds(end.payload.read(buffer.data, buffer.bytes).data(), epoch)) << "epoch " << epoch;
        }
        EXPECT_OK(halo_channel_stale(end.channel, Payload::stream()));
        end.holding = false;
        end.received = epoch;
    }

    void finish_sends() {
        for (auto &end : ends_)
            if (end->model.send_rank == rank_.rank) wait_writable(end->channel);
    }

    Rank &rank_;
    Random random_;
    int64_t n_epochs_ = 0;
    std::vector<std::unique_ptr<End>> ends_;
};

void run_seeds(Rank &rank, int64_t n) {
    for (int64_t seed = 1; seed <= n && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", rank " + std::to_string(rank.rank));
        Schedule(rank, static_cast<uint64_t>(seed)).run();
    }
}

class Schedules : public testing::TestWithParam<int> {};

TEST_P(Schedules, AreAsTheModelSays) {
    const int64_t n = n_seeds(launched_ranks() != 0 ? 100 : 1000);
    RUN_RANKS(GetParam(), [&](Rank &rank) { run_seeds(rank, n); });
}

// The same, while the library checks that nobody writes into a buffer on its way.
TEST_P(Schedules, AreAsTheModelSaysInCheckMode) {
    const int64_t n = n_seeds(50);
    const halo_setting setting = { "check", "1" };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &setting;
    options.n_settings = 1;
    RUN_RANKS(
        GetParam(), [&](Rank &rank) { run_seeds(rank, std::min<int64_t>(n, 50)); }, &options);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Schedules, testing::Values(1, 2, 3, 4), testing::PrintToStringParamName());

} // namespace
