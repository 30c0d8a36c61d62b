// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/landing_link.h"

#include <algorithm>

namespace halo {

void LandingLink::open(const Run &run) {
    if (!link_.receives()) return;
    if (!notice_.is_described()) {
        const bool worth_it = context_.shared_arena(static_cast<size_t>(run.full->links()[plan_link_].receive.dense_bytes)) != nullptr;
        notice_.describe(worth_it ? stored_edges(shape_, *run.full, plan_link_) : StoredEdges{});
    }
    if (run.plan == run.full && run.stream == HALO_STREAM_NONE && notice_.publish(run)) notice_.gate().open(serial_, run.epoch);
}

// The gate is claimed: what the peer tells stands still.
bool LandingLink::prepare(const Run &run) {
    const PeerStorage peer(context_, link_.peer_notice());
    const auto own_bases = static_cast<size_t>(run.full->n_bases());
    if (table_version_ != peer.layout_version()) {
        table_ = landing_table(shape_, *run.full, plan_link_, peer.edges());
        bases_.assign(own_bases + peer.edges().n_slots, nullptr);
        table_version_ = peer.layout_version();
        address_version_ = 0;
    }
    if (address_version_ != peer.address_version()) {
        unreachable_ = !peer.reach(bases_.data() + own_bases);
        if (!unreachable_) address_version_ = peer.address_version();
    }
    return !unreachable_;
}

bool LandingLink::write(const Run &run) {
    const StorageGate gate(link_.peer_notice());
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
    notice_.forget();
    table_version_ = 0;
}

} // namespace halo
