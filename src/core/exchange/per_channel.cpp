// SPDX-License-Identifier: BSD-3-Clause
// One message per channel, through the five-state mailboxes that channels made by hand use too. A message without values goes to each peer
// beside them: it carries digest, narrowing and failures, tells how many follow on channels, and bounds how far a sender can be ahead.
#include <algorithm>
#include <deque>

#include "channel/mailbox.h"
#include "exchange/check_mode.h"
#include "exchange/late_mail.h"
#include "exchange/messages.h"

namespace halo {

namespace {

// One remote edge of the full plan.
struct Post {
    Mailbox box;
    size_t plan_link;
    bool taken = true; // receiver: the run's message has been unpacked, or refused
};

class PerChannel final : public Messages {
public:
    explicit PerChannel(const MessageSetup &setup);
    ~PerChannel() override;

    void allocate() override {
        for (auto &link : links_) link->allocate();
    }
    void post(Run &run) override;
    void forget_plans() override { mapped_.clear(); }
    bool writable() override;
    std::string blocking_ranks() const override;
    std::vector<int32_t> awaited() const override { return awaited_ranks(links_); }
    void send(Run &run) override;
    bool test(Run &run) override;
    void look_ahead() override {
        for (auto &link : links_) link->look_ahead();
    }
    void note_arrivals(const Run &run, Arrivals &arrivals) override;
    void unpack(Run &run) override;
    void consume(Run &) override {
        posted_ = false;
        for (auto &link : links_) link->consume();
    }
    void send_failure(uint32_t epoch, const Error &error) override;
    void end_failed_run() override;
    void abandon() noexcept override;
    std::string missing(const Run &run) const override;
    void count(halo_exchange_stats &stats) const override;
    std::string describe_paths() const override;

private:
    // An edge of a run and its post.
    struct Work {
        size_t piece;
        const SingleEdge *single;
        Post *post;
    };

    void open_boxes(size_t plan_link, bool sending, std::deque<Post> &posts);
    void map_run(Run &run);
    const PlanLink &planned(size_t i) const { return run_->plan->links()[plan_link_[i]]; }
    // Behind a peer's header: how many messages follow, and hashes in check mode.
    size_t header_bytes(size_t plan_link) const {
        return sizeof(ChannelCount) + (run_->check ? CheckMode::hash_bytes(*run_, run_->plan->links()[plan_link], false) : 0);
    }
    bool can_post_early() const;
    size_t write_payload(size_t i) const;
    bool links_arrived();
    bool take_late();
    bool is_settled();
    bool receive(const Work &work);
    void owe(size_t plan_link, const MessageHeader &header, const std::byte *payload);

