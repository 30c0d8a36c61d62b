// SPDX-License-Identifier: BSD-3-Clause
// Contributions that are combined straight out of the storage of a peer of the same host: no message buffer, one pass over memory.
//
// The peer has promised not to change them until its run ends (source_stable), lends its storage instead of packing a message, and at the end of its
// run waits until it has been read, for as long as a message would take. Then it takes the storage back and sends the message after all: so no rank
// depends on how far another one is, and the result is the same.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/schedule_point.h"
#include "comm/wait.h"
#include "exchange/paths/path.h"
#include "exchange/paths/pause.h"
#include "exchange/paths/storage_notice.h"
#include "plan/message_order.h"

namespace halo {

namespace {

class GetPath final : public Path {
public:
    explicit GetPath(const PathSetup &setup)
        : setup_(setup),
          context_(setup.messages.context),
          links_(setup.links),
          plan_links_(setup.plan_links),
          borrowers_(setup.links.size()) {
        for (const auto &link : links_) lenders_.push_back({ StorageNotice(setup.messages.spec.fields, *link, context_, true) });
    }
    void open(const Run &run) override;
    Sent send(const Run &run, size_t i, bool wanted) override;
    bool reaches_storage(size_t i) const override { return links_[i]->peer_has_notice(); }
    bool receive() override;
    bool combine(Run &run, const CombineBy &by) override;
    void end(double timeout) override;
    void give_up() noexcept override;
    void forget_plan() override;

private:
    struct Lender {
        StorageNotice notice;
        int64_t bytes = 0;
        bool lent = false;
        bool sent_after_all = false;
        Pause pause{}; // once it was taken back
    };
    struct Borrower {
        bool borrowed = false;
        std::optional<PeerStorage> peer;
        uint32_t address_version = 0;
        std::vector<PeerStorage::Slot> slots;
        ToldEdges told;
        uint32_t told_version = 0;   // of layouts; 0: nothing has been told
        bool within = false;         // the edges told lie in the slots
        uint32_t layout_version = 0; // of what `combined_` reads; 0: the message
        // For runs in which a peer is late.
        struct Get {
            CopyTable table;
            std::vector<void *> bases; // of the piece, then the slots
        };
        std::vector<Get> gets; // of the link's pieces
        uint32_t gets_version = 0;
        Buffer message;
    };
    // One piece, with contributions out of peers' storage.
    struct Combined {
        size_t piece;
        std::unique_ptr<const Lowered> rows;
        std::vector<void *> bases; // of the piece, then the slots of each borrower
    };

    bool reach(size_t i);
    void look_at_layout(const Run &run, size_t i);
    bool is_compiled() const;
    bool all_lend() const;
    void compile(const Run &run);
    void make_gets(const Run &run, size_t i);
    void copy_to_message(Run &run, size_t i);
    bool wait_for_readers();
    void wait_for_reader(size_t i, double timeout);
    void take_back(size_t i);
    bool is_ready(Run &run);
    int32_t return_all();

