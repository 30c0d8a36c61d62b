// SPDX-License-Identifier: BSD-3-Clause
#include "topology/lists/lists.h"

#include <algorithm>

#include "base/checked.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "topology/discovery.h"

namespace halo {

namespace {

void check_points(const char *what, int64_t n_points) {
    if (n_points < 0) fail(HALO_ERR_ARGUMENT, "%s: %lld points", what, static_cast<long long>(n_points));
    check_limit(format("%s: n_points", what).c_str(), n_points, limits::points);
}

// Marks a point as received; fails where it is none of this rank's or is received already.
void mark_received(const char *what, std::vector<bool> &received, uint32_t point, int32_t from) {
    if (point >= received.size()) fail(HALO_ERR_BOUNDS, "%s: point %u, received from rank %d: this rank has %zu", what, point, from, received.size());
    if (received[point]) fail(HALO_ERR_ARGUMENT, "%s: point %u, received from rank %d, is received twice", what, point, from);
    received[point] = true;
}

void check_sent(const char *what, const std::vector<bool> &received, uint32_t point, int32_t to) {
    if (point >= received.size()) fail(HALO_ERR_BOUNDS, "%s: point %u, sent to rank %d: its rank has %zu", what, point, to, received.size());
    if (received[point]) fail(HALO_ERR_ARGUMENT, "%s: point %u, sent to rank %d, is received itself", what, point, to);
}

Terms terms_of(int32_t sharers) {
    Terms terms;
    terms.add("sharers", sharers != 0 ? "yes" : "no");
    return terms;
}

} // namespace

ListsTopology::ListsTopology(Context &context, const halo_lists_desc &desc) : PointsTopology(context) {
    knows_holders_ = desc.sharers != 0;
    together(context, "lists", [&] { check_lists(desc); });
    agree(context, "lists", terms_of(desc.sharers));
    n_points_ = desc.n_points;
    int64_t n_received = 0;
    for (int32_t p = 0; p < desc.n_peers; ++p) {
        const std::pair<int32_t, int64_t> key{ desc.peers[p], edge_to_copies };
        for (int64_t i = desc.send_offsets[p]; i < desc.send_offsets[p + 1]; ++i) forward_.send[key].add(desc.send[i]);
        for (int64_t i = desc.receive_offsets[p]; i < desc.receive_offsets[p + 1]; ++i) {
            forward_.receive[key].add(desc.receive[i]);
            if (!knows_holders_) shared_.add(desc.peers[p], { &desc.receive[i], 1 }, {});
            ++n_received;
        }
    }
    finish(n_received);
}

void ListsTopology::check_lists(const halo_lists_desc &desc) const {
    check_points("lists", desc.n_points);
    if (desc.n_peers < 0 || (desc.n_peers > 0 && (!desc.peers || !desc.send_offsets || !desc.receive_offsets)))
        fail(HALO_ERR_ARGUMENT, "lists: %d peers, but not all of peers, send_offsets and receive_offsets", desc.n_peers);
    check_limit("lists: n_peers", desc.n_peers, context_.size());
    if (desc.n_peers > 0 && (desc.send_offsets[0] < 0 || desc.receive_offsets[0] < 0))
        fail(HALO_ERR_ARGUMENT, "lists: offsets begin at %lld and %lld", static_cast<long long>(desc.send_offsets[0]),
             static_cast<long long>(desc.receive_offsets[0]));
    std::vector<bool> received(static_cast<size_t>(desc.n_points), false);
    std::vector<int32_t> peers(desc.peers, desc.peers + desc.n_peers);
    std::sort(peers.begin(), peers.end());
    if (const auto twice = std::adjacent_find(peers.begin(), peers.end()); twice != peers.end())
        fail(HALO_ERR_ARGUMENT, "lists: rank %d is given twice", *twice);
    for (int32_t p = 0; p < desc.n_peers; ++p) {
        const int32_t peer = desc.peers[p];
        if (peer < 0 || peer >= context_.size()) fail(HALO_ERR_ARGUMENT, "lists: peer %d; there are ranks 0 to %d", peer, context_.size() - 1);
        if (desc.send_offsets[p + 1] < desc.send_offsets[p] || desc.receive_offsets[p + 1] < desc.receive_offsets[p])
            fail(HALO_ERR_ARGUMENT, "lists: the offsets of rank %d descend", peer);
        const int64_t n_send = desc.send_offsets[p + 1] - desc.send_offsets[p], n_receive = desc.receive_offsets[p + 1] - desc.receive_offsets[p];
        check_limit(format("lists: points received from rank %d", peer).c_str(), n_receive, desc.n_points);
        if ((n_send > 0 && !desc.send) || (n_receive > 0 && !desc.receive)) fail(HALO_ERR_ARGUMENT, "lists: offsets of rank %d without a list", peer);
        if (peer == context_.rank() && n_send != n_receive)
            fail(HALO_ERR_ARGUMENT, "lists: this rank sends itself %lld points and receives %lld", static_cast<long long>(n_send),
                 static_cast<long long>(n_receive));
        for (int64_t i = desc.receive_offsets[p]; i < desc.receive_offsets[p + 1]; ++i) mark_received("lists", received, desc.receive[i], peer);
    }
    for (int32_t p = 0; p < desc.n_peers; ++p)
        for (int64_t i = desc.send_offsets[p]; i < desc.send_offsets[p + 1]; ++i) check_sent("lists", received, desc.send[i], desc.peers[p]);
}

uint32_t ListsTopology::leaf(const halo_star_desc &desc, int64_t i) const {
    return desc.leaves ? desc.leaves[i] : static_cast<uint32_t>(desc.n_points - desc.n_leaves + i);
}

void ListsTopology::check_star(const halo_star_desc &desc) const {
    check_points("star", desc.n_points);
    if (desc.n_leaves < 0 || desc.n_leaves > desc.n_points || (desc.n_leaves > 0 && (!desc.ranks || !desc.indices)))
        fail(HALO_ERR_ARGUMENT, "star: %lld leaves of %lld points, ranks at %p, indices at %p", static_cast<long long>(desc.n_leaves),
             static_cast<long long>(desc.n_points), static_cast<const void *>(desc.ranks), static_cast<const void *>(desc.indices));
    for (int64_t i = 0; i < desc.n_leaves; ++i)
        if (desc.ranks[i] < 0 || desc.ranks[i] >= context_.size())
            fail(HALO_ERR_ARGUMENT, "star: root of leaf %u on rank %d; there are ranks 0 to %d", leaf(desc, i), desc.ranks[i], context_.size() - 1);
}

// Every root's rank is told what its leaves here are, in their order.
ListsTopology::ListsTopology(Context &context, const halo_star_desc &desc) : PointsTopology(context) {
    knows_holders_ = desc.sharers != 0;
    std::vector<bool> received;
    together(context, "star", [&] {
        check_star(desc);
        received.resize(static_cast<size_t>(desc.n_points), false);
        for (int64_t i = 0; i < desc.n_leaves; ++i) mark_received("star", received, leaf(desc, i), desc.ranks[i]);
    });
    agree(context, "star", terms_of(desc.sharers));
    n_points_ = desc.n_points;
    std::map<int32_t, std::vector<uint32_t>> roots;
    for (int64_t i = 0; i < desc.n_leaves; ++i) {
        const uint32_t mine = leaf(desc, i);
        roots[desc.ranks[i]].push_back(desc.indices[i]);
        if (context.check_mode()) roots_[mine] = { desc.ranks[i], desc.indices[i] };
        forward_.receive[{ desc.ranks[i], edge_to_copies }].add(mine);
        if (!knows_holders_) shared_.add(desc.ranks[i], { &mine, 1 }, {});
    }
    std::vector<Delivery> out;
    for (const auto &[rank, list] : roots)
        if (rank != context.rank()) out.push_back({ rank, to_bytes(list) });
    const std::vector<Delivery> came = Discovery(context, discovery_kind(context), "star").exchange(std::move(out));
    together(context, "star", [&] {
        if (const auto own = roots.find(context.rank()); own != roots.end()) add_roots(context.rank(), own->second, received);
        for (const Delivery &delivery : came) add_roots(delivery.rank, from_bytes<uint32_t>(delivery.bytes), received);
    });
    finish(desc.n_leaves);
}

std::string ListsTopology::name_of(int64_t point) const {
    const auto root = roots_.find(static_cast<uint32_t>(point));
    return root == roots_.end() ? std::string() : format("leaf of root %u on rank %d", root->second.index, root->second.rank);
}

void ListsTopology::add_roots(int32_t rank, std::span<const uint32_t> roots, const std::vector<bool> &received) {
    for (const uint32_t root : roots) check_sent("star", received, root, rank);
    forward_.send[{ rank, edge_to_copies }].add(roots);
}

void ListsTopology::finish(int64_t n_received) {
    forward_.close();
    if (knows_holders_) learn_sharers();
    count_owned(n_points_ - n_received);
}

} // namespace halo
