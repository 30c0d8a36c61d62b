// SPDX-License-Identifier: BSD-3-Clause
// One message per peer: dense edges at fixed offsets, then the sparse ones that are not null, back to back.
#include <algorithm>
#include <optional>
#include <utility>

#include "comm/wait.h"
#include "exchange/check_mode.h"
#include "exchange/messages.h"
#include "exchange/paths/get.h"
#include "exchange/paths/put.h"
#include "exchange/paths/trial.h"
#include "plan/message_order.h"

namespace halo {

namespace {

// "to rank 3: 12 channels, 4096 bytes; 2 runs by message, 17 by put"
std::string describe_way(const char *way, int32_t peer, int64_t n_channels, int64_t bytes, const PathCounts &counts) {
    std::string text = format("  %s rank %d: %lld channels, at most %lld bytes; runs by", way, peer, static_cast<long long>(n_channels),
                              static_cast<long long>(bytes));
    const std::pair<const char *, int64_t> paths[] = {
        { "message", counts.message }, { "slot", counts.slot }, { "put", counts.put }, { "get", counts.get }
    };
    for (const auto &[name, n] : paths) text += format(" %s %lld,", name, static_cast<long long>(n));
    text.pop_back();
    return text;
}

class Aggregated final : public Messages {
public:
    explicit Aggregated(const MessageSetup &setup)
        : setup_(setup),
          links_(make_links(setup, true, [this](size_t plan_link, const std::byte *message) { return received_bytes(plan_link, message); })),
          plan_link_(plan_links_of(setup.plan, links_)),
          unpacked_(links_.size(), true),
          trial_(setup.paths.measured, setup.context.clock) {
        unsent_.reserve(links_.size());
        if (!GetPath::why_not(setup)) get_.emplace(setup.context, links_, plan_link_);
        if (PutPath::why_not(setup)) return;
        puts_.reserve(links_.size());
        for (size_t i = 0; i < links_.size(); ++i) puts_.emplace_back(setup.context, *links_[i], plan_link_[i], setup.id.serial());
    }

    void allocate() override {
        for (auto &link : links_) link->allocate();
    }
    void post(Run &run) override {
        run_ = &run;
        epoch_ = run.epoch;
        for (auto &link : links_) link->post(run.epoch, run.narrowing);
        std::fill(unpacked_.begin(), unpacked_.end(), false);
    }
    bool writable() override {
        bool all = true;
        for (auto &link : links_) all = (!link->sends() || link->writable()) && all;
        return all;
    }
    std::string blocking_ranks() const override { return halo::blocking_ranks(links_); }
    void send(Run &run) override {
        trial_.timed([&] { send_and_copy(run); });
    }
    void forget_plans() override {
        for (PutPath &put : puts_) put.forget_plan();
        if (get_) get_->forget_plan();
    }
    bool test(Run &) override {
        bool all = true;
        for (auto &link : links_) all = link->test() && all;
        return all;
    }
    void look_ahead() override {
        for (auto &link : links_) link->look_ahead();
    }
    void note_arrivals(const Run &run, Arrivals &arrivals) override;
    void unpack(Run &run) override {
        if (get_) wait_for_taken_back();
        trial_.timed([&] { unpack_arrived(run); });
    }
    void combine(Run &run, const CombineBy &by) override {
        const bool lent = get_ && get_->is_ready(run);
        trial_.timed([&] { lent ? get_->combine(by) : Messages::combine(run, by); });
    }
    void consume(Run &run) override {
        if (get_) {
            get_->return_all();
            get_->end(timeout(), [&](size_t i) { return pack(run, i); });
        }
        if (trial_.end(epoch_))
            for (auto &link : links_) link->prefer_messages(!trial_.direct(epoch_));
        for (auto &link : links_) link->consume();
    }
    void send_failure(uint32_t epoch, const Error &error) override {
        for (auto &link : links_) link->send_failure(epoch, error);
    }
    void end_failed_run() override {
        give_up_loans();
        for (auto &link : links_) link->end_failed_run();
    }
    void abandon() noexcept override {
        give_up_loans();
        for (auto &link : links_) link->abandon();
    }
    std::string missing(const Run &run) const override;
    void count(halo_exchange_stats &stats) const override;
    std::string describe_paths() const override;

private:
    const PlanLink &planned(const Run &run, size_t i) const { return run.plan->links()[plan_link_[i]]; }
    // Where the dense values of a message end: piece by piece, each aligned.
    static int64_t dense_bytes(const Run &run, const PlanLink &link, bool sending) {
        int64_t end = 0;
        run.for_each(link, sending, [&](const PieceRun &, const LinkPiece &at, const LoweredDirection &way) {
            if (way.dense_bytes > 0) end = align_up(end, alignment_of(run, at)) + way.dense_bytes;
        });
        return end;
    }
    double timeout() const { return setup_.context.timeout(setup_.spec.timeout_seconds); }
    void send_and_copy(Run &run);
    void wait_for_taken_back();
    void give_up_loans() noexcept {
        if (get_) get_->give_up([&](size_t i) { return pack(*run_, i); });
    }
    bool put(Run &run, size_t i);
    void put_or_send_late(Run &run);
    void unpack_arrived(Run &run);
    size_t pack(Run &run, size_t i);
    int64_t pack_singles(Run &run, size_t i, std::byte *payload, int64_t end);
    void unpack_link(Run &run, size_t i);
    void unpack_singles(Run &run, size_t i, const std::byte *payload, int64_t end);
    size_t received_bytes(size_t plan_link, const std::byte *message) const;
    static int64_t alignment_of(const Run &run, const LinkPiece &at) { return edge_alignment(run.plan->piece(at.piece).destination().element_bytes); }
    std::string describe_missing(const Run &run, size_t i) const;
    std::string why_this_path(size_t i) const;

