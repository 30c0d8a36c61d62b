// SPDX-License-Identifier: BSD-3-Clause
// Messages of collectives that no rank would send: each is refused with a text, and nothing is read or written outside of it.
#include <gtest/gtest.h>

#include <cstring>

#include "base/bytes.h"
#include "channel/commit.h"
#include "comm/collective.h"
#include "comm/collective_stream.h"
#include "comm/route.h"
#include "expect_failure.h"
#include "topology/boxes/find_near.h"
#include "topology/discovery.h"
#include "topology/keys/wire.h"
#include "two_contexts.h"

namespace halo {

namespace {

// Two ranks, and what the second one sends.
struct Forger {
    Forger() { ranks.context().set("timeout", "1s"); }

    // The first collective of `call`, unless another number is given.
    template <class T>
    void send(CollectiveKind kind, int32_t part, const char *call, const std::vector<T> &values, uint64_t detail = 0, uint64_t collective = 0) {
        const std::vector<std::byte> payload = to_bytes(values);
        CollectiveHeader header{};
        header.magic = collective_magic;
        header.version = collective_version;
        header.kind = static_cast<uint16_t>(kind);
        header.number = first_number + collective;
        header.detail = detail;
        header.payload_bytes = payload.size();
        header.from = 1;
        header.part = part;
        std::strncpy(header.call, call, sizeof header.call - 1);
        std::vector<std::byte> message(sizeof header + payload.size());
        std::memcpy(message.data(), &header, sizeof header);
        std::copy(payload.begin(), payload.end(), message.begin() + sizeof header);
        ranks.send(collective_tag, message);
    }