    PathSetup setup_;
    Context &context_;
    std::vector<std::unique_ptr<Stream>> &links_;
    const std::vector<size_t> &plan_links_;
    std::vector<Lender> lenders_; // of each link
    std::vector<Borrower> borrowers_;
    std::vector<Combined> combined_; // of each piece of the plan, once they are made
    double patience_ = 0;            // seconds
    bool on_host_ = true;            // all storage of the run
};

void GetPath::open(const Run &run) {
    on_host_ = run.on_host();
    for (size_t i = 0; i < links_.size(); ++i) {
        Lender &own = lenders_[i];
        if (!links_[i]->sends() || own.notice.is_described()) continue;
        own.notice.describe(*run.plan, plan_links_[i]);
        own.bytes = run.plan->payload_bytes(run.plan->links()[plan_links_[i]], true);
    }
}

// What link `i` would send stays where it is, and the peer is told.
Path::Sent GetPath::send(const Run &run, size_t i, bool wanted) {
    Lender &own = lenders_[i];
    Stream &link = *links_[i];
    if (!wanted || !link.peer_has_notice() || link.peer_prefers_messages()) return Sent::no;
    if (!run.whole || !run.on_host()) return Sent::no;
    if (own.pause.lasts()) return Sent::no;
    if (!own.notice.publish(run, nullptr)) return Sent::no;
    constexpr double message_seconds = 5e-6;
    patience_ += message_seconds + seconds_to_copy(own.bytes);
    own.lent = true;
    link.send_lent(static_cast<size_t>(own.bytes));
    return Sent::yes;
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

// It ends, or finds that it cannot read it after all.
void GetPath::wait_for_reader(size_t i, double timeout) {
    Stream &link = *links_[i];
    Waiter waiter(context_, timeout);
    const auto reading = [&] { return format("rank %d is reading what this rank has lent to it", link.peer()); };
    while (!link.has_been_read()) {
        if (link.take_back()) return take_back(i);
        if (!waiter.pause(reading))
            fail_after(HALO_ERR_PEER, reading(), { link.peer(), HALO_TIMEOUT, format("has not ended after %.3f s", waiter.seconds()) });
    }
}

void GetPath::take_back(size_t i) {
    Lender &own = lenders_[i];
    count(Rare::taken_back);
    own.lent = false;
    own.sent_after_all = true;
    own.pause.was_in_vain();
    links_[i]->send_after_all(setup_.pack(i));
}

void fail_as_gone(int32_t peer) {
    fail_after(HALO_ERR_PEER, format("rank %d has ended its run while this rank was reading what it had lent, and may have changed it", peer),
               { peer, HALO_TIMEOUT, "it did not wait any longer" });
}

void GetPath::end(double timeout) {
    if (const int32_t gone = return_all(); gone >= 0) fail_as_gone(gone);
    const bool all_read = wait_for_readers();
    for (size_t i = 0; i < links_.size(); ++i) {
        Lender &own = lenders_[i];
        if (own.lent && !all_read) wait_for_reader(i, timeout);
        if (std::exchange(own.lent, false)) own.pause.was_of_use();
    }
    for (size_t i = 0; i < links_.size(); ++i)
        if (std::exchange(lenders_[i].sent_after_all, false)) links_[i]->see_off(timeout);
}

bool GetPath::reach(size_t i) {
    Borrower &own = borrowers_[i];
    if (!own.peer) own.peer.emplace(context_, links_[i]->peer_notice(), links_[i]->peer());
    const uint32_t version = own.peer->address_version();
    if (own.address_version == version && version != 0) return true;
    own.address_version = 0;
    own.within = false;
    if (!own.peer->reach(own.slots)) return false;
    own.address_version = version;
    return true;
}

// What is borrowed now is where the peer tells, or this fails.
void GetPath::look_at_layout(const Run &run, size_t i) {
    Borrower &own = borrowers_[i];
    if (const uint32_t version = own.peer->layout_version(); own.told_version != version) {
        own.told_version = own.layout_version = own.gets_version = 0;
        own.within = false;
        combined_.clear();
        own.told = own.peer->edges();
        divide(*run.plan, run.plan->links()[plan_links_[i]], false, own.told);
        own.told_version = version;
    }
    if (!own.within) own.peer->check(own.slots, own.told.slot_bytes);
    own.within = true;
}

bool GetPath::receive() {
    bool all = true;
    for (size_t i = 0; i < links_.size(); ++i) {
        Stream &link = *links_[i];
        Borrower &own = borrowers_[i];
        if (!link.receives()) continue;
        if (link.arrived() && link.lent() && !own.borrowed && link.borrow()) {
            own.borrowed = true; // if that fails, it is returned
            const bool reaches = reach(i);
            if (!reaches || !on_host_) { // a device combines what messages bring
                own.borrowed = false;
                if (!reaches) link.prefer_messages(true);
                if (!link.decline()) fail_as_gone(link.peer());
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
        const uint32_t wanted = own.borrowed ? own.told_version : 0;
        if (own.layout_version != wanted) return false;
    }
    return !combined_.empty();
}

void GetPath::compile(const Run &run) {
    std::vector<Combined> made;
    for (size_t p = 0; p < run.pieces.size(); ++p) {
        const Piece &piece = run.plan->piece(p);
        PeerPlacements lent(piece.edges().links.size());
        size_t n_slots = 0;
        for (size_t i = 0; i < links_.size(); ++i) {
            const Borrower &own = borrowers_[i];
            if (!own.borrowed) continue;
            const PlanLink &link = run.plan->links()[plan_links_[i]];
            for (size_t at = 0; at < link.pieces.size(); ++at)
                if (link.pieces[at].piece == p) lent[link.pieces[at].link] = placements(piece, own.told.pieces[at], n_slots);
            n_slots += own.slots.size();
        }
        made.push_back({ p, std::make_unique<const Lowered>(lower(piece, piece.host(), {}, false, &lent)),
                         std::vector<void *>(piece.bases().n() + n_slots, nullptr) });
    }
    combined_ = std::move(made); // from here on nothing can fail
    for (Borrower &own : borrowers_) own.layout_version = own.borrowed ? own.told_version : 0;
}

// Who is late may change from run to run: a plan is made for when nobody is, once.
bool GetPath::all_lend() const {
    for (size_t i = 0; i < links_.size(); ++i)
        if (links_[i]->receives() && links_[i]->peer_notice() && !borrowers_[i].borrowed) return false;
    return true;
}

void GetPath::make_gets(const Run &run, size_t i) {
    Borrower &own = borrowers_[i];
    const PlanLink &link = run.plan->links()[plan_links_[i]];
    own.gets.clear();
    for (size_t at = 0; at < link.pieces.size(); ++at) {
        const Piece &piece = run.plan->piece(link.pieces[at].piece);
        own.gets.push_back(
            { get_table(piece, link.pieces[at].link, own.told.pieces[at]), std::vector<void *>(piece.bases().n() + own.slots.size(), nullptr) });
    }
    own.message = context_.host_buffer(static_cast<size_t>(run.plan->payload_bytes(link, false)) + link.pieces.size() * sparse_alignment);
    own.gets_version = own.told_version;
}

// As if it had come.
void GetPath::copy_to_message(Run &run, size_t i) {
    Borrower &own = borrowers_[i];
    if (own.gets_version != own.told_version) make_gets(run, i);
    const PlanLink &link = run.plan->links()[plan_links_[i]];
    auto *message = static_cast<std::byte *>(own.message.data());
    for (size_t at = 0; at < link.pieces.size(); ++at) {
        Borrower::Get &get = own.gets[at];
        PieceRun &piece = run.pieces[link.pieces[at].piece];
        const uint32_t base = run.plan->piece(link.pieces[at].piece).bases().receive(link.pieces[at].link);
        piece.bases[base] = get.bases[base] = message;
        std::transform(own.slots.begin(), own.slots.end(), get.bases.end() - std::ssize(own.slots), PeerStorage::data_of);
        schedule_point_in_storage();
        get.table.run(0, get.table.rows(), get.bases, HALO_STREAM_NONE);
        message += align_up(piece.rows->receive[link.pieces[at].link].dense_bytes, sparse_alignment);
    }
}

// Do tables read what is borrowed? Else it has been copied to where they have messages.
bool GetPath::is_ready(Run &run) {
    if (std::none_of(borrowers_.begin(), borrowers_.end(), [](const Borrower &own) { return own.borrowed; })) return false;
    for (size_t i = 0; i < links_.size(); ++i)
        if (borrowers_[i].borrowed) look_at_layout(run, i);
    if (!is_compiled() && all_lend()) compile(run);
    if (!is_compiled()) {
        for (size_t i = 0; i < links_.size(); ++i)
            if (borrowers_[i].borrowed) copy_to_message(run, i);
        return false;
    }
    for (Combined &one : combined_) {
        const std::vector<void *> &bases = run.pieces[one.piece].bases;
        auto end = std::copy_n(bases.begin(), run.plan->piece(one.piece).bases().n(), one.bases.begin());
        for (const Borrower &own : borrowers_)
            if (own.borrowed) end = std::transform(own.slots.begin(), own.slots.end(), end, PeerStorage::data_of);
    }
    return true;
}

bool GetPath::combine(Run &run, const CombineBy &by) {
    if (!is_ready(run)) return false;
    for (const Combined &one : combined_) by(one.piece, *one.rows, one.bases);
    return true;
}

// The peer that has not waited for that; -1: none.
int32_t GetPath::return_all() {
    int32_t gone = -1;
    for (size_t i = 0; i < links_.size(); ++i)
        if (std::exchange(borrowers_[i].borrowed, false) && !links_[i]->return_borrowed()) gone = links_[i]->peer();
    return gone;
}

void GetPath::give_up() noexcept {
    return_all();
    for (size_t i = 0; i < links_.size(); ++i) {
        Lender &own = lenders_[i];
        try {
            if (std::exchange(own.lent, false) && !links_[i]->has_been_read() && links_[i]->take_back()) take_back(i);
        } catch (...) { // the peer has no part of the run, and is told so if the transport still works
        }
        own.sent_after_all = false; // the end of a failed run sees it off
    }
    patience_ = 0;
}

void GetPath::forget_plan() {
    for (Lender &own : lenders_) own.notice.forget();
    for (Borrower &own : borrowers_) own.layout_version = own.gets_version = own.told_version = 0;
    combined_.clear();
}

// No point whose value is sent receives one, and all of them stay unchanged.
const char *why_no_get(const MessageSetup &setup) {
    const auto can = [](const PlanPiece &one) {
        return one.piece->combining().reads_in_place && !one.piece->destination().has_cells && !one.piece->destination().sparse;
    };
    if (!setup.paths.get) return "setting path";
    if (!setup.plan.combines()) return "values are moved, not combined";
    if (!setup.spec.source_stable) return "source_stable is not promised";
    if (setup.context.check_mode() && setup.paths.measured) return "check mode takes messages unless a path is set";
    const bool all = std::all_of(setup.plan.pieces().begin(), setup.plan.pieces().end(), can);
    return all ? nullptr : "values are not combined in order at points, dense and by the library";
}

} // namespace

const PathKind get_path{ "get", why_no_get, [](const PathSetup &setup) -> std::unique_ptr<Path> { return std::make_unique<GetPath>(setup); } };

} // namespace halo