    MessageSetup setup_;
    Run *run_ = nullptr; // the last one
    MailRoom room_;
    std::vector<std::unique_ptr<Stream>> links_;
    std::vector<size_t> plan_link_; // number of each link in the plan
    std::deque<Post> send_posts_;   // in the order of the plan's links and their edges
    std::deque<Post> receive_posts_;
    std::vector<LateMail> late_; // of each of the plan's links
    bool posts_early_ = false;   // before the plans and runs of both ends have been compared
    bool has_failed_ = false;    // since all headers of a run have come last: there may be late mail
    bool posted_ = false;
    uint32_t failed_epoch_ = 0;                          // of the last run that did
    std::vector<std::shared_ptr<const Lowered>> mapped_; // of each piece; null: it takes no part
    std::vector<Work> sends_;                            // as long as runs take the same
    std::vector<Work> receives_;
    std::vector<ChannelCount> n_sends_; // over each of the plan's links
    int64_t messages_sent_ = 0;
    int64_t messages_received_ = 0;
    int64_t payload_sent_ = 0;
    int64_t states_sent_ = 0;
    int64_t nulls_sent_ = 0;
};

PerChannel::PerChannel(const MessageSetup &setup)
    : setup_(setup),
      room_(setup.context),
      links_(make_links(
          setup, false, [this](size_t plan_link, const std::byte *) { return header_bytes(plan_link); },
          [this](size_t plan_link, const MessageHeader &header, const std::byte *payload) { owe(plan_link, header, payload); })),
      plan_link_(plan_links_of(setup.plan, links_)) {
    for (size_t i = 0; i < setup.plan.links().size(); ++i) {
        open_boxes(i, true, send_posts_);
        open_boxes(i, false, receive_posts_);
        late_.emplace_back(setup.context, setup.plan.links()[i].peer, setup.id.channels(), setup.id.serial());
    }
    posts_early_ = can_post_early();
}

PerChannel::~PerChannel() {
    try {
        for (const PlanLink &link : setup_.plan.links())
            if (has_failed_) setup_.context.take_leftovers(link.peer, setup_.id.channels().lane, setup_.id.channels().tag);
    } catch (...) { // the transport has failed: nobody waits for it any more
    }
}

// A peer may leave out other fields than this rank: then its messages come to the receives of other channels, and MPIs do not all bear it where they
// are too long.
bool PerChannel::can_post_early() const {
    const auto other_bytes = [&](const Post &post) { return post.box.bytes() != receive_posts_.front().box.bytes(); };
    return !setup_.spec.probed && (setup_.plan.pieces().size() == 1 || std::none_of(receive_posts_.begin(), receive_posts_.end(), other_bytes));
}

// Piece by piece, by key.
void PerChannel::open_boxes(size_t plan_link, bool sending, std::deque<Post> &posts) {
    const int32_t here = setup_.context.rank();
    const PlanLink &link = setup_.plan.links()[plan_link];
    for (const LinkPiece &at : link.pieces) {
        const PlanPiece &planned = setup_.plan.pieces()[at.piece];
        const EdgeBoxes boxes = planned.piece->boxes(planned.piece->edges(), {});
        std::vector<PlacedEdge> edges = setup_.plan.edges(at, sending);
        std::sort(edges.begin(), edges.end(), key_before);
        for (const PlacedEdge &edge : edges) {
            MailboxSpec spec;
            spec.key = planned.key(edge);
            spec.send_rank = sending ? here : link.peer;
            spec.recv_rank = sending ? link.peer : here;
            spec.bytes = boxes.bytes(edge);
            spec.sparse = setup_.spec.probed || setup_.plan.any_sparse(); // all alike: they share a tag, and a posted receive takes what comes first
            posts.push_back({ Mailbox(room_, spec), plan_link });
            posts.back().box.open({ setup_.id.serial(), setup_.id.channels(), false });
        }
    }
}

// A narrowed run has some of the full plan's edges, in the same order.
void PerChannel::map_run(Run &run) {
    const auto is_mapped = [](const PieceRun &piece, const std::shared_ptr<const Lowered> &rows) {
        return piece.takes_part ? piece.rows == rows : !rows;
    };
    if (std::equal(run.pieces.begin(), run.pieces.end(), mapped_.begin(), mapped_.end(), is_mapped)) return;
    mapped_.clear();
    for (const PieceRun &piece : run.pieces) mapped_.push_back(piece.takes_part ? piece.rows : nullptr);
    for (const bool sending : { true, false }) {
        auto &works = sending ? sends_ : receives_;
        auto post = sending ? send_posts_.begin() : receive_posts_.begin();
        works.clear();
        for (const PlanLink &link : run.plan->links())
            run.for_each(link, sending, [&](const PieceRun &, const LinkPiece &at, const LoweredDirection &way) {
                for (const SingleEdge &single : way.singles) {
                    const halo_channel_key key = run.plan->pieces()[at.piece].key(single.edge);
                    while (!equal(post->box.key(), key)) ++post;
                    works.push_back({ at.piece, &single, &*post });
                }
            });
    }
    n_sends_.assign(late_.size(), 0);
    for (const Work &work : sends_) ++n_sends_[work.post->plan_link];
}

void PerChannel::post(Run &run) {
    run_ = &run;
    map_run(run);
    posted_ = true;
    for (const auto *works : { &sends_, &receives_ })
        for (const Work &work : *works) work.post->box.number_next(run.epoch);
    for (const Work &work : receives_) work.post->taken = false;
    for (auto &link : links_) link->post(run.epoch, run.narrowing);
    if (has_failed_ || !posts_early_) return; // late mail comes first; others look for messages once the links have compared the plans
    for (const Work &work : receives_)
        if (!work.post->box.probes()) work.post->box.start_receive();
}

// After a run that failed here. A peer may wait for what it has sent in it to be taken, before it goes on; and while it is still in that run itself,
// what it has posted would take messages of this one.
bool PerChannel::is_settled() {
    links_arrived();
    take_late();
    bool all = true;
    for (auto &link : links_) all = (!link->sends() || link->has_ended(failed_epoch_)) && all;
    return all;
}

bool PerChannel::writable() {
    if (has_failed_ && !is_settled()) return false;
    bool all = true;
    for (auto &link : links_) all = (!link->sends() || link->writable()) && all;
    for (const Work &work : sends_) all = work.post->box.writable() && all;
    return all;
}

std::string PerChannel::blocking_ranks() const {
    std::string text;
    for (const auto &link : links_)
        if (has_failed_ && link->sends() && !link->knows_end_of(failed_epoch_))
            text += format(" rank %d (still in run %u, which failed)", link->peer(), failed_epoch_);
    if (!text.empty()) return text;
    text = halo::blocking_ranks(links_);
    if (!text.empty()) return text;
    for (const Work &work : sends_)
        if (work.post->box.state() != HALO_STALE)
            return format(" rank %d (channel %s)", work.post->box.peer(), setup_.plan.describe(work.post->box.key()).c_str());
    return text;
}

size_t PerChannel::write_payload(size_t i) const {
    if (!links_[i]->sends()) return 0;
    std::byte *const payload = links_[i]->send_payload();
    std::memcpy(payload, &n_sends_[plan_link_[i]], sizeof(ChannelCount));
    return sizeof(ChannelCount) + (run_->check ? run_->check->write_hashes(*run_, planned(i), payload + sizeof(ChannelCount)) : 0);
}

// All is packed before anything leaves: then a failure can be told in place of the run.
void PerChannel::send(Run &run) {
    for (const Work &work : sends_) {
        Mailbox &box = work.post->box;
        const Field &field = *run.plan->pieces()[work.piece].field;
        box.allocate();
        if (pack_single(run.pieces[work.piece], field, *work.single, box.data(), run.stream) != EdgeState::data) box.release();
        states_sent_ += field.spec().sparse;
    }
    for (size_t i = 0; i < links_.size(); ++i) links_[i]->send(write_payload(i));
    for (const Work &work : sends_) {
        Mailbox &box = work.post->box;
        const bool data = box.data() != nullptr;
        if (!(data ? box.send(work.single->bytes) : box.send_null()))
            fail(HALO_ERR_INTERNAL, "%s: %s was writable, then busy", setup_.spec.what.c_str(), box.describe().c_str());
        ++messages_sent_;
        payload_sent_ += data ? work.single->bytes : 0;
        nulls_sent_ += !data;
    }
    run.copy_within_rank();
}

bool PerChannel::links_arrived() {
    bool all = true;
    for (auto &link : links_) all = link->test() && all;
    return all;
}

// The peer's header of a run that has failed here, or fails now: it tells how many messages follow.
void PerChannel::owe(size_t plan_link, const MessageHeader &header, const std::byte *payload) {
    ChannelCount sent = -1;
    if (header.payload_bytes >= sizeof sent) std::memcpy(&sent, payload, sizeof sent);
    if (sent < 0 || sent > setup_.plan.links()[plan_link].n_receive)
        fail(HALO_ERR_WIRE, "%s: rank %d says that %lld messages of channels follow in run %u, of %lld channels", setup_.spec.what.c_str(),
             setup_.plan.links()[plan_link].peer, static_cast<long long>(sent), header.epoch,
             static_cast<long long>(setup_.plan.links()[plan_link].n_receive));
    late_[plan_link].owe(header.epoch, sent);
}

bool PerChannel::take_late() {
    bool all = true;
    for (LateMail &late : late_) all = late.take() && all;
    return all;
}

// What is refused has been taken all the same.
bool PerChannel::receive(const Work &work) {
    try {
        return work.post->box.try_receive();
    } catch (...) {
        work.post->taken = !work.post->box.found();
        throw;
    }
}

bool PerChannel::test(Run &) {
    const bool headers = links_arrived();
    if (has_failed_ && (!take_late() || !headers)) return false;
    has_failed_ = false;
    if (!headers) return false;
    int32_t late_peer = -1;
    bool all = true;
    for (const Work &work : receives_) {
        Mailbox &box = work.post->box;
        if (work.post->taken) continue;        // stale: it would take the next run's message
        if (box.peer() == late_peer) continue; // in front of the first of a peer that is not there, nobody may look for a message
        const bool here = receive(work);
        all = here && all;
        if (!here && box.probes() && !box.found()) late_peer = box.peer();
    }
    return all;
}

void PerChannel::note_arrivals(const Run &run, Arrivals &arrivals) {
    for (const Work &work : receives_)
        if (work.post->box.state() == HALO_RECEIVED) arrivals.note(run, work.piece, *work.single);
}

void PerChannel::unpack(Run &run) {
    if (run.check)
        for (size_t i = 0; i < links_.size(); ++i)
            if (links_[i]->receives()) run.check->take_hashes(run, planned(i), links_[i]->received_payload() + links_[i]->header().payload_bytes);
    for (const Work &work : receives_) {
        Mailbox &box = work.post->box;
        const int32_t state = box.state();
        if (work.post->taken || (state != HALO_RECEIVED && state != HALO_RECEIVED_NULL)) continue;
        if (state == HALO_RECEIVED && box.data_bytes() != work.single->bytes)
            fail(HALO_ERR_WIRE, "%s, run %u: %lld bytes came, %lld were expected: channel %s from rank %d", setup_.spec.what.c_str(), run.epoch,
                 static_cast<long long>(box.data_bytes()), static_cast<long long>(work.single->bytes), run.plan->describe(box.key()).c_str(),
                 box.peer());
        unpack_single(run.pieces[work.piece], *work.single, state == HALO_RECEIVED ? EdgeState::data : EdgeState::null, box.data(), run.stream);
        work.post->taken = true;
        box.stale();
        ++messages_received_;
    }
}

// Receives that wait are given up first: whoever hears of the failure may go on to the next run.
void PerChannel::send_failure(uint32_t epoch, const Error &error) {
    failed_epoch_ = epoch;
    has_failed_ = true;
    std::vector<int64_t> taken(late_.size(), 0);
    for (const Work &work : receives_)
        if (posted_) taken[work.post->plan_link] += work.post->taken || work.post->box.drop();
    posted_ = false;
    for (size_t i = 0; i < late_.size(); ++i) late_[i].fail(epoch, taken[i]);
    for (auto &link : links_) link->send_failure(epoch, error);
}

// What a peer has sent all the same comes late: as much as its header tells, which may have come or not.
void PerChannel::end_failed_run() {
    for (size_t i = 0; i < links_.size(); ++i) {
        const Stream &link = *links_[i];
        if (link.receives() && link.arrived() && link.header().epoch == failed_epoch_) owe(plan_link_[i], link.header(), link.received_payload());
    }
    for (auto &link : links_) link->end_failed_run();
}

void PerChannel::abandon() noexcept {
    for (auto &link : links_) link->abandon();
    for (LateMail &late : late_) late.abandon();
    has_failed_ = true;
    for (Post &post : receive_posts_) post.box.abandon();
    for (Post &post : send_posts_) // peers still take what the run before has sent
        if (!run_ || post.box.epoch() == run_->epoch) post.box.abandon();
}

// Where a peer's header has not come, whatever has come of its channels has not been looked for.
std::string PerChannel::missing(const Run &run) const {
    std::string text = setup_.spec.what + format(", run %u: missing", run.epoch);
    std::vector<int32_t> late;
    for (const auto &link : links_) {
        if (link->arrived()) continue;
        text += format(" the header of rank %d (%sthe last run seen is %u);", link->peer(), link->differs() ? differs_text : "", link->last_epoch());
        late.push_back(link->peer());
    }
    constexpr int named = 3;
    int64_t n_missing = 0;
    for (const Work &work : receives_) {
        const Mailbox &box = work.post->box;
        if (work.post->taken || box.state() != HALO_STALE || std::find(late.begin(), late.end(), box.peer()) != late.end()) continue;
        if (++n_missing <= named)
            text += format(" [channel %s, from rank %d to rank %d: receiver %s, sender not yet seen sending, %lld bytes, epoch %u]",
                           run.plan->describe(box.key()).c_str(), box.peer(), setup_.context.rank(), state_name(box.state()),
                           static_cast<long long>(work.single->bytes), box.epoch() + 1);
    }
    return n_missing == 0 ? text : text + format(" %lld channels in all", static_cast<long long>(n_missing));
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

std::string PerChannel::describe_paths() const {
    std::string text;
    for (const PlanLink &link : setup_.plan.links()) {
        const auto line = [&](const char *way, int64_t n) {
            return n == 0 ? std::string()
                          : format("  %s rank %d: %lld channels, each a message through the transport\n", way, link.peer, static_cast<long long>(n));
        };
        text += line("to", link.n_send) + line("from", link.n_receive);
    }
    return text;
}

} // namespace

std::unique_ptr<Messages> make_per_channel(const MessageSetup &setup) { return std::make_unique<PerChannel>(setup); }

} // namespace halo
