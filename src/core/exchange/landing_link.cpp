// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/landing_link.h"

#include <algorithm>
#include <cstring>

namespace halo {

struct LandingLink::Head {
    uint32_t n_slots;
    uint32_t n_edges;
    uint64_t n_listed;
    uint32_t layout_version; // counts changes, from 1
    uint32_t address_version;
};

struct LandingLink::Told {
    Head *head;
    std::span<SharedOffer> storage; // of each slot
    std::span<Landing> edges;
    std::span<uint32_t> lists;

    static size_t bytes(const Landings &landings) {
        return sizeof(Head) + landings.bases.size() * sizeof(SharedOffer) + landings.edges.size() * sizeof(Landing) +
               landings.lists.size() * sizeof(uint32_t);
    }
};

LandingLink::Told LandingLink::told(const SharedBlock &block) const {
    Told told{};
    told.head = reinterpret_cast<Head *>(block.data());
    std::byte *at = block.data() + sizeof(Head);
    told.storage = { reinterpret_cast<SharedOffer *>(at), told.head->n_slots };
    at += told.storage.size_bytes();
    told.edges = { reinterpret_cast<Landing *>(at), told.head->n_edges };
    at += told.edges.size_bytes();
    told.lists = { reinterpret_cast<uint32_t *>(at), told.head->n_listed };
    return told;
}

// Layouts may change later, the numbers of slots, edges and points do not.
void LandingLink::describe(const Run &run) {
    described_ = true;
    SharedArena *arena = context_.shared_arena(static_cast<size_t>(run.full->links()[plan_link_].receive.dense_bytes));
    if (!arena || (offered_ && !own_)) return;
    const Landings landings = landings_of(shape_, *run.full, plan_link_);
    if (!offered_ && !landings.edges.empty()) {
        own_ = arena->allocate(Told::bytes(landings));
        if (!own_) return;
        *reinterpret_cast<Head *>(own_.data()) = { static_cast<uint32_t>(landings.bases.size()), static_cast<uint32_t>(landings.edges.size()),
                                                   landings.lists.size(), 0, 0 };
        link_.offer_landing(own_);
    }
    if (!own_) return;
    const Told mine = told(own_);
    std::copy(landings.edges.begin(), landings.edges.end(), mine.edges.begin());
    std::copy(landings.lists.begin(), landings.lists.end(), mine.lists.begin());
    ++mine.head->layout_version;
    slots_ = landings.bases;
    published_.assign(slots_.size(), nullptr);
}

// False: some of this run's storage is not in shared memory.
bool LandingLink::publish_addresses(const Run &run) {
    const auto same = [&](size_t slot) { return published_[slot] == run.bases[slots_[slot]]; };
    size_t slot = 0;
    while (slot < slots_.size() && same(slot)) ++slot;
    if (slot == slots_.size()) return shareable_;
    const Told mine = told(own_);
    const SharedArena &arena = *context_.shared_arena(SIZE_MAX);
    shareable_ = true;
    for (slot = 0; slot < slots_.size(); ++slot) {
        published_[slot] = run.bases[slots_[slot]];
        mine.storage[slot] = arena.locate(published_[slot]);
        shareable_ = shareable_ && mine.storage[slot].nonce != 0;
    }
    ++mine.head->address_version;
    return shareable_;
}

void LandingLink::open(const Run &run) {
    if (!link_.receives()) return;
    if (!described_) describe(run);
    offered_ = true;
    if (own_ && run.plan == run.full && run.stream == HALO_STREAM_NONE && publish_addresses(run)) LandingGate(own_).open(serial_, run.epoch);
}

bool LandingLink::reach_storage(const Told &peer) {
    const auto first = static_cast<std::ptrdiff_t>(bases_.size() - peer.storage.size());
    for (size_t slot = 0; slot < peer.storage.size(); ++slot) {
        void *storage = context_.shared_arena(SIZE_MAX)->reach(peer.storage[slot]);
        if (!storage) return false;
        bases_[static_cast<size_t>(first) + slot] = storage;
    }
    address_version_ = peer.head->address_version;
    return true;
}

// The gate is claimed: what the peer tells stands still.
bool LandingLink::prepare(const Run &run) {
    const Told peer = told(link_.peer_landing());
    if (table_version_ != peer.head->layout_version) {
        table_ = landing_table(shape_, *run.full, plan_link_, { peer.edges, peer.lists, peer.head->n_slots });
        bases_.assign(static_cast<size_t>(run.full->n_bases()) + peer.head->n_slots, nullptr);
        table_version_ = peer.head->layout_version;
        address_version_ = 0;
    }
    if (address_version_ != peer.head->address_version) unreachable_ = !reach_storage(peer);
    return !unreachable_;
}

bool LandingLink::write(const Run &run) {
    const LandingGate gate(link_.peer_landing());
    if (!gate.claim(serial_, run.epoch)) return false;
    try {
        if (!prepare(run)) {
            gate.open(serial_, run.epoch);
            return false;
        }
        std::copy_n(run.bases.begin(), run.full->send_base(0), bases_.begin());
        table_.run(0, table_.rows(), bases_, run.stream);
    } catch (...) {
        gate.open(serial_, run.epoch);
        throw;
    }
    return true;
}

void LandingLink::forget_plan() {
    described_ = false;
    table_version_ = 0;
}

} // namespace halo
