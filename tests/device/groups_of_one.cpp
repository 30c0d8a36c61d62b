// SPDX-License-Identifier: BSD-3-Clause
// Aggregated groups of one channel, with its slice on the device of both ranks: when their runs end, and what is kept for the device.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "channel_end.h"

namespace {

using namespace conformance;
using late::OpenDevice;
using late::Stream;
using late::until;

class OneSlice {
public:
    explicit OneSlice(Rank &rank) : rank_(rank), end_(rank, terms_, { HALO_BUFFER_POOL, HALO_MEMORY_HOST, 0 }) {
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.memory = HALO_MEMORY_DEVICE;
        group = late::commit(rank, { end_.channel }, desc);
    }
    ~OneSlice() {
        if (group) late::destroy(rank_, group);
        end_.destroy();
    }
    OneSlice(const OneSlice &) = delete;
    OneSlice &operator=(const OneSlice &) = delete;

    const OpenDevice &device() const { return end_.device(); }
    void *slice() const { return end_.buffer().data; }
    bool writable() const {
        int32_t writable = 0;
        OK(halo_group_writable(group, &writable));
        return writable != 0;
    }
    void send(const std::vector<double> &values, halo_stream on = nullptr) const {
        until([&] { return writable(); });
        device().copy(slice(), values.data(), bytes, on);
        OK(halo_group_send(group, nullptr, late::stream_or_own(on)));
    }
    bool try_receive() const {
        int32_t done = 0;
        OK(halo_group_try_receive(group, &done));
        return done != 0;
    }
    void receive_and_stale() const {
        until([&] { return try_receive(); });
        OK(halo_group_stale(group, HALO_STREAM_DEFAULT));
    }

    static constexpr size_t n = 16, bytes = n * sizeof(double);
    halo_group *group = nullptr;

private:
    Rank &rank_;
    late::Terms terms_;
    late::End end_;
};

// Its messages wait for one stream, that it is over for another, which has nothing to do.
TEST(DeviceGroups, ARunEndsWhenItHasLeft) {
    conformance::run(2, late::settings(), [](Rank &rank) {
        const OneSlice one(rank);
        const late::Array<double> kept(rank.context, OneSlice::n), other(rank.context, OneSlice::n);
        std::vector<std::vector<double>> sent;
        for (int turn = 0; turn < 5; ++turn) sent.push_back(late::numbers(OneSlice::n, turn));
        const Stream slow(one.device().get()), idle(one.device().get());
        for (const std::vector<double> &values : sent)
            if (rank.rank == 0) {
                for (int copy = 0; copy < 200; ++copy) one.device().copy(kept.data(), other.data(), OneSlice::bytes, slow);
                one.send(values, slow);
                until([&] { return one.try_receive(); });
                OK(halo_group_stale(one.group, idle));
            } else {
                until([&] { return one.try_receive(); });
                std::vector<double> came(OneSlice::n);
                one.device().copy(came.data(), one.slice(), OneSlice::bytes, nullptr);
                if (came != values) stop("it begins with %g instead of %g", came[0], values[0]);
                OK(halo_group_stale(one.group, HALO_STREAM_DEFAULT));
            }
        late_stream_synchronize(one.device().get(), slow);
    });
}

// A sender may be two runs ahead of what the receiver has ended.
TEST(DeviceGroups, RunsEndInWhateverCallComesNext) {
    std::atomic<bool> heard{ false };
    conformance::run(2, late::settings(), [&](Rank &rank) {
        const OneSlice one(rank);
        if (rank.rank == 0) {
            for (const double value : { 1, 2 }) {
                one.send(late::numbers(OneSlice::n, value));
                one.receive_and_stale();
            }
            until([&] { return one.writable(); });
            heard = true;
        } else {
            one.receive_and_stale();
            until([&] {
                OK(halo_context_progress(rank.context));
                return heard.load();
            });
            one.receive_and_stale();
        }
    });
}

// With much in front of what the group has put on the device, and nothing behind it.
class GivenUp : public testing::TestWithParam<bool> {};

TEST_P(GivenUp, WhatTheDeviceUsesIsKept) {
    conformance::run(2, late::settings(), [](Rank &rank) {
        const bool landing = GetParam();
        OneSlice one(rank);
        constexpr size_t n_copies = 200;
        const late::Array<double> kept(rank.context, OneSlice::n);
        const auto queue = [&](const void *from) {
            for (size_t copy = 0; copy < n_copies; ++copy) one.device().copy(kept.data(), from, OneSlice::bytes, nullptr);
        };
        if (rank.rank == 0) one.send(late::numbers(OneSlice::n, 5));
        if (rank.rank == 1 && landing) {
            const late::Array<double> other(rank.context, OneSlice::n);
            queue(other.data());
            const int64_t before = late_count(one.device().get()).copies;
            until([&] { return one.try_receive() || late_count(one.device().get()).copies > before; });
            OK(halo_group_abandon(one.group));
            OK(halo_context_trim(rank.context));
            static_cast<void>(kept.read(nullptr));
        } else if (rank.rank == 1) {
            until([&] { return one.try_receive(); });
            queue(one.slice());
            OK(halo_group_stale(one.group, HALO_STREAM_DEFAULT));
            OK(halo_group_abandon(one.group));
            OK(halo_context_trim(rank.context));
            if (kept.read(nullptr) != late::numbers(OneSlice::n, 5)) stop("what came is read no more");
        } else {
            OK(halo_context_barrier(rank.context));
            OK(halo_group_abandon(one.group));
        }
        if (rank.rank == 1) OK(halo_context_barrier(rank.context));
    });
}

INSTANTIATE_TEST_SUITE_P(DeviceGroups, GivenUp, testing::Bool(), [](const auto &one) { return one.param ? "WhatHasCome" : "WhatIsRead"; });

} // namespace
