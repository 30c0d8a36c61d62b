// SPDX-License-Identifier: BSD-3-Clause
#include "stream/parts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/digest.h"
#include "stream/wire.h"

namespace halo {

namespace {

void make_room(Part &part, size_t bytes, Context &context) {
    if (part.buffer.bytes() < bytes) part.buffer = context.host_buffer(bytes);
}

} // namespace

std::byte *LeavingParts::add(Context &context, size_t payload_bytes) {
    if (n_ == parts_.size()) parts_.push_back(std::make_unique<Part>());
    Part &part = *parts_[n_];
    part.bytes = sizeof(PartHeader) + payload_bytes;
    make_room(part, part.bytes + sizeof(uint64_t), context);
    ++n_;
    return part.payload();
}

size_t LeavingParts::payload_bytes() const {
    size_t bytes = 0;
    for (size_t i = 0; i < n_; ++i) bytes += parts_[i]->bytes - sizeof(PartHeader);
    return bytes;
}

int64_t LeavingParts::send(Context &context, int32_t peer, int32_t tag, uint32_t serial, uint32_t epoch) {
    int64_t all = 0;
    for (size_t i = 0; i < n_; ++i) {
        Part &part = *parts_[i];
        const PartHeader header{ part_magic, serial, epoch, static_cast<uint32_t>(n_ - 1 - i) };
        size_t bytes = part.bytes;
        std::memcpy(part.buffer.data(), &header, sizeof header);
        if (context.check_mode()) [[unlikely]] {
            const uint64_t sum = checksum(part.buffer.data(), bytes);
            std::memcpy(part.buffer.data() + bytes, &sum, sizeof sum);
            bytes += sizeof sum;
        }
        part.peer = peer;
        context.fabric().send(peer, 0, tag, part.buffer.data(), bytes, part.request);
        part.in_flight = true;
        all += static_cast<int64_t>(bytes);
    }
    return all;
}

bool LeavingParts::have_left(Context &context) {
    for (; n_ > 0; --n_)
        if (!is_complete(*parts_[n_ - 1], context.fabric())) return false;
    return true;
}

bool LeavingParts::any_under_way(Context &context) {
    bool any = false;
    for (size_t i = 0; i < n_; ++i) any = !is_complete(*parts_[i], context.fabric()) || any;
    return any;
}

void LeavingParts::abandon(uint32_t epoch) {
    for (size_t i = 0; i < n_; ++i) {
        PartHeader header{};
        if (parts_[i]->in_flight) std::memcpy(&header, parts_[i]->buffer.data(), sizeof header);
        parts_[i]->abandoned = header.epoch == epoch;
    }
}

void LeavingParts::linger(Context &context) {
    for (auto &part : parts_)
        if (part->in_flight) context.linger(std::move(part));
    parts_.clear();
    n_ = 0;
}

// Several may come in at once. What may be a failure is looked at first: messages behind it are of the next run.
bool ArrivingParts::may_find_more() const {
    constexpr size_t most_of_failure = sizeof(MessageHeader) + most_plain_bytes;
    return n_found_ < expected_.size() && (n_found_ == n_here_ || parts_[n_found_ - 1]->bytes > most_of_failure);
}

Part *ArrivingParts::next(Context &context, int32_t peer, int32_t tag) {
    while (may_find_more() && find(context, peer, tag, false)) {}
    if (n_here_ == n_found_) return nullptr;
    Part &part = *parts_[n_here_];
    return is_complete(part, context.fabric(), &part.bytes) ? &part : nullptr;
}

bool ArrivingParts::come_alone(Context &context, int32_t peer, int32_t tag) {
    while (may_find_more() && find(context, peer, tag, true)) {}
    bool all = n_here_ < n_found_;
    for (size_t i = n_here_; i < n_found_; ++i) all = is_complete(*parts_[i], context.fabric(), &parts_[i]->bytes) && all;
    return all && !may_find_more();
}

bool ArrivingParts::find(Context &context, int32_t peer, int32_t tag, bool alone) {
    if (alone && (n_found_ == parts_.size() || !context.fabric().has_room_to_find())) return false;
    Matched message{};
    size_t bytes = 0;
    if (!context.fabric().probe(peer, 0, tag, bytes, message)) return false;
    if (n_found_ == parts_.size()) parts_.push_back(std::make_unique<Part>());
    Part &part = *parts_[n_found_];
    const size_t wanted = std::max(bytes, sizeof(PartHeader));
    if (alone && part.buffer.bytes() < wanted) return false; // it stays found
    make_room(part, wanted, context);
    part.peer = peer;
    part.bytes = bytes;
    context.fabric().receive_matched(message, peer, part.buffer.data(), part.buffer.bytes(), part.request);
    part.in_flight = true;
    ++n_found_;
    return true;
}

Buffer ArrivingParts::take_out() {
    Buffer buffer = std::move(parts_[n_here_]->buffer);
    const auto place = parts_.begin() + static_cast<std::ptrdiff_t>(n_here_);
    std::rotate(place, place + 1, parts_.begin() + static_cast<std::ptrdiff_t>(n_found_));
    --n_found_;
    return buffer;
}

bool ArrivingParts::give_up(Context &context) noexcept {
    const bool lacks_some = n_found_ < expected_.size();
    for (auto &part : parts_) {
        if (!part->in_flight) continue;
        part->abandoned = true;
        context.linger(std::move(part));
    }
    std::erase(parts_, nullptr);
    expected_.clear();
    n_found_ = n_here_ = 0;
    return lacks_some;
}

} // namespace halo
