// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/messages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/wait.h"
#include "exchange/check_mode.h"
#include "exchange/device_work.h"

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

// Those that this end may take.
std::vector<const PathKind *> possible_paths(const MessageSetup &setup) {
    std::vector<const PathKind *> possible;
    for (const PathKind &kind : path_kinds())
        if (!setup.spec.per_channel && !kind.why_not(setup)) possible.push_back(&kind);
    return possible;
}

} // namespace

Messages::Messages(const MessageSetup &setup)
    : setup_(setup),
      chunk_(static_cast<size_t>(setup.context.config().bytes("device.chunk"))),
      links_(make_links(setup, link_content(), !possible_paths(setup).empty())),
      plan_link_(plan_links_of(setup.plan, links_)),
      unpacked_(links_.size(), true),
      trial_(setup.paths.measured, setup.context.clock),
      device_messages_(setup.context),
      neighbourhood_(setup, links_) {
    unsent_.reserve(links_.size());
    taken_.assign(links_.size(), nullptr);
    waits_.resize(links_.size());
    for (const PathKind *kind : possible_paths(setup_)) paths_.push_back(kind->make(path_setup()));
}

LinkContent Messages::link_content() {
    LinkContent content;
    content.payload = [this](size_t plan_link, const std::byte *message) { return received_bytes(plan_link, message); };
    content.parts = [this](size_t plan_link, const std::byte *message, std::vector<size_t> &bytes) {
        for_each_that_came(plan_link, message, [&](size_t, const SingleEdge &single) { bytes.push_back(static_cast<size_t>(single.bytes)); });
    };
    content.name_of_part = [this](size_t plan_link, const std::byte *message, size_t part) {
        std::string name;
        for_each_that_came(plan_link, message, [&](size_t piece, const SingleEdge &single) {
            if (part-- == 0) name = run_->plan->describe(run_->plan->pieces()[piece].key(single.edge));
        });
        return name;
    };
    content.apart = [this](size_t plan_link) {
        const PlanLink &link = run_->plan->links()[plan_link];
        return std::pair(static_cast<size_t>(run_->dense_bytes(link, false)), device_messages_.for_arrivals(*run_, link.peer));
    };
    return content;
}

PathSetup Messages::path_setup() {
    return { setup_, links_, plan_link_, [this](size_t i) { return pack(*run_, i, true); },
             [this](size_t i) { return has_besides() ? pack(*run_, i, false) : 0; } };
}

void Messages::join_neighbourhood() {
    if (!setup_.spec.neighbourhood) return;
    neighbourhood_.join();
    if (neighbourhood_.is_joined()) paths_.clear();
}

void Messages::allocate(const Run &run) {
    for (size_t i = 0; i < links_.size(); ++i) {
        links_[i]->lie_in(memory_on_devices(run, i));
        links_[i]->allocate();
    }
}

void Messages::post(Run &run) {
    run_ = &run;
    epoch_ = run.epoch;
    next_departure_ = 2 * links_.size();
    trial_.begin();
    neighbourhood_.begin(run.epoch);
    for (size_t i = 0; i < links_.size(); ++i) {
        links_[i]->lie_in(run.on_host() ? nullptr : memory_on_devices(run, i));
        links_[i]->send_at_most(run.plan->any_sparse() || !run.on_host() ? most_sent(run, i) : SIZE_MAX);
        links_[i]->post(run.epoch, run.narrowing);
    }
    std::fill(unpacked_.begin(), unpacked_.end(), false);
}

// Nothing of parts without storage, nor of what goes apart.
size_t Messages::most_sent(const Run &run, size_t i) {
    const int64_t dense = run.dense_bytes(planned(run, i), true);
    int64_t end = memory_apart(run, i, static_cast<size_t>(dense)) ? 0 : align_up(dense, sparse_alignment);
    run.for_each(planned(run, i), true, [&](const PieceRun &piece, const LinkPiece &, const LoweredDirection &way) {
        for (const PartBytes &of : way.sent_by)
            if (piece.source_part(of.part)) end += of.bytes;
    });
    return static_cast<size_t>(end) + (run.check ? CheckMode::hash_bytes(run, planned(run, i), true) : 0);
}

