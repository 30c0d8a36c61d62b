// SPDX-License-Identifier: BSD-3-Clause
// What a peer has sent on its channels in runs that failed on this rank. It comes in front of what the peer sends in later runs, of other channels
// perhaps; so it is taken and dropped before those are looked for. How much it is stands behind the peer's header of each run.
#pragma once

#include <cstdint>
#include <vector>

#include "channel/key.h"
#include "comm/context.h"

namespace halo {

class LateMail {
public:
    LateMail(Context &context, int32_t peer, ChannelTag tag, uint32_t serial) : context_(context), peer_(peer), tag_(tag), serial_(serial) {}
    LateMail(LateMail &&) = default;
    ~LateMail() { abandon(); }

    // Run `epoch` has failed here, after so many of its messages had been taken; the peer has sent so many in it. Of one run, in either order.
    void fail(uint32_t epoch, int64_t taken);
    void owe(uint32_t epoch, int64_t sent);
    // Polls. True: nothing of what the peer is known to have sent is left.
    bool take();
    void abandon() noexcept;

private:
    struct Failed {
        uint32_t epoch;
        int64_t taken;
    };

    bool find();

    Context &context_;
    int32_t peer_;
    ChannelTag tag_;
    uint32_t serial_;
    std::vector<Failed> failed_; // in order; of those of which something had been taken
    uint32_t last_told_ = 0;     // run of which the peer's number is known
    int64_t owed_ = 0;
    Buffer buffer_;
    halo_request request_{};
    size_t bytes_ = 0;
    bool in_flight_ = false;
};

} // namespace halo