    MessageSetup setup_;
    std::vector<std::unique_ptr<Stream>> links_;
    std::vector<size_t> plan_link_; // number of each link in the plan
    std::vector<uint8_t> unpacked_;
    std::vector<PutPath> puts_; // of each link, or none
    std::optional<GetPath> get_;
    PathTrial trial_;
    Run *run_ = nullptr;         // the last one
    std::vector<size_t> unsent_; // links of this run
    uint32_t epoch_ = 0;
    int64_t states_sent_ = 0;
    int64_t nulls_sent_ = 0;
    int64_t hash_bytes_sent_ = 0;
};

// Peers whose ghosts are open get theirs at once. Others may be a moment late: they are asked again after the copies within this rank, and for as
// long as the second copy of a message would take.
void Aggregated::send_and_copy(Run &run) {
    for (PutPath &put : puts_) put.open(run);
    const bool direct = trial_.direct(run.epoch);
    const bool puts = direct && !puts_.empty();
    unsent_.clear();
    for (size_t i = 0; i < links_.size(); ++i) {
        if (!links_[i]->sends())
            links_[i]->send(0);
        else if (get_ && get_->lend(run, i, direct))
            continue;
        else if (!puts || !puts_[i].reaches(run) || links_[i]->peer_prefers_messages())
            links_[i]->send(pack(run, i));
        else if (!put(run, i))
            unsent_.push_back(i);
    }
    run.copy_within_rank();
    if (!unsent_.empty()) put_or_send_late(run);
}

void Aggregated::put_or_send_late(Run &run) {
    int64_t bytes = 0;
    for (const size_t i : unsent_) bytes += dense_bytes(run, planned(run, i), true);
    const double end = setup_.context.clock() + seconds_to_copy(bytes);
    do std::erase_if(unsent_, [&](size_t i) { return put(run, i); });
    while (!unsent_.empty() && setup_.context.clock() < end);
    for (const size_t i : unsent_) links_[i]->send(pack(run, i));
}

bool Aggregated::put(Run &run, size_t i) {
    if (!puts_[i].write(run)) return false;
    links_[i]->send_put(static_cast<size_t>(dense_bytes(run, planned(run, i), true)));
    return true;
}

// What was lent and then taken back is on its way.
void Aggregated::wait_for_taken_back() {
    Waiter waiter(setup_.context, timeout());
    const auto missing = [&] { return this->missing(*run_); };
    while (!get_->borrow())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
}

// Dense values piece by piece, then the sparse edges that are not null.
size_t Aggregated::pack(Run &run, size_t i) {
    const PlanLink &link = planned(run, i);
    std::byte *payload = links_[i]->send_payload();
    int64_t end = 0;
    bool singles = false;
    run.for_each(link, true, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        singles = singles || !way.singles.empty();
        if (way.dense_bytes == 0) return;
        end = align_up(end, alignment_of(run, at));
        piece.bases[run.plan->piece(at.piece).bases().send(at.link)] = payload + end;
        piece.run_rows(way.rows, run.stream);
        end += way.dense_bytes;
    });
    if (singles) end = pack_singles(run, i, payload, end);
    if (!run.check) return static_cast<size_t>(end);
    const size_t hash_bytes = run.check->write_hashes(run, link, payload + end);
    hash_bytes_sent_ += static_cast<int64_t>(hash_bytes);
    return static_cast<size_t>(end) + hash_bytes;
}

int64_t Aggregated::pack_singles(Run &run, size_t i, std::byte *payload, int64_t end) {
    uint32_t number = 0;
    run.for_each(planned(run, i), true, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        for (const SingleEdge &single : way.singles) {
            const int64_t begin = align_up(end, sparse_alignment);
            const EdgeState state = pack_single(piece, *run.plan->pieces()[at.piece].field, single, payload + begin, run.stream);
            set_edge_state(links_[i]->send_buffer(), number++, state);
            end = state == EdgeState::data ? begin + single.bytes : end;
            nulls_sent_ += state == EdgeState::null;
        }
    });
    states_sent_ += number;
    return end;
}