void Messages::forget_plans() {
    for (auto &path : paths_) path->forget_plan();
}

bool Messages::writable() {
    bool all = neighbourhood_.take_turn();
    for (auto &link : links_) all = (!link->sends() || link->writable()) && all;
    return all;
}

void Messages::send(Run &run) {
    if (!run.on_host()) return put_on_devices(run);
    trial_.timed([&] { send_and_copy(run); });
}

bool Messages::all_here() {
    bool all = true;
    neighbourhood_.test();
    for (auto &link : links_) all = link->test() && all;
    return all;
}

// Who has failed keeps no others waiting.
void Messages::take_what_has_come() {
    std::optional<Error> first;
    neighbourhood_.test();
    for (auto &link : links_) link->take(first);
    if (first) throw Error(*first);
}

bool Messages::test() {
    if (!all_here()) return false;
    bool all = true;
    for (auto &link : links_) all = !link->is_leaving() && all;
    return all;
}

void Messages::look_ahead() {
    for (auto &link : links_) link->look_ahead();
}

bool Messages::has_landed(size_t plan_link) const {
    const auto link = std::find(plan_link_.begin(), plan_link_.end(), plan_link);
    return link != plan_link_.end() && links_[static_cast<size_t>(link - plan_link_.begin())]->landed();
}

void Messages::unpack(Run &run) {
    wait_for_paths();
    trial_.timed([&] { unpack_arrived(run); });
}

void Messages::combine(Run &run, const CombineBy &by) {
    trial_.timed([&] {
        const auto combines = [&](auto &path) { return path->combine(run, by); };
        if (run.on_host() && std::any_of(paths_.begin(), paths_.end(), combines)) return;
        for (size_t p = 0; p < run.pieces.size(); ++p)
            if (run.pieces[p].takes_part) by(p, *run.pieces[p].rows, run.pieces[p].bases);
    });
}

void Messages::consume() {
    for (auto &path : paths_) path->end(timeout());
    if (run_->on_host() && trial_.end(epoch_))
        for (auto &link : links_) link->prefer_messages(!trial_.direct(epoch_));
    for (auto &link : links_) link->consume();
}

void Messages::give_up_paths() noexcept {
    for (auto &path : paths_) path->give_up();
}

// Peers to which this rank's part was lent have it once the paths have been given up, or not. What fails with one peer keeps no other from being
// told.
bool Messages::end_failed_run(uint32_t epoch, const Error &error) noexcept {
    give_up_paths();
    bool all = true;
    const auto at_each = [&](auto &&step) {
        for (auto &link : links_) try {
                step(*link);
            } catch (...) {
                all = false;
            }
    };
    try {
        neighbourhood_.fail(epoch, error);
    } catch (...) {
        all = false;
    }
    at_each([&](Stream &link) { link.send_failure(epoch, error); });
    at_each([](Stream &link) { link.end_failed_run(); });
    return all;
}

bool Messages::progress_alone() {
    bool under_way = neighbourhood_.progress_alone();
    for (auto &link : links_) under_way = link->progress_alone() || under_way;
    return under_way;
}

void Messages::abandon() noexcept {
    give_up_paths();
    neighbourhood_.abandon();
    for (auto &link : links_) link->abandon();
}

Path::Sent Messages::send_by_path(const Run &run, size_t i, bool wanted) {
    for (auto &path : paths_)
        if (const Path::Sent sent = path->send(run, i, wanted); sent != Path::Sent::no) return sent;
    return Path::Sent::no;
}

// Peers that are there get theirs at once. Others may be a moment late: they are asked again after the copies within this rank, and for as long as
// the second copy of a message would take.
void Messages::send_and_copy(Run &run) {
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
    neighbourhood_.start();
    run.copy_within_rank();
    if (!unsent_.empty()) send_late(run);
}

