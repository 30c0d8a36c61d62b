// SPDX-License-Identifier: BSD-3-Clause
// Aggregated groups: one message per peer, channels as slices of it.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "model.h"
#include "ranks.h"

namespace {

using namespace test;

bool poll_done(halo_group *group) {
    for (int64_t turn = 0; turn < 100000000; ++turn) {
        int32_t done = 0;
        if (halo_group_try_receive(group, &done) != HALO_SUCCESS) return false;
        if (done) return true;
        std::this_thread::yield();
    }
    return false;
}

bool poll_writable(halo_group *group) {
    int32_t writable = 0;
    while (halo_group_writable(group, &writable) == HALO_SUCCESS && !writable) std::this_thread::yield();
    return writable != 0;
}

const halo_group_row *rows_of(halo_group *group, size_t n) {
    const halo_group_row *rows = nullptr;
    int64_t n_rows = 0;
    EXPECT_OK(halo_group_table(group, sizeof(halo_group_row), &rows, &n_rows));
    EXPECT_EQ(n_rows, static_cast<int64_t>(n));
    return rows;
}

// Random channels over all ranks; several runs; nulls in random places; every byte and state checked.
class Runs {
public:
    Runs(Rank &rank, uint64_t seed) : rank_(rank), own_(seed * 64 + static_cast<uint64_t>(rank.rank)) {
        Random shared(seed);
        n_runs_ = 1 + shared.below(6);
        const int64_t n = shared.below(20);
        for (int64_t i = 0; i < n; ++i) add(random_model(shared, i, rank.size));
    }

    void run() {
        halo_group *group = commit(rank_, channels_, HALO_MESSAGES_AGGREGATE);
        ASSERT_NE(group, nullptr);
        for (int64_t epoch = 1; epoch <= n_runs_; ++epoch) one(group, epoch);
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels_) EXPECT_OK(halo_channel_destroy(&channel));
    }

private:
    void add(const Model &model) {
        const bool sends = model.send_rank == rank_.rank;
        if (!sends && model.receive_rank != rank_.rank) return;
        halo_channel_desc desc = desc_of(model.send_rank, model.receive_rank, sends ? model.send_count : model.recv_count, HALO_BYTES);
        halo_channel *channel = nullptr;
        ASSERT_OK(halo_channel_register(rank_.context, &model.key, &desc, &channel));
        channels_.push_back(channel);
        models_.push_back(model);
    }

    void one(halo_group *group, int64_t epoch) {
        if (own_.once_in(2)) EXPECT_OK(halo_group_start_receive(group));
        ASSERT_TRUE(poll_writable(group));
        const halo_group_row *rows = rows_of(group, models_.size());
        std::vector<uint8_t> nulls(models_.size());
        for (size_t i = 0; i < models_.size(); ++i) {
            nulls[i] = is_null(i, epoch);
            check_row(rows[i], i);
            if (rows[i].sender && !nulls[i]) models_[i].write(rows[i].data, epoch);
        }
        const uint8_t *flags = all_data(epoch) ? nullptr : nulls.data();
        if (own_.once_in(2)) send_some(group, rows, nulls, all_data(epoch));
        EXPECT_OK(halo_group_send(group, flags, HALO_STREAM_NONE));
        EXPECT_STATUS(HALO_ERR_STATE, halo_group_send(group, flags, HALO_STREAM_NONE));
        ASSERT_TRUE(poll_done(group)) << halo_last_error();
        rows = rows_of(group, models_.size());
        for (size_t i = 0; i < models_.size(); ++i) check_run(rows[i], i, epoch);
        EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
    }

