// SPDX-License-Identifier: BSD-3-Clause
// What a rank tells a peer of the same host about its storage, in memory that both see: where the edges between them lie (once per layout), and
// which storage this run uses.
#pragma once

#include <vector>

#include "exchange/messages.h"
#include "plan/lower/stored_edges.h"

namespace halo {

// Written by the rank whose storage it is.
class StorageNotice {
public:
    StorageNotice(Context &context, Stream &link) : context_(context), link_(link) {}

    // Where the values of a link lie: those that this rank sends, or receives. The first time before anything is sent. Layouts may change later, the
    // numbers of slots, edges and points do not.
    void describe(const Plan &plan, size_t link, bool sending);
    bool is_described() const { return described_; }
    // False: some of this run's storage cannot be reached by others.
    bool publish(const Run &run);
    // Valid once something has been published.
    StorageGate gate() const { return StorageGate(block_); }
    // Layouts have changed.
    void forget() { described_ = false; }

private:
    Context &context_;
    Stream &link_;
    SharedBlock block_;
    bool described_ = false;
    bool offered_ = false;
    std::vector<StoredEdges::Slot> slots_;
    std::vector<void *> published_; // storage of each slot
    bool shareable_ = false;        // all of it
};

// Read by the peer, while it has claimed the storage: then nothing of it changes.
class PeerStorage {
public:
    PeerStorage(Context &context, const SharedBlock &notice);

    const StoredEdgesView &edges() const { return edges_; }
    uint32_t layout_version() const;
    uint32_t address_version() const;
    // Pointers of all slots; false: some of it cannot be reached.
    bool reach(void **slots) const;

private:
    Context &context_;
    const SharedBlock &notice_;
    StoredEdgesView edges_;
};

} // namespace halo
