// SPDX-License-Identifier: BSD-3-Clause
// Aggregated groups whose slices are on a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "channel_end.h"

namespace {

using namespace conformance;
using late::OpenDevice;
using late::Stream;
using late::until;

// What is sent in a turn, known to all ranks.
struct Turn {
    int number;
    int percent; // of the channels that carry data
    bool data(int32_t channel) const { return channel * 7919 % 100 < percent; }
    double value(int32_t channel, size_t i) const { return 10000.0 * number + 100 * channel + static_cast<double>(i); }
};

// `per_pair` channels between any two ranks both ways, and within each.
class Slices {
public:
    Slices(Rank &rank, int32_t per_pair, int32_t memory, int32_t device = 0, int32_t flags_memory = HALO_MEMORY_HOST)
        : rank_(rank),
          on_device_(memory == HALO_MEMORY_DEVICE),
          device_(rank.context, device),
          flags_memory_(on_device_ ? flags_memory : HALO_MEMORY_HOST) {
        for (int32_t i = 0; i < per_pair * rank.size * rank.size; ++i) add(i, i / per_pair % rank.size, i / per_pair / rank.size);
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.memory = memory;
        desc.device = device;
        desc.flags_memory = flags_memory_;
        group = late::commit(rank, channels_, desc);
        null_flags_.resize(channels_.size());
        if (flags_memory_ == HALO_MEMORY_HOST) return;
        OK(halo_memory_allocate_on(rank.context, flags_memory_, device, 2 * std::ssize(null_flags_), &device_flags_)); // in parts, then of the table
    }
    void destroy() {
        if (group) late::destroy(rank_, group);
        for (halo_channel *&channel : channels_) OK(halo_channel_destroy(&channel));
        if (device_flags_) {
            late_stream_synchronize(device_.get(), nullptr); // flags were overwritten behind the last call
            OK(halo_memory_release(rank_.context, &device_flags_));
        }
    }

    const OpenDevice &device() const { return device_; }
    halo_stream stream(halo_stream given) const { return on_device_ ? late::stream_or_own(given) : HALO_STREAM_NONE; }
    std::vector<halo_group_row> rows() const {
        const halo_group_row *rows = nullptr;
        int64_t n = 0;
        OK(halo_group_table(group, sizeof(halo_group_row), &rows, &n));
        return { rows, rows + n };
    }
    void wait_writable() const {
        until([&] {
            int32_t writable = 0;
            OK(halo_group_writable(group, &writable));
            return writable != 0;
        });
    }
    // Writes the slices and the flags in the stream, sends, and overwrites both behind it.
    void send(const Turn &turn, halo_stream on) {
        wait_writable();
        const std::vector<halo_group_row> table = rows();
        for (size_t i = 0; i < table.size(); ++i) {
            null_flags_[i] = !turn.data(numbers_[i]);
            if (table[i].sender) write(table[i], i, turn, on);
        }
        with_flags(null_flags_, null_flags_.size(), on,
                   [&](const uint8_t *flags) { OK(halo_group_send(group, turn.percent < 100 ? flags : nullptr, stream(on))); });
    }
    // The same in parts: each stream has some of the rows, and what is left goes with the last one. Parts are named from the last to the first.
    void send_parts(const Turn &turn, const std::vector<halo_stream> &streams, bool leave_some) {
        wait_writable();
        const std::vector<halo_group_row> table = rows();
        const size_t n_left = leave_some ? 1 : 0;
        size_t n_named = 0;
        for (size_t part = streams.size(); part-- > n_left;) {
            std::vector<int64_t> some;
            std::vector<uint8_t> nulls;
            for (size_t i = table.size(); i-- > 0;) {
                if (i % streams.size() != part || !table[i].sender) continue;
                write(table[i], i, turn, streams[part]);
                some.push_back(static_cast<int64_t>(i));
                nulls.push_back(!turn.data(numbers_[i]));
            }
            with_flags(nulls, n_named, streams[part], [&](const uint8_t *flags) {
                OK(halo_group_send_rows(group, some.data(), std::ssize(some), turn.percent < 100 ? flags : nullptr, stream(streams[part])));
            });
            n_named += some.size();
        }
        if (leave_some) {
            for (size_t i = 0; i < table.size(); ++i) {
                null_flags_[i] = !turn.data(numbers_[i]);
                if (table[i].sender && i % streams.size() == 0) write(table[i], i, turn, streams[0]);
            }
            with_flags(null_flags_, null_flags_.size(), streams[0],
                       [&](const uint8_t *flags) { OK(halo_group_send(group, turn.percent < 100 ? flags : nullptr, stream(streams[0]))); });
        }
    }
    // After all have been sent in parts.
    void expect_no_row_to_be_sent(halo_stream on) const {
        const std::vector<halo_group_row> table = rows();
        const auto sent = std::find_if(table.begin(), table.end(), [](const halo_group_row &row) { return row.sender != 0; });
        if (sent == table.end()) return;
        const int64_t row = sent - table.begin();
        const halo_status status = halo_group_send_rows(group, &row, 1, nullptr, stream(on));
        if (status != HALO_ERR_ARGUMENT) stop("a row is sent twice: %s", halo_status_name(status));
    }
    void receive() const {
        until([&] {
            int32_t done = 0;
            OK(halo_group_try_receive(group, &done));
            return done != 0;
        });
    }
    void check(const Turn &turn, halo_stream on) const {
        const std::vector<halo_group_row> table = rows();
        for (size_t i = 0; i < table.size(); ++i) {
            const bool data = turn.data(numbers_[i]);
            if (!receives_[i]) continue;
            if (table[i].state != (data ? HALO_RECEIVED : HALO_RECEIVED_NULL))
                stop("turn %d, channel %d, %d %%: state %d", turn.number, numbers_[i], turn.percent, table[i].state);
            if (!data) continue;
            std::vector<double> values(static_cast<size_t>(table[i].bytes) / sizeof(double));
            copy(values.data(), table[i].data, values.size() * sizeof(double), on);
            for (size_t k = 0; k < values.size(); ++k)
                if (values[k] != turn.value(numbers_[i], k)) stop("turn %d, channel %d: value %zu is %f", turn.number, numbers_[i], k, values[k]);
        }
    }
    void stale(halo_stream on) const { OK(halo_group_stale(group, stream(on))); }
    void run(const Turn &turn, halo_stream on) {
        send(turn, on);
        receive();
        check(turn, on);
        stale(on);
    }

