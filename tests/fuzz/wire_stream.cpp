// SPDX-License-Identifier: BSD-3-Clause
// The messages of a run, of an exchange or a group: headers, handshakes with offers of memory, states, what lies in that memory, and the edges
// that are swapped when plans differ.
#include <cstring>

#include "run_messages.h"
#include "wire.h"

namespace fuzz {

namespace {

using namespace halo;

constexpr size_t most_payload = 64;
constexpr uint32_t n_states = 5;
constexpr size_t part_bytes = 8; // times the number of its edge

StreamDirection direction() {
    StreamDirection made;
    made.active = true;
    made.payload_bytes = most_payload;
    made.n_states = n_states;
    made.n_edges = 2;
    made.digest.add(7);
    return made;
}

std::vector<WireEdge> edges(bool sending) {
    return { { { 1, 2, 0, 14, 0 }, 32, HALO_FLOAT64, 0 }, { { 1, 3, 0, 14, sending }, 32, HALO_FLOAT64, 0 } };
}

// Bits of the input's first byte.
struct Choices {
    unsigned bits;

    bool probed() const { return (bits & 1u) != 0; }
    bool shared() const { return (bits & 2u) != 0; }
    bool sends() const { return (bits & 4u) != 0; }
    bool has_notice() const { return (bits & 8u) != 0; }
    bool gate_is_done() const { return (bits & 16u) != 0; } // as if the peer had written into this rank's storage
    bool declines() const { return (bits & 32u) != 0; }
    bool in_parts() const { return (bits & 64u) != 0; }
};

StreamSpec spec_of(const RunId &id, Choices choices) {
    StreamSpec spec;
    spec.peer = 1;
    spec.serial = id.serial();
    spec.tag = id.tag();
    if (choices.sends()) spec.send = direction();
    spec.receive = direction();
    spec.probed = choices.probed();
    spec.shared = spec.uses_storage = choices.shared();
    spec.edges = edges;
    spec.payload = [](const std::byte *message) { return size_t{ edge_state(message, 0) == EdgeState::data ? 64u : 32u }; };
    if (choices.in_parts()) {
        spec.parts = [](const std::byte *message, std::vector<size_t> &bytes) {
            for (uint32_t i = 0; i < n_states; ++i)
                if (edge_state(message, i) == EdgeState::data) bytes.push_back(part_bytes * i);
        };
        spec.name_of_part = [](const std::byte *, size_t part) { return std::to_string(part); };
    } else {
        spec.apart = [] { return std::pair(part_bytes, static_cast<Pool *>(nullptr)); };
    }
    spec.what = "exchange under test";
    return spec;
}

SharedBlock shared_block(Context &context) {
    SharedArena *arena = context.shared_arena(SIZE_MAX);
    check(arena != nullptr);
    return arena->allocate(SharedSlots::bytes(payload_offset(n_states) + most_payload));
}

// Nothing of the last input is left.
void clear(const SharedBlock &block) {
    block.begin();
    std::memset(block.data(), 0, block.offer().bytes - SharedBlock::front);
}

// What is taken has its payload behind the header; nothing that is read of it lies outside.
void check_header_alone(const std::vector<std::byte> &message) {
    MessageHeader header{};
    if (!message.empty()) std::memcpy(&header, message.data(), std::min(message.size(), sizeof header));
    for (const bool summed : { false, true }) {
        if (wire_error(header, message.size(), summed)) continue;
        check(message.size() >= sizeof header);
        const size_t behind = message.size() - sizeof header;
        check((header.flags & location_flags) == 0 || header.kind == MessageKind::data);
        check(header.payload_bytes <= behind);
        if (header.kind == MessageKind::keys) check(header.epoch * sizeof(WireEdge) <= behind);
        if (header.kind == MessageKind::handshake) check(behind >= sizeof(HandshakePayload) && behind - sizeof(HandshakePayload) <= most_terms_bytes);
    }
}

void put_into_slot(const SharedBlock &block, const std::vector<std::byte> &message, uint32_t epoch) {
    const SharedSlots slots(block, payload_offset(n_states) + most_payload);
    const size_t most = SharedSlots::bytes(payload_offset(n_states) + most_payload) / 2;
    std::copy_n(message.begin(), std::min(message.size(), most), slots.slot(epoch));
    block.tell_written(epoch);
}

// What has arrived is used as an exchange would.
void use(Stream &link, Choices choices) {
    check(link.header().payload_bytes <= most_payload);
    if (link.lent()) {
        if (choices.declines())
            link.decline();
        else if (link.borrow())
            link.return_borrowed();
    } else if (!link.landed()) {
        for (uint32_t i = 0; i < n_states; ++i) check(static_cast<unsigned>(edge_state(link.received(), i)) < 4);
        std::memset(link.received_payload(), 1, link.header().payload_bytes);
        if (link.came_apart()) std::memset(link.received_part(0), 1, part_bytes);
        size_t part = 0;
        for (uint32_t i = 0; choices.in_parts() && i < n_states; ++i)
            if (edge_state(link.received(), i) == EdgeState::data) std::memset(link.received_part(part++), 1, part_bytes * i);
    }
    if (link.arrived()) link.consume();
}

void run(Stream &link, uint32_t epoch, Choices choices) {
    constexpr int looks = 40; // more than there are messages, and than looks into a slot between two for a message
    link.post(epoch, {});
    if (choices.sends() && link.writable()) {
        set_all_data(link.send_buffer(), n_states);
        std::memset(link.send_payload(), 0, most_payload);
        if (choices.in_parts()) std::memset(link.add_part(part_bytes), 0, part_bytes);
        link.send(most_payload);
    }
    for (int look = 0; look < looks; ++look)
        if (link.test()) return use(link, choices);
    link.end_failed_run();
}

} // namespace

void stream(const TwoContexts &ranks, Input input) {
    static const Offered memory{ shared_block(*ranks.contexts[1]), shared_block(*ranks.contexts[1]) };
    clear(memory.slots), clear(memory.notice);
    Context &context = ranks.context();
    const RunId id = context.next_run();
    const Drained drained{ ranks, id.tag() };
    const Choices choices{ input.byte() };
    Stream link(context, spec_of(id, choices));
    const RunMessages messages(id.serial(), direction(), choices.sends() ? direction().digest : Digest(), memory);
    if (choices.has_notice()) {
        const SharedBlock own = shared_block(context);
        link.offer_notice(own);
        const StorageGate gate(own);
        gate.open(id.serial(), 1);
        if (choices.gate_is_done() && gate.claim(id.serial(), 1)) gate.done(id.serial(), 1);
    }
    StorageGate(memory.notice).open(id.serial(), 1);
    for (int n = 0; !input.empty() && n < 6; ++n) {
        const unsigned to = input.byte();
        const std::vector<std::byte> message = messages.next(input);
        check_header_alone(message);
        if (to % 4 == 0)
            put_into_slot(memory.slots, message, 1 + to / 4 % 2);
        else
            ranks.send(id.tag(), message);
    }
    for (const uint32_t epoch : { 1u, 2u }) try {
            run(link, epoch, choices);
        } catch (const Error &error) {
            check(error.status() == HALO_ERR_WIRE || error.status() == HALO_ERR_MISMATCH || error.status() == HALO_ERR_PEER);
            check(error.text().find("rank 1") != std::string::npos);
            link.end_failed_run();
        }
    link.abandon();
}

} // namespace fuzz
