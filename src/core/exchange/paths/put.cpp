// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that a peer of the same host writes itself: no message buffer, one copy.
//
// Both parts lie in shared memory. Whoever starts a run opens its ghosts to its peers, and writes into those that are open already; into
// others it sends a message as ever. So no rank waits for another, and the result is the same.
#include <algorithm>
#include <optional>

#include "base/schedule_point.h"
#include "exchange/paths/path.h"
#include "exchange/paths/storage_notice.h"

namespace halo {

namespace {

// What one rank does for one peer, in both directions.
class PutLink {
public:
    PutLink(const PathSetup &setup, size_t number)
        : setup_(setup),
          number_(number),
          context_(setup.messages.context),
          link_(*setup.links[number]),
          plan_link_(setup.plan_links[number]),
          serial_(setup.messages.id.serial()),
          notice_(setup.messages.spec.fields, link_, context_, false) {}

    // Tell the peer about this rank's storage, and let it write. The first time before anything is sent.
    void open(const Run &run);
    // Is the peer's storage memory that both see, as far as is known?
    bool is_shared() const { return link_.peer_notice() && !unreachable_; }
    // Can the peer's ghosts be written at all, in such a run?
    bool reaches(const Run &run) const { return is_shared() && run.whole && run.on_host() && !link_.peer_prefers_messages(); }
    // True: all that is dense is in the peer's ghosts, and what is not has been sent. False: the peer is not there yet.
    bool put(const Run &run);
    // Layouts have changed: there is another plan.
    void forget_plan();

private:
    // Of one piece of the plan that goes there.
    struct Put {
        size_t piece;
        CopyTable table;
        std::vector<void *> bases; // of the piece, then the peer's slots
    };

    void make_tables(const Run &run);
    bool prepare(const Run &run);
    void write(const Run &run);

    const PathSetup &setup_;
    size_t number_;
    Context &context_;
    Stream &link_;
    size_t plan_link_;
    uint32_t serial_;
    StorageNotice notice_; // where the peer may write

    // sending
    std::optional<PeerStorage> peer_;
    std::vector<Put> puts_;
    std::vector<PeerStorage::Slot> slots_;
    std::vector<uint64_t> slot_bytes_; // of the peer's storage, that the tables reach
    uint32_t table_version_ = 0;       // of the peer's layouts; 0: no tables
    uint32_t address_version_ = 0;     // of what the tables' bases are; 0: not known
    bool unreachable_ = false;
};

void PutLink::open(const Run &run) {
    if (!link_.receives()) return;
    if (!notice_.is_described()) notice_.describe(*run.plan, plan_link_);
    if (run.whole && run.on_host() && notice_.publish(run)) link_.open_storage();
}

void PutLink::make_tables(const Run &run) {
    const PlanLink &link = run.plan->links()[plan_link_];
    const uint32_t version = peer_->layout_version();
    table_version_ = 0;
    puts_.clear();
    ToldEdges told = peer_->edges();
    divide(*run.plan, link, true, told);
    for (size_t i = 0; i < link.pieces.size(); ++i) {
        const Piece &piece = run.plan->piece(link.pieces[i].piece);
        if (!is_told(piece)) continue;
        puts_.push_back({ link.pieces[i].piece, put_table(piece, link.pieces[i].link, told.pieces[i]),
                          std::vector<void *>(piece.bases().n() + peer_->n_slots(), nullptr) });
    }
    slot_bytes_ = std::move(told.slot_bytes);
    table_version_ = version;
    address_version_ = 0;
}

// The gate is claimed: what the peer tells stands still.
bool PutLink::prepare(const Run &run) {
    if (!peer_) peer_.emplace(context_, link_.peer_notice(), link_.peer());
    if (table_version_ != peer_->layout_version()) make_tables(run);
    const uint32_t version = peer_->address_version();
    if (address_version_ != version || version == 0) {
        address_version_ = 0;
        unreachable_ = !peer_->reach(slots_);
        if (!unreachable_) peer_->check(slots_, slot_bytes_);
        for (Put &put : puts_) std::transform(slots_.begin(), slots_.end(), put.bases.end() - std::ssize(slots_), PeerStorage::data_of);
        address_version_ = version;
    }
    return !unreachable_;
}

void PutLink::write(const Run &run) {
    for (Put &put : puts_) {
        std::copy_n(run.pieces[put.piece].bases.begin(), run.plan->piece(put.piece).bases().n_parts, put.bases.begin());
        schedule_point_in_storage();
        put.table.run(0, put.table.rows(), put.bases, HALO_STREAM_NONE);
    }
}

bool PutLink::put(const Run &run) {
    const StorageGate gate(link_.peer_notice());
    if (!gate.claim(serial_, run.epoch)) return false;
    size_t besides = 0;
    try {
        if (!prepare(run)) {
            gate.decline(serial_, run.epoch);
            return false;
        }
        write(run);
        besides = setup_.pack_besides(number_);
    } catch (...) {
        gate.decline(serial_, run.epoch);
        throw;
    }
    link_.send_put(static_cast<size_t>(run.dense_bytes(run.plan->links()[plan_link_], true)), besides);
    return true;
}

void PutLink::forget_plan() {
    notice_.forget();
    table_version_ = 0;
}

class PutPath final : public Path {
public:
    explicit PutPath(const PathSetup &setup) : setup_(setup) {
        links_.reserve(setup.links.size());
        for (size_t i = 0; i < setup.links.size(); ++i) links_.emplace_back(setup_, i);
    }
    void open(const Run &run) override {
        for (PutLink &link : links_) link.open(run);
    }
    Sent send(const Run &run, size_t i, bool wanted) override {
        if (!wanted || !links_[i].reaches(run)) return Sent::no;
        return links_[i].put(run) ? Sent::yes : Sent::later;
    }
    bool reaches_storage(size_t i) const override { return links_[i].is_shared(); }
    void forget_plan() override {
        for (PutLink &link : links_) link.forget_plan();
    }

private:
    PathSetup setup_;
    std::vector<PutLink> links_;
};

const char *why_not(const MessageSetup &setup) {
    if (!setup.paths.put) return "setting path";
    if (setup.plan.combines()) return "values are combined where they arrive";
    const auto is_sparse = [](const PlanPiece &one) { return one.piece->destination().sparse; };
    if (std::all_of(setup.plan.pieces().begin(), setup.plan.pieces().end(), is_sparse)) return "all fields are sparse";
    return setup.context.check_mode() && setup.paths.measured ? "check mode takes messages unless a path is set" : nullptr;
}

} // namespace

const PathKind put_path{ "put", why_not, [](const PathSetup &setup) -> std::unique_ptr<Path> { return std::make_unique<PutPath>(setup); } };

} // namespace halo
