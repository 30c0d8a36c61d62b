// SPDX-License-Identifier: BSD-3-Clause
#include "stream/handshake.h"

#include <algorithm>
#include <utility>

namespace halo {

std::vector<WireEdge> WireEdges::joined() const {
    std::vector<WireEdge> all = sending;
    all.insert(all.end(), receiving.begin(), receiving.end());
    return all;
}

WireEdges WireEdges::split(std::vector<WireEdge> joined, size_t n_sending) {
    const auto middle = joined.begin() + static_cast<std::ptrdiff_t>(std::min(n_sending, joined.size()));
    std::vector<WireEdge> receiving(middle, joined.end());
    joined.erase(middle, joined.end());
    return { std::move(joined), std::move(receiving) };
}

std::string difference(const WireEdges &own, int32_t own_rank, const WireEdges &peers, int32_t peer, const NameOfKey &name) {
    const auto outward = [&] { return first_difference(own.sending, own_rank, peers.receiving, peer, name); };
    const auto inward = [&] { return first_difference(peers.sending, peer, own.receiving, own_rank, name); };
    std::string text = own_rank < peer ? outward() : inward();
    if (text.empty()) text = own_rank < peer ? inward() : outward();
    return text.empty() ? "in more than the channels" : text;
}

} // namespace halo
