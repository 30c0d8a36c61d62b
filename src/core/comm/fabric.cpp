// SPDX-License-Identifier: BSD-3-Clause
#include "comm/fabric.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/checked.h"
#include "base/digest.h"

namespace halo {

Fabric::Fabric(std::unique_ptr<Transport> transport, std::string why) : serves_(static_cast<size_t>(transport->size()), 0) {
    for (int32_t peer = 0; peer < transport->size(); ++peer)
        if (peer != transport->rank() && !transport->reaches(peer))
            fail(HALO_ERR_PLUGIN, "transport %s does not reach rank %d from rank %d: it cannot be the only one", transport->name(), peer,
                 transport->rank());
    all_.push_back(std::move(transport));
    whys_.push_back(std::move(why));
    found_.resize(8);
}

void Fabric::make_room_for(const Transport &transport) {
    if (transport.rank() != rank() || transport.size() != size())
        fail(HALO_ERR_PLUGIN, "transport %s has this rank as %d of %d, transport %s as %d of %d", transport.name(), transport.rank(),
             transport.size(), all_.front()->name(), rank(), size());
    check_limit("transports of a context", std::ssize(all_) + 1, UINT8_MAX);
    all_.reserve(all_.size() + 1);
    whys_.reserve(whys_.size() + 1);
}

void Fabric::add(std::unique_ptr<Transport> transport, std::string why) noexcept {
    const auto number = static_cast<uint8_t>(all_.size());
    for (int32_t peer = 0; peer < size(); ++peer) {
        uint8_t &serves = serves_[static_cast<size_t>(peer)];
        if (serves == 0 && peer != rank() && transport->reaches(peer)) serves = number;
    }
    all_.push_back(std::move(transport));
    whys_.push_back(std::move(why));
}

int64_t Fabric::sum_of_pairs() const {
    int64_t sum = 0;
    for (int32_t peer = 0; peer < size(); ++peer) {
        const auto low = static_cast<uint64_t>(std::min(peer, rank())), high = static_cast<uint64_t>(std::max(peer, rank()));
        const uint64_t pair = Digest::mix(Digest::mix(low << 32 | high) + serves_[static_cast<size_t>(peer)]);
        const auto mark = static_cast<int64_t>(pair >> 44); // no sum over 4 million ranks overflows
        sum += peer == rank() ? 0 : peer < rank() ? mark : -mark;
    }
    return sum;
}

int32_t Fabric::max_tag() const {
    int32_t least = INT32_MAX;
    for (const auto &one : all_) least = std::min(least, one->max_tag());
    return least;
}

int32_t Fabric::lanes() const {
    int32_t least = INT32_MAX;
    for (const auto &one : all_) least = std::min(least, one->lanes());
    return least;
}

bool Fabric::ends_all_when_closed() const {
    return std::all_of(all_.begin(), all_.end(), [](const auto &one) { return one->ends_all_when_closed(); });
}

bool Fabric::for_this_thread_only() const {
    return std::any_of(all_.begin(), all_.end(), [](const auto &one) { return one->for_this_thread_only(); });
}

bool Fabric::takes_memory_of(const char *device, int32_t peer, std::string &why) const {
    const Transport &transport = *all_[serves_[static_cast<size_t>(peer)]];
    std::string reason;
    const bool takes = transport.takes_memory_of(device, peer, reason);
    why = format("%s takes %s of %s%s%s", transport.name(), takes ? "memory" : "no memory", device, reason.empty() ? "" : ": ", reason.c_str());
    return takes;
}

bool Fabric::any_sends_by_calls() const {
    int32_t peer = 0;
    while (peer < size() && (peer == rank() || !sends_by_calls(peer))) ++peer;
    return peer < size();
}

std::string Fabric::describe() const {
    if (all_.size() == 1) return all_.front()->name();
    std::string text;
    for (size_t i = 1; i <= all_.size(); ++i) {
        const size_t number = i % all_.size(); // the one for the rest comes last
        const auto n = std::count(serves_.begin(), serves_.end(), static_cast<uint8_t>(number)) - (number == 0 ? 1 : 0);
        text += format("%s%s to %lld ranks", text.empty() ? "" : ", ", all_[number]->name(), static_cast<long long>(n));
    }
    return text;
}

// " 0, 2 to 3"
std::string Fabric::ranks_served_by(size_t number) const {
    const auto serves = [&](int32_t peer) { return peer < size() && peer != rank() && serves_[static_cast<size_t>(peer)] == number; };
    std::string text;
    for (int32_t first = 0, last = 0; first < size(); first = last + 1) {
        last = first;
        if (!serves(first)) continue;
        while (serves(last + 1)) ++last;
        text += format("%s %d", text.empty() ? "" : ",", first);
        if (last > first) text += format(" to %d", last);
    }
    return text.empty() ? " none" : text;
}

std::string Fabric::describe_routes() const {
    if (all_.size() == 1) return whys_.front().empty() ? "" : "  why: " + whys_.front() + "\n";
    std::string text;
    for (size_t i = 1; i <= all_.size(); ++i) {
        const size_t number = i % all_.size(); // the one for the rest comes last
        text += format("  %s, %s: ranks%s\n    why: %s\n", all_[number]->name(), number == 0 ? "which takes the rest" : "which reaches them first",
                       ranks_served_by(number).c_str(), whys_[number].c_str());
    }
    return text;
}

std::string Fabric::describe_route(int32_t peer) const {
    const size_t number = serves_[static_cast<size_t>(peer)];
    const char *why = all_.size() == 1 ? "" : number == 0 ? ", which takes the rest" : ", which reaches it first";
    const std::string how = all_[number]->describe();
    return all_[number]->name() + std::string(why) + (how.empty() ? "" : " (of the transport: " + how + ")");
}

Transport *Fabric::neighbourly(std::string &why_not) const {
    if (all_.size() > 1)
        why_not = "several transports carry the messages: " + describe();
    else if (!all_.front()->has_neighbourhoods())
        why_not = format("transport %s has no neighbourhood collectives", all_.front()->name());
    return why_not.empty() ? all_.front().get() : nullptr;
}

bool Fabric::probe_all(int32_t lane, int32_t tag, size_t &bytes, Matched &message) {
    for (size_t i = 0; i < all_.size(); ++i) {
        const size_t number = (first_probed_ + i) % all_.size();
        if (!all_[number]->probe(-1, lane, tag, bytes, message)) continue;
        message.transport = static_cast<uint8_t>(number);
        first_probed_ = number + 1;
        return true;
    }
    return false;
}

bool Fabric::probe_found(int32_t peer, int32_t lane, int32_t tag, size_t &bytes, Matched &message) const {
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(n_found_);
    const auto same = std::find_if(found_.begin(), end, [&](const Found &one) { return one.peer == peer && one.lane == lane && one.tag == tag; });
    if (same == end) return false;
    bytes = same->bytes;
    message = same->message;
    return true;
}

void Fabric::forget_found(const Matched &message) {
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(n_found_);
    const auto same = std::find_if(found_.begin(), end, [&](const Found &one) {
        return one.message.transport == message.transport && std::equal(std::begin(message.word), std::end(message.word), one.message.word);
    });
    if (same == end) return;
    std::move(same + 1, end, same); // of the same tag, the first stays the first
    --n_found_;
}

bool Fabric::open_lanes(int32_t n_lanes) {
    bool all = true;
    for (const auto &transport : all_) all = transport->open_lanes(n_lanes) && all;
    return all;
}

} // namespace halo
