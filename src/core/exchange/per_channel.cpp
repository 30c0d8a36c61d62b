// SPDX-License-Identifier: BSD-3-Clause
// One message per channel, through the five-state mailboxes that channels made by hand use too. A message of a header alone goes to each
// peer beside them: it carries digest, narrowing and failures, and bounds how far a sender can be ahead.
#include <algorithm>
#include <deque>

#include "channel/mailbox.h"
#include "exchange/check_mode.h"
#include "exchange/messages.h"

namespace halo {

namespace {

// One remote edge of the full plan.
struct Post {
    Mailbox box;
    bool unpacked = true;
};

class PerChannel final : public Messages {
public:
    explicit PerChannel(const MessageSetup &setup);

    void post(Run &run) override;
    void forget_plans() override { mapped_ = nullptr; }
    bool writable() override;
    std::string blocking_ranks() override;
    void send(Run &run) override;
    bool test(Run &run) override;
    void note_arrivals(const Run &run, Arrivals &arrivals) override;
    void unpack(Run &run) override;
    void consume(Run &) override {
        for (auto &link : links_) link->consume();
    }
    void send_failure(uint32_t epoch, halo_status status, const char *text) override {
        for (auto &link : links_) link->send_failure(epoch, status, text);
    }
    void end_failed_run() override { abandon(); }
    bool survives_failure() const override { return false; }
    void abandon() noexcept override;
    std::string missing(const Run &run) const override;
    void count(halo_exchange_stats &stats) const override;

private:
    void open_boxes(const PlanDirection &direction, int32_t peer, bool sending, std::deque<Post> &posts);
    void map_variant(const Run &run);
    const PlanLink &planned(const Run &run, const PeerLink &link) const;
    size_t write_hashes(const Run &run, const PeerLink &link) const;
    bool links_arrived();

