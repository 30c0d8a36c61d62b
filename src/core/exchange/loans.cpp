// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/loans.h"

#include <algorithm>
#include <utility>

#include "comm/wait.h"

namespace halo {

Loans::Loans(Context &context, const PlanShape &shape, std::vector<std::unique_ptr<PeerLink>> &links, const std::vector<size_t> &plan_links)
    : context_(context),
      shape_(shape),
      links_(links),
      plan_links_(plan_links),
      borrowers_(links.size()) {
    lenders_.reserve(links.size());
    for (const auto &link : links) lenders_.push_back({ StorageNotice(context, *link) });
}

bool Loans::lend(const Run &run, size_t i, bool wanted) {
    Lender &own = lenders_[i];
    PeerLink &link = *links_[i];
    const int64_t bytes = run.full->links()[plan_links_[i]].send.dense_bytes;
    if (!own.notice.is_described()) {
        const bool worth_it = context_.shared_arena(static_cast<size_t>(bytes)) != nullptr;
        own.notice.describe(worth_it ? stored_edges(shape_, *run.full, plan_links_[i]) : StoredEdges{});
    }
    if (!wanted || !link.peer_has_notice() || link.peer_prefers_messages()) return false;
    if (run.plan != run.full || run.stream != HALO_STREAM_NONE) return false;
    if (own.pause > 0 && own.pause-- > 0) return false;
    if (!own.notice.publish(run)) return false;
    constexpr double message_seconds = 5e-6;
    patience_ += message_seconds + seconds_to_copy(bytes);
    own.lent = true;
    link.send_lent(static_cast<size_t>(bytes));
    return true;
}

// True: all have read.
bool Loans::wait_for_readers() {
    const auto begin = std::chrono::steady_clock::now();
    const std::chrono::duration<double> patience(patience_);
    patience_ = 0;
    const auto is_read = [&](size_t i) { return !lenders_[i].lent || links_[i]->has_been_read(); };
    for (size_t i = 0; i < links_.size();)
        if (is_read(i))
            ++i;
        else if (std::chrono::steady_clock::now() - begin > patience)
            return false;
    return true;
}

void Loans::wait_for_reader(PeerLink &link, double timeout) const {
    Waiter waiter(context_, timeout);
    const auto reading = [&] { return format("rank %d is reading what this rank has lent to it", link.peer()); };
    while (!link.has_been_read())
        if (!waiter.pause(reading)) fail(HALO_ERR_PEER, "after %.3f s: %s", waiter.seconds(), reading().c_str());
}

void Loans::take_back(size_t i, const PackLink &pack) {
    constexpr uint32_t longest_pause = 64;
    Lender &own = lenders_[i];
    own.lent = false;
    own.pause = std::min(longest_pause, 1u << std::min(own.taken_back++, 6u));
    links_[i]->send_after_all(pack(i));
}

void Loans::end(double timeout, const PackLink &pack) {
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

bool Loans::reach(size_t i) {
    Borrower &own = borrowers_[i];
    const PeerStorage peer(context_, links_[i]->peer_notice());
    if (own.address_version == peer.address_version()) return true;
    own.slots.assign(peer.edges().n_slots, nullptr);
    own.address_version = 0;
    if (!peer.reach(own.slots.data())) return false;
    own.address_version = peer.address_version();
    return true;
}

bool Loans::borrow() {
    bool all = true;
    for (size_t i = 0; i < links_.size(); ++i) {
        PeerLink &link = *links_[i];
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

// Does `plan_` read what is borrowed, as it lies now, and nothing else?
bool Loans::is_compiled() const {
    for (size_t i = 0; i < links_.size(); ++i) {
        const Borrower &own = borrowers_[i];
        const uint32_t wanted = own.borrowed ? PeerStorage(context_, links_[i]->peer_notice()).layout_version() : 0;
        if (own.layout_version != wanted) return false;
    }
    return plan_ != nullptr;
}

void Loans::compile(const Run &run) {
    LentEdges lent(run.full->links().size());
    int64_t n_bases = run.full->n_bases();
    for (size_t i = 0; i < links_.size(); ++i) {
        Borrower &own = borrowers_[i];
        own.layout_version = 0;
        if (!own.borrowed) continue;
        const PeerStorage peer(context_, links_[i]->peer_notice());
        lent[plan_links_[i]] = lent_placements(shape_, *run.full, plan_links_[i], peer.edges(), static_cast<uint32_t>(n_bases));
        own.layout_version = peer.layout_version();
        n_bases += peer.edges().n_slots;
    }
    plan_ = std::make_unique<Plan>(shape_, PlanNarrowing{}, run.full, &lent);
    bases_.assign(static_cast<size_t>(n_bases), nullptr);
}

// Who is late may change from run to run: a plan is made for when nobody is, once.
bool Loans::all_lend() const {
    for (size_t i = 0; i < links_.size(); ++i)
        if (links_[i]->receives() && links_[i]->peer_notice() && !borrowers_[i].borrowed) return false;
    return true;
}

// As if it had come.
void Loans::copy_to_message(Run &run, size_t i) {
    Borrower &own = borrowers_[i];
    const size_t link = plan_links_[i];
    const PeerStorage peer(context_, links_[i]->peer_notice());
    const auto n_bases = static_cast<size_t>(run.full->n_bases());
    if (own.table_version != peer.layout_version()) {
        own.table = message_table(shape_, *run.full, link, peer.edges());
        own.table_version = peer.layout_version();
        own.message = context_.host_buffer(static_cast<size_t>(run.full->links()[link].receive.dense_bytes));
        own.bases.assign(n_bases + own.slots.size(), nullptr);
    }
    run.bases[run.full->receive_base(link)] = own.bases[run.full->receive_base(link)] = own.message.data();
    std::copy(own.slots.begin(), own.slots.end(), own.bases.begin() + static_cast<std::ptrdiff_t>(n_bases));
    own.table.run(0, own.table.rows(), own.bases, run.stream);
}

const Plan *Loans::plan(Run &run) {
    if (std::none_of(borrowers_.begin(), borrowers_.end(), [](const Borrower &own) { return own.borrowed; })) return nullptr;
    if (!is_compiled() && all_lend()) compile(run);
    if (!is_compiled()) {
        for (size_t i = 0; i < links_.size(); ++i)
            if (borrowers_[i].borrowed) copy_to_message(run, i);
        return nullptr;
    }
    auto end = std::copy_n(run.bases.begin(), run.full->n_bases(), bases_.begin());
    for (const Borrower &own : borrowers_)
        if (own.borrowed) end = std::copy(own.slots.begin(), own.slots.end(), end);
    return plan_.get();
}

void Loans::return_all() {
    for (size_t i = 0; i < links_.size(); ++i)
        if (std::exchange(borrowers_[i].borrowed, false)) links_[i]->return_borrowed();
}

void Loans::give_up(const PackLink &pack) noexcept {
    return_all();
    for (size_t i = 0; i < links_.size(); ++i) try {
            if (std::exchange(lenders_[i].lent, false) && !links_[i]->has_been_read() && links_[i]->take_back()) take_back(i, pack);
        } catch (...) { // the transport has failed: the peer will notice
        }
    patience_ = 0;
}

void Loans::forget_plan() {
    for (Lender &own : lenders_) own.notice.forget();
    for (Borrower &own : borrowers_) own.layout_version = own.table_version = 0;
    plan_ = nullptr;
}

} // namespace halo
