// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/paths/put.h"

#include <algorithm>

namespace halo {

const char *PutPath::why_not(const MessageSetup &setup) {
    if (!setup.paths.put) return "setting path";
    if (setup.plan.combines()) return "values are combined where they arrive";
    if (setup.plan.any_sparse()) return "fields are sparse";
    return setup.context.check_mode() ? "check mode looks at messages" : nullptr;
}

void PutPath::open(const Run &run) {
    if (!link_.receives()) return;
    if (!notice_.is_described()) notice_.describe(*run.plan, plan_link_, false);
    if (run.whole && run.stream == HALO_STREAM_NONE && notice_.publish(run)) notice_.gate().open(serial_, run.epoch);
}

void PutPath::make_tables(const Run &run) {
    const PlanLink &link = run.plan->links()[plan_link_];
    const uint32_t version = peer_->layout_version();
    table_version_ = 0;
    puts_.clear();
    ToldEdges told = peer_->edges();
    divide(*run.plan, link, true, told);
    for (size_t i = 0; i < link.pieces.size(); ++i) {
        const Piece &piece = run.plan->piece(link.pieces[i].piece);
        puts_.push_back(
            { put_table(piece, link.pieces[i].link, told.pieces[i]), std::vector<void *>(piece.bases().n() + peer_->n_slots(), nullptr) });
    }
    slot_bytes_ = std::move(told.slot_bytes);
    table_version_ = version;
    address_version_ = 0;
}

// The gate is claimed: what the peer tells stands still.
bool PutPath::prepare(const Run &run) {
    if (!peer_) peer_.emplace(context_, link_.peer_notice(), link_.peer());
    if (table_version_ != peer_->layout_version()) make_tables(run);
    const uint32_t version = peer_->address_version();
    if (address_version_ != version || version == 0) {
        address_version_ = 0;
        unreachable_ = !peer_->reach(slots_);
        if (unreachable_) return false;
        peer_->check(slots_, slot_bytes_);
        for (Put &put : puts_) std::transform(slots_.begin(), slots_.end(), put.bases.end() - std::ssize(slots_), PeerStorage::data_of);
        address_version_ = version;
    }
    return true;
}

bool PutPath::write(const Run &run) {
    const StorageGate gate(link_.peer_notice());
    if (!gate.claim(serial_, run.epoch)) return false;
    try {
        if (!prepare(run)) {
            gate.open(serial_, run.epoch);
            return false;
        }
        const PlanLink &link = run.plan->links()[plan_link_];
        for (size_t i = 0; i < puts_.size(); ++i) {
            Put &put = puts_[i];
            const size_t number = link.pieces[i].piece;
            std::copy_n(run.pieces[number].bases.begin(), run.plan->piece(number).bases().n_parts, put.bases.begin());
            put.table.run(0, put.table.rows(), put.bases, run.stream);
        }
    } catch (...) {
        gate.open(serial_, run.epoch);
        throw;
    }
    return true;
}

void PutPath::forget_plan() {
    notice_.forget();
    table_version_ = 0;
}

} // namespace halo
