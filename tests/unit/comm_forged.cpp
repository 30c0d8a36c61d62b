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
#include "topology/discovery.h"
#include "topology/keys/wire.h"
#include "two_contexts.h"

namespace halo {

namespace {

class ForgedCollective : public testing::Test {
protected:
    ForgedCollective() { ranks.context().set("timeout", "1s"); }

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

    static constexpr uint64_t first_number = 5; // the agreement on settings has two, the comparison of shared memory as many
    TwoContexts ranks;
};

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
    Commit commit(registry, nullptr, 0, HALO_MESSAGES_AGGREGATE);
    expect_failure(HALO_ERR_WIRE, { "group", "rank 9", "of 2 ranks" }, [&] { commit.run(); });
}

// Numbers whose sum is right modulo 2^64.
TEST(ForgedKeys, NumbersThatWrap) {
    const auto quarter = uint64_t{ 1 } << 61;
    const auto submission = to_bytes(std::vector<uint64_t>{ quarter, 0, 0 });
    expect_failure(HALO_ERR_WIRE, { "24 bytes from rank 3" }, [&] { decode_submission(3, submission); });
    const auto weights = to_bytes(std::vector<uint64_t>{ 1, quarter - 1, 0 });
    expect_failure(HALO_ERR_WIRE, { "24 bytes from rank 3" }, [&] { decode_submission(3, weights); });
    const auto answers = to_bytes(std::vector<uint64_t>{ uint64_t{ 1 } << 62, 0 });
    expect_failure(HALO_ERR_WIRE, { "16 bytes from rank 3" }, [&] { decode_answers(3, answers); });
    expect_failure(HALO_ERR_WIRE, { "0 bytes from rank 3" }, [&] { decode_answers(3, {}); });
}

} // namespace

} // namespace halo