void Messages::send_late(Run &run) {
    int64_t bytes = 0;
    for (const size_t i : unsent_) bytes += run.dense_bytes(planned(run, i), true);
    const double end = setup_.context.clock() + seconds_to_copy(bytes);
    do std::erase_if(unsent_, [&](size_t i) { return send_by_path(run, i, true) == Path::Sent::yes; });
    while (!unsent_.empty() && setup_.context.clock() < end);
    for (const size_t i : unsent_) links_[i]->send(pack(run, i, true));
}

bool Messages::receive_by_paths() {
    bool all = true;
    for (auto &path : paths_) all = path->receive() && all;
    return all;
}

// What peers have taken back from a path is on its way.
void Messages::wait_for_paths() {
    if (receive_by_paths()) return;
    Waiter waiter(setup_.context, timeout());
    const auto missing = [&] { return this->missing(*run_); };
    while (!receive_by_paths())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.3f s: %s", waiter.seconds(), missing().c_str());
}

// Dense values piece by piece, if they are to go by message, then the sparse edges that are not null.
size_t Messages::pack(Run &run, size_t i, bool dense) {
    const PlanLink &link = planned(run, i);
    std::byte *payload = links_[i]->send_payload();
    int64_t end = 0;
    bool singles = false;
    run.for_each(link, true, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        singles = singles || !way.singles.empty();
        if (way.dense_bytes == 0 || !dense) return;
        end = align_up(end, run.alignment(at));
        piece.bases[run.plan->piece(at.piece).bases().send(at.link)] = payload + end;
        piece.run_rows(way.rows);
        end += way.dense_bytes;
    });
    if (singles) end = pack_singles(run, i, payload, end);
    if (!run.check) return static_cast<size_t>(end);
    const size_t hash_bytes = run.check->write_hashes(run, link, payload + end);
    hash_bytes_sent_ += static_cast<int64_t>(hash_bytes);
    return static_cast<size_t>(end) + hash_bytes;
}

int64_t Messages::pack_singles(Run &run, size_t i, std::byte *payload, int64_t end) {
    Stream &link = *links_[i];
    uint32_t number = 0;
    run.for_each(planned(run, i), true, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        const PlanPiece &planned = run.plan->pieces()[at.piece];
        for (const SingleEdge &single : way.singles) {
            const int64_t begin = align_up(end, sparse_alignment);
            std::byte *const into = in_parts() ? link.add_part(static_cast<size_t>(single.bytes)) : payload + begin;
            const EdgeState state = pack_single(piece, planned, single, into);
            set_edge_state(link.send_buffer(), number++, state);
            if (state == EdgeState::data && !in_parts()) end = begin + single.bytes;
            if (state == EdgeState::null && in_parts()) link.take_back_part();
            states_sent_ += planned.field->spec().sparse;
            nulls_sent_ += state == EdgeState::null;
        }
    });
    return end;
}

void Messages::note_arrivals(const Run &run, const std::vector<Field *> &fields, Arrivals &arrivals) {
    for (size_t i = 0; i < links_.size(); ++i)
        for_each_that_came(plan_link_[i], links_[i]->received(),
                           [&](size_t piece, const SingleEdge &single) { arrivals.note(run, fields, piece, single); });
}

void Messages::unpack_arrived(Run &run) {
    for (size_t i = 0; i < links_.size(); ++i)
        if (!unpacked_[i] && links_[i]->arrived()) {
            unpacked_[i] = true;
            if (links_[i]->receives()) unpack_link(run, i);
        }
}