    // Rows in several calls, in any order: all of them, or some.
    void send_some(halo_group *group, const halo_group_row *table, const std::vector<uint8_t> &nulls, bool all_data) {
        std::vector<int64_t> rows;
        for (size_t i = 0; i < models_.size(); ++i)
            if (table[i].sender) rows.insert(rows.begin() + own_.below(std::ssize(rows) + 1), static_cast<int64_t>(i));
        for (size_t n = static_cast<size_t>(own_.below(std::ssize(rows) + 1)); !rows.empty() && own_.below(5) > 0; n = 1) {
            n = std::min(n, rows.size());
            std::vector<uint8_t> flags;
            for (size_t i = 0; i < n; ++i) flags.push_back(nulls[static_cast<size_t>(rows[i])]);
            EXPECT_OK(halo_group_send_rows(group, rows.data(), static_cast<int64_t>(n), all_data ? nullptr : flags.data(), HALO_STREAM_NONE));
            rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n));
        }
    }

    // Runs without a null come between others: what is kept from run to run must not show in them.
    bool all_data(int64_t epoch) const { return epoch % 3 != 1; }
    bool is_null(size_t i, int64_t epoch) const { return !all_data(epoch) && models_[i].null_in(epoch); }

    void check_row(const halo_group_row &row, size_t i) const {
        const Model &model = models_[i];
        const bool sends = model.send_rank == rank_.rank;
        EXPECT_EQ(row.channel, channels_[i]);
        EXPECT_EQ(row.sender, sends ? 1 : 0);
        EXPECT_EQ(row.peer, sends ? model.receive_rank : model.send_rank);
        EXPECT_EQ(row.bytes, model.send_count);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(row.data) % 8, 0u);
        EXPECT_TRUE(row.data || !sends);
        EXPECT_TRUE(!sends || row.state == HALO_STALE);
    }

    void check_run(const halo_group_row &row, size_t i, int64_t epoch) const {
        const Model &model = models_[i];
        const bool null = is_null(i, epoch);
        const bool receives = model.receive_rank == rank_.rank;
        EXPECT_EQ(row.state, receives ? (null ? HALO_RECEIVED_NULL : HALO_RECEIVED) : (null ? HALO_SENDING_NULL : HALO_SENDING));
        EXPECT_TRUE(!receives || null || model.holds(row.data, epoch)) << "epoch " << epoch;
        const halo_buffer buffer = buffer_of(channels_[i]);
        EXPECT_EQ(buffer.data, row.data);
        EXPECT_EQ(buffer.state, row.state);
    }

    Rank &rank_;
    Random own_;
    int64_t n_runs_ = 0;
    std::vector<Model> models_;
    std::vector<halo_channel *> channels_;
};

class Aggregated : public testing::TestWithParam<int> {};

