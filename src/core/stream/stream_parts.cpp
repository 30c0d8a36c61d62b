// SPDX-License-Identifier: BSD-3-Clause
// How a stream takes a run's payload that travels in parts.
#include <algorithm>
#include <cstring>

#include "stream/stream.h"

namespace halo {

namespace {

bool is_failure(const Part &part) {
    MessageHeader header{};
    std::memcpy(&header, part.buffer.data(), std::min(part.bytes, sizeof header));
    return header.magic == message_magic && header.kind == MessageKind::failure;
}

} // namespace

void Stream::expect_parts(const MessageHeader &header) {
    lacks_parts_ = false;
    if ((header.flags & flag_apart) != 0) return expect_apart();
    arriving_.expect([&](std::vector<size_t> &bytes) {
        if (spec_.parts) spec_.parts(message_, bytes);
    });
    const bool said = (header.flags & flag_parts) != 0, wanted = arriving_.n() > 0;
    if (said != wanted) {
        arriving_.give_up(context_);
        fail(HALO_ERR_WIRE, "%s: run %u of rank %d is announced %s; expected %s", spec_.what.c_str(), epoch_, spec_.peer,
             said ? "in parts" : "in one message", wanted ? "in parts" : "in one message");
    }
    arrived_ = arriving_.all_here();
}

void Stream::expect_apart() {
    if (!spec_.apart) fail(HALO_ERR_WIRE, "%s: run %u of rank %d is announced apart, which cannot be", spec_.what.c_str(), epoch_, spec_.peer);
    const auto [bytes, memory] = spec_.apart();
    arriving_.expect_apart(bytes, memory);
    arrived_ = false;
}

// A part of this run, or, in place of what is missing of it, the peer's failure.
bool Stream::find_part() {
    Part *const part = arriving_.next(context_, spec_.peer, tag_);
    if (!part) return false;
    if (!part->on_device) { // else it has the right size
        if (is_failure(*part)) {
            const size_t bytes = part->bytes;
            receive_buffer_ = arriving_.take_out();
            take(bytes);
            return true;
        }
        check_part(*part);
    }
    arriving_.accept();
    ++messages_received;
    arrived_ = arriving_.all_here();
    return true;
}

void Stream::check_part(const Part &part) const {
    const bool apart = arriving_.are_apart();
    const size_t summed = apart ? part.bytes : part.bytes - std::min(part.bytes, checksum_bytes(MessageKind::data));
    const size_t i = arriving_.n_here(), n_after = arriving_.n() - 1 - i;
    PartHeader header{};
    std::memcpy(&header, part.buffer.data(), std::min(part.bytes, sizeof header));
    const bool is_next = header.magic == part_magic && header.serial == spec_.serial && header.epoch == epoch_ && header.n_after == n_after;
    if (!is_next || summed != sizeof header + arriving_.next_bytes())
        fail(HALO_ERR_WIRE,
             "%s: run %u: a message of %zu bytes from rank %d (magic %08x, object %u, run %u, %u after it) came in place of that of %s with "
             "%zu bytes of payload and %zu after it: truncated, damaged or lost",
             spec_.what.c_str(), epoch_, part.bytes, spec_.peer, header.magic, header.serial, header.epoch, header.n_after,
             apart ? "dense values" : ("channel " + spec_.name_of_part(message_, i)).c_str(), arriving_.next_bytes(), n_after);
    if (summed < part.bytes) [[unlikely]]
        check_sum(part.buffer.data(), part.bytes, arriving_.next_bytes(), ": channel " + spec_.name_of_part(message_, i));
}

// Of a run that has failed here, or of an earlier object.
void Stream::take_late_part(size_t bytes) {
    PartHeader header{};
    std::memcpy(&header, receive_buffer_.data(), std::min(bytes, sizeof header));
    const bool of_this = header.serial == spec_.serial, of_this_run = header.epoch == epoch_ && arrived_;
    const bool is_late = is_before(header.serial, spec_.serial) || (of_this && (is_before(header.epoch, epoch_) || of_this_run || mismatched_));
    if (bytes < sizeof header || !is_late)
        fail(HALO_ERR_WIRE, "%s: a part of run %u of object %u came from rank %d; this rank is in run %u of object %u, and its message has not come",
             spec_.what.c_str(), header.epoch, header.serial, spec_.peer, epoch_, spec_.serial);
    ++context_.dropped;
}

} // namespace halo
