// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/paths/get.h"

#include <algorithm>
#include <utility>

#include "comm/wait.h"
#include "plan/message_order.h"

namespace halo {

const char *GetPath::why_not(const MessageSetup &setup) {
    const auto can = [](const PlanPiece &one) {
        return one.piece->combining().reads_in_place && !one.piece->destination().has_cells && !one.piece->destination().sparse;
    };
    if (!setup.paths.get) return "setting path";
    if (!setup.plan.combines()) return "values are moved, not combined";
    if (!setup.spec.source_stable) return "source_stable is not promised";
    if (setup.context.check_mode()) return "check mode looks at messages";
    const bool all = std::all_of(setup.plan.pieces().begin(), setup.plan.pieces().end(), can);
    return all ? nullptr : "values are not combined in order at points, dense and by the library";
}

bool GetPath::lend(const Run &run, size_t i, bool wanted) {
    Lender &own = lenders_[i];
    Stream &link = *links_[i];
    if (!own.notice.is_described()) {
        own.notice.describe(*run.plan, plan_links_[i], true);
        own.bytes = run.plan->payload_bytes(run.plan->links()[plan_links_[i]], true);
    }
    if (!wanted || !link.peer_has_notice() || link.peer_prefers_messages()) return false;
    if (!run.whole || run.stream != HALO_STREAM_NONE) return false;
    if (own.pause > 0 && own.pause-- > 0) return false;
    if (!own.notice.publish(run)) return false;
    constexpr double message_seconds = 5e-6;
    patience_ += message_seconds + seconds_to_copy(own.bytes);
    own.lent = true;
    link.send_lent(static_cast<size_t>(own.bytes));
    return true;
}

// True: all have read.
bool GetPath::wait_for_readers() {
    const double end = context_.clock() + std::exchange(patience_, 0);
    const auto is_read = [&](size_t i) { return !lenders_[i].lent || links_[i]->has_been_read(); };
    for (size_t i = 0; i < links_.size();)
        if (is_read(i))
            ++i;
        else if (context_.clock() > end)
            return false;
    return true;
}

void GetPath::wait_for_reader(Stream &link, double timeout) const {
    Waiter waiter(context_, timeout);
    const auto reading = [&] { return format("rank %d is reading what this rank has lent to it", link.peer()); };
    while (!link.has_been_read())
        if (!waiter.pause(reading))
            fail_after(HALO_ERR_PEER, reading(), { link.peer(), HALO_TIMEOUT, format("has not ended after %.3f s", waiter.seconds()) });
}

void GetPath::take_back(size_t i, const PackLink &pack) {
    constexpr uint32_t longest_pause = 64;
    Lender &own = lenders_[i];
    own.lent = false;
    own.pause = std::min(longest_pause, 1u << std::min(own.taken_back++, 6u));
    links_[i]->send_after_all(pack(i));
}

void GetPath::end(double timeout, const PackLink &pack) {
    const bool all_read = wait_for_readers();
    for (size_t i = 0; i < links_.size(); ++i) {
        Lender &own = lenders_[i];
        if (!own.lent) continue;
        if (!all_read && !links_[i]->has_been_read()) {
            if (links_[i]->take_back()) {
                take_back(i, pack);
                continue;
            }
            wait_for_reader(*links_[i], timeout);
        }
        own.lent = false;
        own.taken_back = 0;
    }
}

bool GetPath::reach(size_t i) {
    Borrower &own = borrowers_[i];
    const PeerStorage peer(context_, links_[i]->peer_notice());
    if (own.address_version == peer.address_version()) return true;
    own.slots.assign(peer.edges().n_slots, nullptr);
    own.address_version = 0;
    if (!peer.reach(own.slots.data())) return false;
    own.address_version = peer.address_version();
    return true;
}

bool GetPath::borrow() {
    bool all = true;
    for (size_t i = 0; i < links_.size(); ++i) {
        Stream &link = *links_[i];
        Borrower &own = borrowers_[i];
        if (!link.receives()) continue;
        if (link.arrived() && link.lent() && !own.borrowed && link.borrow()) {
            own.borrowed = reach(i);
            if (!own.borrowed) {
                link.prefer_messages(true);
                link.decline();
            }
        }
        all = link.test() && all;
    }
    return all;
}

// Do the tables read what is borrowed, as it lies now, and nothing else?
bool GetPath::is_compiled() const {
    for (size_t i = 0; i < links_.size(); ++i) {
        const Borrower &own = borrowers_[i];
        const uint32_t wanted = own.borrowed ? PeerStorage(context_, links_[i]->peer_notice()).layout_version() : 0;
        if (own.layout_version != wanted) return false;
    }
    return !combined_.empty();
}

void GetPath::compile(const Run &run) {
    combined_.clear();
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        const Piece &piece = run.plan->piece(p);
        PeerPlacements lent(piece.edges().links.size());
        size_t n_slots = 0;
        for (size_t i = 0; i < links_.size(); ++i) {
            Borrower &own = borrowers_[i];
            own.layout_version = 0;
            if (!own.borrowed) continue;
            const PeerStorage peer(context_, links_[i]->peer_notice());
            const PlanLink &link = run.plan->links()[plan_links_[i]];
            const std::vector<StoredEdgesView> told = told_by_piece(*run.plan, link, false, peer.edges());
            for (size_t at = 0; at < link.pieces.size(); ++at)
                if (link.pieces[at].piece == p) lent[link.pieces[at].link] = placements(piece, told[at], n_slots);
            own.layout_version = peer.layout_version();
            n_slots += peer.edges().n_slots;
        }
        combined_.push_back({ p, std::make_unique<const Lowered>(lower(piece, {}, false, &lent)), {} });
        combined_.back().bases.assign(piece.bases().n() + n_slots, nullptr);
    }
}