TEST_P(Aggregated, RunsAreAsTheModelSays) {
    const int64_t n = launched_ranks() != 0 ? 60 : 300;
    RUN_RANKS(GetParam(), [&](Rank &rank) {
        for (int64_t seed = 1; seed <= n && !testing::Test::HasFailure(); ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", rank " + std::to_string(rank.rank));
            Runs(rank, static_cast<uint64_t>(seed)).run();
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Aggregated, testing::Values(1, 2, 3, 4), testing::PrintToStringParamName());

halo_channel *add(Rank &rank, const halo_channel_key &key, int32_t send_rank, int32_t receive_rank, int64_t count) {
    const halo_channel_desc desc = desc_of(send_rank, receive_rank, count);
    halo_channel *channel = nullptr;
    EXPECT_OK(halo_channel_register(rank.context, &key, &desc, &channel));
    return channel;
}

// A message each way between two ranks, more than a transport takes at once.
struct LargeGroup {
    explicit LargeGroup(Rank &rank)
        : here(rank.rank),
          channels{ add(rank, key_of(here, 1 - here), here, 1 - here, count), add(rank, key_of(1 - here, here), 1 - here, here, count) },
          group(commit(rank, { channels[0], channels[1] }, HALO_MESSAGES_AGGREGATE)) {}

    // One of the ranks comes late to take what the other one has sent.
    void run(int late_rank, int late_milliseconds) {
        ASSERT_TRUE(poll_writable(group));
        std::fill_n(static_cast<double *>(rows_of(group, 2)[0].data), count, 3.0 + here);
        EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        if (here == late_rank) std::this_thread::sleep_for(std::chrono::milliseconds(late_milliseconds));
        ASSERT_TRUE(poll_done(group));
        const auto *came = static_cast<const double *>(rows_of(group, 2)[1].data);
        EXPECT_EQ(std::count(came, came + count, 4.0 - here), count);
        EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
    }
    void destroy() {
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    }

    static constexpr int64_t count = 1 << 17;
    int32_t here;
    halo_channel *channels[2];
    halo_group *group;
};

// Who has all that it waits for may destroy group and context before a peer comes to take its part.
TEST(AggregatedGroup, WhatHasBeenSentArrivesThoughItsSenderHasGone) {
    RUN_RANKS(2, [](Rank &rank) {
        LargeGroup large(rank);
        large.run(1, 200);
        large.destroy();
    });
}

// The next run is begun, and given up; what the last one has sent arrives all the same.
TEST(AggregatedGroup, WhatHasBeenSentArrivesThoughItsSenderGivesTheNextRunUp) {
    RUN_RANKS(2, [](Rank &rank) {
        LargeGroup large(rank);
        large.run(1, 200);
        if (rank.rank == 0) {
            EXPECT_OK(halo_group_start_receive(large.group));
            EXPECT_OK(halo_group_abandon(large.group));
        }
        large.destroy();
    });
}

// Nothing can be taken back from an MPI: what the context could not wait for arrives as it was.
TEST(AggregatedGroup, WhatHasBeenSentOverMpiArrivesThoughItsContextWasDestroyedBefore) {
    if (launched_ranks() == 0) GTEST_SKIP() << "threads: a message ends with its sender";
    RUN_RANKS(2, [](Rank &rank) {
        LargeGroup large(rank);
        if (rank.rank == 0) EXPECT_OK(halo_context_set(rank.context, "timeout", "0.05s"));
        large.run(1, 600);
        large.destroy();
    });
}

// A look whether it may write begins a run of a rank that only sends; nobody owes it anything for that.
TEST(AggregatedGroup, ALookAfterTheLastRunIsNotWaitedFor) {
    const auto begin = std::chrono::steady_clock::now();
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(0, 1), 0, 1, 4);
        halo_group *group = commit(rank, { channel }, HALO_MESSAGES_AGGREGATE);
        ASSERT_TRUE(poll_writable(group));
        EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        ASSERT_TRUE(poll_done(group));
        EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
        int32_t writable = 0;
        if (rank.rank == 0) EXPECT_OK(halo_group_writable(group, &writable));
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8)); // a context waits for ten
}

TEST(AggregatedGroup, RefusesCallsOutOfOrder) {
    RUN_RANKS(1, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), 0, 0, 4);
        halo_group *group = commit(rank, { channel }, HALO_MESSAGES_AGGREGATE);
        EXPECT_STATUS(HALO_ERR_STATE, halo_group_stale(group, HALO_STREAM_NONE));
        EXPECT_TEXT("stale is illegal", "not begun");
        int32_t done = 1;
        EXPECT_OK(halo_group_try_receive(group, &done));
        EXPECT_EQ(done, 0);
        EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        EXPECT_STATUS(HALO_ERR_STATE, halo_group_stale(group, HALO_STREAM_NONE));
        EXPECT_TEXT("stale is illegal", "run 1", "sent, not received");
        EXPECT_STATUS(HALO_BUSY, halo_group_destroy(&group));
        EXPECT_STATUS(HALO_BUSY, halo_channel_destroy(&channel));
        EXPECT_TRUE(poll_done(group));
        EXPECT_STATUS(HALO_ERR_STATE, halo_group_start_receive(group));
        EXPECT_STATUS(HALO_ERR_STATE, halo_group_send(group, nullptr, HALO_STREAM_NONE));
        EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// To rank 1 two channels, to rank 2 one, and one within the rank. What goes to a rank leaves with its last row.
