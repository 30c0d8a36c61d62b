// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that a peer of the same host writes itself: no message buffer, one copy.
//
// Both parts lie in shared memory. Whoever starts a run opens its ghosts to its peers, and writes into those that are open already; into
// others it sends a message as ever. So no rank waits for another, and the result is the same.
#pragma once

#include "exchange/storage_notice.h"

namespace halo {

// What one rank does for one peer, in both directions.
class LandingLink {
public:
    LandingLink(Context &context, Stream &link, size_t plan_link, uint32_t serial)
        : context_(context),
          link_(link),
          plan_link_(plan_link),
          serial_(serial),
          notice_(context, link) {}

    // Only what is dense, and moved; check mode looks at messages.
    static bool may_land(const MessageSetup &setup) { return !setup.plan.combines() && !setup.plan.any_sparse() && !setup.context.check_mode(); }

    // Tell the peer about this rank's storage, and let it write. The first time before anything is sent.
    void open(const Run &run);
    // Can the peer's ghosts be written at all, in such a run?
    bool reaches(const Run &run) const { return link_.peer_notice() && !unreachable_ && run.whole && run.stream == HALO_STREAM_NONE; }
    // True: everything is in the peer's ghosts. False: the peer is not there yet.
    bool write(const Run &run);
    // Layouts have changed: there is another plan.
    void forget_plan();

private:
    // Of one piece that goes there.
    struct Put {
        CopyTable table;
        std::vector<void *> bases; // of the piece, then the peer's slots
    };

    bool prepare(const Run &run);

    Context &context_;
    Stream &link_;
    size_t plan_link_;
    uint32_t serial_;
    StorageNotice notice_; // where the peer may write

    // sending
    std::vector<Put> puts_;
    std::vector<void *> slots_;  // the peer's
    uint32_t table_version_ = 0; // of the peer's layouts; 0: no tables
    uint32_t address_version_ = 0;
    bool unreachable_ = false;
};

} // namespace halo
