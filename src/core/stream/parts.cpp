// SPDX-License-Identifier: BSD-3-Clause
#include "stream/parts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/digest.h"
#include "stream/wire.h"

namespace halo {

namespace {

constexpr size_t most_of_failure = sizeof(MessageHeader) + most_plain_bytes;

bool is_fit(const Part &part, size_t bytes, const Pool *memory) {
    const bool is_there = part.on_device == (memory != nullptr) && (!memory || part.buffer.is_of(*memory));
    return is_there && part.buffer.bytes() >= bytes;
}

// In memory of this pool, which a device has; nullptr: of the host.
void make_room(Part &part, size_t bytes, Context &context, Pool *memory = nullptr) {
    if (is_fit(part, bytes, memory)) return;
    part.buffer = memory ? memory->get(bytes) : context.host_buffer(bytes);
    part.on_device = memory != nullptr;
}

} // namespace

std::byte *LeavingParts::add(Context &context, size_t payload_bytes) {
    if (n_ == parts_.size()) parts_.push_back(std::make_unique<Part>());
    Part &part = *parts_[n_];
    part.bytes = sizeof(PartHeader) + payload_bytes;
    make_room(part, part.bytes + sizeof(uint64_t), context);
    ++n_;
    unsent_ = true;
    return part.payload();
}

const Part &LeavingParts::add_on_device(Context &context, Pool &memory, size_t payload_bytes) {
    if (parts_.empty()) parts_.push_back(std::make_unique<Part>());
    Part &part = *parts_.front();
    part.bytes = sizeof(PartHeader) + payload_bytes;
    make_room(part, part.bytes, context, &memory);
    n_ = 1;
    unsent_ = true;
    return part;
}

void LeavingParts::forget_unsent() {
    if (!std::exchange(unsent_, false)) return;
    for (; n_ > 0; --n_)
        if (parts_[n_ - 1]->on_device) parts_[n_ - 1]->buffer.reset();
}

size_t LeavingParts::payload_bytes() const {
    size_t bytes = 0;
    for (size_t i = 0; i < n_; ++i) bytes += parts_[i]->bytes - sizeof(PartHeader);
    return bytes;
}

int64_t LeavingParts::send(Context &context, int32_t peer, int32_t tag, uint32_t serial, uint32_t epoch) {
    int64_t all = 0;
    unsent_ = false;
    for (size_t i = 0; i < n_; ++i) {
        Part &part = *parts_[i];
        const PartHeader header{ part_magic, serial, epoch, static_cast<uint32_t>(n_ - 1 - i) };
        size_t bytes = part.bytes;
        part.epoch = epoch;
        if (!part.on_device) std::memcpy(part.buffer.data(), &header, sizeof header);
        if (context.check_mode() && !part.on_device) [[unlikely]] {
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
    if (unsent_) return true;
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
    for (size_t i = 0; i < n_; ++i) parts_[i]->abandoned = parts_[i]->in_flight && parts_[i]->epoch == epoch;
}

void LeavingParts::linger(Context &context) {
    for (auto &part : parts_)
        if (part->in_flight) context.linger(std::move(part));
    parts_.clear();
    n_ = 0;
}

// Several may come in at once. What may be a failure is looked at first: messages behind it are of the next run.
bool ArrivingParts::may_find_more() const {
    return n_found_ < expected_.size() && (n_found_ == n_here_ || parts_[n_found_ - 1]->bytes > most_of_failure);
}

// A failure comes where the host can read it.
Pool *ArrivingParts::memory_for(size_t bytes) const {
    return bytes > most_of_failure && bytes == sizeof(PartHeader) + expected_[n_found_] ? memory_ : nullptr;
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
    Pool *const memory = memory_for(bytes);
    if (alone && !is_fit(part, wanted, memory)) return false; // it stays found
    make_room(part, wanted, context, memory);
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