    MessageSetup setup_;
    const std::vector<Field *> &fields_;
    MailRoom room_;
    std::vector<std::unique_ptr<PeerLink>> links_;
    std::deque<Post> send_posts_; // in the order of the plan's links and their edges
    std::deque<Post> receive_posts_;
    // The present variant's edges and their posts.
    struct Work {
        const SingleEdge *edge;
        Post *post;
    };
    const Plan *mapped_ = nullptr;
    std::vector<Work> sends_;
    std::vector<Work> receives_;
    int64_t messages_sent_ = 0;
    int64_t messages_received_ = 0;
    int64_t payload_sent_ = 0;
    int64_t states_sent_ = 0;
    int64_t nulls_sent_ = 0;
};

PerChannel::PerChannel(const MessageSetup &setup)
    : setup_(setup),
      fields_(setup.shape.fields),
      room_(setup.context),
      links_(make_links(setup, false)) {
    for (const PlanLink &link : setup.plan.links()) {
        open_boxes(link.send, link.peer, true, send_posts_);
        open_boxes(link.receive, link.peer, false, receive_posts_);
    }
}

void PerChannel::open_boxes(const PlanDirection &direction, int32_t peer, bool sending, std::deque<Post> &posts) {
    const int32_t here = setup_.context.rank();
    for (const SingleEdge &edge : direction.singles) {
        MailboxSpec spec;
        spec.key = edge.key;
        spec.send_rank = sending ? here : peer;
        spec.recv_rank = sending ? peer : here;
        spec.bytes = edge.bytes;
        spec.sparse = setup_.probed || setup_.plan.any_sparse(); // all alike: they share a tag, and a posted receive takes what comes first
        posts.push_back({ Mailbox(room_, spec) });
        posts.back().box.open({ setup_.id.serial(), setup_.id.channels(), false });
    }
}

// A narrowed variant has some of the full plan's edges, in the same order.
void PerChannel::map_variant(const Run &run) {
    if (mapped_ == run.plan) return;
    const auto map = [](const PlanDirection &direction, std::deque<Post>::iterator &post, std::vector<Work> &work) {
        for (const SingleEdge &edge : direction.singles) {
            while (!equal(post->box.key(), edge.key)) ++post;
            work.push_back({ &edge, &*post });
        }
    };
    sends_.clear();
    receives_.clear();
    auto send_post = send_posts_.begin();
    auto receive_post = receive_posts_.begin();
    for (const PlanLink &link : run.plan->links()) {
        map(link.send, send_post, sends_);
        map(link.receive, receive_post, receives_);
    }
    mapped_ = run.plan;
}

void PerChannel::post(Run &run) {
    map_variant(run);
    for (auto &link : links_) link->post(run.epoch, run.narrowing);
    for (const Work &work : receives_) {
        work.post->unpacked = false;
        if (!work.post->box.probes()) work.post->box.start_receive(); // others look for messages once the links have compared the plans
    }
}

bool PerChannel::writable() {
    bool all = true;
    for (auto &link : links_) all = (!link->sends() || link->writable()) && all;
    for (const Work &work : sends_) all = work.post->box.writable() && all;
    return all;
}

const PlanLink &PerChannel::planned(const Run &run, const PeerLink &link) const {
    const auto &links = run.plan->links();
    return *std::find_if(links.begin(), links.end(), [&](const PlanLink &one) { return one.peer == link.peer(); });
}

size_t PerChannel::write_hashes(const Run &run, const PeerLink &link) const {
    const PlanDirection &direction = planned(run, link).send;
    run.check->write_hashes(run, direction, link.send_payload());
    return CheckMode::hash_bytes(direction);
}

std::string PerChannel::blocking_ranks() {
    std::string text = halo::blocking_ranks(links_);
    if (!text.empty()) return text;
    for (const Work &work : sends_)
        if (!work.post->box.writable()) return format(" rank %d (%s)", work.post->box.peer(), work.post->box.describe().c_str());
    return text;
}

void PerChannel::send(Run &run) {
    for (auto &link : links_) link->send(run.check && link->sends() ? write_hashes(run, *link) : 0);
    for (const Work &work : sends_) {
        Mailbox &box = work.post->box;
        const Field &field = *fields_[work.edge->field];
        box.allocate();
        const bool data = pack_single(run, field, *work.edge, box.data()) == EdgeState::data;
        if (!data) box.release();
        if (!(data ? box.send(work.edge->bytes) : box.send_null()))
            fail(HALO_ERR_INTERNAL, "%s: %s was writable, then busy", setup_.what.c_str(), box.describe().c_str());
        ++messages_sent_;
        payload_sent_ += data ? work.edge->bytes : 0;
        states_sent_ += field.spec().sparse;
        nulls_sent_ += !data;
    }
    run.copy_within_rank();
}

bool PerChannel::links_arrived() {
    bool all = true;
    for (auto &link : links_) all = link->test() && all;
    return all;
}

bool PerChannel::test(Run &) {
    if (!links_arrived()) return false;
    int32_t late_peer = -1;
    bool all = true;
    for (const Work &work : receives_) {
        Mailbox &box = work.post->box;
        if (work.post->unpacked) continue;     // stale: it would take the next run's message
        if (box.peer() == late_peer) continue; // in front of the first of a peer that is not there, nobody may look for a message
        const bool here = box.try_receive();
        all = here && all;
        if (!here && box.probes() && !box.found()) late_peer = box.peer();
    }
    return all;
}

void PerChannel::note_arrivals(const Run &run, Arrivals &arrivals) {
    for (const Work &work : receives_)
        if (work.post->box.state() == HALO_RECEIVED) arrivals.note(run, *work.edge);
}

void PerChannel::unpack(Run &run) {
    if (run.check)
        for (const auto &link : links_)
            if (link->receives()) run.check->take_hashes(planned(run, *link).receive, link->received_payload());
    for (const Work &work : receives_) {
        Mailbox &box = work.post->box;
        const int32_t state = box.state();
        if (work.post->unpacked || (state != HALO_RECEIVED && state != HALO_RECEIVED_NULL)) continue;
        if (state == HALO_RECEIVED && box.data_bytes() != work.edge->bytes)
            fail(HALO_ERR_WIRE, "%s, run %u: %lld bytes came, %lld were expected: %s", setup_.what.c_str(), run.epoch,
                 static_cast<long long>(box.data_bytes()), static_cast<long long>(work.edge->bytes), box.describe().c_str());
        unpack_single(run, *work.edge, state == HALO_RECEIVED ? EdgeState::data : EdgeState::null, box.data());
        work.post->unpacked = true;
        box.stale();
        ++messages_received_;
    }
}

void PerChannel::abandon() noexcept {
    for (auto &link : links_) link->abandon();
    for (auto *posts : { &send_posts_, &receive_posts_ })
        for (Post &post : *posts) post.box.abandon();
}

std::string PerChannel::missing(const Run &run) const {
    std::string text = setup_.what + format(", run %u: missing", run.epoch);
    for (const auto &link : links_)
        if (!link->arrived()) text += format(" the header of rank %d (the last run seen is %u);", link->peer(), link->last_epoch());
    constexpr int named = 3;
    int64_t n_missing = 0;
    for (const Work &work : receives_) {
        if (work.post->unpacked || work.post->box.state() != HALO_STALE) continue;
        if (++n_missing <= named)
            text += format(" [%s: receiver %s, sender not yet seen sending, %lld bytes, epoch %u]", work.post->box.describe().c_str(),
                           state_name(work.post->box.state()), static_cast<long long>(work.edge->bytes), work.post->box.epoch() + 1);
    }
    return text + format(" %lld channels in all", static_cast<long long>(n_missing));
}

void PerChannel::count(halo_exchange_stats &stats) const {
    for (const auto &link : links_) {
        stats.messages_sent += link->messages_sent;
        stats.messages_received += link->messages_received;
        stats.bytes_sent += link->bytes_sent;
    }
    stats.messages_sent += messages_sent_;
    stats.messages_received += messages_received_;
    stats.payload_bytes += payload_sent_;
    stats.bytes_sent += payload_sent_ + messages_sent_ * static_cast<int64_t>(sizeof(MailHeader));
    stats.sparse_sent += states_sent_;
    stats.sparse_null += nulls_sent_;
}

} // namespace

std::unique_ptr<Messages> make_per_channel(const MessageSetup &setup) { return std::make_unique<PerChannel>(setup); }

} // namespace halo
