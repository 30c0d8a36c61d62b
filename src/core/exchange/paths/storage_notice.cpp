// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/paths/storage_notice.h"

#include <algorithm>

namespace halo {

namespace {

struct Head {
    NoticeCounts counts;
    uint32_t layout_version; // counts changes, from 1
    uint32_t address_version;
    halo_ipc_handle event; // behind which storage on a device is open
};

// Where a slot is: one of the two.
struct StorageOffer {
    SharedOffer host;
    DeviceOffer device;
};

// Where things are in a notice.
struct Contents {
    Head *head;
    std::span<StorageOffer> storage; // of each slot
    std::span<StoredEdge> edges;
    std::span<uint32_t> lists;

    Contents(const SharedBlock &block, const NoticeCounts &counts) : head(&head_of(block)) {
        std::byte *at = block.data() + sizeof(Head);
        storage = { reinterpret_cast<StorageOffer *>(at), counts.n_slots };
        at += storage.size_bytes();
        edges = { reinterpret_cast<StoredEdge *>(at), counts.n_edges };
        at += edges.size_bytes();
        lists = { reinterpret_cast<uint32_t *>(at), counts.n_listed };
    }
    static Head &head_of(const SharedBlock &block) { return *reinterpret_cast<Head *>(block.data()); }
    static size_t bytes(const StoredEdges &stored) {
        return sizeof(Head) + stored.slots.size() * sizeof(StorageOffer) + stored.edges.size() * sizeof(StoredEdge) +
               stored.lists.size() * sizeof(uint32_t);
    }
};

} // namespace

// An object has one notice for a peer: whoever comes later tells nothing.
void StorageNotice::make_block(const StoredEdges &edges) {
    if (offered_ || block_ || link_.lends()) return;
    block_ = context_.shared_arena(SIZE_MAX)->allocate(Contents::bytes(edges));
    if (!block_) return;
    counts_ = { static_cast<uint32_t>(edges.slots.size()), static_cast<uint32_t>(edges.edges.size()), edges.lists.size() };
    Contents::head_of(block_) = { counts_, 0, 0, {} };
}

void StorageNotice::describe_message() {
    StoredEdges one;
    one.slots.resize(1);
    make_block(one);
    if (!offered_ && block_) link_.offer_notice(block_);
    offered_ = described_ = true;
    fits_ = static_cast<bool>(block_);
    if (!fits_) return;
    published_.assign(1, {});
    Contents::head_of(block_).layout_version = 1;
}

bool StorageNotice::publish_message(const std::byte *memory, size_t bytes, const ExportedEvent &event) {
    if (!fits_ || !link_.lends()) return false;
    const Storage now{ memory, bytes };
    const bool same = published_.front().data() == memory && published_.front().size() == bytes;
    if (same && std::ranges::equal(published_event_.word, event.handle().word)) return shareable_;
    published_.front() = now;
    shareable_ = offer(0, &event.device());
    StorageOffer &told = Contents(block_, counts_).storage[0];
    told.device.bytes = std::min<uint64_t>(told.device.bytes, bytes);
    link_.lend(published_);
    Head &head = Contents::head_of(block_);
    head.event = published_event_ = event.handle();
    ++head.address_version;
    return shareable_;
}

void StorageNotice::describe(const Plan &plan, size_t link) {
    fits_ = false;
    if (!offered_ || link_.lends()) describe_edges(plan, link);
    described_ = true;
}

void StorageNotice::describe_edges(const Plan &plan, size_t link) {
    const bool worth_it = context_.shared_arena(static_cast<size_t>(plan.payload_bytes(plan.links()[link], sending_))) != nullptr;
    const StoredEdges edges = worth_it ? stored_edges(plan, plan.links()[link], sending_) : StoredEdges{};
    if (!edges.edges.empty()) make_block(edges);
    if (!offered_ && block_) link_.offer_notice(block_);
    offered_ = true;
    const bool fits =
        block_ && edges.slots.size() == counts_.n_slots && edges.edges.size() == counts_.n_edges && edges.lists.size() <= counts_.n_listed;
    if (!fits) return;
    slots_ = edges.slots;
    published_.assign(slots_.size(), {});
    const Contents mine(block_, counts_);
    std::copy(edges.edges.begin(), edges.edges.end(), mine.edges.begin());
    std::copy(edges.lists.begin(), edges.lists.end(), mine.lists.begin());
    ++mine.head->layout_version;
    fits_ = true;
}

Storage StorageNotice::storage_of(const Run &run, const StoredEdges::Slot &slot) const {
    const PlanPiece &planned = run.plan->pieces()[slot.piece];
    const Field &field = *fields_[static_cast<size_t>(sending_ ? planned.source : planned.destination)];
    const uint32_t part = slot.base - (sending_ ? 0 : planned.piece->bases().first_destination);
    return { static_cast<const std::byte *>(run.pieces[slot.piece].bases[slot.base]), field.storage_bytes(part) };
}

// False: others do not reach it.
bool StorageNotice::offer(size_t slot, const Device *device) {
    StorageOffer &told = Contents(block_, counts_).storage[slot];
    const void *const data = published_[slot].data();
    told = {};
    if (device)
        told.device = context_.devices().ipc(*device).locate(data);
    else
        told.host = context_.shared_arena(SIZE_MAX)->locate(data);
    return told.device.number != 0 || told.host.nonce != 0;
}

bool StorageNotice::publish(const Run &run, const ExportedEvent *event) {
    if (!fits_ || !link_.lends()) return false;
    const auto same = [&](size_t slot) { return published_[slot].data() == run.pieces[slots_[slot].piece].bases[slots_[slot].base]; };
    const bool same_event = !event || std::ranges::equal(published_event_.word, event->handle().word);
    size_t slot = 0;
    while (slot < slots_.size() && same(slot)) ++slot;
    if (slot == slots_.size() && same_event) return shareable_;
    shareable_ = true;
    try {
        for (slot = 0; slot < slots_.size(); ++slot) {
            published_[slot] = storage_of(run, slots_[slot]);
            shareable_ = offer(slot, event ? &event->device() : nullptr) && shareable_;
        }
        link_.lend(published_);
    } catch (...) {
        std::fill(published_.begin(), published_.end(), Storage{});
        throw;
    }
    Head &head = Contents::head_of(block_);
    if (event) head.event = published_event_ = event->handle();
    ++head.address_version;
    return shareable_;
}

namespace {

// Of what another process may write at any time: once. Relaxed: its honest values are handed over by the message that offers the notice (counts) and
// by the gate's claim (versions).
template <class T>
T read_once(T &there) {
    return std::atomic_ref(there).load(std::memory_order_relaxed);
}

} // namespace

PeerStorage::PeerStorage(Context &context, const SharedBlock &notice, int32_t rank) : context_(context), notice_(notice), rank_(rank) {
    size_t left = notice.offer().bytes;
    const auto take = [&](uint64_t n, size_t bytes) { return n <= left / bytes ? (left -= n * bytes, true) : false; };
    bool fits = take(1, SharedBlock::front) && take(1, sizeof(Head));
    if (fits) {
        Head &head = Contents::head_of(notice);
        counts_ = { read_once(head.counts.n_slots), read_once(head.counts.n_edges), read_once(head.counts.n_listed) };
        fits = take(counts_.n_slots, sizeof(StorageOffer)) && take(counts_.n_edges, sizeof(StoredEdge)) && take(counts_.n_listed, sizeof(uint32_t));
    }
    if (!fits)
        fail(HALO_ERR_WIRE, "what rank %d tells of its storage is more than its %llu bytes of shared memory hold", rank,
             static_cast<unsigned long long>(notice.offer().bytes));
}

uint32_t PeerStorage::layout_version() const {
    const uint32_t version = read_once(Contents::head_of(notice_).layout_version);
    if (version == 0) fail(HALO_ERR_WIRE, "rank %d lets its storage be used before it has told where its edges lie", rank_);
    return version;
}

uint32_t PeerStorage::address_version() const { return read_once(Contents::head_of(notice_).address_version); }

ToldEdges PeerStorage::edges() const {
    const Contents told(notice_, counts_);
    return { { told.edges.begin(), told.edges.end() }, { told.lists.begin(), told.lists.end() }, std::vector<uint64_t>(counts_.n_slots, 0), {} };
}

bool PeerStorage::reach(std::vector<Slot> &slots) const {
    const Contents told(notice_, counts_);
    slots.assign(counts_.n_slots, {});
    for (size_t slot = 0; slot < slots.size(); ++slot) {
        const SharedOffer offer = told.storage[slot].host;
        slots[slot] = { context_.shared_arena(SIZE_MAX)->reach(offer), offer.bytes };
        if (!slots[slot].data) return false;
    }
    return true;
}

bool PeerStorage::reach(std::vector<Slot> &slots, DeviceIpc &device, std::vector<std::shared_ptr<const OpenedMemory>> &memory) const {
    const Contents told(notice_, counts_);
    slots.assign(counts_.n_slots, {});
    memory.clear();
    for (size_t slot = 0; slot < slots.size(); ++slot) {
        const DeviceOffer offer = told.storage[slot].device;
        std::shared_ptr<const OpenedMemory> opened = device.open(offer);
        if (!opened) return false;
        slots[slot] = { opened->data() + offer.offset, offer.bytes };
        if (memory.empty() || memory.back() != opened) memory.push_back(std::move(opened));
    }
    return true;
}

halo_ipc_handle PeerStorage::event() const { return Contents::head_of(notice_).event; }

void PeerStorage::check(const std::vector<Slot> &slots, const std::vector<uint64_t> &slot_bytes) const {
    for (size_t slot = 0; slot < slots.size(); ++slot)
        if (slot_bytes[slot] > slots[slot].bytes)
            fail(HALO_ERR_WIRE, "rank %d lets %llu bytes of its storage be used, of which the edges between it and this rank reach %llu", rank_,
                 static_cast<unsigned long long>(slots[slot].bytes), static_cast<unsigned long long>(slot_bytes[slot]));
}

} // namespace halo
