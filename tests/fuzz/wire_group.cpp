// SPDX-License-Identifier: BSD-3-Clause
// The messages of an aggregated group: slices of several channels, with states.
#include <cstring>

#include "channel/aggregate.h"
#include "run_messages.h"
#include "wire.h"

namespace fuzz {

namespace {

using namespace halo;

constexpr int64_t sizes[] = { 8, 24, 3 }; // bytes of the channels; rank 1 sends all but the last

struct Channels {
    ChannelRegistry registry;
    std::vector<halo_channel *> all;
    std::vector<uint32_t> slots;

    explicit Channels(Context &context) : registry(context) {
        for (int32_t i = 0; i < std::ssize(sizes); ++i) {
            const int32_t sender = i + 1 == std::ssize(sizes) ? 0 : 1;
            ChannelSpec spec;
            spec.mailbox.key = { i, 7, 2, 14, 0 };
            spec.mailbox.send_rank = sender;
            spec.mailbox.receive_rank = 1 - sender;
            spec.mailbox.bytes = sizes[i];
            all.push_back(&registry.add(spec));
            all.back()->row = static_cast<uint32_t>(i);
            slots.push_back(all.back()->slot);
        }
    }
    // What the two ends of a direction compare.
    StreamDirection direction(size_t begin, size_t end) const {
        StreamDirection made;
        for (size_t i = begin; i < end; ++i) {
            made.digest.add(hash_key(all[i]->box.key()));
            made.digest.add(static_cast<uint64_t>(sizes[i]));
            made.digest.add(static_cast<uint64_t>(all[i]->type));
            made.payload_bytes += static_cast<size_t>(sizes[i]);
            ++made.n_states;
        }
        return made;
    }
};

// Every slice lies where it may be written, and has one of the states that a row may have.
void use(const AggregateRun &run, size_t n) {
    std::vector<halo_group_row> table(n);
    run.refresh(run.view(), reinterpret_cast<std::byte *>(table.data()), sizeof table[0]);
    for (uint32_t row = 0; row < n; ++row) {
        const AggregateRun::Slice slice = run.slice(row);
        check(slice.data == table[row].data && slice.state == table[row].state);
        check(slice.state >= HALO_STALE && slice.state <= HALO_RECEIVED_NULL);
        if (slice.data) std::memset(slice.data, 1, static_cast<size_t>(slice.bytes));
    }
}

void one_run(AggregateRun &run, const uint8_t *null_flags, size_t n) {
    if (run.writable() && !run.send(null_flags)) return;
    for (int look = 0; look < 8; ++look)
        if (run.try_receive()) {
            use(run, n);
            return run.stale();
        }
}

} // namespace

void group(const TwoContexts &ranks, Input input) {
    Context &context = ranks.context();
    const RunId id = context.next_run();
    const Drained drained{ ranks, id.tag() };
    static Channels channels(context);
    const RunMessages messages(id.serial(), channels.direction(0, 2), channels.direction(2, 3).digest, {});
    AggregateRun run(channels.registry, id, channels.slots, sort_into_pairs(channels.registry, channels.all));
    const uint8_t null_flags[] = { 0, 0, static_cast<uint8_t>(input.byte() & 1u) };
    for (int n = 0; !input.empty() && n < 4; ++n) {
        ranks.send(id.tag(), messages.next(input));
        try {
            one_run(run, null_flags, channels.all.size());
        } catch (const Error &error) {
            check(error.status() == HALO_ERR_WIRE || error.status() == HALO_ERR_MISMATCH || error.status() == HALO_ERR_PEER);
            check(error.text().find("rank 1") != std::string::npos);
            break;
        }
    }
    run.abandon();
}

} // namespace fuzz
