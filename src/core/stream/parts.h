// SPDX-License-Identifier: BSD-3-Clause
// A data message whose payload travels in parts: its header and states first, then each part in a message of its own, all under the stream's tag,
// so that they come in this order. A part may lie in memory of a device, which has written its header and is not asked for it: that it comes next,
// and has the right size, tells what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "comm/context.h"

namespace halo {

// In front of each part. In check mode a checksum of both stands behind it.
struct PartHeader {
    uint32_t magic;
    uint32_t serial;  // of the exchange
    uint32_t epoch;   // of the run
    uint32_t n_after; // parts of this run that follow
};
static_assert(sizeof(PartHeader) == 16, "the header is part of the wire format, and keeps payloads aligned");

inline constexpr uint32_t part_magic = 0x54504c48; // "HLPT"

struct Part : PendingMessage {
    size_t bytes = 0;       // of the message
    uint32_t epoch = 0;     // of the run, of one that leaves
    bool on_device = false; // the host does not reach it
    std::byte *payload() const { return buffer.data() + sizeof(PartHeader); }
};

// Those of one run on their way to a peer. Their memory is kept for later runs.
class LeavingParts {
public:
    // Memory of the next part.
    std::byte *add(Context &context, size_t payload_bytes);
    // Of the only one, in memory of a device, which writes its header.
    const Part &add_on_device(Context &context, Pool &memory, size_t payload_bytes);
    bool are_on_device() const { return n_ > 0 && parts_.front()->on_device; }
    void take_back_last() { unsent_ = --n_ > 0; }
    size_t n() const { return n_; }
    size_t payload_bytes() const;
    // Returns how many bytes that is.
    int64_t send(Context &context, int32_t peer, int32_t tag, uint32_t serial, uint32_t epoch);
    // The run has failed before they were sent; a device may still write them.
    void forget_unsent();
    // Polls: have all left that were sent? Then the next run's may be added.
    bool have_left(Context &context);
    // Polls alone: those that have left stay the run's.
    bool any_under_way(Context &context);
    // Who abandons the run uses nothing of it any more; peers still take what runs before have sent.
    void abandon(uint32_t epoch);
    void linger(Context &context);

private:
    std::vector<std::unique_ptr<Part>> parts_; // the first n_ are of the run
    size_t n_ = 0;
    bool unsent_ = false; // these
};

// Those of one run as they come in from a peer.
class ArrivingParts {
public:
    // `fill` adds how many bytes of payload each has.
    template <class Fill>
    void expect(Fill &&fill) {
        expected_.clear();
        n_found_ = n_here_ = 0;
        memory_ = nullptr;
        are_apart_ = false;
        fill(expected_);
    }
    // One without a checksum, best in memory of this pool, which the host does not reach; nullptr: in that of the host.
    void expect_apart(size_t bytes, Pool *memory) {
        expect([&](std::vector<size_t> &expected) { expected.push_back(bytes); });
        memory_ = memory;
        are_apart_ = true;
    }
    bool are_apart() const { return are_apart_; }
    size_t n() const { return expected_.size(); }
    size_t n_here() const { return n_here_; }
    bool all_here() const { return n_here_ == expected_.size(); }
    size_t next_bytes() const { return expected_[n_here_]; }
    std::byte *payload(size_t i) const { return parts_[i]->payload(); }
    bool is_on_device(size_t i) const { return parts_[i]->on_device; }
    // What it lies in: nothing else comes there.
    Buffer take_memory(size_t i) { return std::exchange(parts_[i]->buffer, {}); }

    // Polls: the next message, if it is here as a whole. It is a part, and then is accepted, or something else, and is taken out.
    Part *next(Context &context, int32_t peer, int32_t tag);
    // Without memory for more, and none is accepted. True: nothing more comes so.
    bool come_alone(Context &context, int32_t peer, int32_t tag);
    void accept() { ++n_here_; }
    Buffer take_out();
    // The run has ended without them: what is coming in is the context's, what has not been found is dropped when it is. True: there is some of that.
    bool give_up(Context &context) noexcept;

private:
    bool find(Context &context, int32_t peer, int32_t tag, bool alone);
    bool may_find_more() const;
    Pool *memory_for(size_t bytes) const;

    std::vector<size_t> expected_;
    Pool *memory_ = nullptr;                   // of a device
    bool are_apart_ = false;                   // dense values
    std::vector<std::unique_ptr<Part>> parts_; // the first n_found_ have been found, the first n_here_ accepted
    size_t n_found_ = 0;
    size_t n_here_ = 0;
};

} // namespace halo
