// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/neighbourhood.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "base/types.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "comm/collective_stream.h"

namespace halo {

namespace {

constexpr int64_t most_under_way = 2; // runs

size_t in_whole_lines(size_t bytes) {
    constexpr size_t line = 64;
    return (bytes + line - 1) / line * line;
}

} // namespace

Neighbourhood::~Neighbourhood() {
    bool any = false;
    for (auto &turn : turns_) {
        if (!turn->in_flight) continue;
        any = true;
        setup_.context.linger(std::move(turn));
    }
    if (handle_ && !any) transport_->destroy(handle_); // else it ends with the transport
}

// Empty: nothing on this rank is in the way.
std::string Neighbourhood::why_not_here(Transport *&transport) const {
    std::string why;
    transport = setup_.context.fabric().neighbourly(why);
    if (setup_.run.epoch > 0) return format("it was prepared after %u runs, not ahead of the first", setup_.run.epoch);
    if (setup_.context.devices().has_memory()) return "fields may be on devices";
    for (const auto &link : links_)
        if (std::max(link->bytes_together(true), link->bytes_together(false)) > INT_MAX)
            return format("messages with rank %d have more than %d bytes", link->peer(), INT_MAX);
    return why;
}

// 0 over all ranks if the two ends of every message have the same plan and size.
int64_t Neighbourhood::sum_of_messages() const {
    const auto mark = [](int32_t from, int32_t to, uint64_t digest, size_t bytes) {
        const uint64_t ends = static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(to);
        return static_cast<int64_t>(Digest::mix(Digest::mix(Digest::mix(ends) + digest) + bytes) >> 34); // no sum overflows
    };
    const int32_t rank = setup_.context.rank();
    int64_t sum = 0;
    for (const auto &link : links_) {
        if (link->sends()) sum += mark(rank, link->peer(), link->digest(true).low, link->bytes_together(true));
        if (link->receives()) sum -= mark(link->peer(), rank, link->digest(false).low, link->bytes_together(false));
    }
    return sum;
}

void Neighbourhood::join() {
    if (joined_ || !why_not_.empty()) return;
    Context &context = setup_.context;
    const CollectiveCall call(context, "prepare", setup_.spec.timeout_seconds, uint64_t{ setup_.id.serial() } << 32 | UINT32_MAX);
    const std::string own = why_not_here(transport_);
    const int64_t first = allreduce_min(context, own.empty() ? context.size() : context.rank());
    if (first < context.size()) {
        const std::string why = broadcast_text(context, static_cast<int32_t>(first), own);
        why_not_ = own.empty() ? format("rank %lld cannot: %s", static_cast<long long>(first), why.c_str()) : own;
        return;
    }
    if (allreduce_sum(context, sum_of_messages()) != 0) {
        why_not_ = "two ranks differ in what goes between them, which their first run names";
        return;
    }
    together(context, "prepare", [&] { place_messages(); });
    try {
        together(context, "prepare", [&] { create(); }); // for which all are here now
    } catch (const Error &error) {
        if (error.status() == HALO_ERR_PEER && handle_) transport_->destroy(std::exchange(handle_, nullptr));
        throw;
    }
    for (auto &link : links_) link->go_together();
    joined_ = true;
}

void Neighbourhood::place_messages() {
    if (!turns_.empty()) return;
    sends_.clear();
    receives_.clear();
    turn_bytes_ = 0;
    const auto place = [&](Stream &link, bool sending) {
        (sending ? sends_ : receives_).push_back({ &link, turn_bytes_ });
        turn_bytes_ += in_whole_lines(link.bytes_together(sending));
    };
    for (auto &link : links_)
        if (link->sends()) place(*link, true);
    for (auto &link : links_)
        if (link->receives()) place(*link, false);
    sent_.resize(sends_.size());
    received_.resize(receives_.size());
    for (int64_t i = 0; i < most_under_way; ++i) add_turn();
}

Neighbourhood::Turn &Neighbourhood::add_turn() {
    auto turn = std::make_unique<Turn>();
    if (turn_bytes_ > 0) turn->buffer = setup_.context.host_buffer(turn_bytes_);
    if (turn_bytes_ > 0) std::memset(turn->buffer.data(), 0, turn_bytes_); // what a message leaves of its room goes with it
    turn->peer = links_.empty() ? -1 : links_.front()->peer();
    turns_.push_back(std::move(turn));
    return *turns_.back();
}

void Neighbourhood::create() {
    if (handle_) return;
    const auto messages = [](const std::vector<Place> &places, bool sending) {
        std::vector<halo_neighbour_message> all;
        for (const Place &place : places) all.push_back({ place.link->peer(), 0, place.link->bytes_together(sending) });
        return all;
    };
    handle_ = transport_->create_neighbourhood(messages(sends_, true), messages(receives_, false));
}

std::string Neighbourhood::describe() const {
    if (joined_) return format("in one neighbourhood collective with %zu ranks", links_.size());
    return "no neighbourhood collective: " + (why_not_.empty() ? "halo_exchange_prepare has not been called" : why_not_);
}

void Neighbourhood::begin(uint32_t epoch) {
    if (!joined_) return;
    epoch_ = epoch;
    present_ = nullptr;
    started_ = brought_ = false;
    for (const Place &place : sends_) place.link->pack_into(nullptr);
}

void Neighbourhood::take(Turn &turn) {
    present_ = &turn;
    for (const Place &place : sends_) place.link->pack_into(turn.buffer.data() + place.at);
}

bool Neighbourhood::take_turn() {
    if (!joined_ || present_) return true;
    int64_t n_under_way = 0;
    Turn *free = nullptr;
    for (auto &turn : turns_)
        if (has_ended(*turn))
            free = free ? free : turn.get();
        else
            ++n_under_way;
    if (n_under_way >= most_under_way || !free) return false;
    take(*free);
    return true;
}

void Neighbourhood::start() {
    if (!joined_ || links_.empty()) return;
    std::byte *const memory = present_->buffer.data();
    for (size_t i = 0; i < sends_.size(); ++i) sent_[i] = memory + sends_[i].at;
    for (size_t i = 0; i < receives_.size(); ++i) received_[i] = memory + receives_[i].at;
    transport_->start(handle_, sent_.data(), received_.data(), present_->request);
    present_->in_flight = started_ = true;
    present_->epoch = epoch_;
    present_->abandoned = false;
}

void Neighbourhood::test() {
    if (!started_ || brought_) return;
    progress_alone();
    if (present_->in_flight) return;
    brought_ = true;
    for (const Place &place : receives_) place.link->bring(present_->buffer.data() + place.at);
}

// Any memory will do: a run that fails does not wait.
void Neighbourhood::fail(uint32_t epoch, const Error &error) {
    if (!joined_ || links_.empty()) return;
    if (epoch_ != epoch) begin(epoch);
    if (started_) return;
    if (!present_) {
        const auto free = std::find_if(turns_.begin(), turns_.end(), [&](auto &turn) { return has_ended(*turn); });
        take(free == turns_.end() ? add_turn() : **free);
    }
    for (const Place &place : sends_) place.link->write_failure(epoch, error);
    start();
}

void Neighbourhood::abandon() {
    for (auto &turn : turns_) turn->abandoned = turn->in_flight && turn->epoch == epoch_;
}

bool Neighbourhood::progress_alone() {
    bool under_way = false;
    for (auto &turn : turns_) under_way = !has_ended(*turn) || under_way;
    return under_way;
}

} // namespace halo
