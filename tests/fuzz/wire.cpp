// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the messages of a peer: headers, handshakes, states, and the edges that are swapped when plans differ. Each ends in data
// within the bounds of the plan, in nothing, or in an error that names the peer.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "stream/stream.h"
#include "two_contexts.h"

namespace {

using namespace halo;

void check(bool holds) {
    if (!holds) std::abort();
}

StreamDirection direction() {
    StreamDirection made;
    made.active = true;
    made.payload_bytes = 64;
    made.n_states = 5;
    made.n_edges = 2;
    made.digest.add(7);
    return made;
}

std::vector<WireEdge> edges(bool sending) {
    return { { { 1, 2, 0, 14, 0 }, 32, HALO_FLOAT64, 0 }, { { 1, 3, 0, 14, sending }, 32, HALO_FLOAT64, 0 } };
}

StreamSpec spec_of(const RunId &id, bool probed) {
    StreamSpec spec;
    spec.peer = 1;
    spec.serial = id.serial();
    spec.tag = id.tag();
    spec.send = direction();
    spec.receive = direction();
    spec.probed = probed;
    spec.edges = edges;
    spec.payload = [](const std::byte *message) { return size_t{ edge_state(message, 0) == EdgeState::data ? 64u : 32u }; };
    spec.what = "exchange under test";
    return spec;
}

class Input {
public:
    Input(const unsigned char *data, size_t size) : at_(data), left_(size) {}
    bool empty() const { return left_ == 0; }
    unsigned char byte() {
        unsigned char value = 0;
        take(&value, 1);
        return value;
    }
    size_t take(void *into, size_t bytes) {
        const size_t taken = std::min(bytes, left_);
        if (taken > 0) std::memcpy(into, at_, taken);
        at_ += taken;
        left_ -= taken;
        return taken;
    }

private:
    const unsigned char *at_;
    size_t left_;
};

// Bits of the first byte put right what a random message would hardly ever have.
std::vector<std::byte> next_message(Input &input, uint32_t serial) {
    const unsigned char right = input.byte();
    std::vector<std::byte> message(static_cast<size_t>(input.byte()) * 2);
    message.resize(input.take(message.data(), message.size()));
    MessageHeader header;
    if ((right & 1u) == 0 || message.size() < sizeof header) return message;
    std::memcpy(&header, message.data(), sizeof header);
    header.magic = message_magic;
    header.version = wire_version;
    if (right & 2u) header.serial = serial;
    if (right & 4u) header.kind = static_cast<MessageKind>(1 + static_cast<unsigned>(header.kind) % 5);
    if (right & 8u) header.n_states = 5;
    if (right & 16u) header.epoch = 1;
    if (right & 32u) header.digest = direction().digest.low;
    const size_t front = header.kind == MessageKind::data ? payload_offset(header.n_states) : sizeof header;
    if (right & 64u && message.size() >= front) header.payload_bytes = message.size() - front;
    if (right & 128u) header.narrowing = {};
    std::memcpy(message.data(), &header, sizeof header);
    return message;
}

// What is taken has its payload behind the header, or has none there; nothing that is read of it lies outside.
void check_header_alone(const unsigned char *data, size_t size) {
    MessageHeader header{};
    std::memcpy(&header, data, std::min(size, sizeof header));
    for (const bool summed : { false, true }) {
        if (wire_error(header, size, summed)) continue;
        check(size >= sizeof header);
        const size_t behind = size - sizeof header;
        const bool elsewhere = (header.flags & location_flags) != 0;
        check(!elsewhere || header.kind == MessageKind::data);
        check(elsewhere || header.payload_bytes <= behind);
        if (header.kind == MessageKind::keys) check(header.epoch * sizeof(WireEdge) <= behind);
        if (header.kind == MessageKind::handshake) check(behind >= sizeof(HandshakePayload));
    }
}

// What was not wanted must not wait for the next input.
struct Drained {
    const TwoContexts &ranks;
    int32_t tag;
    ~Drained() { ranks.drain(tag); }
};

void run_stream(const TwoContexts &ranks, const unsigned char *data, size_t size) {
    Context &context = ranks.context();
    const RunId id = context.next_run();
    Input input(data, size);
    const Drained drained{ ranks, id.tag() };
    Stream link(context, spec_of(id, (input.byte() & 1u) != 0));
    std::vector<std::vector<std::byte>> messages; // large ones stay with their sender until they are read
    try {
        link.post(1, {});
        while (!input.empty() && messages.size() < 6) {
            messages.push_back(next_message(input, id.serial()));
            if (messages.back().size() > 400) messages.back().resize(400); // sent at once
            ranks.send(id.tag(), messages.back());
        }
        if (link.test()) {
            check(link.header().payload_bytes <= 64 && link.header().n_states == 5);
            for (uint32_t i = 0; i < 5; ++i) check(static_cast<unsigned>(edge_state(link.received(), i)) < 4);
            link.consume();
        }
    } catch (const Error &error) {
        check(error.status() == HALO_ERR_WIRE || error.status() == HALO_ERR_MISMATCH || error.status() == HALO_ERR_PEER);
        check(error.text().find("rank 1") != std::string::npos);
    }
    link.abandon();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    check_header_alone(data, size);
    static const TwoContexts ranks;
    run_stream(ranks, data, size);
    return 0;
}
