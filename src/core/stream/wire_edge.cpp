// SPDX-License-Identifier: BSD-3-Clause
#include "stream/wire_edge.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/types.h"

namespace halo {

namespace {

auto order(const halo_channel_key &key) { return std::tie(key.send_gid, key.receive_gid, key.field, key.element, key.extra); }

} // namespace

bool before(const halo_channel_key &a, const halo_channel_key &b) { return order(a) < order(b); }

bool equal(const halo_channel_key &a, const halo_channel_key &b) { return order(a) == order(b); }

std::string describe(const halo_channel_key &key) {
    std::string text = format("%lld -> %lld, field %d, element %d", static_cast<long long>(key.send_gid), static_cast<long long>(key.receive_gid),
                              key.field, key.element);
    if (key.extra != 0) text += format(", extra %lld", static_cast<long long>(key.extra));
    return text;
}

std::string first_difference(const std::vector<WireEdge> &sent, int32_t sender, const std::vector<WireEdge> &received, int32_t receiver,
                             const NameOfKey &name) {
    for (size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
        const bool no_sender = i >= sent.size() || (i < received.size() && before(received[i].key, sent[i].key));
        const bool no_receiver = i >= received.size() || (i < sent.size() && before(sent[i].key, received[i].key));
        if (no_sender) return format("channel %s is received by rank %d but not sent by rank %d", name(received[i].key).c_str(), receiver, sender);
        if (no_receiver) return format("channel %s is sent by rank %d but not received by rank %d", name(sent[i].key).c_str(), sender, receiver);
        if (sent[i].bytes != received[i].bytes || sent[i].type != received[i].type)
            return format("channel %s has %lld bytes of %s on sending rank %d, %lld bytes of %s on receiving rank %d", name(sent[i].key).c_str(),
                          static_cast<long long>(sent[i].bytes), type_name(sent[i].type), sender, static_cast<long long>(received[i].bytes),
                          type_name(received[i].type), receiver);
        if (sent[i].pattern != received[i].pattern)
            return format("channel %s: the maps of points on sending rank %d and receiving rank %d leave out different points",
                          name(sent[i].key).c_str(), sender, receiver);
    }
    return {};
}

} // namespace halo
