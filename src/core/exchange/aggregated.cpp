// SPDX-License-Identifier: BSD-3-Clause
// One message per peer: dense edges at fixed offsets, then the sparse ones that are not null, back to back.
#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/wait.h"
#include "exchange/check_mode.h"
#include "exchange/messages.h"
#include "exchange/paths/path.h"
#include "exchange/paths/trial.h"

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
        for (const PathKind &kind : path_kinds())
            if (!kind.why_not(setup_)) paths_.push_back(kind.make(path_setup()));
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
    std::vector<int32_t> awaited() const override { return awaited_ranks(links_); }
    void send(Run &run) override {
        trial_.timed([&] { send_and_copy(run); });
    }
    void forget_plans() override {
        for (auto &path : paths_) path->forget_plan();
    }
    bool test(Run &) override {
        bool all = true;
        for (auto &link : links_) all = link->test() && all;
        return all;
    }
    bool has_landed(size_t plan_link) const override {
        const auto link = std::find(plan_link_.begin(), plan_link_.end(), plan_link);
        return link != plan_link_.end() && links_[static_cast<size_t>(link - plan_link_.begin())]->landed();
    }
    void look_ahead() override {
        for (auto &link : links_) link->look_ahead();
    }
    void note_arrivals(const Run &run, Arrivals &arrivals) override;
    void unpack(Run &run) override {
        wait_for_paths();
        trial_.timed([&] { unpack_arrived(run); });
    }
    void combine(Run &run, const CombineBy &by) override {
        trial_.timed([&] {
            const auto combines = [&](auto &path) { return path->combine(run, by); };
            if (std::none_of(paths_.begin(), paths_.end(), combines)) Messages::combine(run, by);
        });
    }
    void consume(Run &) override {
        for (auto &path : paths_) path->end(timeout());
        if (trial_.end(epoch_))
            for (auto &link : links_) link->prefer_messages(!trial_.direct(epoch_));
        for (auto &link : links_) link->consume();
    }
    void send_failure(uint32_t epoch, const Error &error) override {
        for (auto &link : links_) link->send_failure(epoch, error);
    }
    void end_failed_run() override {
        for (auto &path : paths_) path->give_up();
        for (auto &link : links_) link->end_failed_run();
    }
    void abandon() noexcept override {
        for (auto &path : paths_) path->give_up();
        for (auto &link : links_) link->abandon();
    }
    std::string missing(const Run &run) const override;
    void count(halo_exchange_stats &stats) const override;
    std::string describe_paths() const override;

private:
    const PlanLink &planned(const Run &run, size_t i) const { return run.plan->links()[plan_link_[i]]; }
    double timeout() const { return setup_.context.timeout(setup_.spec.timeout_seconds); }
    PathSetup path_setup() {
        return { setup_, links_, plan_link_, [this](size_t i) { return pack(*run_, i, true); },
                 [this](size_t i) { return has_besides() ? pack(*run_, i, false) : 0; } };
    }
    // Does anything travel but dense values?
    bool has_besides() const { return run_->check || run_->plan->any_sparse(); }
    void send_and_copy(Run &run);
    Path::Sent send_by_path(const Run &run, size_t i, bool wanted);
    void send_late(Run &run);
    bool receive_by_paths();
    void wait_for_paths();
    void unpack_arrived(Run &run);
    size_t pack(Run &run, size_t i, bool dense);
    int64_t pack_singles(Run &run, size_t i, std::byte *payload, int64_t end);
    void unpack_link(Run &run, size_t i);
    void unpack_singles(Run &run, size_t i, const std::byte *payload, int64_t end);
    size_t received_bytes(size_t plan_link, const std::byte *message) const;
    std::string describe_missing(const Run &run, size_t i) const;
    std::string why_no_path() const;
    std::string why_this_path(size_t i) const;

    MessageSetup setup_;
    std::vector<std::unique_ptr<Stream>> links_;
    std::vector<size_t> plan_link_; // number of each link in the plan
    std::vector<uint8_t> unpacked_;
    std::vector<std::unique_ptr<Path>> paths_; // that this exchange may take
    PathTrial trial_;
    Run *run_ = nullptr;         // the last one
    std::vector<size_t> unsent_; // links of this run
    uint32_t epoch_ = 0;
    int64_t states_sent_ = 0;
    int64_t nulls_sent_ = 0;
    int64_t hash_bytes_sent_ = 0;
};

