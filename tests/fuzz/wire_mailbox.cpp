// SPDX-License-Identifier: BSD-3-Clause
// The messages of one channel, with its own header or without.
#include <cstring>

#include "channel/mailbox.h"
#include "wire.h"

namespace fuzz {

namespace {

using namespace halo;

constexpr int64_t most_payload = 64;
constexpr ChannelTag tag{ 1, 40 };
constexpr uint32_t serial = 7;

struct Receiver {
    std::vector<std::byte> memory = std::vector<std::byte>(most_payload);
    Mailbox box;
    bool bare;

    // Bits of the choices: what is sparse probes, what is the caller's has no place for a header, what is bare has none in the message; a size that
    // is known.
    Receiver(MailRoom &room, unsigned choices) : box(room, spec(choices)), bare((choices & 2u) != 0 && (choices & 4u) != 0) {
        box.open({ serial, tag, bare, (choices & 8u) != 0 ? 16 : -1 });
    }
    MailboxSpec spec(unsigned choices) {
        MailboxSpec spec;
        spec.key = { 3, 7, 2, 14, 0 };
        spec.send_rank = 1;
        spec.receive_rank = 0;
        spec.bytes = most_payload;
        spec.sparse = (choices & 1u) != 0;
        if (choices & 2u) spec.memory = { HALO_BUFFER_CALLER, memory.data(), nullptr };
        return spec;
    }
};

// Bits of the first byte put in what is the input's; the rest is right for the message of `epoch`.
std::vector<std::byte> next_message(Input &input, const Receiver &receiver, uint32_t epoch) {
    const unsigned damaged = input.byte();
    const std::vector<std::byte> payload = input.bytes(input.byte() % (most_payload + 8));
    if (receiver.bare) return payload;
    MailHeader header{ mail_magic, mail_version, static_cast<uint8_t>(MailKind::data), serial, epoch, 0 };
    header.seal = mail_seal(receiver.box.key_hash(), payload.size());
    if (damaged & 1u) header.magic = input.value<uint16_t>();
    if (damaged & 2u) header.version = input.byte();
    if (damaged & 4u) header.kind = input.byte();
    if (damaged & 8u) header.serial = input.value<uint32_t>();
    if (damaged & 16u) header.epoch = input.value<uint32_t>();
    if (damaged & 32u) header.seal = input.value<uint32_t>();
    std::vector<std::byte> message = joined(header, payload);
    if (damaged & 64u) message.resize(std::min<size_t>(message.size(), input.byte()));
    return message;
}

void receive(Mailbox &box) {
    if (!box.try_receive()) return;
    check(box.data_bytes() >= 0 && box.data_bytes() <= most_payload);
    if (box.state() == HALO_RECEIVED) std::memset(box.data(), 1, static_cast<size_t>(box.data_bytes()));
    box.stale();
}

} // namespace

void mailbox(const TwoContexts &ranks, Input input) {
    Context &context = ranks.context();
    static MailRoom room(context);
    for (const auto &one : ranks.contexts) one->fabric().open_lanes(tag.lane + 1);
    {
        Receiver receiver(room, input.byte());
        for (uint32_t epoch = 1; !input.empty() && epoch < 8; ++epoch) {
            const int32_t parity = receiver.bare ? static_cast<int32_t>(epoch & 1u) : 0;
            ranks.send(tag.tag + parity, next_message(input, receiver, epoch), tag.lane);
            try {
                receive(receiver.box);
            } catch (const Error &error) {
                check(error.status() == HALO_ERR_WIRE || error.status() == HALO_ERR_TRANSPORT);
                check(!error.text().empty());
            }
        }
    }
    for (const int32_t parity : { 0, 1 }) ranks.drain(tag.tag + parity, tag.lane);
}

} // namespace fuzz