void Messages::unpack_link(Run &run, size_t i) {
    if (links_[i]->lent()) return;
    const Buffer *const put = message_put(i);
    const bool apart = links_[i]->came_apart() || put, dense = !links_[i]->landed() || put;
    const PlanLink &link = planned(run, i);
    std::byte *const payload = links_[i]->received_payload(), *const values = put ? put->data() : apart ? links_[i]->received_part(0) : payload;
    if (run.check) run.check->take_hashes(run, link, payload + links_[i]->header().payload_bytes);
    int64_t end = 0;
    bool singles = false;
    run.for_each(link, false, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        singles = singles || !way.singles.empty();
        if (way.dense_bytes == 0 || !dense) return;
        end = align_up(end, run.alignment(at));
        const uint32_t base = run.plan->piece(at.piece).bases().receive(at.link);
        if (piece.work) {
            land(piece, base, way, is_reached(piece, i), values + end);
        } else {
            piece.bases[base] = values + end;
            piece.run_rows(way.rows);
        }
        end += way.dense_bytes;
    });
    if (singles) unpack_singles(run, i, payload, apart ? 0 : end);
    unpacked_bytes_ += static_cast<size_t>(link.bytes_received);
    if (!run.on_host()) keep_received(run, i);
}

void Messages::unpack_singles(Run &run, size_t i, std::byte *payload, int64_t end) {
    const Stream &link = *links_[i];
    uint32_t number = 0;
    size_t part = 0;
    run.for_each(this->planned(run, i), false, [&](PieceRun &piece, const LinkPiece &at, const LoweredDirection &way) {
        const PlanPiece &planned = run.plan->pieces()[at.piece];
        for (const SingleEdge &single : way.singles) {
            const EdgeState state = edge_state(link.received(), number++);
            std::byte *from = nullptr;
            if (state == EdgeState::data) from = in_parts() ? link.received_part(part++) : payload + place_single(single, end);
            if (piece.work)
                land_single(piece, planned.sparse, single, state, link, from);
            else
                unpack_single(piece, planned, single, state, from);
            if (from && planned.aged) run.ages.note(own_field(run, at.piece), single.edge.recv_part, Ages::read(from + single.bytes - Ages::bytes));
        }
    });
}

// Calls visit(piece, edge) for the edges of which a message brings data beside dense values.
template <class Visit>
void Messages::for_each_that_came(size_t plan_link, const std::byte *message, Visit &&visit) const {
    uint32_t number = 0;
    run_->for_each(run_->plan->links()[plan_link], false, [&](const PieceRun &, const LinkPiece &at, const LoweredDirection &way) {
        for (const SingleEdge &single : way.singles)
            if (edge_state(message, number++) == EdgeState::data) visit(at.piece, single);
    });
}

// As `pack` lays it out.
size_t Messages::received_bytes(size_t plan_link, const std::byte *message) const {
    MessageHeader header;
    std::memcpy(&header, message, sizeof header);
    if ((header.flags & flag_get) != 0) return 0;
    const PlanLink &link = run_->plan->links()[plan_link];
    int64_t end = (header.flags & (flag_put | flag_apart)) != 0 ? 0 : run_->dense_bytes(link, false);
    if (!in_parts()) for_each_that_came(plan_link, message, [&](size_t, const SingleEdge &single) { place_single(single, end); });
    return static_cast<size_t>(end) + (run_->check ? CheckMode::hash_bytes(*run_, link, false) : 0);
}

// Parts come in order.
std::string Messages::describe_missing_parts(size_t i) const {
    const Stream &link = *links_[i];
    constexpr int64_t n_named = 3;
    std::string text;
    int64_t n_missing = 0;
    size_t number = 0;
    for_each_that_came(plan_link_[i], link.received(), [&](size_t piece, const SingleEdge &single) {
        if (number++ < link.parts_here() || ++n_missing > n_named) return;
        text += format(" [channel %s, from rank %d to rank %d: receiver stale, sender not yet seen sending, %lld bytes, epoch %u]",
                       run_->plan->describe(run_->plan->pieces()[piece].key(single.edge)).c_str(), link.peer(), setup_.context.rank(),
                       static_cast<long long>(single.bytes), epoch_);
    });
    return format("%lld messages of channels from rank %d, run %u:", static_cast<long long>(n_missing), link.peer(), epoch_) + text;
}

