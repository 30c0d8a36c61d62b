// SPDX-License-Identifier: BSD-3-Clause
// One message per peer: dense edges at fixed offsets, then the sparse ones that are not null, back to back.
#include <algorithm>
#include <chrono>
#include <optional>

#include "comm/wait.h"
#include "exchange/check_mode.h"
#include "exchange/landing_link.h"
#include "exchange/landing_trial.h"
#include "exchange/loans.h"
#include "exchange/messages.h"

namespace halo {

namespace {

std::vector<WireEdge> wire_edges(const PlanDirection &direction) {
    std::vector<WireEdge> edges;
    edges.reserve(direction.edges.size());
    for (const PlanEdge &edge : direction.edges) edges.push_back({ edge.key, edge.bytes, edge.type, static_cast<uint32_t>(edge.pattern) });
    return edges;
}

LinkDirection link_direction(const MessageSetup &setup, const PlanDirection &planned, bool with_payload) {
    LinkDirection direction;
    direction.active = !planned.edges.empty();
    direction.n_edges = std::ssize(planned.edges);
    direction.digest = planned.digest;
    for (const Field *field : setup.shape.fields) direction.digest.add_text(field->spec().name.c_str());
    direction.payload_bytes = CheckMode::hash_bytes(planned);
    if (with_payload) {
        direction.payload_bytes += static_cast<size_t>(planned.most_bytes);
        direction.n_states = static_cast<uint32_t>(planned.singles.size());
    }
    return direction;
}

class Aggregated final : public Messages {
public:
    explicit Aggregated(const MessageSetup &setup)
        : setup_(setup),
          fields_(setup.shape.fields),
          links_(make_links(setup, true, [this](size_t plan_link, const std::byte *message) { return received_bytes(plan_link, message); })),
          unpacked_(links_.size(), true),
          trial_(setup.context.shared_arena(SIZE_MAX) ? setup.context.config().word("shared_memory.ghosts") : "never") {
        unsent_.reserve(links_.size());
        for (size_t place = 0; place < links_.size(); ++place)
            for (size_t link = 0; link < setup.plan.links().size(); ++link)
                if (setup.plan.links()[link].peer == links_[place]->peer()) plan_link_.push_back(link);
        if (!setup.context.shared_arena(SIZE_MAX)) return;
        if (can_lend(setup.shape)) loans_.emplace(setup.context, setup.shape, links_, plan_link_);
        if (!can_land(setup.shape)) return;
        landings_.reserve(links_.size());
        for (size_t i = 0; i < links_.size(); ++i) landings_.emplace_back(setup.context, setup.shape, *links_[i], plan_link_[i], setup.serial);
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
    std::string blocking_ranks() override { return halo::blocking_ranks(links_); }
    void send(Run &run) override {
        trial_.timed([&] { send_and_copy(run); });
    }
    void forget_plans() override {
        for (LandingLink &landing : landings_) landing.forget_plan();
        if (loans_) loans_->forget_plan();
    }
    bool test(Run &) override {
        bool all = true;
        for (auto &link : links_) all = link->test() && all;
        return all;
    }
    void note_arrivals(const Run &run, Arrivals &arrivals) override;
    void unpack(Run &run) override {
        if (loans_) wait_for_taken_back();
        trial_.timed([&] { unpack_arrived(run); });
    }
    void combine(Run &run, const CombineBy &by) override {
        const Plan *lent = loans_ ? loans_->plan(run) : nullptr;
        trial_.timed([&] { lent ? by(*lent, loans_->bases()) : by(*run.plan, run.bases); });
    }
    void consume(Run &run) override {
        if (loans_) {
            loans_->return_all();
            loans_->end(timeout(), [&](size_t i) { return pack(run, i); });
        }
        if (trial_.end(epoch_))
            for (auto &link : links_) link->prefer_messages(!trial_.lands(epoch_));
        for (auto &link : links_) link->consume();
    }
    void send_failure(uint32_t epoch, halo_status status, const char *text) override {
        for (auto &link : links_) link->send_failure(epoch, status, text);
    }
    void end_failed_run() override {
        give_up_loans();
        for (auto &link : links_) link->end_failed_run();
    }
    bool survives_failure() const override { return true; }
    void abandon() noexcept override {
        give_up_loans();
        for (auto &link : links_) link->abandon();
    }
    std::string missing(const Run &run) const override;
    void count(halo_exchange_stats &stats) const override;

private:
    const PlanLink &planned(const Run &run, size_t i) const { return run.plan->links()[plan_link_[i]]; }
    double timeout() const { return setup_.context.timeout(setup_.timeout_seconds); }
    void send_and_copy(Run &run);
    void wait_for_taken_back();
    void give_up_loans() noexcept {
        if (loans_) loans_->give_up([&](size_t i) { return pack(*run_, i); });
    }
    bool land(Run &run, size_t i);
    void land_or_send_late(Run &run);
    void unpack_arrived(Run &run);
    size_t pack(Run &run, size_t i);
    void unpack_link(Run &run, size_t i);
    size_t received_bytes(size_t plan_link, const std::byte *message) const;
    std::string describe_missing(const Run &run, size_t i) const;

    MessageSetup setup_;
    const std::vector<Field *> &fields_;
    std::vector<std::unique_ptr<PeerLink>> links_;
    std::vector<size_t> plan_link_; // number of each link in the plan
    std::vector<uint8_t> unpacked_;
    std::vector<LandingLink> landings_; // of each link, or none
    std::optional<Loans> loans_;
    LandingTrial trial_;
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
    for (LandingLink &landing : landings_) landing.open(run);
    const bool direct = trial_.lands(run.epoch);
    const bool lands = direct && !landings_.empty();
    unsent_.clear();
    for (size_t i = 0; i < links_.size(); ++i) {
        if (!links_[i]->sends())
            links_[i]->send(0);
        else if (loans_ && loans_->lend(run, i, direct))
            continue;
        else if (!lands || !landings_[i].reaches(run) || links_[i]->peer_prefers_messages())
            links_[i]->send(pack(run, i));
        else if (!land(run, i))
            unsent_.push_back(i);
    }
    run.copy_within_rank();
    if (!unsent_.empty()) land_or_send_late(run);
}

void Aggregated::land_or_send_late(Run &run) {
    int64_t bytes = 0;
    for (const size_t i : unsent_) bytes += planned(run, i).send.dense_bytes;
    const auto begin = std::chrono::steady_clock::now();
    const std::chrono::duration<double> patience(seconds_to_copy(bytes));
    do std::erase_if(unsent_, [&](size_t i) { return land(run, i); });
    while (!unsent_.empty() && std::chrono::steady_clock::now() - begin < patience);
    for (const size_t i : unsent_) links_[i]->send(pack(run, i));
}

bool Aggregated::land(Run &run, size_t i) {
    if (!landings_[i].write(run)) return false;
    links_[i]->send_landed(static_cast<size_t>(planned(run, i).send.dense_bytes));
    return true;
}

// What was lent and then taken back is on its way.
void Aggregated::wait_for_taken_back() {
    Waiter waiter(setup_.context, timeout());
    const auto missing = [&] { return this->missing(*run_); };
    while (!loans_->borrow())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
}

size_t Aggregated::pack(Run &run, size_t i) {
    const PlanDirection &direction = planned(run, i).send;
    std::byte *payload = links_[i]->send_payload();
    run.bases[run.plan->send_base(plan_link_[i])] = payload;
    run.run_rows(direction.rows);
    int64_t end = direction.dense_bytes;
    for (size_t s = 0; s < direction.singles.size(); ++s) {
        const SingleEdge &edge = direction.singles[s];
        const int64_t begin = align_up(end, sparse_alignment);
        const EdgeState state = pack_single(run, *fields_[edge.field], edge, payload + begin);
        set_edge_state(links_[i]->send_buffer(), static_cast<uint32_t>(s), state);
        end = state == EdgeState::data ? begin + edge.bytes : end;
        nulls_sent_ += state == EdgeState::null;
    }
    states_sent_ += std::ssize(direction.singles);
    if (!run.check) return static_cast<size_t>(end);
    run.check->write_hashes(run, direction, payload + end);
    hash_bytes_sent_ += static_cast<int64_t>(CheckMode::hash_bytes(direction));
    return static_cast<size_t>(end) + CheckMode::hash_bytes(direction);
}

void Aggregated::note_arrivals(const Run &run, Arrivals &arrivals) {
    for (size_t i = 0; i < links_.size(); ++i) {
        const auto &singles = planned(run, i).receive.singles;
        for (size_t s = 0; s < singles.size(); ++s)
            if (edge_state(links_[i]->received(), static_cast<uint32_t>(s)) == EdgeState::data) arrivals.note(run, singles[s]);
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
    const PlanDirection &direction = planned(run, i).receive;
    std::byte *payload = links_[i]->received_payload();
    if (run.check) run.check->take_hashes(direction, payload + links_[i]->header().payload_bytes - CheckMode::hash_bytes(direction));
    run.bases[run.plan->receive_base(plan_link_[i])] = payload;
    run.run_rows(direction.rows);
    int64_t end = direction.dense_bytes;
    for (size_t s = 0; s < direction.singles.size(); ++s) {
        const SingleEdge &edge = direction.singles[s];
        const EdgeState state = edge_state(links_[i]->received(), static_cast<uint32_t>(s));
        const int64_t begin = align_up(end, sparse_alignment);
        unpack_single(run, edge, state, payload + begin);
        end = state == EdgeState::data ? begin + edge.bytes : end;
    }
}

// As `pack` lays it out.
size_t Aggregated::received_bytes(size_t plan_link, const std::byte *message) const {
    const PlanDirection &direction = run_->plan->links()[plan_link].receive;
    int64_t end = direction.dense_bytes;
    for (size_t s = 0; s < direction.singles.size(); ++s)
        if (edge_state(message, static_cast<uint32_t>(s)) == EdgeState::data) end = align_up(end, sparse_alignment) + direction.singles[s].bytes;
    return static_cast<size_t>(end) + (run_->check ? CheckMode::hash_bytes(direction) : 0);
}

std::string Aggregated::describe_missing(const Run &run, size_t i) const {
    const PlanDirection &direction = planned(run, i).receive;
    std::string text =
        format("from rank %d to rank %d: run %u (the last one seen is %u), %lld channels: receiver stale, sender not yet seen sending;",
               links_[i]->peer(), setup_.context.rank(), run.epoch, links_[i]->last_epoch(), static_cast<long long>(direction.edges.size()));
    constexpr size_t named = 3;
    for (size_t e = 0; e < std::min(named, direction.edges.size()); ++e)
        text += format(" [%s, %lld bytes]", describe(direction.edges[e].key).c_str(), static_cast<long long>(direction.edges[e].bytes));
    return text;
}

std::string Aggregated::missing(const Run &run) const {
    std::string text = setup_.what + ":";
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
        stats.messages_landed += link->messages_landed;
    }
    stats.payload_bytes -= hash_bytes_sent_;
    stats.sparse_sent += states_sent_;
    stats.sparse_null += nulls_sent_;
}

} // namespace

std::string blocking_ranks(const std::vector<std::unique_ptr<PeerLink>> &links) {
    std::string text;
    for (const auto &link : links)
        if (link->sends() && !link->writable()) text += format(" rank %d", link->peer());
    return text;
}

std::vector<std::unique_ptr<PeerLink>> make_links(const MessageSetup &setup, bool with_payload, const PayloadOfLink &payload) {
    std::vector<std::unique_ptr<PeerLink>> links;
    for (size_t i = 0; i < setup.plan.links().size(); ++i) {
        const PlanLink &planned = setup.plan.links()[i];
        LinkSpec spec;
        spec.peer = planned.peer;
        spec.serial = setup.serial;
        spec.send = link_direction(setup, planned.send, with_payload);
        spec.receive = link_direction(setup, planned.receive, with_payload);
        spec.shared = with_payload;
        spec.probed = setup.probed;
        spec.edges = [&planned](bool sending) { return wire_edges(sending ? planned.send : planned.receive); };
        spec.payload = [payload, i](const std::byte *message) { return payload(i, message); };
        spec.what = setup.what;
        links.push_back(std::make_unique<PeerLink>(setup.context, std::move(spec)));
    }
    const int32_t rank = setup.context.rank();
    const int32_t size = setup.context.size();
    std::sort(links.begin(), links.end(),
              [&](const auto &a, const auto &b) { return (a->peer() - rank + size) % size < (b->peer() - rank + size) % size; });
    return links;
}

std::unique_ptr<Messages> make_aggregated(const MessageSetup &setup) { return std::make_unique<Aggregated>(setup); }

} // namespace halo
