// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/points.h"

#include <algorithm>
#include <set>

#include "comm/collective.h"

namespace halo {

bool in_sections(int64_t tag, uint32_t groups) { return groups == 0 || (static_cast<uint32_t>(tag >> section_shift) & groups) != 0; }

void check_holders(const HolderRun &run, int32_t n_ranks, int32_t teller) {
    if (run.first < 0 || run.n_ranks < 1 || run.first >= n_ranks || run.n_ranks > n_ranks - run.first || run.silent > run.copies)
        fail(HALO_ERR_WIRE, "points: rank %d tells of %d ranks from %d on, of %d, with %u copies of a point, %u of them silent", teller, run.n_ranks,
             run.first, n_ranks, run.copies, run.silent);
}

void add_holder(std::vector<HolderRun> &runs, int32_t rank, uint32_t copies, uint32_t silent) {
    if (!runs.empty() && runs.back().end() == rank && runs.back().copies == copies && runs.back().silent == silent)
        ++runs.back().n_ranks;
    else
        runs.push_back({ rank, 1, copies, silent });
}

void SharedPoints::reserve(size_t n_points, size_t n_runs) {
    points_.reserve(n_points);
    copies_.reserve(n_points);
    runs_.reserve(n_runs);
}

void SharedPoints::add(int32_t owner, std::span<const uint32_t> copies, std::span<const HolderRun> holders) {
    points_.push_back({ owner, static_cast<uint32_t>(copies_.size()), static_cast<uint32_t>(runs_.size()) });
    copies_.insert(copies_.end(), copies.begin(), copies.end());
    runs_.insert(runs_.end(), holders.begin(), holders.end());
}

std::span<const uint32_t> SharedPoints::copies(int64_t i) const {
    const size_t end = i + 1 < size() ? points_[i + 1].first_copy : copies_.size();
    return { copies_.data() + points_[i].first_copy, end - points_[i].first_copy };
}

std::span<const HolderRun> SharedPoints::holders(int64_t i) const {
    const size_t end = i + 1 < size() ? points_[i + 1].first_run : runs_.size();
    return { runs_.data() + points_[i].first_run, end - points_[i].first_run };
}

void PointList::close() {
    for (size_t i = 1; i < points_.size(); ++i)
        if (points_[i] != points_[0] + i) return points_.shrink_to_fit();
    if (points_.empty()) return;
    first_ = points_[0];
    run_ = std::ssize(points_);
    points_ = {};
}

Region PointList::region_of(int64_t n) { return { { { 0, 0, 0 }, { n, 1, 1 } }, {}, false }; }

Region PointList::region() const {
    if (is_run()) return { { { first_, 0, 0 }, { first_ + run_, 1, 1 } }, {}, false };
    Region region = region_of(size());
    region.points = points_;
    region.listed = true;
    return region;
}

void PointEdges::close() {
    for (auto *side : { &send, &receive })
        for (auto &[key, list] : *side) list.close();
}

halo_part PointsTopology::part(int64_t gid) const {
    if (gid < 0 || gid >= n_parts())
        fail(HALO_ERR_NOT_FOUND, "part %lld: there are parts 0 to %lld", static_cast<long long>(gid), static_cast<long long>(n_parts() - 1));
    halo_part part = HALO_PART_INIT;
    part.rank = parts_ ? parts_->rank_of(gid) : static_cast<int32_t>(gid);
    part.gid = gid;
    part.n_dims = 1;
    part.cells = { { 0, 0, 0 }, { cells_of(gid)[0], 1, 1 } };
    return part;
}

std::vector<halo_neighbour> PointsTopology::neighbours(int64_t gid) const {
    require_local(gid);
    std::set<int64_t> others;
    for (const int32_t peer : parts_ ? std::vector<int32_t>{} : peers()) others.insert(peer);
    const auto add = [&](const PartEdgeKey &key) {
        if (key.send_gid == gid) others.insert(key.receive_gid);
        if (key.receive_gid == gid) others.insert(key.send_gid);
    };
    for (const auto *side : { &forward_parts_.send, &forward_parts_.receive })
        for (const auto &[key, points] : *side) add(key);
    for (const auto &[key, points] : forward_parts_.local) add(key);
    others.erase(gid);
    std::vector<halo_neighbour> list;
    list.reserve(others.size());
    for (const int64_t other : others) list.push_back(neighbour_row(other, parts_ ? parts_->rank_of(other) : static_cast<int32_t>(other), 13));
    return list;
}

Extent PointsTopology::cells_of(int64_t gid) const {
    const int64_t local = local_index(gid);
    return local < 0 ? Extent{ 0, 1, 1 } : cells(local);
}

std::vector<int32_t> PointsTopology::peers() const {
    std::vector<int32_t> ranks;
    for (const auto *side : { &forward_.send, &forward_.receive })
        for (const auto &[key, list] : *side)
            if (key.first != context_.rank()) ranks.push_back(key.first);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

std::vector<uint64_t> PointsTopology::point_keys() const {
    fail(HALO_ERR_ARGUMENT, "point keys: the topology does not keep them: it is neither a graph nor editable");
}

std::vector<int32_t> PointsTopology::owners() const {
    std::vector<int32_t> owners(static_cast<size_t>(n_points_), context_.rank());
    for (int64_t i = 0; i < shared_.size(); ++i)
        for (const uint32_t point : shared_.copies(i)) owners[point] = shared_.owner(i);
    for (size_t point = 0; point < owners.size(); ++point)
        if (is_ignored(point)) owners[point] = -1;
    return owners;
}

void PointsTopology::mark_owned(int64_t local_index, Centring, std::span<uint8_t> mask) const {
    const auto first = static_cast<size_t>(first_point(local_index));
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = is_ignored(first + i) ? 0 : 1;
    for (int64_t i = 0; i < shared_.size(); ++i) {
        const bool begins_with_own = knows_holders_ && shared_.owner(i) == context_.rank();
        for (const uint32_t ghost : shared_.copies(i).subspan(begins_with_own ? 1 : 0))
            if (ghost - first < mask.size()) mask[ghost - first] = 0;
    }
}

std::vector<int32_t> PointsTopology::sharers(int64_t point) const {
    if (point < 0 || point >= n_points_)
        fail(HALO_ERR_ARGUMENT, "point %lld: this rank has %lld", static_cast<long long>(point), static_cast<long long>(n_points_));
    if (!knows_holders_) fail(HALO_ERR_STATE, "sharers: a topology made from lists knows who else has a point only where `sharers` asked for it");
    std::vector<int32_t> ranks;
    const int64_t shared = place_of(static_cast<uint32_t>(point));
    if (is_ignored(static_cast<size_t>(point))) return {};
    if (shared < 0) return { context_.rank() };
    for (const HolderRun &run : shared_.holders(shared))
        for (int32_t rank = run.first; rank < run.end(); ++rank) ranks.push_back(rank);
    return ranks;
}

int64_t PointsTopology::place_of(uint32_t point) const {
    if (places_.empty()) {
        for (int64_t i = 0; i < shared_.size(); ++i)
            for (const uint32_t copy : shared_.copies(i)) places_.emplace_back(copy, i);
        std::sort(places_.begin(), places_.end());
    }
    const auto place = std::lower_bound(places_.begin(), places_.end(), std::pair<uint32_t, int64_t>{ point, 0 });
    return place != places_.end() && place->first == point ? place->second : -1;
}

// Sums of the ranks below, by doubling distances; the total is the last rank's.
void PointsTopology::count_owned(int64_t n_owned) {
    n_owned_ = n_owned;
    first_global_ = exclusive_sum(context_, n_owned);
    n_global_ = first_global_ + n_owned;
    broadcast(context_, context_.size() - 1, &n_global_, sizeof n_global_);
}

void PointsTopology::share_point(int32_t teller, int32_t owner, std::span<const uint32_t> copies, std::span<const HolderRun> holders) {
    const int32_t rank = context_.rank();
    bool fits = owner < context_.size(), has_here = owner < 0;
    int32_t next = 0;
    for (const HolderRun &run : holders) {
        fits = fits && run.first >= next && !(run.has(owner) && run.silent == run.copies);
        if (run.has(rank)) has_here = run.copies == copies.size();
        next = run.end();
    }
    if (!fits || !has_here)
        fail(HALO_ERR_WIRE, "points: rank %d tells of a point of rank %d, with %zu copies here, what does not go with that", teller, owner,
             copies.size());
    shared_.add(owner, copies, holders);
}

// Only the owner looks at each rank of a run.
void PointsTopology::make_forward_edges() {
    const int32_t rank = context_.rank();
    const auto send = [&](int32_t to, int64_t tag, uint32_t point, uint32_t n) {
        if (n > 0) forward_.send[{ to, tag }].add(n, point);
    };
    const auto receive = [&](int32_t from, int64_t tag, std::span<const uint32_t> points) {
        if (!points.empty()) forward_.receive[{ from, tag }].add(points);
    };
    for (int64_t i = 0; i < shared_.size(); ++i) {
        const int32_t owner = shared_.owner(i);
        if (owner < 0) continue;
        const auto copies = shared_.copies(i);
        for (const HolderRun &run : shared_.holders(i)) {
            for (int32_t to = run.first; owner == rank && to < run.end(); ++to) {
                send(to, edge_to_copies, copies[0], run.copies - run.silent - (to == owner ? 1 : 0)); // beside the owner's own
                send(to, edge_to_silent, copies[0], run.silent);
            }
            if (!run.has(rank)) continue;
            const auto ghosts = owner == rank ? copies.subspan(1) : copies;
            receive(owner, edge_to_copies, ghosts.first(ghosts.size() - run.silent));
            receive(owner, edge_to_silent, ghosts.last(run.silent));
        }
    }
    forward_.close();
}

// For each point: what every copy gets from every other, and, where it is not the owner's, from itself, so that all add up in one order. A list
// goes by point, then sender's copy, then receiver's copy.
PointEdges PointsTopology::edges_between_copies() const {
    PointEdges edges;
    const int32_t rank = context_.rank();
    for (int64_t i = 0; i < shared_.size(); ++i) {
        const int32_t owner = shared_.owner(i);
        if (owner < 0) continue;
        const auto copies = shared_.copies(i);
        const auto others = owner == rank ? copies.subspan(1) : copies; // not the owner's own
        const auto holders = shared_.holders(i);
        const auto mine = std::find_if(holders.begin(), holders.end(), [&](const HolderRun &run) { return run.has(rank); });
        const auto given = others.first(others.size() - mine->silent);
        for (const HolderRun &run : holders)
            for (int32_t other = run.first; other < run.end(); ++other) {
                const uint32_t others_there = run.copies - (other == owner ? 1 : 0);
                if (owner == rank) edges.send[{ other, edge_of_owner }].add(others_there, copies[0]);
                if (other == owner) edges.receive[{ owner, edge_of_owner }].add(others);
                for (const uint32_t copy : given) edges.send[{ other, edge_of_copies }].add(run.copies, copy);
                for (uint32_t c = run.silent; c < others_there; ++c) edges.receive[{ other, edge_of_copies }].add(copies);
            }
    }
    for (auto *side : { &edges.send, &edges.receive }) std::erase_if(*side, [](const auto &item) { return item.second.empty(); });
    edges.close();
    return edges;
}

void PointsTopology::make_parts(PointParts parts) {
    parts_ = std::move(parts);
    local_parts_ = parts_->gids();
    forward_parts_ = parts_->split(context_, forward_);
    between_parts_ = parts_->split(context_, edges_between_copies());
}

void PointsTopology::require_holders() const {
    if (!knows_holders_)
        fail(
            HALO_ERR_ARGUMENT,
            "exchange: a topology made from lists knows only its owners' edges: HALO_KIND_SHARED_REDUCE needs one with `sharers`, or made from keys");
}

void PointsTopology::edges(const EdgeRequest &request, const EdgeSink &sink) const {
    if (request.flow == Flow::from_owner) return parts_ ? emit(forward_parts_, request.sections, sink) : emit(forward_, request.sections, sink);
    if (request.sections != 0) fail(HALO_ERR_ARGUMENT, "exchange: sections %#x: a shared reduction is of all points", request.sections);
    require_holders();
    if (parts_) return emit(between_parts_, 0, sink);
    if (!between_) between_ = edges_between_copies();
    emit(*between_, 0, sink);
}

// Of the other rank's points, no more is known than how many they are.
Edge PointsTopology::edge_of(int64_t send_gid, int64_t receive_gid, int64_t tag, int64_t n) const {
    Edge edge;
    edge.send_gid = send_gid;
    edge.receive_gid = receive_gid;
    edge.send_rank = parts_ ? parts_->rank_of(send_gid) : static_cast<int32_t>(send_gid);
    edge.receive_rank = parts_ ? parts_->rank_of(receive_gid) : static_cast<int32_t>(receive_gid);
    edge.identity.tag = tag;
    edge.from_owner = edge_kind(tag) != edge_of_copies;
    edge.contributes = edge_kind(tag) != edge_to_silent;
    edge.send = edge.receive = PointList::region_of(n);
    return edge;
}

void PointsTopology::emit(const PointEdges &edges, uint32_t sections, const EdgeSink &sink) const {
    const int32_t rank = context_.rank();
    for (const auto &[key, list] : edges.send) {
        if (!in_sections(key.second, sections)) continue;
        Edge edge = edge_of(rank, key.first, key.second, list.size());
        edge.ends = key.first == rank ? EdgeEnds::local : EdgeEnds::send;
        edge.send = list.region();
        if (key.first == rank) edge.receive = edges.receive.at(key).region();
        sink(edge);
    }
    for (const auto &[key, list] : edges.receive) {
        if (key.first == rank || !in_sections(key.second, sections)) continue;
        Edge edge = edge_of(key.first, rank, key.second, list.size());
        edge.ends = EdgeEnds::receive;
        edge.receive = list.region();
        sink(edge);
    }
}

void PointsTopology::emit(const PartEdges &edges, uint32_t sections, const EdgeSink &sink) const {
    const auto give = [&](const PartEdgeKey &key, const PointList &any, EdgeEnds ends, const PointList *send, const PointList *receive) {
        if (!in_sections(key.tag, sections)) return;
        Edge edge = edge_of(key.send_gid, key.receive_gid, key.tag, any.size());
        edge.ends = ends;
        if (send) edge.send = send->region();
        if (receive) edge.receive = receive->region();
        sink(edge);
    };
    for (const auto &[key, list] : edges.send) give(key, list, EdgeEnds::send, &list, nullptr);
    for (const auto &[key, list] : edges.receive) give(key, list, EdgeEnds::receive, nullptr, &list);
    for (const auto &[key, both] : edges.local) give(key, both.first, EdgeEnds::local, &both.first, &both.second);
}

} // namespace halo
