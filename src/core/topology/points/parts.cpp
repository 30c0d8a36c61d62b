// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/parts.h"

#include <algorithm>
#include <set>

#include "topology/discovery.h"

namespace halo {

namespace {

// Calls visit(key, list) for the lists of one rank.
template <class Visit>
void for_rank(const std::map<std::pair<int32_t, int64_t>, PointList> &side, int32_t rank, Visit &&visit) {
    for (auto item = side.lower_bound({ rank, INT64_MIN }); item != side.end() && item->first.first == rank; ++item)
        visit(item->first.second, item->second);
}

// The other rank's places, one list after the other.
class Told {
public:
    Told(int32_t rank, std::vector<uint32_t> places) : rank_(rank), places_(std::move(places)) {}
    std::span<const uint32_t> next(int64_t n) {
        if (n > std::ssize(places_) - at_) fail(HALO_ERR_WIRE, "parts: rank %d tells of %zu points", rank_, places_.size());
        at_ += n;
        return { places_.data() + at_ - n, static_cast<size_t>(n) };
    }

private:
    int32_t rank_;
    std::vector<uint32_t> places_;
    int64_t at_ = 0;
};

} // namespace

std::vector<int64_t> PointParts::gids() const {
    std::vector<int64_t> gids;
    for (int64_t place = 0; place + 1 < std::ssize(offsets_); ++place) gids.push_back(first_gid_ + place);
    return gids;
}

std::vector<uint32_t> PointParts::places(const PointList &points) const {
    std::vector<uint32_t> places;
    for (int64_t i = 0; i < points.size(); ++i)
        places.push_back(static_cast<uint32_t>(std::upper_bound(offsets_.begin(), offsets_.end(), int64_t{ points[i] }) - offsets_.begin() - 1));
    return places;
}

void PointParts::add_local(const PointList &sent, const PointList &received, int64_t tag, PartEdges &into) const {
    const std::vector<uint32_t> from = places(sent), to = places(received);
    for (size_t i = 0; i < from.size(); ++i) {
        auto &[send, receive] = into.local[{ first_gid_ + from[i], first_gid_ + to[i], tag }];
        send.add(within(sent[static_cast<int64_t>(i)], from[i]));
        receive.add(within(received[static_cast<int64_t>(i)], to[i]));
    }
}

PartEdges PointParts::split(Context &context, const PointEdges &edges) const {
    const int32_t rank = context.rank();
    std::set<int32_t> peers;
    for (const auto *side : { &edges.send, &edges.receive })
        for (const auto &[key, list] : *side)
            if (key.first != rank) peers.insert(key.first);
    std::vector<Delivery> out;
    for (const int32_t peer : peers) {
        std::vector<uint32_t> told;
        const auto tell = [&](int64_t, const PointList &list) {
            const std::vector<uint32_t> some = places(list);
            told.insert(told.end(), some.begin(), some.end());
        };
        for_rank(edges.send, peer, tell);
        for_rank(edges.receive, peer, tell);
        out.push_back({ peer, to_bytes(told) });
    }
    PartEdges split;
    for (const Delivery &delivery : Discovery(context, discovery_kind(context), "parts").answer(std::move(out), { peers.begin(), peers.end() })) {
        Told told(delivery.rank, from_bytes<uint32_t>(delivery.bytes));
        const int64_t their_first = delivery.rank * most_;
        for_rank(edges.receive, delivery.rank, [&](int64_t tag, const PointList &list) {
            const std::vector<uint32_t> here = places(list);
            const auto there = told.next(list.size());
            for (size_t i = 0; i < here.size(); ++i)
                split.receive[{ their_first + there[i], first_gid_ + here[i], tag }].add(within(list[static_cast<int64_t>(i)], here[i]));
        });
        for_rank(edges.send, delivery.rank, [&](int64_t tag, const PointList &list) {
            const std::vector<uint32_t> here = places(list);
            const auto there = told.next(list.size());
            for (size_t i = 0; i < here.size(); ++i)
                split.send[{ first_gid_ + here[i], their_first + there[i], tag }].add(within(list[static_cast<int64_t>(i)], here[i]));
        });
    }
    for_rank(edges.send, rank, [&](int64_t tag, const PointList &list) { add_local(list, edges.receive.at({ rank, tag }), tag, split); });
    for (auto *side : { &split.send, &split.receive })
        for (auto &[key, list] : *side) list.close();
    for (auto &[key, both] : split.local) {
        both.first.close();
        both.second.close();
    }
    return split;
}

} // namespace halo
