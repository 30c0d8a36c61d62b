// SPDX-License-Identifier: BSD-3-Clause
#include "channel/aggregate.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace halo {

namespace {

void add_to(Digest &digest, const halo_channel_key &key, int64_t bytes, halo_type type) {
    digest.add(hash_key(key));
    digest.add(static_cast<uint64_t>(bytes));
    digest.add(static_cast<uint64_t>(type));
}

} // namespace

AggregateRun::AggregateRun(ChannelRegistry &registry, const RunId &id, const std::vector<uint32_t> &slots, const std::vector<PairList> &pairs,
                           const Space &space, int32_t flags_memory)
    : registry_(registry),
      serial_(id.serial()),
      slots_(slots),
      places_(slots.size()),
      flags_on_device_(flags_memory != HALO_MEMORY_HOST) {
    place_local();
    add_links(id, pairs);
    if (space.on_device()) place_on_device(space);
    n_sent_rows_ = static_cast<uint32_t>(std::count_if(places_.begin(), places_.end(), [](const Place &place) { return place.sender; }));
    sends_any_ = n_sent_rows_ > 0;
    context().progressing().add(*this);
}

// The pairs of one peer follow each other: sends, then receives.
void AggregateRun::add_links(const RunId &id, const std::vector<PairList> &pairs) {
    for (size_t i = 0; i < pairs.size();) {
        const auto link = static_cast<uint32_t>(links_.size());
        StreamSpec spec;
        spec.peer = pairs[i].peer;
        spec.serial = id.serial();
        spec.tag = id.tag();
        spec.what = format("group %u", id.serial());
        spec.edges = [this, link](bool sending) { return edges(link, sending); };
        spec.payload = [this, link](const std::byte *message) { return received_bytes(link, message); };
        Link &added = links_.emplace_back();
        for (; i < pairs.size() && pairs[i].peer == spec.peer; ++i)
            (pairs[i].sends ? spec.send : spec.receive) = place_pair(pairs[i], link, pairs[i].sends ? nullptr : &added.received_ends);
        added.n_sent = spec.send.n_states;
        added.n_received = spec.receive.n_states;
        added.all_bytes = spec.send.payload_bytes;
        added.peer = std::make_unique<Stream>(context(), std::move(spec));
    }
}

StreamDirection AggregateRun::place_pair(const PairList &pair, uint32_t link, std::vector<size_t> *ends) {
    StreamDirection direction;
    direction.active = true;
    int64_t offset = 0;
    for (size_t i = 0; i < pair.slots.size(); ++i) {
        const halo_channel &channel = registry_.at(pair.slots[i]);
        const int64_t bytes = pair.wire_bytes(registry_, i);
        places_[channel.row] = { link & INT32_MAX, pair.sends, static_cast<uint32_t>(i), static_cast<uint32_t>(offset / alignment) };
        if (bytes != channel.box.bytes()) {
            wire_bytes_.resize(slots_.size(), -1);
            wire_bytes_[channel.row] = bytes;
        }
        add_to(direction.digest, channel.box.key(), bytes, channel.type);
        direction.payload_bytes = static_cast<size_t>(offset + bytes);
        if (ends) ends->push_back(direction.payload_bytes);
        offset = slice_end(offset, bytes);
    }
    direction.n_edges = static_cast<int64_t>(pair.slots.size());
    direction.n_states = static_cast<uint32_t>(pair.slots.size());
    return direction;
}

// Up to the last slice that carries data.
size_t AggregateRun::received_bytes(uint32_t link, const std::byte *message) const {
    const std::vector<size_t> &ends = links_[link].received_ends;
    size_t n = ends.size();
    while (n > 0 && edge_state(message, static_cast<uint32_t>(n - 1)) != EdgeState::data) --n;
    return n > 0 ? ends[n - 1] : 0;
}

void AggregateRun::place_local() {
    for (uint32_t row = 0; row < slots_.size(); ++row) {
        const Mailbox &box = registry_.at(slots_[row]).box;
        if (!box.sends() || !box.receives()) continue;
        places_[row] = { local, 1, static_cast<uint32_t>(local_states_.size()), static_cast<uint32_t>(local_bytes_ / alignment) };
        local_states_.push_back(HALO_STALE);
        local_bytes_ = slice_end(local_bytes_, box.bytes());
    }
}

