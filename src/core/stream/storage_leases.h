// SPDX-License-Identifier: BSD-3-Clause
// Storage that two ranks of a host let each other use, run by run: each tells of its own in a notice, whose gate says whose turn it is.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "comm/context.h"
#include "memory/leases.h"
#include "memory/storage_gate.h"

namespace halo {

class StorageLeases {
public:
    // Of an object with this serial and name, towards a peer.
    StorageLeases(Context &context, uint32_t serial, int32_t peer, const std::string &object)
        : context_(context),
          serial_(serial),
          peer_(peer),
          object_(object) {}
    ~StorageLeases();
    StorageLeases(const StorageLeases &) = delete;
    StorageLeases &operator=(const StorageLeases &) = delete;

    void offer(const SharedBlock &notice) {
        own_.clear();
        own_.push_back({ notice, peer_, process_, object_ });
    }
    SharedOffer offered() const { return has_own() ? own_.front().block.offer() : SharedOffer{}; }
    void map(const SharedOffer &offer, const Process &process) {
        process_ = process;
        if (has_own()) own_.front().process = process;
        if (SharedArena *arena = context_.shared_arena(SIZE_MAX)) peers_ = arena->map(offer);
    }
    const SharedBlock &peers() const { return peers_; }

    // This rank's storage. Once a peer has not ended when it should, no more of it is lent to that peer.
    bool has_own() const { return !own_.empty(); }
    void set_own(const std::vector<Storage> &storage) {
        own_.front().storage = storage;
        own_.front().memory.reserve(storage.size());
    }
    void open_own(uint32_t epoch, const std::shared_ptr<const void> &beside = nullptr) {
        own_.front().epoch = epoch;
        own_.front().beside = beside;
        gate().open(serial_, epoch);
    }
    bool own_is_done(uint32_t epoch) const { return has_own() && gate().is_done(serial_, epoch); }
    // False: the peer is at it at this moment.
    bool close_own() const { return gate().close(); }
    // The peer uses it no more in this run. One that is at it has all it needs to end; where it does not, because it has been stopped or is dead, the
    // context has the lease until it has. True: what had been opened was not used.
    bool end_own() noexcept;

    // The peer's.
    bool claim_peers(uint32_t epoch) const { return StorageGate(peers_).claim(serial_, epoch); }
    // False: the peer has ended its run before.
    bool return_peers(uint32_t epoch) const { return StorageGate(peers_).done(serial_, epoch); }
    bool decline_peers(uint32_t epoch) const { return StorageGate(peers_).decline(serial_, epoch); }

private:
    StorageGate gate() const { return StorageGate(own_.front().block); }

    Context &context_;
    uint32_t serial_;
    int32_t peer_;
    std::string object_;
    Process process_{};    // the peer's
    std::list<Lease> own_; // one, which tells the peer of this rank's storage; or none
    SharedBlock peers_;    // tells this rank
};

} // namespace halo