    halo_group *group = nullptr;

private:
    void add(int32_t number, int32_t from, int32_t to) {
        if (from != rank_.rank && to != rank_.rank) return;
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = from;
        desc.receive_rank = to;
        desc.count = number % 5 * 3;
        const halo_channel_key key{ from, to, number, 0, 0 };
        halo_channel *channel = nullptr;
        OK(halo_channel_register(rank_.context, &key, &desc, &channel));
        channels_.push_back(channel);
        numbers_.push_back(number);
        receives_.push_back(to == rank_.rank);
    }
    void write(const halo_group_row &row, size_t i, const Turn &turn, halo_stream on) const {
        std::vector<double> values(static_cast<size_t>(row.bytes) / sizeof(double));
        for (size_t k = 0; k < values.size(); ++k) values[k] = turn.value(numbers_[i], k);
        copy(row.data, values.data(), values.size() * sizeof(double), on);
    }
    // Where the group reads them, `at` in that memory. They are overwritten behind the call.
    template <class Call>
    void with_flags(std::vector<uint8_t> &flags, size_t at, halo_stream on, const Call &call) const {
        uint8_t *const there = device_flags_ ? static_cast<uint8_t *>(device_flags_) + at : nullptr;
        if (there) device_.copy(there, flags.data(), flags.size(), on);
        call(there ? there : flags.data());
        std::fill(flags.begin(), flags.end(), uint8_t{ 1 });
        if (there) device_.copy(there, flags.data(), flags.size(), on);
    }
    void copy(void *dst, const void *src, size_t bytes, halo_stream on) const {
        if (on_device_)
            device_.copy(dst, src, bytes, on);
        else if (bytes > 0)
            std::memcpy(dst, src, bytes);
    }