// Who is late may change from run to run: a plan is made for when nobody is, once.
bool GetPath::all_lend() const {
    for (size_t i = 0; i < links_.size(); ++i)
        if (links_[i]->receives() && links_[i]->peer_notice() && !borrowers_[i].borrowed) return false;
    return true;
}

void GetPath::make_gets(const Run &run, size_t i) {
    Borrower &own = borrowers_[i];
    const PeerStorage peer(context_, links_[i]->peer_notice());
    const PlanLink &link = run.plan->links()[plan_links_[i]];
    const std::vector<StoredEdgesView> told = told_by_piece(*run.plan, link, false, peer.edges());
    own.gets.clear();
    for (size_t at = 0; at < link.pieces.size(); ++at) {
        const Piece &piece = run.plan->piece(link.pieces[at].piece);
        own.gets.push_back({ get_table(piece, link.pieces[at].link, told[at]), std::vector<void *>(piece.bases().n() + own.slots.size(), nullptr) });
    }
    own.gets_version = peer.layout_version();
    own.message = context_.host_buffer(static_cast<size_t>(run.plan->payload_bytes(link, false)) + link.pieces.size() * sparse_alignment);
}

// As if it had come.
void GetPath::copy_to_message(Run &run, size_t i) {
    Borrower &own = borrowers_[i];
    if (own.gets_version != PeerStorage(context_, links_[i]->peer_notice()).layout_version()) make_gets(run, i);
    const PlanLink &link = run.plan->links()[plan_links_[i]];
    auto *message = static_cast<std::byte *>(own.message.data());
    for (size_t at = 0; at < link.pieces.size(); ++at) {
        Borrower::Get &get = own.gets[at];
        PieceRun &piece = run.pieces[link.pieces[at].piece];
        const uint32_t base = run.plan->piece(link.pieces[at].piece).bases().receive(link.pieces[at].link);
        piece.bases[base] = get.bases[base] = message;
        std::copy(own.slots.begin(), own.slots.end(), get.bases.end() - std::ssize(own.slots));
        get.table.run(0, get.table.rows(), get.bases, run.stream);
        message += align_up(piece.rows->receive[link.pieces[at].link].dense_bytes, sparse_alignment);
    }
}

bool GetPath::is_ready(Run &run) {
    if (std::none_of(borrowers_.begin(), borrowers_.end(), [](const Borrower &own) { return own.borrowed; })) return false;
    if (!is_compiled() && all_lend()) compile(run);
    if (!is_compiled()) {
        for (size_t i = 0; i < links_.size(); ++i)
            if (borrowers_[i].borrowed) copy_to_message(run, i);
        return false;
    }
    for (Combined &one : combined_) {
        const std::vector<void *> &bases = run.pieces[one.piece].bases;
        auto end = std::copy(bases.begin(), bases.end(), one.bases.begin());
        for (const Borrower &own : borrowers_)
            if (own.borrowed) end = std::copy(own.slots.begin(), own.slots.end(), end);
    }
    return true;
}

void GetPath::return_all() {
    for (size_t i = 0; i < links_.size(); ++i)
        if (std::exchange(borrowers_[i].borrowed, false)) links_[i]->return_borrowed();
}

void GetPath::give_up(const PackLink &pack) noexcept {
    return_all();
    for (size_t i = 0; i < links_.size(); ++i) try {
            if (std::exchange(lenders_[i].lent, false) && !links_[i]->has_been_read() && links_[i]->take_back()) take_back(i, pack);
        } catch (...) { // the transport has failed: the peer will notice
        }
    patience_ = 0;
}

void GetPath::forget_plan() {
    for (Lender &own : lenders_) own.notice.forget();
    for (Borrower &own : borrowers_) own.layout_version = own.gets_version = 0;
    combined_.clear();
}

} // namespace halo