void Aggregated::note_arrivals(const Run &run, Arrivals &arrivals) {
    for (size_t i = 0; i < links_.size(); ++i) {
        uint32_t number = 0;
        run.for_each(planned(run, i), false, [&](const PieceRun &, const LinkPiece &at, const LoweredDirection &way) {
            for (const SingleEdge &single : way.singles)
                if (edge_state(links_[i]->received(), number++) == EdgeState::data) arrivals.note(run, at.piece, single);
        });
    }
}

void Aggregated::unpack_arrived(Run &run) {
    for (size_t i = 0; i < links_.size(); ++i)
        if (!unpacked_[i] && links_[i]->arrived()) {
            unpacked_[i] = true;
            if (links_[i]->receives()) unpack_link(run, i);
        }
}

void Aggregated::unpack_link(Run &run, size_t i) {
    if (links_[i]->landed() || links_[i]->lent()) return;
    const PlanLink &link = planned(run, i);
    std::byte *payload = links_[i]->received_payload();
    if (run.check) run.check->take_hashes(run, link, payload + links_[i]->header().payload_bytes);
    int64_t end = 0;
    bool singles = false;
    run.for_each(link, false, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        singles = singles || !way.singles.empty();
        if (way.dense_bytes == 0) return;
        end = align_up(end, alignment_of(run, at));
        piece.bases[run.plan->piece(at.piece).bases().receive(at.link)] = payload + end;
        piece.run_rows(way.rows, run.stream);
        end += way.dense_bytes;
    });
    if (singles) unpack_singles(run, i, payload, end);
}

void Aggregated::unpack_singles(Run &run, size_t i, const std::byte *payload, int64_t end) {
    uint32_t number = 0;
    run.for_each(planned(run, i), false, [&](PieceRun &piece, const LinkPiece &, const LoweredDirection &way) {
        for (const SingleEdge &single : way.singles) {
            const EdgeState state = edge_state(links_[i]->received(), number++);
            const int64_t begin = align_up(end, sparse_alignment);
            unpack_single(piece, single, state, payload + begin, run.stream);
            end = state == EdgeState::data ? begin + single.bytes : end;
        }
    });
}