std::vector<WireEdge> AggregateRun::edges(uint32_t link, bool sending) const {
    std::vector<WireEdge> edges;
    for (uint32_t row = 0; row < places_.size(); ++row)
        if (places_[row].link == link && places_[row].sender == sending && slots_[row] != no_slot) {
            const halo_channel &channel = registry_.at(slots_[row]);
            edges.push_back({ channel.box.key(), bytes_of(row), channel.type, 0 });
        }
    std::sort(edges.begin(), edges.end(), [](const WireEdge &a, const WireEdge &b) { return before(a.key, b.key); });
    return edges;
}

int64_t AggregateRun::bytes_of(uint32_t row) const {
    if (!wire_bytes_.empty() && wire_bytes_[row] >= 0) return wire_bytes_[row];
    return registry_.at(slots_[row]).box.bytes();
}

void AggregateRun::illegal(const char *call) const {
    const char *state = abandoned_  ? "abandoned"
                        : !begun_   ? "not begun"
                        : staling_  ? "stale once its stream has come there"
                        : received_ ? "received"
                        : sent_     ? "sent, not received"
                        : by_rows_  ? "sent in part"
                                    : "begun, not sent";
    fail(HALO_ERR_STATE, "%s is illegal: group %u, run %u is %s", call, serial_, epoch_, state);
}

// A call that failed for one peer is gone on with by the next.
void AggregateRun::begin() {
    if (begun_) return;
    if (abandoned_) illegal("a run");
    if (!std::exchange(beginning_, true)) {
        ++epoch_;
        writable_ = sent_ = received_ = started_ = false;
        n_posted_ = 0;
    }
    for (; n_posted_ < links_.size(); ++n_posted_) {
        Stream &peer = *links_[n_posted_].peer;
        peer.post(epoch_, {});
        if (!peer.sends()) peer.send(0); // says hello once; carries no data
    }
    beginning_ = false;
    begun_ = true;
}

void AggregateRun::look_at_wait(bool receives) {
    const uint32_t state = (sent_ ? 1 : 0) + (received_ ? 2 : 0) + (writable_ ? 4 : 0);
    if (wait_.lasts(context(), epoch_, state))
        context().log().warn("waiting for %.1f s: group %u, run %u is not %s:%s", wait_.seconds(), serial_, epoch_,
                             receives ? "received" : "writable", awaited(receives).c_str());
}

// The first few peers, each with one of its channels.
std::string AggregateRun::awaited(bool receives) const {
    constexpr size_t n_named = 3;
    size_t n = 0;
    std::string text;
    for (uint32_t i = 0; i < links_.size(); ++i) {
        const Stream &peer = *links_[i].peer;
        if (receives && peer.leaves_late()) text += format(" rank %d has not taken what this rank sends;", peer.peer());
        if ((receives ? peer.arrived() : !peer.sends() || !peer.blocked()) || ++n > n_named) continue;
        const std::vector<WireEdge> channels = edges(i, !receives);
        text += format(receives ? " nothing has come from rank %d" : " it is two runs ahead of rank %d", peer.peer());
        if (!channels.empty()) text += " (channel " + describe(channels[0].key);
        if (channels.size() > 1) text += format(" and %zu more", channels.size() - 1);
        if (!channels.empty()) text += ")";
    }
    if (n > n_named) text += format(", and %zu more ranks", n - n_named);
    if (n == 0 && text.empty())
        text += device_ ? " waits for the device" : sent_ ? " what has come has not been made stale" : " this rank has not sent";
    return text;
}

bool AggregateRun::may_write() {
    if (!ready()) return false;
    begin();
    if (writable_ || sent_) return !sent_;
    for (Link &link : links_)
        if (link.peer->sends() && !link.peer->writable()) return false;
    if (device_)
        device_->allocate();
    else if (!local_buffer_ && !local_states_.empty())
        local_buffer_ = context().host_buffer(static_cast<size_t>(std::max<int64_t>(local_bytes_, 1)));
    writable_ = true;
    return true;
}

void AggregateRun::start_receive() {
    if (received_) illegal("start_receive");
    if (!ready()) return;
    begin();
    started_ = true;
}