TEST(AggregatedGroup, APeersMessageLeavesWithItsLastRow) {
    RUN_RANKS(3, [](Rank &rank) {
        constexpr int32_t to[] = { 1, 2, 1, 0 };
        std::vector<halo_channel *> channels;
        for (int32_t i = 0; i < 4; ++i)
            if (rank.first() || rank.rank == to[i]) channels.push_back(add(rank, key_of(3, i), 0, to[i], 4));
        halo_group *group = commit(rank, channels, HALO_MESSAGES_AGGREGATE);
        ASSERT_NE(group, nullptr);
        for (int run = 0; run < 3; ++run) {
            const auto send = [&](const std::vector<int64_t> &rows) {
                return halo_group_send_rows(group, rows.data(), std::ssize(rows), nullptr, HALO_STREAM_NONE);
            };
            if (rank.first()) {
                ASSERT_TRUE(poll_writable(group));
                for (size_t i = 0; i < 4; ++i)
                    static_cast<double *>(rows_of(group, 4)[i].data)[0] = static_cast<double>(10 * run) + static_cast<double>(i);
                EXPECT_OK(send({ 0, 1 }));
                EXPECT_EQ(rows_of(group, 4)[0].state, HALO_STALE);
                EXPECT_EQ(rows_of(group, 4)[1].state, HALO_SENDING);
                EXPECT_STATUS(HALO_ERR_STATE, halo_group_stale(group, HALO_STREAM_NONE));
                EXPECT_STATUS(HALO_BUSY, halo_channel_destroy(&channels[3]));
                EXPECT_STATUS(HALO_ERR_STATE, halo_group_drain(group, 1));
                EXPECT_TEXT("drain is illegal", "sent in part");
            }
            if (rank.rank == 2) {
                ASSERT_TRUE(poll_done(group)); // though rank 0 has still to send the others
            }
            halo_context_barrier(rank.context);
            int32_t done = 0;
            if (rank.rank == 1) EXPECT_OK(halo_group_try_receive(group, &done));
            EXPECT_EQ(done, 0);
            halo_context_barrier(rank.context);
            if (rank.first()) {
                EXPECT_OK(send({ 3 }));
                EXPECT_OK(send({}));
                EXPECT_OK(send({ 2 }));
                EXPECT_OK(send({}));
                EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE)); // none is left
                EXPECT_STATUS(HALO_ERR_STATE, halo_group_send(group, nullptr, HALO_STREAM_NONE));
            }
            ASSERT_TRUE(poll_done(group)) << halo_last_error();
            const halo_group_row *rows = rows_of(group, channels.size());
            for (size_t i = 0; i < channels.size(); ++i) {
                EXPECT_EQ(rows[i].state, rows[i].peer == 0 ? HALO_RECEIVED : HALO_SENDING);
                if (rows[i].peer != 0) continue;
                const size_t number = rank.first() ? 3 : rank.rank == 2 ? 1 : 2 * i;
                EXPECT_EQ(static_cast<const double *>(rows[i].data)[0], static_cast<double>(10 * run) + static_cast<double>(number));
            }
            EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
        }
        EXPECT_OK(halo_group_drain(group, 60));
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

TEST(AggregatedGroup, RefusesRowsThatAreNotToBeSent) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels;
        for (int64_t i = 0; i < 3; ++i) channels.push_back(add(rank, key_of(3, i), static_cast<int32_t>(i % 2), 1 - static_cast<int32_t>(i % 2), 4));
        halo_group *group = commit(rank, channels, HALO_MESSAGES_AGGREGATE);
        const int64_t sent = rank.first() ? 0 : 1, received = 1 - sent;
        const auto refused = [&](const std::vector<int64_t> &rows, const char *text) {
            EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_group_send_rows(group, rows.data(), std::ssize(rows), nullptr, HALO_STREAM_NONE));
            EXPECT_TEXT("halo_group_send_rows", text, "run ");
        };
        for (int run = 0; run < 3; ++run) {
            if (run == 2 && rank.first()) EXPECT_OK(halo_channel_destroy(&channels[2]));
            ASSERT_TRUE(poll_writable(group));
            *static_cast<double *>(rows_of(group, 3)[sent].data) = run;
            // Each beside one that may be sent, which is not: it may be sent all the same afterwards.
            refused({ sent, 3 }, "row 3: the table has no such row");
            refused({ sent, -1 }, "row -1: the table has no such row");
            refused({ sent, received },
                    rank.first() ? "row 1: this rank does not send channel 3 -> 1" : "row 0: this rank does not send channel 3 -> 0");
            refused({ sent, sent }, "it has been given in this run: channel 3 -> ");
            if (run == 2 && rank.first()) refused({ sent, 2 }, "row 2: its channel is no longer in the group");
            EXPECT_OK(halo_group_send_rows(group, &sent, 1, nullptr, HALO_STREAM_NONE));
            refused({ sent }, "it has been given in this run: channel 3 -> ");
            if (rank.first() && run < 2) {
                const int64_t last = 2;
                const uint8_t null = 1;
                EXPECT_OK(halo_group_send_rows(group, &last, 1, &null, HALO_STREAM_NONE));
            }
            EXPECT_STATUS(HALO_ERR_ARGUMENT, halo_group_send_rows(group, nullptr, 2, nullptr, HALO_STREAM_NONE));
            EXPECT_TEXT("2 rows at address");
            EXPECT_STATUS(HALO_ERR_LIMIT, halo_group_send_rows(group, &sent, INT64_MAX, nullptr, HALO_STREAM_NONE));
            EXPECT_TEXT("halo_group_send_rows: n 9223372036854775807 exceeds 2147483647");
            ASSERT_TRUE(poll_done(group)) << halo_last_error(); // the rows of destroyed channels are not waited for
            EXPECT_EQ(*static_cast<double *>(rows_of(group, 3)[received].data), run);
            EXPECT_EQ(rows_of(group, 3)[2].state, rank.first() ? (run < 2 ? HALO_SENDING_NULL : HALO_STALE) : HALO_RECEIVED_NULL);
            EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
        }
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels)
            if (channel) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// A rank that only receives never calls send; one that only sends may not be more than two runs ahead.
