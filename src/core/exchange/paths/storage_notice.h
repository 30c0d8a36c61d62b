// SPDX-License-Identifier: BSD-3-Clause
// What a rank tells a peer of the same host about its storage, in memory that both see: where the edges between them lie (once per layout), and
// which storage this run uses, on the host or on a device.
#pragma once

#include <memory>
#include <vector>

#include "comm/device_ipc.h"
#include "exchange/links.h"
#include "plan/lower/stored_edges.h"

namespace halo {

// What a notice holds. Either end may write into it at any time, so both keep these to themselves.
struct NoticeCounts {
    uint32_t n_slots = 0;
    uint32_t n_edges = 0;
    uint64_t n_listed = 0;
};

// Written by the rank whose storage it is.
class StorageNotice {
public:
    // Of what this rank sends, or receives, of these fields of its round.
    StorageNotice(const std::vector<Field *> &fields, Stream &link, Context &context, bool sending)
        : fields_(fields),
          link_(link),
          context_(context),
          sending_(sending) {}

    // Where the values of a link lie. The first time before anything is sent: then the block is made.
    // Layouts may change later; what has become more than the block holds is not told, and goes by message.
    void describe(const Plan &plan, size_t link);
    // Instead: memory that has nothing but the dense values of a message.
    void describe_message();
    bool is_described() const { return described_; }
    // False: some of this run's storage cannot be reached by others. On a device an event goes with it, for the peer to wait for.
    bool publish(const Run &run, const ExportedEvent *event);
    // So many bytes of memory of the event's device. False: others do not reach it.
    bool publish_message(const std::byte *memory, size_t bytes, const ExportedEvent &event);
    // Layouts have changed.
    void forget() { described_ = false; }

private:
    void make_block(const StoredEdges &edges);
    void describe_edges(const Plan &plan, size_t link);
    bool offer(size_t slot, const Device *device);
    Storage storage_of(const Run &run, const StoredEdges::Slot &slot) const;

    const std::vector<Field *> &fields_;
    Stream &link_;
    Context &context_;
    bool sending_;
    SharedBlock block_;
    NoticeCounts counts_;
    bool fits_ = false; // what is to be told, into the block
    bool described_ = false;
    bool offered_ = false;
    std::vector<StoredEdges::Slot> slots_;
    std::vector<Storage> published_; // of each slot
    halo_ipc_handle published_event_{};
    bool shareable_ = false; // all of it
};

// Read by the peer, while it has claimed the storage: then nothing of it changes, if the other end is what it should be. Whatever it is, its counts
// are read once, and what has been looked at is what is used.
class PeerStorage {
public:
    PeerStorage(Context &context, const SharedBlock &notice, int32_t rank);

    uint32_t n_slots() const { return counts_.n_slots; }
    // Memory for a message, instead of storage?
    bool is_message() const { return counts_.n_slots == 1 && counts_.n_edges == 0; }
    // From 1.
    uint32_t layout_version() const;
    uint32_t address_version() const;
    // A copy, for `divide`.
    ToldEdges edges() const;
    // Where a slot is, and how many bytes there are from there on.
    struct Slot {
        void *data = nullptr;
        uint64_t bytes = 0;
    };
    static void *data_of(const Slot &slot) { return slot.data; }
    // False: some of it cannot be reached on the host.
    bool reach(std::vector<Slot> &slots) const;
    // Likewise by a device, while `memory` is open.
    bool reach(std::vector<Slot> &slots, DeviceIpc &device, std::vector<std::shared_ptr<const OpenedMemory>> &memory) const;
    // Of storage on a device.
    halo_ipc_handle event() const;
    // HALO_ERR_WIRE: edges reach farther than their slots.
    void check(const std::vector<Slot> &slots, const std::vector<uint64_t> &slot_bytes) const;

private:
    Context &context_;
    SharedBlock notice_;
    int32_t rank_;
    NoticeCounts counts_;
};

} // namespace halo