Path::Sent Aggregated::send_by_path(const Run &run, size_t i, bool wanted) {
    for (auto &path : paths_)
        if (const Path::Sent sent = path->send(run, i, wanted); sent != Path::Sent::no) return sent;
    return Path::Sent::no;
}

// Peers that are there get theirs at once. Others may be a moment late: they are asked again after the copies within this rank, and for as long as
// the second copy of a message would take.
void Aggregated::send_and_copy(Run &run) {
    for (auto &path : paths_) path->open(run);
    const bool direct = trial_.direct(run.epoch);
    unsent_.clear();
    for (size_t i = 0; i < links_.size(); ++i) {
        const Path::Sent sent = links_[i]->sends() ? send_by_path(run, i, direct) : Path::Sent::no;
        if (sent == Path::Sent::later)
            unsent_.push_back(i);
        else if (sent == Path::Sent::no)
            links_[i]->send(links_[i]->sends() ? pack(run, i, true) : 0);
    }
    run.copy_within_rank();
    if (!unsent_.empty()) send_late(run);
}

void Aggregated::send_late(Run &run) {
    int64_t bytes = 0;
    for (const size_t i : unsent_) bytes += run.dense_bytes(planned(run, i), true);
    const double end = setup_.context.clock() + seconds_to_copy(bytes);
    do std::erase_if(unsent_, [&](size_t i) { return send_by_path(run, i, true) == Path::Sent::yes; });
    while (!unsent_.empty() && setup_.context.clock() < end);
    for (const size_t i : unsent_) links_[i]->send(pack(run, i, true));
}

bool Aggregated::receive_by_paths() {
    bool all = true;
    for (auto &path : paths_) all = path->receive() && all;
    return all;
}

// What peers have taken back from a path is on its way.
void Aggregated::wait_for_paths() {
    if (receive_by_paths()) return;
    Waiter waiter(setup_.context, timeout());
    const auto missing = [&] { return this->missing(*run_); };
    while (!receive_by_paths())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
}

// Dense values piece by piece, if they are to go by message, then the sparse edges that are not null.
size_t Aggregated::pack(Run &run, size_t i, bool dense) {
    const PlanLink &link = planned(run, i);
    std::byte *payload = links_[i]->send_payload();
    int64_t end = 0;
    bool singles = false;
    run.for_each(link, true, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        singles = singles || !way.singles.empty();
        if (way.dense_bytes == 0 || !dense) return;
        end = align_up(end, run.alignment(at));
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
    if (links_[i]->lent()) return;
    const bool dense = !links_[i]->landed();
    const PlanLink &link = planned(run, i);
    std::byte *payload = links_[i]->received_payload();
    if (run.check) run.check->take_hashes(run, link, payload + links_[i]->header().payload_bytes);
    int64_t end = 0;
    bool singles = false;
    run.for_each(link, false, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        singles = singles || !way.singles.empty();
        if (way.dense_bytes == 0 || !dense) return;
        end = align_up(end, run.alignment(at));
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
    MessageHeader header;
    std::memcpy(&header, message, sizeof header);
    if ((header.flags & flag_get) != 0) return 0;
    const PlanLink &link = run_->plan->links()[plan_link];
    int64_t end = (header.flags & flag_put) != 0 ? 0 : run_->dense_bytes(link, false);
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

std::string Aggregated::why_no_path() const {
    std::string text;
    for (const PathKind &kind : path_kinds()) text += format("%snot %s, as %s", text.empty() ? "" : "; ", kind.name, kind.why_not(setup_));
    return text;
}

// What link `i` sends: by which of the paths, and why not by the others.
std::string Aggregated::why_this_path(size_t i) const {
    if (!setup_.context.shared_arena(SIZE_MAX)) return "shared memory is " + setup_.context.shared_memory_text();
    if (paths_.empty()) return why_no_path();
    const auto reaches = [&](const auto &path) { return path->reaches_storage(i); };
    if (std::none_of(paths_.begin(), paths_.end(), reaches)) return "the storage of the two ranks is not memory that both see";
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