TEST(AggregatedGroup, HoldsBackASenderThatIsTwoRunsAhead) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), 0, 1, 4);
        halo_group *group = commit(rank, { channel }, HALO_MESSAGES_AGGREGATE);
        const auto send_run = [&](double value) {
            ASSERT_TRUE(poll_writable(group));
            *static_cast<double *>(rows_of(group, 1)[0].data) = value;
            EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
            EXPECT_TRUE(poll_done(group));
            EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
        };
        const auto receive_run = [&](double value) {
            ASSERT_TRUE(poll_done(group)) << halo_last_error();
            EXPECT_EQ(*static_cast<double *>(rows_of(group, 1)[0].data), value);
            EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
        };
        if (rank.first()) {
            send_run(1);
            halo_context_barrier(rank.context);
            send_run(2);
            send_run(3);
            int32_t writable = 1;
            EXPECT_OK(halo_group_writable(group, &writable));
            EXPECT_EQ(writable, 0);
            EXPECT_STATUS(HALO_BUSY, halo_group_send(group, nullptr, HALO_STREAM_NONE));
            halo_context_barrier(rank.context);
            send_run(4);
        } else {
            receive_run(1);
            halo_context_barrier(rank.context);
            halo_context_barrier(rank.context);
            for (const double value : { 2, 3, 4 }) receive_run(value);
        }
        halo_context_barrier(rank.context);
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

