// SPDX-License-Identifier: BSD-3-Clause
// Many exchanges come and go beside one that lives: nobody is asked for tags, and those of the living are never given again.
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

constexpr int32_t n_ranks = 2;
constexpr int32_t n_creations = 40000;
constexpr int32_t n_tags = 32752; // of lane 0: one that is given again would be this far away

// A ring of two blocks on each rank, and a field on it.
class Ring {
public:
    Ring(const Rank &rank, const char *name) : rank_(rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1;
        blocks.n_blocks[0] = 2 * n_ranks;
        blocks.n_cells[0] = n_cells;
        blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.ghost_low[0] = desc.ghost_high[0] = 1;
        OK(halo_field_create(topology_, &desc, &field));
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = values_.data();
        OK(halo_field_bind_many(field, stride, &binding));
    }
    ~Ring() {
        halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;

    void fill(double scale) {
        values_.fill(-1);
        for (int32_t block = 0; block < 2; ++block)
            for (int32_t x = 1; x <= n_cells; ++x) values_[static_cast<size_t>(block * stride + x)] = scale * gid(block);
    }
    void check(double scale) const {
        for (int32_t block = 0; block < 2; ++block)
            for (const bool high : { false, true }) {
                const int32_t there = (gid(block) + (high ? 1 : 2 * n_ranks - 1)) % (2 * n_ranks);
                const double ghost = values_[static_cast<size_t>(block * stride + (high ? n_cells + 1 : 0))];
                if (ghost != scale * there) stop("a ghost of block %d is %g, not %g", gid(block), ghost, scale * there);
            }
    }

    halo_field *field = nullptr;

private:
    static constexpr int32_t n_cells = 4;
    static constexpr int32_t stride = n_cells + 2;
    int32_t gid(int32_t block) const { return 2 * rank_.rank + block; }

    const Rank &rank_;
    halo_topology *topology_ = nullptr;
    std::array<double, 2 * stride> values_{};
};

// Both under way at the same time. Ranks start them in different orders, in which messages of one tag would come.
void run_both(const Rank &rank, Ring &first, halo_exchange *first_exchange, Ring &second, halo_exchange *second_exchange, double scale) {
    first.fill(scale);
    second.fill(-2 * scale);
    if (rank.rank == 1) std::swap(first_exchange, second_exchange);
    OK(halo_exchange_start(first_exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_start(second_exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(second_exchange, HALO_STREAM_NONE));
    OK(halo_exchange_finish(first_exchange, HALO_STREAM_NONE));
    first.check(scale);
    second.check(-2 * scale);
}

bool same(const wrap_counts &a, const wrap_counts &b) { return a.sends == b.sends && a.receives == b.receives && a.probes == b.probes; }

class Tags : public testing::TestWithParam<int32_t> {};

TEST_P(Tags, OfALivingExchangeAreItsOwn) {
    choose_wrapper();
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.messages = GetParam();
    run_wrapped(n_ranks, {}, [&](Rank &rank) {
        Ring lasting(rank, "u"), passing(rank, "v");
        halo_exchange *living = nullptr;
        OK(halo_exchange_create(&lasting.field, 1, &desc, &living));
        for (int32_t i = 1; i <= n_creations; ++i) {
            const wrap_counts before = wrapper().counts();
            halo_exchange *other = nullptr;
            OK(halo_exchange_create(&passing.field, 1, &desc, &other));
            if (!same(before, wrapper().counts())) stop("creation %d used the transport", i);
            const auto past = i % n_tags;
            const bool near_again = 4 > past || past + 4 > n_tags;
            if (near_again || i % 1000 == 0) run_both(rank, lasting, living, passing, other, i);
            OK(halo_exchange_destroy(&other));
        }
        OK(halo_exchange_destroy(&living));
    });
}

INSTANTIATE_TEST_SUITE_P(Policies, Tags, testing::Values(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL),
                         [](const auto &one) { return one.param == HALO_MESSAGES_AGGREGATE ? "aggregated" : "per_channel"; });

// ---- groups of channels made by hand, from rank 0 to rank 1

halo_channel *add(const Rank &rank, int32_t field) { return add_channel(rank, 0, 1, field); }

halo_status commit(const Rank &rank, halo_channel *const *channels, int64_t n, halo_group **group) {
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = HALO_MESSAGES_PER_CHANNEL;
    return halo_group_create(rank.context, channels, n, &desc, group);
}

void pass(const Rank &rank, halo_channel *channel, double value) {
    halo_buffer buffer = HALO_BUFFER_INIT;
    if (rank.rank == 0) {
        for (int32_t writable = 0; writable == 0;) OK(halo_channel_writable(channel, &writable));
        OK(halo_channel_allocate(channel));
        OK(halo_channel_buffer(channel, &buffer));
        *static_cast<double *>(buffer.data) = value;
        return OK(halo_channel_send(channel, HALO_STREAM_NONE));
    }
    int32_t done = 0, state = 0;
    while (done == 0) OK(halo_channel_try_receive(channel, &done, &state));
    OK(halo_channel_buffer(channel, &buffer));
    if (*static_cast<const double *>(buffer.data) != value) stop("%g came, not %g", *static_cast<const double *>(buffer.data), value);
    OK(halo_channel_stale(channel, HALO_STREAM_NONE));
}

// One lives, others come and go.
TEST(ChannelTags, OfALivingGroupAreItsOwn) {
    choose_wrapper();
    constexpr int32_t n_channels = 64;
    constexpr int32_t n_groups = 600; // a lane has tags for 16,384 channels
    run_wrapped(n_ranks, {}, [](Rank &rank) {
        halo_channel *living = add(rank, 0);
        std::vector<halo_channel *> others;
        for (int32_t field = 1; field <= n_channels; ++field) others.push_back(add(rank, field));
        halo_group *living_group = nullptr;
        OK(commit(rank, &living, 1, &living_group));
        for (int32_t i = 1; i <= n_groups; ++i) {
            halo_group *group = nullptr;
            OK(commit(rank, others.data(), n_channels, &group));
            if (rank.rank == 0) pass(rank, living, i); // sent first, received last
            for (halo_channel *other : others) pass(rank, other, -i);
            if (rank.rank == 1) pass(rank, living, i);
            while (halo_group_destroy(&group) == HALO_BUSY) {}
        }
        while (halo_group_destroy(&living_group) == HALO_BUSY) {}
        OK(halo_channel_destroy(&living));
        for (halo_channel *&other : others) OK(halo_channel_destroy(&other));
    });
}

// One rank's transport does not get its lane in time, and later does: both ranks have the same tags.
TEST(ChannelTags, AreTheSameWhereALaneWasWaitedFor) {
    choose_wrapper();
    run_wrapped(n_ranks, {}, [](Rank &rank) {
        halo_channel *channel = add(rank, 0);
        OK(halo_context_barrier(rank.context));
        wrap_faults faults{};
        halo_group *group = nullptr;
        if (rank.rank == 1) {
            faults.no_lanes = 1;
            wrapper().set_faults(&faults);
            OK(halo_context_set(rank.context, "timeout", "500ms"));
            expect_failure(commit(rank, &channel, 1, &group), HALO_TIMEOUT, { "timed out", "lanes", "has not asked for 2" });
            faults.no_lanes = 0;
            wrapper().set_faults(&faults);
        }
        OK(commit(rank, &channel, 1, &group));
        pass(rank, channel, 7);
        while (halo_group_destroy(&group) == HALO_BUSY) {}
        OK(halo_channel_destroy(&channel));
    });
}

// Both wait for their lanes when one gives up.
TEST(ChannelTags, AGroupThatIsGivenUpDoesNotHoldOthersUp) {
    choose_wrapper();
    run_wrapped(n_ranks, {}, [](Rank &rank) {
        halo_channel *channel = add(rank, 0);
        wrap_faults faults{};
        faults.no_lanes = 1;
        wrapper().set_faults(&faults);
        OK(halo_context_barrier(rank.context));
        halo_group *group = nullptr;
        if (rank.rank == 1) {
            OK(halo_context_set(rank.context, "timeout", "500ms"));
            expect_failure(commit(rank, &channel, 1, &group), HALO_TIMEOUT, { "lanes" });
            expect_failure(halo_context_barrier(rank.context), HALO_ERR_STATE, { "gave up 'group'", "went on to 'barrier'" });
        } else {
            expect_failure(commit(rank, &channel, 1, &group), HALO_ERR_PEER, { "rank 1 has ended", "gave up 'group'" });
        }
        OK(halo_channel_destroy(&channel));
    });
}

} // namespace

} // namespace conformance