bool AggregateRun::send(const uint8_t *null_flags, halo_stream stream) {
    if (sent_ && (!by_rows_ || rest_sent_)) illegal("send");
    if (device_) stream = device_->require(stream, "halo_group_send");
    if (by_rows_) return send_rest(null_flags, stream);
    if (!writable()) return false;
    if (device_) return send_from_device(null_flags, stream);
    if (!sending_) note_flags(null_flags); // else a call that failed for one peer is gone on with, as it was
    for (Link &link : links_) {
        if (!link.peer->sends() || link.peer->has_sent()) continue; // by a call that failed for another peer
        link.peer->send(end_of_data(link));
        sending_ = true;
    }
    sent_ = true;
    sending_ = false;
    return true;
}

void AggregateRun::note_flags(const uint8_t *null_flags) {
    sent_all_ = complete_ && null_flags == nullptr;
    if (sent_all_)
        mark_all_data();
    else
        mark(null_flags);
}

size_t AggregateRun::end_of_data(const Link &link) const {
    if (sent_all_) return link.all_bytes;
    return link.any_data ? static_cast<size_t>(places_[link.last_row].offset * alignment + bytes_of(link.last_row)) : 0;
}

void AggregateRun::mark_all_data() {
    for (Link &link : links_)
        if (link.peer->sends()) set_all_data(link.peer->send_buffer(), link.n_sent);
    std::fill(local_states_.begin(), local_states_.end(), HALO_SENDING);
}

void AggregateRun::mark(const uint8_t *null_flags) {
    for (Link &link : links_) link.any_data = false;
    for (uint32_t row = 0; row < places_.size(); ++row)
        if (places_[row].sender) mark(row, slots_[row] != no_slot && !(null_flags && null_flags[row]));
}

void AggregateRun::mark(uint32_t row, bool data) {
    const Place place = places_[row];
    if (place.link == local) {
        local_states_[place.index] = data ? HALO_SENDING : HALO_SENDING_NULL;
        return;
    }
    Link &link = links_[place.link];
    set_edge_state(link.peer->send_buffer(), place.index, data ? EdgeState::data : EdgeState::null);
    if (data && (!link.any_data || place.index > link.last_index)) {
        link.any_data = true;
        link.last_index = place.index;
        link.last_row = row;
    }
}

bool AggregateRun::has_come() {
    if (!ready()) return false;
    begin();
    if (received_) return true;
    bool all = !leaving_ && !rows_leave_ && (local_states_.empty() || sent_);
    for (Link &link : links_) all &= link.peer->test();
    if (device_) all = receive_on_device() && all;
    if (!all || is_leaving()) return false;
    for (uint8_t &state : local_states_) state = state == HALO_SENDING ? HALO_RECEIVED : HALO_RECEIVED_NULL;
    received_ = true;
    return true;
}

bool AggregateRun::progress_alone() {
    bool under_way = false;
    for (Link &link : links_) under_way = (!abandoned_ && link.peer->progress_alone()) || under_way;
    return under_way;
}

void AggregateRun::take_what_has_come() {
    if (!begun_ || received_) return;
    std::optional<Error> first;
    for (Link &link : links_) link.peer->take(first);
    if (first) throw Error(*first);
}

// What has been sent of this run, by calls of this rank alone.
bool AggregateRun::is_leaving() {
    bool any = false;
    for (Link &link : links_) any = (sent_ && link.peer->is_leaving()) || any;
    return any;
}

bool AggregateRun::drain() {
    if (abandoned_) return true;
    if (!ready()) return false;
    if (busy()) {
        if (sends_any_ && !sent_) illegal("drain");
        if (!has_come()) return false;
        stale(HALO_STREAM_DEFAULT);
        if (!ready()) return false;
    }
    return std::all_of(links_.begin(), links_.end(), [](Link &link) { return link.peer->all_left(); });
}

std::string AggregateRun::undrained() {
    if (busy()) return format(": run %u:%s", epoch_, awaited(true).c_str());
    std::string text = ": what was sent has not been taken by";
    for (Link &link : links_)
        if (!link.peer->all_left()) text += format(" rank %d", link.peer->peer());
    return text;
}

