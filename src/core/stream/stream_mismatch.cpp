// SPDX-License-Identifier: BSD-3-Clause
// What a stream does when its peer's plan, or run, is another one: both ends find the same words for it.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stream/stream.h"

namespace halo {

namespace {

constexpr double key_swap_seconds = 10; // how long to wait for the peer's edges

} // namespace

void Stream::take_terms(const MessageHeader &header) {
    compare_terms(spec_.terms().packed(), { reinterpret_cast<const char *>(receive_buffer_.data()) + sizeof header, header.payload_bytes });
    const WireEdges own = own_edges();
    const std::vector<WireEdge> all = own.joined();
    epoch_ = static_cast<uint32_t>(own.sending.size()); // a mismatched link sends nothing more: the epoch carries the split
    send_extra(MessageKind::keys, all.data(), all.size() * sizeof(WireEdge));
}

void Stream::compare_terms(std::string own, std::string peers) {
    const int32_t rank = context_.rank();
    const Terms mine(std::move(own)), theirs(std::move(peers));
    const std::string text = rank < spec_.peer ? first_difference(mine, rank, theirs, spec_.peer) : first_difference(theirs, spec_.peer, mine, rank);
    if (!text.empty()) fail_for_ever(text);
}

void Stream::take_keys(const MessageHeader &header) {
    std::vector<WireEdge> all(header.payload_bytes / sizeof(WireEdge));
    if (!all.empty()) std::memcpy(all.data(), receive_buffer_.data() + sizeof header, all.size() * sizeof(WireEdge));
    const std::string text = difference(own_edges(), context_.rank(), WireEdges::split(std::move(all), header.epoch), spec_.peer, spec_.name);
    fail_for_ever(text);
}

void Stream::fail_for_ever(const std::string &difference) {
    difference_ = format("%s: the plans of rank %d and rank %d differ: %s", spec_.what.c_str(), context_.rank(), spec_.peer, difference.c_str());
    fail_again();
}

void Stream::fail_again() const { throw Error(HALO_ERR_MISMATCH, difference_, FirstCause{ context_.rank(), HALO_ERR_MISMATCH, difference_, true }); }

WireEdges Stream::own_edges() const { return { spec_.edges(true), spec_.edges(false) }; }

void Stream::check_swap_deadline() {
    if (context_.clock() - mismatch_time_ > key_swap_seconds)
        fail_for_ever(format("this rank has %lld channels out, %lld in; the peer does not tell its own", static_cast<long long>(spec_.send.n_edges),
                             static_cast<long long>(spec_.receive.n_edges)));
}

void Stream::fail_narrowed(const Narrowing &peer) const {
    const bool lower = context_.rank() < spec_.peer;
    const std::string mine = spec_.runs(narrowing_, peer, false), theirs = spec_.runs(narrowing_, peer, true);
    fail(HALO_ERR_MISMATCH, "%s: run %u is narrowed differently: rank %d runs %s, rank %d %s", spec_.what.c_str(), epoch_,
         std::min(context_.rank(), spec_.peer), (lower ? mine : theirs).c_str(), std::max(context_.rank(), spec_.peer),
         (lower ? theirs : mine).c_str());
}

} // namespace halo