// As `pack` lays it out.
size_t Aggregated::received_bytes(size_t plan_link, const std::byte *message) const {
    const PlanLink &link = run_->plan->links()[plan_link];
    int64_t end = dense_bytes(*run_, link, false);
    uint32_t number = 0;
    run_->for_each(link, false, [&](const PieceRun &, const LinkPiece &, const LoweredDirection &way) {
        for (const SingleEdge &single : way.singles)
            if (edge_state(message, number++) == EdgeState::data) end = align_up(end, sparse_alignment) + single.bytes;
    });
    return static_cast<size_t>(end) + (run_->check ? CheckMode::hash_bytes(*run_, link, false) : 0);
}

std::string Aggregated::describe_missing(const Run &run, size_t i) const {
    const PlanLink &link = planned(run, i);
    std::string text = format(
        "from rank %d to rank %d: run %u (%sthe last one seen is %u), %lld channels: receiver stale, sender not yet seen sending;", links_[i]->peer(),
        setup_.context.rank(), run.epoch, links_[i]->differs() ? differs_text : "", links_[i]->last_epoch(), static_cast<long long>(link.n_receive));
    size_t named = 3;
    for (const LinkPiece &at : link.pieces) {
        const PlanPiece &planned = run.plan->pieces()[at.piece];
        const EdgeBoxes boxes = planned.piece->boxes(planned.piece->edges(), {});
        for (const PlacedEdge &edge : run.plan->edges(at, false)) {
            if (named-- == 0) return text;
            text += format(" [%s, %lld bytes]", run.plan->describe(planned.key(edge)).c_str(), static_cast<long long>(boxes.bytes(edge)));
        }
    }
    return text;
}

std::string Aggregated::missing(const Run &run) const {
    std::string text = setup_.spec.what + ":";
    for (size_t i = 0; i < links_.size(); ++i)
        if (!links_[i]->arrived()) text += " missing " + describe_missing(run, i);
    return text;
}

void Aggregated::count(halo_exchange_stats &stats) const {
    for (const auto &link : links_) {
        stats.messages_sent += link->messages_sent;
        stats.messages_received += link->messages_received;
        stats.bytes_sent += link->bytes_sent;
        stats.payload_bytes += link->payload_sent;
        stats.messages_landed += link->sent_by.put + link->sent_by.get;
    }
    stats.payload_bytes -= hash_bytes_sent_;
    stats.sparse_sent += states_sent_;
    stats.sparse_null += nulls_sent_;
}

// What link `i` sends: by which of the paths, and why not by the others.
std::string Aggregated::why_this_path(size_t i) const {
    if (!setup_.context.shared_arena(SIZE_MAX)) return "shared memory is " + setup_.context.shared_memory_text();
    const char *const no_put = PutPath::why_not(setup_), *const no_get = GetPath::why_not(setup_); // null: it may
    if (no_put && no_get) return format("not put, as %s; no get, as %s", no_put, no_get);
    if (!links_[i]->peer_notice()) return "the storage of the two ranks is not memory that both see";
    if (!puts_.empty() && !puts_[i].is_shared()) return "the peer's storage is not memory that both see";
    if (links_[i]->peer_prefers_messages()) return "the peer prefers messages";
    return (trial_.direct(epoch_ + 1) ? "from storage to storage: " : "messages: ") + trial_.describe();
}

std::string Aggregated::describe_paths() const {
    std::string text;
    for (size_t i = 0; i < links_.size(); ++i) {
        const Stream &link = *links_[i];
        const PlanLink &planned = setup_.plan.links()[plan_link_[i]];
        if (link.sends())
            text += describe_way("to", link.peer(), planned.n_send, setup_.plan.payload_bytes(planned, true), link.sent_by) + "; " +
                    why_this_path(i) + "\n";
        if (link.receives())
            text += describe_way("from", link.peer(), planned.n_receive, setup_.plan.payload_bytes(planned, false), link.received_by) + "\n";
    }
    return text;
}

} // namespace

std::unique_ptr<Messages> make_aggregated(const MessageSetup &setup) { return std::make_unique<Aggregated>(setup); }

} // namespace halo
