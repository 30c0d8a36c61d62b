// SPDX-License-Identifier: BSD-3-Clause
// The runs of an aggregated group: one message per peer, in which every channel has its slice.
//
// A run: (slices written) -> send -> try_receive until done -> (slices read) -> stale. It begins by itself with the first call that
// needs it. Slices are in the order of keys, aligned to 16 bytes, at the same place in every run; the null ones leave a hole, except
// behind the last slice that carries data. Channels within this rank share one slice in local memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "channel/channel_list.h"
#include "comm/peer_link.h"

namespace halo {

class AggregateRun {
public:
    static constexpr uint32_t no_slot = UINT32_MAX;

    // `slots` of the channels in the order of rows; it outlives this object. Entries turn to no_slot when their channel goes.
    AggregateRun(ChannelRegistry &registry, uint32_t serial, const std::vector<uint32_t> &slots, const std::vector<PairList> &pairs);
    ~AggregateRun();

    bool writable();
    void start_receive();
    // False: a peer is two runs behind.
    [[nodiscard]] bool send(const uint8_t *null_flags);
    bool try_receive();
    void stale();

    bool busy() const { return begun_ && !abandoned_ && (started_ || sent_ || received_); }
    void abandon() noexcept;

    struct Slice {
        std::byte *data = nullptr;
        int64_t bytes = 0;
        int32_t state = HALO_STALE;
        int32_t peer = -1;
        bool sender = false;
    };
    Slice slice(uint32_t row) const;

private:
    // Where a channel lies.
    struct Place {
        uint32_t link;   // index into links_; local: none
        uint32_t sender; // 1: this rank sends
        uint32_t index;  // of its state in the message
        uint32_t offset; // in units of `alignment`
    };
    // One direction of a link.
    struct Layout {
        uint32_t n = 0;
        int64_t bytes = 0;
        Digest digest;
        std::vector<WireEdge> edges() const;
    };
    static constexpr int64_t alignment = 16;
    static constexpr uint32_t local = UINT32_MAX;

    ChannelRegistry &registry_;
    const std::vector<uint32_t> &slots_;
};

} // namespace halo
