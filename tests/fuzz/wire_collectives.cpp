// SPDX-License-Identifier: BSD-3-Clause
// The messages of collective operations, and what set-ups send in them.
#include <cstring>
#include <memory>

#include "base/bytes.h"
#include "channel/commit.h"
#include "comm/collective.h"
#include "comm/collective_stream.h"
#include "comm/route.h"
#include "topology/discovery.h"
#include "topology/keys/wire.h"
#include "wire.h"

namespace fuzz {

namespace {

using namespace halo;

struct Record {
    int32_t to;
    int32_t value;
};

void large_broadcast(Context &context) {
    std::vector<std::byte> values(5000);
    broadcast(context, 1, values.data(), values.size());
}

void sums(Context &context) {
    int64_t total = 0;
    sum_below(context, 1, total);
    const double values[3] = { 1, 2, 3 };
    double result[3];
    allreduce(context, values, result, 3, HALO_FLOAT64, HALO_SUM);
}

// Points of which rank 1 tells, each with two copies here.
struct ToldPoints : PointsTopology {
    explicit ToldPoints(Context &context) : PointsTopology(context) {}
    void take(const KeyAnswers &answers) {
        const std::vector<uint32_t> copies{ 0, 1 };
        auto holder = answers.holders.begin();
        for (const KeyAnswer &one : answers.answers) {
            if (one.n_runs > answers.holders.end() - holder) return;
            share_point(1, one.owner, copies, { holder, holder + one.n_runs });
            for (const auto end = holder + one.n_runs; holder != end; ++holder)
                if (holder->copies > 100) return; // all of them would be listed
        }
        make_forward_edges();
    }
};

// What comes is taken for what the set-up of an unstructured topology sends.
void discover(Context &context, DiscoveryKind kind) {
    Discovery discovery(context, kind, "set-up under test");
    std::vector<Delivery> out;
    out.push_back({ 1, std::vector<std::byte>(8) });
    for (const Delivery &came : discovery.exchange(out)) {
        const Submission submission = decode_submission(came.rank, came.bytes);
        check(submission.keys.size() + submission.weights.size() + submission.notes.size() < came.bytes.size());
    }
    for (const Delivery &came : discovery.answer(out, { 1 })) {
        const KeyAnswers answers = decode_answers(came.rank, came.bytes, context.size());
        check(answers.answers.size() * sizeof(KeyAnswer) < came.bytes.size() && answers.holders.size() * 8 < came.bytes.size());
        ToldPoints(context).take(answers);
    }
}

// Two channels with rank 1, one each way.
struct TwoChannels {
    ChannelRegistry registry;
    std::vector<halo_channel *> all;

    explicit TwoChannels(Context &context) : registry(context) {
        for (const int32_t from : { 0, 1 }) {
            ChannelSpec spec;
            spec.mailbox.key = { 3 + from, 7, 2, 14, 0 };
            spec.mailbox.send_rank = from;
            spec.mailbox.receive_rank = 1 - from;
            spec.mailbox.bytes = 8;
            all.push_back(&registry.add(spec));
        }
    }
};

void commit(Context &context) {
    static TwoChannels channels(context);
    const CollectiveCall call(context, "commit", 1e-9);
    const halo_group_desc desc = HALO_GROUP_DESC_INIT;
    Commit(channels.registry, channels.all.data(), std::ssize(channels.all), desc).run();
}

using Call = void (*)(Context &);
constexpr Call calls[] = {
    [](Context &context) { barrier(context); },
    large_broadcast,
    [](Context &context) { broadcast_text(context, 1, ""); },
    sums,
    [](Context &context) {
        route(context, std::vector<Record>{ { 1, 2 } });
    },
    [](Context &context) { discover(context, DiscoveryKind::alltoall); },
    [](Context &context) { discover(context, DiscoveryKind::reduce_scatter); },
    [](Context &context) { discover(context, DiscoveryKind::consensus); },
    commit,
};

// Bits of the first byte put in what is the input's; the rest may be right.
std::vector<std::byte> next_message(Input &input) {
    static constexpr const char *names[] = { "barrier", "broadcast", "allreduce", "sum", "route", "discovery", "answer", "commit", "group" };
    const unsigned damaged = input.byte();
    CollectiveHeader header{};
    header.magic = collective_magic;
    header.version = collective_version;
    header.kind = input.byte() % 10;
    header.number = 1 + input.byte() % 5;
    header.part = input.byte() % 8;
    header.from = 1;
    header.detail = input.byte() % 4;
    std::strncpy(header.call, names[input.byte() % std::size(names)], sizeof header.call - 1);
    if (header.kind == static_cast<uint16_t>(CollectiveKind::allreduce))
        header.detail = AllreduceDetail{ 1u + input.byte() % 4, HALO_FLOAT64, HALO_SUM }.packed();
    if (damaged & 1u) header.magic = input.value<uint32_t>();
    if (damaged & 2u) header.kind = input.value<uint16_t>();
    if (damaged & 4u) header.number = input.value<uint64_t>();
    if (damaged & 8u) header.from = input.value<int32_t>();
    if (damaged & 16u) header.detail = input.value<uint64_t>();
    if (damaged & 32u) input.take(header.call, sizeof header.call);
    const std::vector<std::byte> payload = input.bytes(input.byte() % 128);
    header.payload_bytes = damaged & 64u ? input.value<uint64_t>() : payload.size();
    return joined(header, payload);
}

// A stream that has not ended, in place of the one before; of that nothing is left.
void begin_anew(const TwoContexts &ranks) {
    ranks.drain(collective_tag);
    CollectiveStream &stream = ranks.context().collectives();
    stream.hand_over();
    std::destroy_at(&stream);
    std::construct_at(&stream, ranks.context());
}

} // namespace

void collectives(const TwoContexts &ranks, Input input) {
    Context &context = ranks.context();
    const Call call = calls[input.byte() % std::size(calls)];
    begin_anew(ranks);
    for (int n = 0; !input.empty() && n < 8; ++n) ranks.send(collective_tag, next_message(input));
    try {
        call(context);
    } catch (const Error &error) {
        check(error.status() == HALO_ERR_WIRE || error.status() == HALO_ERR_MISMATCH || error.status() == HALO_ERR_PEER ||
              error.status() == HALO_TIMEOUT);
        check(!error.text().empty());
    }
}

} // namespace fuzz
