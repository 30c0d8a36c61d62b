// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "payload.h"

namespace test {

struct Payload::Body {
    Memory memory;
};

Payload::Payload(halo_context *, int32_t kind, int64_t bytes) : body_(new Body{ Memory(kind, bytes) }) {}

Payload::~Payload() = default;

void Payload::describe(halo_channel_desc &desc) { body_->memory.describe(desc); }

int64_t Payload::blocks_out() const { return body_->memory.blocks_out(); }

void Payload::write(void *payload, const std::vector<unsigned char> &bytes) const {
    std::copy(bytes.begin(), bytes.end(), static_cast<unsigned char *>(payload));
}

std::vector<unsigned char> Payload::read(const void *payload, int64_t bytes) const {
    const auto *begin = static_cast<const unsigned char *>(payload);
    return { begin, begin + bytes };
}

halo_stream Payload::stream() { return HALO_STREAM_NONE; }

bool Payload::can_settle() { return true; }

void Payload::settle() const {}

} // namespace test