void AggregateRun::stale(halo_stream stream) {
    if (!received_ || (sends_any_ && !sent_)) illegal("stale");
    if (device_) {
        device_->staled.record(device_->require(stream, "halo_group_stale"));
        staling_ = true;
        context().departures().add(*this);
    } else {
        for (Link &link : links_) link.peer->consume();
    }
    std::fill(local_states_.begin(), local_states_.end(), HALO_STALE);
    begun_ = started_ = sent_ = by_rows_ = received_ = writable_ = false;
}

// Between runs.
void AggregateRun::leave(uint32_t row) {
    complete_ = false;
    const Place place = places_[row];
    if (!place.sender) return;
    ++n_gone_rows_;
    if (place.link != local) ++links_[place.link].n_gone;
}

void AggregateRun::abandon() noexcept {
    for (Link &link : links_) link.peer->abandon();
    forget_failed_progress();
    abandoned_ = true;
    if (device_) device_->give_up();
    context().departures().remove(*this);
    leaving_ = staling_ = flags_come_ = rows_leave_ = false;
    beginning_ = begun_ = started_ = sending_ = sent_ = by_rows_ = received_ = writable_ = false;
}

AggregateRun::Slice AggregateRun::slice(uint32_t row) const {
    const Place place = places_[row];
    const int64_t offset = place.offset * alignment;
    Slice slice;
    slice.bytes = bytes_of(row);
    slice.run = epoch_;
    if (place.link == local) {
        slice.data = local_data() ? local_data() + offset : nullptr;
        slice.state = local_states_[place.index];
        return slice;
    }
    const Memory memory = memory_of(links_[place.link]);
    const std::byte *states = place.sender ? memory.sent_states : memory.received_states;
    const bool data = states && edge_state(states, place.index) == EdgeState::data;
    std::byte *payload = place.sender ? memory.send : memory.received;
    if (payload && (place.sender || data)) slice.data = payload + offset;
    if (states && place.sender) slice.state = data ? HALO_SENDING : HALO_SENDING_NULL;
    if (states && !place.sender) slice.state = data ? HALO_RECEIVED : HALO_RECEIVED_NULL;
    return slice;
}

AggregateRun::Memory AggregateRun::memory_of(const Link &link) const {
    const Stream &peer = *link.peer;
    Memory memory;
    if (writable_ && peer.sends()) memory.send = device_ ? device_->at(link.send_place) : peer.send_payload();
    const bool known = by_rows_ ? peer.has_sent() : sent_ && !flags_come_;
    if (known && peer.sends()) memory.sent_states = peer.send_buffer();
    if (begun_ && peer.receives() && peer.arrived() && (!device_ || received_)) {
        memory.received = device_ ? device_->at(link.receive_place) : peer.received_payload();
        memory.received_states = peer.received();
    }
    return memory;
}

const AggregateRun::View &AggregateRun::view() const {
    view_.links.clear();
    view_.local = local_data();
    view_.local_state = received_ ? HALO_RECEIVED : sent_ && !flags_come_ ? HALO_SENDING : HALO_STALE;
    view_.any_null = (sent_ || by_rows_) && !sent_all_;
    for (const Link &link : links_) {
        const Memory memory = memory_of(link);
        view_.any_null |= memory.received_states != nullptr && !are_all_data(memory.received_states, link.n_received);
        view_.links.push_back(memory);
    }
    return view_;
}

void AggregateRun::refresh(const View &view, std::byte *table, size_t row_bytes) const {
    for (uint32_t i = 0; i < places_.size(); ++i, table += row_bytes) {
        if (slots_[i] == no_slot) continue;
        halo_group_row &row = *reinterpret_cast<halo_group_row *>(table);
        const Place place = places_[i];
        const int64_t offset = place.offset * alignment;
        if (place.link == local) {
            row.data = view.local ? view.local + offset : nullptr;
            row.state = local_states_[place.index];
            continue;
        }
        const Memory &memory = view.links[place.link];
        const std::byte *states = place.sender ? memory.sent_states : memory.received_states;
        std::byte *payload = place.sender ? memory.send : memory.received;
        const bool data = states && edge_state(states, place.index) == EdgeState::data;
        row.data = payload && (place.sender || data) ? payload + offset : nullptr;
        if (!states)
            row.state = HALO_STALE;
        else if (place.sender)
            row.state = data ? HALO_SENDING : HALO_SENDING_NULL;
        else
            row.state = data ? HALO_RECEIVED : HALO_RECEIVED_NULL;
    }
}

} // namespace halo
