// SPDX-License-Identifier: BSD-3-Clause
// One bit of one message is changed on its way: check mode names who sent what to whom.
#include <gtest/gtest.h>

#include <algorithm>

#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

constexpr int64_t header_of_peer = 64; // in front of the payload of a peer's message, in bytes
constexpr int64_t header_of_part = 16; // of a channel's, in an exchange or a group

struct Policy {
    int32_t messages;
    int32_t receive;
};

std::string name_of_policy(const testing::TestParamInfo<Policy> &info) {
    return std::string(info.param.messages == HALO_MESSAGES_AGGREGATE ? "aggregate" : "per_channel") +
           (info.param.receive == HALO_RECEIVE_POSTED ? "_posted" : "_probed");
}

class Damage : public testing::TestWithParam<Policy> {
protected:
    static constexpr uint64_t n_seeds = 20;

    bool aggregated() const { return GetParam().messages == HALO_MESSAGES_AGGREGATE; }
    // This rank's next message with a payload.
    void damage_next(uint64_t seed) const {
        wrap_faults faults{};
        faults.seed = seed;
        faults.corrupt = 1;
        faults.corrupt_after = aggregated() ? header_of_peer : header_of_part;
        faults.channels_only = !aggregated();
        faults.most = 1;
        wrapper().set_faults(&faults);
    }
    // An aggregated message is named by its run, one of a channel by its key.
    std::vector<std::string> words(const std::string &object, const std::string &bytes, const std::string &of_channel) const {
        return { bytes + " bytes of payload", "from rank 0", "to rank 1", aggregated() ? object : of_channel };
    }
};

INSTANTIATE_TEST_SUITE_P(Policies, Damage,
                         testing::Values(Policy{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_POSTED },
                                         Policy{ HALO_MESSAGES_AGGREGATE, HALO_RECEIVE_PROBED },
                                         Policy{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_POSTED },
                                         Policy{ HALO_MESSAGES_PER_CHANNEL, HALO_RECEIVE_PROBED }),
                         name_of_policy);

// Rank 0's second run is damaged; rank 1 says so, and everything can be destroyed.
TEST_P(Damage, OfAnExchangeIsNamed) {
    choose_wrapper();
    for (uint64_t seed = 0; seed < n_seeds && !HasFailure(); ++seed)
        run_wrapped(2, { { "check", "yes" } }, [&](Rank &rank) {
            SolverShape shape;
            shape.messages = GetParam().messages;
            shape.receive = GetParam().receive;
            shape.n_components = 3;
            Solver solver(rank, shape);
            solver.run();
            if (rank.rank == 0) damage_next(seed);
            solver.fill();
            OK(solver.start());
            if (rank.rank == 0) {
                OK(solver.finish());
                solver.check();
            } else {
                expect_failure(solver.finish(), HALO_ERR_CHECK,
                               words("density: run 2", aggregated() ? "28" : "24", "channel 0 -> 1, field density, side x+"));
                if (aggregated()) expect_failure(HALO_ERR_CHECK, HALO_ERR_CHECK, { "it carries 1 channel: 0 -> 1, field density, side x+" });
            }
            solver.destroy();
        });
}

// Channels made by hand, 0 -> 1 and back.
class Channels {
public:
    Channels(const Rank &rank, const Policy &policy) : aggregated_(policy.messages == HALO_MESSAGES_AGGREGATE) {
        out_ = make(rank, rank.rank, policy);
        in_ = make(rank, 1 - rank.rank, policy);
        halo_channel *const both[] = { out_, in_ };
        halo_group_desc desc = HALO_GROUP_DESC_INIT;
        desc.messages = policy.messages;
        OK(halo_group_create(rank.context, both, 2, &desc, &group_));
    }
    void send(double value) {
        int32_t writable = 0;
        while (!writable) OK(aggregated_ ? halo_group_writable(group_, &writable) : halo_channel_writable(out_, &writable));
        if (!aggregated_) OK(halo_channel_allocate(out_));
        halo_buffer buffer = HALO_BUFFER_INIT;
        OK(halo_channel_buffer(out_, &buffer));
        std::fill_n(static_cast<double *>(buffer.data), n_values, value);
        OK(aggregated_ ? halo_group_send(group_, nullptr, HALO_STREAM_NONE) : halo_channel_send(out_, HALO_STREAM_NONE));
    }
    halo_status receive() {
        int32_t done = 0;
        halo_status status = HALO_SUCCESS;
        while (status == HALO_SUCCESS && !done)
            status = aggregated_ ? halo_group_try_receive(group_, &done) : halo_channel_try_receive(in_, &done, nullptr);
        return status;
    }
    void expect(double value) {
        halo_buffer buffer = HALO_BUFFER_INIT;
        OK(halo_channel_buffer(in_, &buffer));
        for (int64_t i = 0; i < n_values; ++i)
            if (static_cast<double *>(buffer.data)[i] != value) stop("value %lld is not %g", static_cast<long long>(i), value);
        OK(aggregated_ ? halo_group_stale(group_, HALO_STREAM_NONE) : halo_channel_stale(in_, HALO_STREAM_NONE));
    }
    void destroy() {
        OK(halo_group_abandon(group_));
        OK(halo_group_destroy(&group_));
        OK(halo_channel_destroy(&out_));
        OK(halo_channel_destroy(&in_));
    }

private:
    static constexpr int64_t n_values = 5;

    static halo_channel *make(const Rank &rank, int32_t from, const Policy &policy) {
        const halo_channel_key key{ 10 + from, 11 - from, 4, 12, 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.send_rank = from;
        desc.receive_rank = 1 - from;
        desc.count = n_values;
        desc.sparse = policy.receive == HALO_RECEIVE_PROBED;
        halo_channel *channel = nullptr;
        OK(halo_channel_register(rank.context, &key, &desc, &channel));
        return channel;
    }

    bool aggregated_;
    halo_channel *out_ = nullptr;
    halo_channel *in_ = nullptr;
    halo_group *group_ = nullptr;
};

TEST_P(Damage, OfChannelsByHandIsNamed) {
    choose_wrapper();
    for (uint64_t seed = 0; seed < n_seeds && !HasFailure(); ++seed)
        run_wrapped(2, { { "check", "yes" } }, [&](Rank &rank) {
            Channels channels(rank, GetParam());
            channels.send(1);
            OK(channels.receive());
            channels.expect(1);
            if (rank.rank == 0) damage_next(seed);
            channels.send(2);
            if (rank.rank == 0) {
                OK(channels.receive());
                channels.expect(2);
            } else {
                expect_failure(channels.receive(), HALO_ERR_CHECK,
                               words("group 1: run 2", "40", "10 -> 11, field 4, element 12, from rank 0 to rank 1, epoch 2"));
                if (aggregated()) expect_failure(HALO_ERR_CHECK, HALO_ERR_CHECK, { "it carries 1 channel: 10 -> 11, field 4, element 12" });
            }
            channels.destroy();
        });
}

} // namespace

} // namespace conformance