TEST(AggregatedGroup, ServesTheRestWhenAChannelGoes) {
    RUN_RANKS(2, [](Rank &rank) {
        std::vector<halo_channel *> channels;
        for (int64_t i = 0; i < 5; ++i) channels.push_back(add(rank, key_of(3, i), i % 2, 1 - i % 2, 1 + i));
        halo_group *group = commit(rank, channels, HALO_MESSAGES_AGGREGATE);
        for (int64_t run = 0; run < 6; ++run) {
            if (run == 3) {
                EXPECT_OK(halo_channel_destroy(&channels[0]));
                EXPECT_OK(halo_channel_destroy(&channels[3]));
            }
            ASSERT_TRUE(poll_writable(group));
            const halo_group_row *rows = rows_of(group, channels.size());
            for (size_t i = 0; i < channels.size(); ++i) {
                EXPECT_EQ(rows[i].channel, channels[i]);
                EXPECT_TRUE(channels[i] || !rows[i].data);
                if (channels[i] && rows[i].sender) *static_cast<double *>(rows[i].data) = static_cast<double>(run * 10) + static_cast<double>(i);
            }
            EXPECT_OK(halo_group_send(group, nullptr, HALO_STREAM_NONE));
            ASSERT_TRUE(poll_done(group)) << halo_last_error();
            rows = rows_of(group, channels.size());
            for (size_t i = 0; i < channels.size(); ++i) {
                if (channels[i] && !rows[i].sender) {
                    EXPECT_EQ(*static_cast<double *>(rows[i].data), static_cast<double>(run * 10) + static_cast<double>(i));
                }
            }
            EXPECT_OK(halo_group_stale(group, HALO_STREAM_NONE));
        }
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *&channel : channels) {
            if (channel) EXPECT_OK(halo_channel_destroy(&channel));
        }
    });
}

TEST(AggregatedGroup, CanBeAbandoned) {
    RUN_RANKS(2, [](Rank &rank) {
        halo_channel *channel = add(rank, key_of(3, 7), 0, 1, 4);
        halo_group *group = commit(rank, { channel }, HALO_MESSAGES_AGGREGATE);
        if (!rank.first()) {
            EXPECT_OK(halo_group_start_receive(group));
            EXPECT_STATUS(HALO_BUSY, halo_group_destroy(&group));
            EXPECT_OK(halo_group_abandon(group));
            int32_t done = 0;
            EXPECT_STATUS(HALO_ERR_STATE, halo_group_try_receive(group, &done));
            EXPECT_TEXT("abandoned");
        }
        EXPECT_OK(halo_group_destroy(&group));
        EXPECT_OK(halo_channel_destroy(&channel));
    });
}

// Rows of a caller that knows more members than the library: those are zero.
TEST(AggregatedGroup, FillsLargerRows) {
    struct Larger {
        halo_group_row row;
        int64_t unknown[2];
    };
    RUN_RANKS(1, [](Rank &rank) {
        const std::vector<halo_channel *> channels = { add(rank, key_of(3, 7), 0, 0, 4), add(rank, key_of(3, 8), 0, 0, 5) };
        halo_group *group = commit(rank, channels, HALO_MESSAGES_AGGREGATE);
        const halo_group_row *rows = nullptr;
        int64_t n = 0;
        EXPECT_OK(halo_group_table(group, sizeof(Larger), &rows, &n));
        const auto *larger = reinterpret_cast<const Larger *>(rows);
        EXPECT_EQ(larger[1].row.channel, channels[1]);
        EXPECT_EQ(larger[1].row.bytes, 40);
        EXPECT_EQ(larger[1].unknown[1], 0);
        EXPECT_STATUS(HALO_ERR_VERSION, halo_group_table(group, 8, &rows, &n));
        EXPECT_OK(halo_group_destroy(&group));
        for (halo_channel *channel : channels) EXPECT_OK(halo_channel_destroy(&channel));
    });
}

} // namespace
