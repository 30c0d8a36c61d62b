// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that a peer of the same host writes itself: no message buffer, one copy.
//
// Both parts lie in shared memory. Whoever starts a run opens its ghosts to its peers, and writes into those that are open already; into
// others it sends a message as ever. So no rank waits for another, and the result is the same.
#pragma once

#include <optional>

#include "exchange/paths/storage_notice.h"

namespace halo {

// What one rank does for one peer, in both directions.
class PutPath {
public:
    PutPath(Context &context, Stream &link, size_t plan_link, uint32_t serial)
        : context_(context),
          link_(link),
          plan_link_(plan_link),
          serial_(serial),
          notice_(context, link) {}

    // Why an exchange's values are not put; null: they may be.
    static const char *why_not(const MessageSetup &setup);

    // Tell the peer about this rank's storage, and let it write. The first time before anything is sent.
    void open(const Run &run);
    // Is the peer's storage memory that both see, as far as is known?
    bool is_shared() const { return link_.peer_notice() && !unreachable_; }
    // Can the peer's ghosts be written at all, in such a run?
    bool reaches(const Run &run) const { return is_shared() && run.whole && run.stream == HALO_STREAM_NONE; }
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

    void make_tables(const Run &run);
    bool prepare(const Run &run);

    Context &context_;
    Stream &link_;
    size_t plan_link_;
    uint32_t serial_;
    StorageNotice notice_; // where the peer may write

    // sending
    std::optional<PeerStorage> peer_;
    std::vector<Put> puts_;
    std::vector<PeerStorage::Slot> slots_;
    std::vector<uint64_t> slot_bytes_; // of the peer's storage, that the tables reach
    uint32_t table_version_ = 0;       // of the peer's layouts; 0: no tables
    uint32_t address_version_ = 0;     // of what the tables' bases are; 0: not known
    bool unreachable_ = false;
};

} // namespace halo
