// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/paths/storage_notice.h"

#include <algorithm>

namespace halo {

namespace {

struct Head {
    uint32_t n_slots;
    uint32_t n_edges;
    uint64_t n_listed;
    uint32_t layout_version; // counts changes, from 1
    uint32_t address_version;
};

// Where things are in a notice.
struct Contents {
    Head *head;
    std::span<SharedOffer> storage; // of each slot
    std::span<StoredEdge> edges;
    std::span<uint32_t> lists;

    explicit Contents(const SharedBlock &block) : head(reinterpret_cast<Head *>(block.data())) {
        std::byte *at = block.data() + sizeof(Head);
        storage = { reinterpret_cast<SharedOffer *>(at), head->n_slots };
        at += storage.size_bytes();
        edges = { reinterpret_cast<StoredEdge *>(at), head->n_edges };
        at += edges.size_bytes();
        lists = { reinterpret_cast<uint32_t *>(at), head->n_listed };
    }
    // Do they lie in the block, as its head counts them?
    static bool fit(const SharedBlock &block) {
        size_t left = block.offer().bytes;
        const auto take = [&](uint64_t n, size_t bytes) { return n <= left / bytes ? (left -= n * bytes, true) : false; };
        if (!take(1, SharedBlock::front) || !take(1, sizeof(Head))) return false;
        const Head &head = *reinterpret_cast<const Head *>(block.data());
        return take(head.n_slots, sizeof(SharedOffer)) && take(head.n_edges, sizeof(StoredEdge)) && take(head.n_listed, sizeof(uint32_t));
    }
    static size_t bytes(const StoredEdges &stored) {
        return sizeof(Head) + stored.slots.size() * sizeof(SharedOffer) + stored.edges.size() * sizeof(StoredEdge) +
               stored.lists.size() * sizeof(uint32_t);
    }
};

} // namespace

void StorageNotice::describe(const Plan &plan, size_t link, bool sending) {
    described_ = true;
    const bool worth_it = context_.shared_arena(static_cast<size_t>(plan.payload_bytes(plan.links()[link], sending))) != nullptr;
    const StoredEdges edges = worth_it ? stored_edges(plan, plan.links()[link], sending) : StoredEdges{};
    if (!offered_ && !edges.edges.empty()) {
        block_ = context_.shared_arena(SIZE_MAX)->allocate(Contents::bytes(edges));
        if (block_) {
            *reinterpret_cast<Head *>(block_.data()) = { static_cast<uint32_t>(edges.slots.size()), static_cast<uint32_t>(edges.edges.size()),
                                                         edges.lists.size(), 0, 0 };
            link_.offer_notice(block_);
        }
    }
    offered_ = true;
    if (!block_) return;
    const Contents mine(block_);
    std::copy(edges.edges.begin(), edges.edges.end(), mine.edges.begin());
    std::copy(edges.lists.begin(), edges.lists.end(), mine.lists.begin());
    ++mine.head->layout_version;
    slots_ = edges.slots;
    published_.assign(slots_.size(), nullptr);
}

bool StorageNotice::publish(const Run &run) {
    if (!block_) return false;
    const auto storage = [&](size_t slot) { return run.pieces[slots_[slot].piece].bases[slots_[slot].base]; };
    const auto same = [&](size_t slot) { return published_[slot] == storage(slot); };
    size_t slot = 0;
    while (slot < slots_.size() && same(slot)) ++slot;
    if (slot == slots_.size()) return shareable_;
    const Contents mine(block_);
    const SharedArena &arena = *context_.shared_arena(SIZE_MAX);
    shareable_ = true;
    for (slot = 0; slot < slots_.size(); ++slot) {
        published_[slot] = storage(slot);
        mine.storage[slot] = arena.locate(published_[slot]);
        shareable_ = shareable_ && mine.storage[slot].nonce != 0;
    }
    ++mine.head->address_version;
    return shareable_;
}

PeerStorage::PeerStorage(Context &context, const SharedBlock &notice) : context_(context), notice_(notice) {
    if (!Contents::fit(notice))
        fail(HALO_ERR_WIRE, "what a peer tells of its storage is more than its %llu bytes of shared memory hold",
             static_cast<unsigned long long>(notice.offer().bytes));
    const Contents told(notice);
    edges_ = { told.edges, told.lists, told.head->n_slots };
}

uint32_t PeerStorage::layout_version() const { return Contents(notice_).head->layout_version; }
uint32_t PeerStorage::address_version() const { return Contents(notice_).head->address_version; }

bool PeerStorage::reach(void **slots) const {
    const Contents told(notice_);
    for (size_t slot = 0; slot < told.storage.size(); ++slot) {
        slots[slot] = context_.shared_arena(SIZE_MAX)->reach(told.storage[slot]);
        if (!slots[slot]) return false;
    }
    return true;
}

} // namespace halo
