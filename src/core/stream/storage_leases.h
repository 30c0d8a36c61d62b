// SPDX-License-Identifier: BSD-3-Clause
// Storage that two ranks of a host let each other use, run by run: each tells of its own in a notice, whose gate says whose turn it is.
#pragma once

#include "comm/context.h"
#include "stream/storage_gate.h"

namespace halo {

class StorageLeases {
public:
    StorageLeases(Context &context, uint32_t serial) : context_(context), serial_(serial) {}
    ~StorageLeases() {
        if (own_ && StorageGate(own_).close()) context_.shared_arena(SIZE_MAX)->release(own_, 0);
    }
    StorageLeases(const StorageLeases &) = delete;
    StorageLeases &operator=(const StorageLeases &) = delete;

    void offer(const SharedBlock &notice) { own_ = notice; }
    const SharedOffer &offered() const { return own_.offer(); }
    void map(const SharedOffer &offer) {
        if (SharedArena *arena = context_.shared_arena(SIZE_MAX)) peers_ = arena->map(offer);
    }
    bool has_own() const { return static_cast<bool>(own_); }
    const SharedBlock &peers() const { return peers_; }

    // This rank's storage.
    void open_own(uint32_t epoch) const { StorageGate(own_).open(serial_, epoch); }
    bool own_is_done(uint32_t epoch) const { return StorageGate(own_).is_done(serial_, epoch); }
    // False: the peer is at it at this moment.
    bool close_own() const { return StorageGate(own_).close(); }
    // The peer uses it no more in this run. One that is at it has all it needs to end; one that has died in the middle does not.
    void end_own() const noexcept {
        if (!own_) return;
        const double end = context_.clock() + 1;
        while (!close_own())
            if (context_.clock() > end) return;
    }

    // The peer's.
    bool claim_peers(uint32_t epoch) const { return StorageGate(peers_).claim(serial_, epoch); }
    void return_peers(uint32_t epoch) const { StorageGate(peers_).done(serial_, epoch); }
    void decline_peers(uint32_t epoch) const { StorageGate(peers_).open(serial_, epoch); }

private:
    Context &context_;
    uint32_t serial_;
    SharedBlock own_;   // tells the peer of this rank's storage
    SharedBlock peers_; // tells this rank
};

} // namespace halo