    Rank &rank_;
    bool on_device_;
    OpenDevice device_;
    int32_t flags_memory_;
    std::vector<halo_channel *> channels_;
    std::vector<int32_t> numbers_;
    std::vector<bool> receives_;
    std::vector<uint8_t> null_flags_;
    void *device_flags_ = nullptr;
};

constexpr int percents[] = { 100, 0, 5, 25, 60, 100 };

class Groups : public testing::TestWithParam<std::tuple<int32_t, int32_t>> {};

TEST_P(Groups, AllThatIsNotNullArrives) {
    const auto [n_ranks, flags_memory] = GetParam();
    conformance::run(n_ranks, late::settings(), [&, flags = flags_memory](Rank &rank) {
        Slices slices(rank, 6, HALO_MEMORY_DEVICE, 0, flags);
        {
            const Stream stream(slices.device().get());
            for (int turn = 0; turn < 30; ++turn) slices.run({ turn, percents[turn % 6] }, stream);
        }
        slices.destroy();
    });
}

// Parts in streams of their own, in runs beside those of one call.
TEST_P(Groups, AllThatIsSentInPartsArrives) {
    const auto [n_ranks, flags_memory] = GetParam();
    conformance::run(n_ranks, late::settings(), [&, flags = flags_memory](Rank &rank) {
        Slices slices(rank, 7, HALO_MEMORY_DEVICE, 0, flags);
        {
            const Stream first(slices.device().get()), second(slices.device().get());
            for (int number = 0; number < 30; ++number) {
                const Turn turn{ number, percents[number % 6] };
                if (number % 5 == 4)
                    slices.send(turn, first);
                else {
                    slices.send_parts(turn, { first, second, nullptr }, number % 2 == 0);
                    slices.expect_no_row_to_be_sent(first);
                }
                slices.receive();
                slices.check(turn, second);
                slices.stale(second);
            }
            OK(halo_group_drain(slices.group, 60));
        }
        slices.destroy();
    });
}

INSTANTIATE_TEST_SUITE_P(Device, Groups,
                         testing::Combine(testing::Values(1, 2, 3), testing::Values(HALO_MEMORY_HOST, HALO_MEMORY_PINNED, HALO_MEMORY_DEVICE)),
                         [](const auto &one) { return std::to_string(one.index); });

// Two devices and the host, in check mode.
TEST(DeviceGroups, RanksDifferInMemory) {
    conformance::run(3, late::settings({ { "check", "1" } }), [](Rank &rank) {
        Slices slices(rank, 4, rank.rank == 2 ? HALO_MEMORY_HOST : HALO_MEMORY_DEVICE, rank.rank % 2, HALO_MEMORY_DEVICE);
        for (int turn = 0; turn < 30; ++turn) slices.run({ turn, percents[turn % 6] }, nullptr);
        slices.destroy();
    });
}

// A part is read in its own stream: what is queued in front of it there has been done.
TEST(DeviceGroups, APartWaitsForItsStream) {
    conformance::run(2, late::settings(), [](Rank &rank) {
        Slices slices(rank, 5, HALO_MEMORY_DEVICE);
        const late::Array<double> kept(rank.context, 16), other(rank.context, 16);
        {
            const Stream slow(slices.device().get()), fast(slices.device().get());
            for (int number = 0; number < 5; ++number) {
                for (int copy = 0; copy < 200; ++copy) slices.device().copy(kept.data(), other.data(), 16 * sizeof(double), slow);
                const Turn turn{ number, 100 };
                slices.send_parts(turn, { fast, slow }, number % 2 == 0);
                slices.receive();
                slices.check(turn, fast);
                slices.stale(fast);
            }
        }
        slices.destroy();
    });
}

// It takes and ends the run that is under way.
TEST(DeviceGroups, WhatIsDrainedCanBeDestroyed) {
    for (int turn = 0; turn < 5; ++turn)
        conformance::run(2, late::settings(), [&](Rank &rank) {
            Slices slices(rank, 3, HALO_MEMORY_DEVICE);
            slices.send({ turn, 100 }, nullptr);
            OK(halo_group_drain(slices.group, 60));
            OK(halo_group_destroy(&slices.group));
            slices.destroy();
        });
}

// Who only sends has sent when a run is received: then it makes no call until that has come.
TEST(DeviceGroups, OneWay) {
    std::atomic<int> n_come = 0;
    conformance::run(2, late::settings(), [&](Rank &rank) {
        late::Terms terms;
        late::End end(rank, terms, { HALO_BUFFER_POOL, HALO_MEMORY_HOST, 0 });
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.memory = HALO_MEMORY_DEVICE;
        halo_group *group = late::commit(rank, { end.channel }, desc);
        for (int turn = 0; turn < 50; ++turn) {
            int32_t done = 0;
            while (!done) OK(halo_group_writable(group, &done));
            const std::vector<double> values = late::numbers(terms.n, turn);
            if (rank.rank == 0) end.device().copy(end.buffer().data, values.data(), terms.n * sizeof(double), nullptr);
            if (rank.rank == 0) OK(halo_group_send(group, nullptr, HALO_STREAM_DEFAULT));
            for (done = 0; !done;) OK(halo_group_try_receive(group, &done));
            std::vector<double> came(terms.n);
            if (rank.rank == 1) end.device().copy(came.data(), end.buffer().data, terms.n * sizeof(double), nullptr);
            if (rank.rank == 1 && came != values) stop("turn %d differs", turn);
            if (rank.rank == 1) n_come = turn + 1;
            const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (n_come <= turn && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
            if (n_come <= turn) stop("turn %d has not left", turn);
            OK(halo_group_stale(group, HALO_STREAM_DEFAULT));
        }
        late::destroy(rank, group);
        end.destroy();
    });
}

TEST(DeviceGroups, ManyRuns) {
    late_configure(1, 0);
    conformance::run(2, late::settings(), [](Rank &rank) {
        Slices slices(rank, 3, HALO_MEMORY_DEVICE);
        halo_pool_stats own{}, pinned{};
        int64_t waits = 0, copies = 0;
        constexpr int n_runs = 3000, first = 10;
        for (int turn = 0; turn < n_runs; ++turn) {
            if (turn == first) {
                own = late::pool_of(rank.context, HALO_MEMORY_DEVICE), pinned = late::pool_of(rank.context, HALO_MEMORY_PINNED);
                waits = late_count(slices.device().get()).host_waits, copies = late_count(slices.device().get()).copies;
            }
            slices.wait_writable();
            OK(halo_group_send(slices.group, nullptr, HALO_STREAM_DEFAULT));
            slices.receive();
            slices.stale(HALO_STREAM_DEFAULT);
        }
        const late_counts now = late_count(slices.device().get());
        if (late::pool_of(rank.context, HALO_MEMORY_DEVICE).allocations != own.allocations) stop("device memory grows");
        if (late::pool_of(rank.context, HALO_MEMORY_PINNED).allocations != pinned.allocations) stop("pinned memory grows");
        if (now.host_waits != waits) stop("the host has waited for the device");
        if (now.copies - copies != 2 * (n_runs - first)) stop("%lld copies", static_cast<long long>(now.copies - copies)); // one each way
        slices.destroy();
    });
    late_configure(1, 50);
}

// The next run's messages do not come where work that is queued still reads.
TEST(DeviceGroups, StaleWaitsForItsStream) {
    conformance::run(2, late::settings(), [](Rank &rank) {
        Slices slices(rank, 5, HALO_MEMORY_DEVICE); // one of three values from the other rank
        constexpr size_t n_turns = 20, n_copies = 5;
        const late::Array<double> kept(rank.context, n_turns * n_copies * 3);
        {
            const Stream stream(slices.device().get());
            for (size_t turn = 0; turn < n_turns; ++turn) {
                slices.send({ static_cast<int>(turn), 100 }, nullptr);
                slices.receive();
                for (const halo_group_row &row : slices.rows())
                    for (size_t copy = 0; copy < n_copies && !row.sender && row.bytes == 3 * sizeof(double); ++copy)
                        slices.device().copy(kept.data() + (turn * n_copies + copy) * 3, row.data, 3 * sizeof(double), stream);
                slices.stale(stream);
                halo_group *group = slices.group;
                if (turn == 0 && halo_group_destroy(&group) != HALO_BUSY) stop("it can be destroyed");
            }
            const std::vector<double> all = kept.read(stream);
            const Turn first{ 0, 100 };
            for (size_t i = 0; i < n_turns * n_copies; ++i)
                if (all[3 * i] != first.value(rank.rank == 0 ? 6 : 11, 0) + 10000.0 * static_cast<double>(i / n_copies))
                    stop("copy %zu is of another run: %f", i, all[3 * i]);
        }
        slices.destroy();
    });
}

TEST(DeviceGroups, AbandonedWhileTheDeviceWorks) {
    late_configure(3, 2000);
    for (int point = 0; point < 5; ++point)
        conformance::run(2, late::settings(), [&](Rank &rank) {
            Slices slices(rank, 3, HALO_MEMORY_DEVICE);
            if (point == 4)
                slices.send_parts({ 1, 100 }, { nullptr, nullptr }, false);
            else if (rank.rank == 0 || point > 1)
                slices.send({ 1, 100 }, nullptr);
            if (rank.rank == 0 && halo_group_destroy(&slices.group) != HALO_BUSY) stop("it can be destroyed");
            int32_t done = 0;
            if (point == 2)
                for (int turn = 0; turn < 10; ++turn) OK(halo_group_try_receive(slices.group, &done));
            if (point == 3) {
                slices.receive();
                slices.stale(HALO_STREAM_DEFAULT);
            }
            OK(halo_group_abandon(slices.group));
            OK(halo_context_barrier(rank.context));
            OK(halo_group_destroy(&slices.group));
            slices.destroy();
        });
    late_configure(1, 50);
}

// Whoever has sent computes on, and calls something else of the context.
class Leaving : public testing::TestWithParam<bool> {};

TEST_P(Leaving, InWhateverCallComesNext) {
    std::atomic<int> received{ 0 };
    conformance::run(2, late::settings(), [&](Rank &rank) {
        Slices slices(rank, 3, HALO_MEMORY_DEVICE);
        {
            const Stream stream(slices.device().get());
            for (int turn = 1; turn <= 5; ++turn) {
                if (GetParam())
                    slices.send_parts({ turn, 100 }, { stream }, false);
                else
                    slices.send({ turn, 100 }, nullptr);
                if (rank.rank == 0)
                    until([&] {
                        OK(halo_context_progress(rank.context));
                        return received >= turn;
                    });
                slices.receive();
                if (rank.rank == 1) received = turn;
                slices.check({ turn, 100 }, nullptr);
                slices.stale(HALO_STREAM_DEFAULT);
            }
        }
        slices.destroy();
    });
}

INSTANTIATE_TEST_SUITE_P(DeviceGroups, Leaving, testing::Bool(), [](const auto &one) { return std::string(one.param ? "InOnePart" : "Whole"); });

TEST(DeviceGroups, WantOfMemory) {
    conformance::run(2, late::settings(), [](Rank &rank) {
        Slices slices(rank, 100, HALO_MEMORY_DEVICE);
        int32_t answer = 0;
        for (const auto fail : { late_fail_allocation, late_fail_pinned }) {
            fail(slices.device().get(), 0);
            halo_status status = HALO_SUCCESS;
            until([&] { return (status = halo_group_writable(slices.group, &answer)) != HALO_SUCCESS || answer != 0; });
            if (status != HALO_ERR_MEMORY) stop("%s", halo_status_name(status));
        }
        for (int turn = 0; turn < 3; ++turn) slices.run({ turn, 60 }, nullptr);
        slices.destroy();
    });
}

TEST(DeviceGroups, Misuse) {
    conformance::run(2, late::settings(), [](Rank &rank) {
        late::Terms terms;
        late::End end(rank, terms, { HALO_BUFFER_POOL, HALO_MEMORY_HOST, 0 });
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        halo_group *group = nullptr;
        const auto refused = [&](const char *text) {
            if (rank.rank == 1) desc = HALO_GROUP_DESC_INIT; // and is told
            const halo_status status = halo_group_create(rank.context, &end.channel, 1, &desc, &group);
            const bool told = std::strstr(halo_last_error(), text) != nullptr;
            if (status != (rank.rank == 0 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER) || !told) stop("%s: %s", halo_status_name(status), halo_last_error());
            desc = HALO_GROUP_DESC_INIT;
        };
        desc.memory = HALO_MEMORY_PINNED;
        refused("group: memory is 1, neither HALO_MEMORY_HOST nor HALO_MEMORY_DEVICE");
        desc.memory = HALO_MEMORY_DEVICE, desc.device = 5;
        refused("there are the late devices 0 and 1, not 5");
        desc.device = 1;
        refused("there is no host memory of device 1");
        desc.flags_memory = HALO_MEMORY_PINNED;
        refused("flags_memory is 1, with slices in host memory");
        desc.memory = HALO_MEMORY_DEVICE, desc.flags_memory = HALO_MEMORY_SHARED;
        refused("flags_memory is 3, with slices in device memory");
        desc.memory = HALO_MEMORY_DEVICE, desc.messages = HALO_MESSAGES_PER_CHANNEL;
        refused("memory on device 0, and one message per channel");

        desc.memory = HALO_MEMORY_DEVICE;
        group = late::commit(rank, { end.channel }, desc);
        const auto wants_stream = [](halo_status status) {
            if (status != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), "HALO_STREAM_NONE: the device's own stream is HALO_STREAM_DEFAULT"))
                stop("%s: %s", halo_status_name(status), halo_last_error());
        };
        wants_stream(halo_group_send(group, nullptr, HALO_STREAM_NONE));
        const int64_t row = 0;
        wants_stream(halo_group_send_rows(group, &row, rank.rank == 0 ? 1 : 0, nullptr, HALO_STREAM_NONE));
        OK(halo_group_send(group, nullptr, HALO_STREAM_DEFAULT));
        for (int32_t done = 0; !done;) OK(halo_group_try_receive(group, &done));
        wants_stream(halo_group_stale(group, HALO_STREAM_NONE));
        OK(halo_group_stale(group, HALO_STREAM_DEFAULT));
        late::destroy(rank, group);
        end.destroy();
        desc = HALO_GROUP_DESC_INIT;
        desc.struct_size = offsetof(halo_group_desc, memory); // of the first version
        desc.memory = 77;
        late::destroy(rank, late::commit(rank, {}, desc));
    });
}

} // namespace