    static constexpr uint64_t first_number = 7; // the agreement on settings has two, the comparison of shared memory and what all confirm as many
    TwoContexts ranks;
};

class ForgedCollective : public testing::Test, protected Forger {};

TEST_F(ForgedCollective, MoreCountsThanRanks) {
    const auto kind = static_cast<uint64_t>(DiscoveryKind::reduce_scatter);
    send(CollectiveKind::discovery, 2, "discovery", std::vector<int32_t>(40, 1), kind);
    Discovery discovery(ranks.context(), DiscoveryKind::reduce_scatter, "set-up");
    expect_failure(HALO_ERR_WIRE, { "set-up", "rank 1", "40 counts", "1 was expected" }, [&] { discovery.exchange({}); });
}

TEST_F(ForgedCollective, RecordsCutInTwo) {
    struct Record {
        int32_t to, value;
    };
    send(CollectiveKind::route, 1, "route", std::vector<int32_t>{ 0, 7, 0 });
    expect_failure(HALO_ERR_WIRE, { "12 bytes", "records of 8" }, [&] { route(ranks.context(), std::vector<Record>{}); });
}

TEST_F(ForgedCollective, AnEndlessText) {
    send(CollectiveKind::broadcast, 0, "broadcast", std::vector<uint64_t>{ uint64_t{ 1 } << 60 }, 1);
    expect_failure(HALO_ERR_WIRE, { "rank 1", "text of 1152921504606846976 bytes" }, [&] { broadcast_text(ranks.context(), 1, ""); });
}

TEST_F(ForgedCollective, AChannelWithARankThatIsNot) {
    struct Announcement {
        int32_t to, from;
        int64_t numbers[6];
    };
    send(CollectiveKind::commit, 4, "commit", std::vector<Announcement>{ { 0, 9, {} } });
    ChannelRegistry registry(ranks.context());
    const halo_group_desc desc = HALO_GROUP_DESC_INIT;
    Commit commit(registry, nullptr, 0, desc);
    expect_failure(HALO_ERR_WIRE, { "group", "rank 9", "of 2 ranks" }, [&] { commit.run(); });
}

TEST_F(ForgedCollective, AChannelOfNegativeSize) {
    struct Announcement {
        int32_t to, from;
        int64_t n_sent, n_received;
        Digest sent, received;
    };
    ChannelRegistry registry(ranks.context());
    ChannelSpec spec;
    spec.mailbox.key = { 3, 7, 2, 14, 0 };
    spec.mailbox.send_rank = 1;
    spec.mailbox.bytes = 8;
    halo_channel *const channel = &registry.add(spec);
    EndRecord theirs = end_record(*channel);
    halo_group_desc desc = HALO_GROUP_DESC_INIT;
    desc.messages = HALO_MESSAGES_PER_CHANNEL;
    theirs.bytes = -8;
    send(CollectiveKind::commit, 4, "commit", std::vector<Announcement>{ { 0, 1, 1, 0, {}, {} } });
    send(CollectiveKind::commit, 0, "commit", std::vector<int32_t>{});
    send(CollectiveKind::commit, 2, "commit", std::vector<EndRecord>{ theirs });
    expect_failure(HALO_ERR_WIRE, { "group", "rank 1 tells of -8 bytes", "3 -> 7" }, [&] { Commit(registry, &channel, 1, desc).run(); });
}

TEST(ForgedRoute, RecordsForARankThatIsNot) {
    struct Record {
        int64_t to;
    };
    for (const int64_t to : { INT64_MIN, int64_t{ 2 } }) {
        Forger one;
        one.send(CollectiveKind::route, 1, "route", std::vector<int64_t>{ to });
        expect_failure(HALO_ERR_WIRE, { "rank 1 passes on", "of 2" }, [&] { route(one.ranks.context(), std::vector<Record>{}); });
    }
}

// The widest box of all has 4 cells.
TEST(ForgedRoute, ABoxThatLiesAnywhere) {
    const NearSpace space{ { { 0, 0, 0 }, { 64, 1, 1 } }, { 0, 0, 0 }, 3 };
    struct Record {
        int64_t to;
        PlacedBox box;
    };
    const halo_box cells[] = {
        { { INT64_MIN, 0, 0 }, { INT64_MAX, 1, 1 } }, { { 8, 0, 0 }, { 13, 1, 1 } }, { { 62, 0, 0 }, { 66, 1, 1 } }, { { 8, 0, 0 }, { 8, 1, 1 } }
    };
    for (const halo_box &box : cells) {
        Forger one;
        const uint64_t detail = AllreduceDetail{ 3, HALO_INT64, HALO_MAX }.packed();
        one.send(CollectiveKind::allreduce, 0, "allreduce", std::vector<int64_t>{ 4, 1, 1 }, detail);
        one.send(CollectiveKind::route, 1, "route", std::vector<Record>{ { 0, { 1, 1, 0, box, {} } } }, 0, 2);
        expect_failure(HALO_ERR_WIRE, { "rank 1 tells of a box", "at most 4 x 1 x 1" }, [&] {
            near_boxes(one.ranks.context(), { { 0, 0, 0, { { 4, 0, 0 }, { 8, 1, 1 } }, {} } }, space);
        });
    }
}

// Numbers whose sum is right modulo 2^64.
TEST(ForgedKeys, NumbersThatWrap) {
    const auto quarter = uint64_t{ 1 } << 61;
    const auto submission = to_bytes(std::vector<uint64_t>{ quarter, 0, 0 });
    expect_failure(HALO_ERR_WIRE, { "24 bytes from rank 3" }, [&] { decode_submission(3, submission); });
    const auto weights = to_bytes(std::vector<uint64_t>{ 1, quarter - 1, 0 });
    expect_failure(HALO_ERR_WIRE, { "24 bytes from rank 3" }, [&] { decode_submission(3, weights); });
    const auto answers = to_bytes(std::vector<uint64_t>{ uint64_t{ 1 } << 62, 0 });
    expect_failure(HALO_ERR_WIRE, { "16 bytes from rank 3" }, [&] { decode_answers(3, answers, 4); });
    expect_failure(HALO_ERR_WIRE, { "0 bytes from rank 3" }, [&] { decode_answers(3, {}, 4); });
}

TEST(ForgedKeys, MoreNotesThanKeys) {
    const auto notes = to_bytes(std::vector<uint64_t>{ 2, 0, 4, 7, 8, 0, 0 });
    expect_failure(HALO_ERR_WIRE, { "rank 3 tells of 2 keys", "0 weights and 4 notes" }, [&] { decode_submission(3, notes); });
    const auto weights = to_bytes(std::vector<uint64_t>{ 2, 1, 0, 7, 8, 9 });
    expect_failure(HALO_ERR_WIRE, { "rank 3 tells of 2 keys", "1 weights and 0 notes" }, [&] { decode_submission(3, weights); });
}

// What is told of one run of ranks, as it travels.
KeyAnswers decoded(const HolderRun &run, int32_t n_ranks) {
    KeyAnswers answers;
    answers.answers.push_back({ 0, 0, 1, 0 });
    answers.holders.push_back(run);
    return decode_answers(3, encode(answers), n_ranks);
}

TEST(ForgedKeys, RanksThatAreNot) {
    EXPECT_EQ(decoded({ 1, 4, 2, 1 }, 5).holders.size(), 1u);
    for (const HolderRun &run : { HolderRun{ 1, 5, 2, 1 }, HolderRun{ 5, 1, 1, 0 }, HolderRun{ 1, INT32_MAX, 1, 0 }, HolderRun{ INT32_MAX, 1, 1, 0 },
                                  HolderRun{ 0, 0, 1, 0 }, HolderRun{ 0, -1, 1, 0 }, HolderRun{ 0, 1, 2, 3 } })
        expect_failure(HALO_ERR_WIRE, { "rank 3 tells of", "of 5" }, [&] { decoded(run, 5); });
}

// Points of one of two ranks, as the other tells of them.
struct ToldPoints : PointsTopology {
    explicit ToldPoints(Context &context) : PointsTopology(context) {}
    using PointsTopology::share_point;
};

TEST(ForgedKeys, PointsThatAreNotAsHere) {
    const TwoContexts ranks;
    ToldPoints points(ranks.context());
    const std::vector<uint32_t> two{ 0, 1 };
    const auto is_refused = [&](int32_t owner, const std::vector<HolderRun> &runs) {
        expect_failure(HALO_ERR_WIRE, { "rank 1 tells of a point", "2 copies here" }, [&] { points.share_point(1, owner, two, runs); });
    };
    EXPECT_NO_THROW(points.share_point(1, 1, two, std::vector<HolderRun>{ { 0, 2, 2, 1 } }));
    EXPECT_NO_THROW(points.share_point(1, -1, two, std::vector<HolderRun>{ { 0, 1, 2, 2 } }));
    is_refused(2, { { 0, 2, 2, 0 } });                 // no such owner
    is_refused(1, { { 0, 1, 3, 0 }, { 1, 1, 1, 0 } }); // three copies, of which there are two
    is_refused(1, { { 1, 1, 1, 0 } });                 // none here
    is_refused(1, { { 1, 1, 1, 0 }, { 0, 1, 2, 0 } }); // they descend
    is_refused(1, { { 0, 1, 2, 0 }, { 1, 1, 1, 1 } }); // the owner's own is silent
}

} // namespace

} // namespace halo