std::string Messages::describe_missing(const Run &run, size_t i) const {
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

std::string Messages::missing(const Run &run) const {
    std::string text = setup_.spec.what + ":";
    if (next_departure_ < 2 * links_.size()) text += " a device has not packed what this rank sends;";
    for (size_t i = 0; i < links_.size(); ++i)
        if (!links_[i]->arrived()) text += " missing " + (links_[i]->awaits_parts() ? describe_missing_parts(i) : describe_missing(run, i));
    for (const auto &link : links_)
        if (link->leaves_late()) text += format(" rank %d has not taken what this rank sends it in run %u;", link->peer(), epoch_);
    return text;
}

void Messages::count(halo_exchange_stats &stats) const {
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

std::string Messages::why_no_path() const {
    std::string text;
    for (const PathKind &kind : path_kinds()) text += format("%snot %s, as %s", text.empty() ? "" : "; ", kind.name, kind.why_not(setup_));
    return text;
}

// "": they may, or the last run was on the host.
std::string Messages::why_not_on_devices() const {
    if (!run_ || run_->on_host()) return {};
    const DeviceWork *const work = run_->only_work();
    if (!work) return "storage is not all on one device";
    return work->device().ipc() ? "" : format("device %s lets no other rank reach its memory", work->device().name());
}

// What link `i` sends: by which of the paths, and why not by the others.
std::string Messages::why_this_path(size_t i) const {
    if (neighbourhood_.is_joined()) return neighbourhood_.describe();
    if (in_parts()) return "each channel is a message of its own";
    if (!setup_.context.shared_arena(SIZE_MAX)) return "shared memory is " + setup_.context.shared_memory_text();
    if (paths_.empty()) return why_no_path();
    if (const std::string why = why_not_on_devices(); !why.empty()) return why;
    const auto reaches = [&](const auto &path) { return path->reaches_storage(i); };
    if (std::none_of(paths_.begin(), paths_.end(), reaches))
        return "the storage of the two ranks is not memory that both see and use, or runs have less than shared_memory.least";
    const PathCounts &sent = links_[i]->sent_by;
    const bool on_device = run_ && !run_->on_host();
    if (epoch_ > PathTrial::last_epoch && sent.put == 0 && sent.get == 0) return "the peer's storage has not been open to this rank in any run";
    if (links_[i]->peer_prefers_messages()) return "the peer prefers messages";
    if (on_device) return "from storage to storage, on a device";
    return (trial_.direct(epoch_ + 1) ? "from storage to storage: " : "messages: ") + trial_.describe();
}

// Of what a device packs.
std::string Messages::describe_memory(size_t i) {
    if (!run_ || run_->on_host() || in_parts() || neighbourhood_.is_joined()) return {};
    return ", " + device_messages_.describe(*run_, links_[i]->peer(), static_cast<size_t>(run_->dense_bytes(planned(*run_, i), true)));
}

std::string Messages::describe_paths() {
    std::string text;
    for (size_t i = 0; i < links_.size(); ++i) {
        const Stream &link = *links_[i];
        const PlanLink &planned = setup_.plan.links()[plan_link_[i]];
        if (link.sends())
            text += describe_way("to", link.peer(), planned.n_send, setup_.plan.payload_bytes(planned, true), link.sent_by) + "; " +
                    why_this_path(i) + (setup_.spec.neighbourhood && !neighbourhood_.is_joined() ? "; " + neighbourhood_.describe() : "") +
                    "; messages over " + setup_.context.fabric().describe_route(link.peer()) + describe_memory(i) + "\n";
        if (link.receives())
            text += describe_way("from", link.peer(), planned.n_receive, setup_.plan.payload_bytes(planned, false), link.received_by) + "\n";
    }
    return text;
}

} // namespace halo
