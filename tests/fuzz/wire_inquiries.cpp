// SPDX-License-Identifier: BSD-3-Clause
// What other ranks ask and answer.
#include "comm/inquiries.h"
#include "wire.h"

namespace fuzz {

namespace {

using namespace halo;

constexpr uint32_t serial = 5;

struct Object final : Described {
    std::string what() const override { return "exchange 5 over u"; }
    Terms terms() const override {
        Terms terms;
        terms.add("field u", "2", "ghost layers");
        return terms;
    }
    std::vector<int32_t> awaited() const override { return { 1 }; }
};

// Bits of the first byte put in what is the input's; the rest is right.
std::vector<std::byte> next_message(Input &input) {
    const unsigned damaged = input.byte();
    const std::vector<std::byte> text = input.bytes(input.byte());
    InquiryHeader header;
    header.kind = InquiryKind::answer;
    header.serial = serial;
    header.newest = input.byte();
    header.has_one = input.byte() % 2;
    header.waits_in = input.byte() % 8;
    header.from = 1;
    header.text_bytes = text.size();
    if (damaged & 1u) header.magic = input.value<uint32_t>();
    if (damaged & 2u) header.version = input.value<uint16_t>();
    if (damaged & 4u) header.kind = static_cast<InquiryKind>(input.value<uint16_t>());
    if (damaged & 8u) header.serial = input.value<uint32_t>();
    if (damaged & 16u) header.from = input.value<uint32_t>();
    if (damaged & 32u) header.text_bytes = input.value<uint64_t>();
    std::vector<std::byte> message = joined(header, text);
    if (damaged & 64u) message.resize(std::min<size_t>(message.size(), input.byte()));
    return message;
}

} // namespace

void inquiries(const TwoContexts &ranks, Input input) {
    Inquiries &inquiries = ranks.context().inquiries();
    const Object object;
    inquiries.add(serial, object);
    inquiries.wait_in(serial);
    while (!input.empty()) {
        ranks.send(inquiry_tag, next_message(input));
        inquiries.read();
        try {
            inquiries.refuse();
        } catch (const Error &error) {
            check(error.status() == HALO_ERR_MISMATCH);
            check(error.text().find("different objects 5") != std::string::npos);
        }
        check(inquiries.known_of_peers(serial).size() < 1000);
    }
    inquiries.end_wait(serial);
    inquiries.remove(serial);
    ranks.drain(inquiry_tag);
}

} // namespace fuzz
