// SPDX-License-Identifier: BSD-3-Clause
#include "topology/regions/regions.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/checked.h"
#include "base/digest.h"
#include "base/items.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "topology/boxes/box_calculus.h"
#include "topology/boxes/box_set.h"
#include "topology/even_owner.h"

namespace halo {

namespace {

constexpr int32_t inside = 13; // the element of owned cells

} // namespace

RegionsTopology::RegionsTopology(Context &context, const halo_regions_desc &desc) : Topology(context), n_dims_(desc.n_dims), reach_(desc.reach) {
    const auto describe = [&] {
        read_parts(desc);
        read_joins(desc);
        check_overlap();
        return terms().hash();
    };
    agree_on(context, "regions", describe, [&] { return terms(); });
    for (int64_t gid = 0; gid < n_parts(); ++gid)
        if (owner_[gid] == context.rank()) local_parts_.push_back(gid);
}

void RegionsTopology::read_parts(const halo_regions_desc &desc) {
    if (n_dims_ < 1 || n_dims_ > 3) fail(HALO_ERR_ARGUMENT, "regions: n_dims is %d, it must be 1, 2 or 3", n_dims_);
    check_limit("regions: n_parts", desc.n_parts, limits::listed);
    check_limit("regions: n_joins", desc.n_joins, limits::listed);
    if (desc.n_parts < 0 || (desc.n_parts > 0 && !desc.cells) || desc.n_joins < 0 || (desc.n_joins > 0 && !desc.joins))
        fail(HALO_ERR_ARGUMENT, "regions: %lld parts at address %p, %lld joins at address %p", static_cast<long long>(desc.n_parts),
             static_cast<const void *>(desc.cells), static_cast<long long>(desc.n_joins), static_cast<const void *>(desc.joins));
    if (reach_ < 0) fail(HALO_ERR_ARGUMENT, "regions: reach is %d, it must be 0 or more", reach_);
    check_limit("regions: reach", reach_, limits::reach);
    for (int64_t gid = 0; gid < desc.n_parts; ++gid) {
        Extent cells{ 1, 1, 1 };
        std::copy_n(desc.cells + 3 * gid, n_dims_, cells.begin());
        for (int d = 0; d < n_dims_; ++d) {
            if (cells[d] < 1)
                fail(HALO_ERR_ARGUMENT, "regions: part %lld has %lld cells along direction %d", static_cast<long long>(gid),
                     static_cast<long long>(cells[d]), d);
            check_limit("regions: cells of a part", cells[d], limits::part_cells);
        }
        for (int d = n_dims_; d < 3; ++d)
            if (const int64_t given = desc.cells[3 * gid + d]; given != 0 && given != 1)
                fail(HALO_ERR_ARGUMENT, "regions: part %lld has %lld cells along direction %d: with n_dims %d there are directions 0 to %d",
                     static_cast<long long>(gid), static_cast<long long>(given), d, n_dims_, n_dims_ - 1);
        const int32_t rank = desc.owner ? desc.owner[gid] : even_owner(gid, desc.n_parts, context_.size());
        if (rank < 0 || rank >= context_.size())
            fail(HALO_ERR_ARGUMENT, "regions: owner of part %lld is rank %d; the context has ranks 0 to %d", static_cast<long long>(gid), rank,
                 context_.size() - 1);
        cells_.push_back(cells);
        owner_.push_back(rank);
    }
}

void RegionsTopology::read_joins(const halo_regions_desc &desc) {
    sent_.resize(cells_.size());
    filled_.resize(cells_.size());
    for (int64_t i = 0; i < desc.n_joins; ++i) {
        const halo_join join = read_item(desc.joins, desc.join_bytes, i, halo_join{});
        check_join(join, i);
        Edge edge;
        edge.send_gid = join.send_gid;
        edge.receive_gid = join.receive_gid;
        edge.send_rank = owner_[join.send_gid];
        edge.receive_rank = owner_[join.receive_gid];
        edge.identity.tag = i;
        edge.ends = ends_on(context_.rank(), edge.send_rank, edge.receive_rank);
        edge.send.box = join.send;
        edge.receive.box = join.receive;
        for (int d = 0; d < 3; ++d) {
            edge.map.axis[d] = static_cast<int8_t>(join.axis[d]);
            edge.map.sign[d] = static_cast<int8_t>(join.sign[d]);
            const int32_t vector = desc.vector_signs ? desc.vector_signs[3 * i + d] : join.sign[d];
            if (vector != 1 && vector != -1)
                fail(HALO_ERR_ARGUMENT, "regions: join %lld: vectors along direction %d come with sign %d", static_cast<long long>(i), d, vector);
            edge.map.vector[d] = static_cast<int8_t>(vector);
        }
        joins_.push_back(edge);
        sent_[join.send_gid].push_back(static_cast<size_t>(i));
        filled_[join.receive_gid].push_back(static_cast<size_t>(i));
    }
}

void RegionsTopology::check_join(const halo_join &join, int64_t place) const {
    const std::string what = format("regions: join %lld, from part %lld to part %lld", static_cast<long long>(place),
                                    static_cast<long long>(join.send_gid), static_cast<long long>(join.receive_gid));
    if (join.send_gid < 0 || join.send_gid >= n_parts() || join.receive_gid < 0 || join.receive_gid >= n_parts())
        fail(HALO_ERR_ARGUMENT, "%s: there are parts 0 to %lld", what.c_str(), static_cast<long long>(n_parts() - 1));
    if (empty(join.send) || empty(join.receive)) fail(HALO_ERR_ARGUMENT, "%s: a box has no cells", what.c_str());
    if (!contains(owned(join.send_gid), join.send)) fail(HALO_ERR_BOUNDS, "%s: the sender does not own all cells of its box", what.c_str());
    if (!contains(grown(owned(join.receive_gid), reach_widths()), join.receive))
        fail(HALO_ERR_BOUNDS, "%s: the receiver's box reaches out farther than %d cells", what.c_str(), reach_);
    if (meet(join.receive, owned(join.receive_gid))) fail(HALO_ERR_BOUNDS, "%s: the receiver owns cells of its box", what.c_str());
    int32_t seen = 0;
    for (int d = 0; d < 3; ++d) {
        const int32_t there = join.axis[d];
        if (there < 0 || there > 2 || (join.sign[d] != 1 && join.sign[d] != -1))
            fail(HALO_ERR_ARGUMENT, "%s: direction %d runs along direction %d with sign %d", what.c_str(), d, there, join.sign[d]);
        if (d >= n_dims_ && (there != d || join.sign[d] != 1)) fail(HALO_ERR_ARGUMENT, "%s: direction %d is not used, but turned", what.c_str(), d);
        seen |= 1 << there;
        const int64_t sent = join.send.high[there] - join.send.low[there];
        const int64_t filled = join.receive.high[d] - join.receive.low[d];
        if (sent != filled)
            fail(HALO_ERR_ARGUMENT, "%s: direction %d of the receiver has %lld cells, direction %d of the sender %lld", what.c_str(), d,
                 static_cast<long long>(filled), there, static_cast<long long>(sent));
    }
    if (seen != 7) fail(HALO_ERR_ARGUMENT, "%s: axis %d, %d, %d is no permutation", what.c_str(), join.axis[0], join.axis[1], join.axis[2]);
}

// No ghost is filled twice.
void RegionsTopology::check_overlap() const {
    for (int64_t gid = 0; gid < n_parts(); ++gid) {
        std::vector<PlacedBox> boxes;
        for (const size_t join : filled_[gid]) boxes.push_back({ static_cast<int64_t>(join), 0, 0, joins_[join].receive.box, {} });
        const BoxSet set(boxes, Extent{});
        std::vector<PlacedBox> near;
        for (const PlacedBox &box : boxes) {
            near.clear();
            set.boxes_near(box.cells, near);
            for (const PlacedBox &other : near)
                if (other.gid != box.gid)
                    fail(HALO_ERR_ARGUMENT, "regions: joins %lld and %lld fill the same ghosts of part %lld",
                         static_cast<long long>(std::min(box.gid, other.gid)), static_cast<long long>(std::max(box.gid, other.gid)),
                         static_cast<long long>(gid));
        }
    }
}

Terms RegionsTopology::terms() const {
    Terms terms;
    terms.add("n_dims", std::to_string(n_dims_));
    terms.add("reach", std::to_string(reach_));
    terms.add("list of parts", std::to_string(cells_.size()), "parts");
    terms.add("list of joins", std::to_string(joins_.size()), "joins, both ways");
    const auto text_of = [](const auto &xyz) {
        return format("(%lld, %lld, %lld)", static_cast<long long>(xyz[0]), static_cast<long long>(xyz[1]), static_cast<long long>(xyz[2]));
    };
    const auto box = [&](const halo_box &cells) { return text_of(cells.low) + " to " + text_of(cells.high); };
    for (size_t gid = 0; gid < cells_.size(); ++gid)
        terms.add("part " + std::to_string(gid), text_of(cells_[gid]) + format(" cells of rank %d", owner_[gid]));
    for (size_t j = 0; j < joins_.size(); ++j) {
        const Edge &join = joins_[j];
        terms.add("join " + std::to_string(j), format("part %lld, ", static_cast<long long>(join.send_gid)) + box(join.send.box) +
                                                   format(" to part %lld, ", static_cast<long long>(join.receive_gid)) + box(join.receive.box) +
                                                   ", axes " + text_of(join.map.axis) + ", signs " + text_of(join.map.sign) + ", of vectors " +
                                                   text_of(join.map.vector));
    }
    return terms;
}

void RegionsTopology::require_gid(int64_t gid) const {
    if (gid < 0 || gid >= n_parts())
        fail(HALO_ERR_NOT_FOUND, "part %lld does not exist: gids are 0 to %lld", static_cast<long long>(gid), static_cast<long long>(n_parts() - 1));
}

halo_box RegionsTopology::owned(int64_t gid) const { return { { 0, 0, 0 }, { cells_[gid][0], cells_[gid][1], cells_[gid][2] } }; }

GhostWidths RegionsTopology::reach_widths() const {
    GhostWidths widths;
    for (int d = 0; d < n_dims_; ++d) widths.low[d] = widths.high[d] = reach_;
    return widths;
}

// A side is a boundary where a cell of its first layer of ghosts is filled by nobody.
halo_part RegionsTopology::part(int64_t gid) const {
    require_gid(gid);
    halo_part part = HALO_PART_INIT;
    part.rank = owner_[gid];
    part.gid = gid;
    part.n_dims = n_dims_;
    part.cells = owned(gid);
    GhostWidths layer;
    for (int d = 0; d < n_dims_; ++d) layer.low[d] = layer.high[d] = 1;
    for (const halo_boundary &open : boundaries(gid, layer, HALO_CENTRE_CELL))
        for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
            const ElementOffset side = element_offset(open.element);
            const ElementOffset low{ d == 0 ? -1 : 0, d == 1 ? -1 : 0, d == 2 ? -1 : 0 };
            const ElementOffset high{ -low[0], -low[1], -low[2] };
            part.at_boundary[2 * d] |= side == low;
            part.at_boundary[2 * d + 1] |= side == high;
        }
    return part;
}

std::vector<halo_neighbour> RegionsTopology::neighbours(int64_t gid) const {
    require_gid(gid);
    std::vector<halo_neighbour> found;
    for (const size_t join : filled_[gid])
        for (int32_t element = 0; element < 27; ++element)
            if (meet(joins_[join].receive.box, element_box(owned(gid), reach_widths(), element)))
                found.push_back(neighbour_row(joins_[join].send_gid, joins_[join].send_rank, element, joins_[join].map));
    sort_neighbours(found);
    return found;
}

std::vector<int32_t> RegionsTopology::peers() const {
    std::vector<int32_t> ranks;
    for (const Edge &join : joins_) {
        if (join.receive_rank == context_.rank() && join.send_rank != context_.rank()) ranks.push_back(join.send_rank);
        if (join.send_rank == context_.rank() && join.receive_rank != context_.rank()) ranks.push_back(join.receive_rank);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

void RegionsTopology::mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const {
    if (centring != HALO_CENTRE_CELL)
        fail(HALO_ERR_ARGUMENT,
             "owner mask: a field of centring %d on joined regions: joins are of cells, so nothing says whose its shared points are", centring);
    Topology::mark_owned(local_index, centring, mask);
}

std::vector<halo_boundary> RegionsTopology::boundaries(int64_t gid, const GhostWidths &widths, Centring) const {
    require_gid(gid);
    std::vector<halo_boundary> found;
    for (int32_t element = 0; element < 27; ++element) {
        std::vector<halo_box> pieces{ element_box(owned(gid), widths, element) };
        if (element == inside || empty(pieces[0])) continue;
        for (const size_t join : filled_[gid]) subtract(pieces, joins_[join].receive.box);
        for (const halo_box &piece : pieces) found.push_back({ piece, element, 0 });
    }
    return found;
}

void RegionsTopology::edges(const EdgeRequest &request, const EdgeSink &sink) const {
    if (request.centring != HALO_CENTRE_CELL)
        fail(HALO_ERR_ARGUMENT, "regions: joins are of cells; a field of centring %d cannot be exchanged over them", request.centring);
    if (request.shared == HALO_SHARED_ONLY) return; // no cell belongs to two parts
    const int32_t here = context_.rank();
    if (request.flow == Flow::between_copies) {
        std::map<std::tuple<int64_t, int64_t, int32_t>, int32_t> sent; // both ends come upon the edges of a pair in the same order
        const auto numbered = [&](Edge edge) {
            edge.identity.piece = sent[{ edge.send_gid, edge.receive_gid, edge.identity.element }]++;
            sink(edge);
        };
        for (int64_t gid = 0; gid < n_parts(); ++gid) edges_between_copies(gid, request, numbered);
        return;
    }
    for (const Edge &join : joins_)
        if (join.send_rank == here || join.receive_rank == here) ghost_edges(join, request, sink);
}

// What a join fills of the ghosts that a request has.
void RegionsTopology::ghost_edges(const Edge &join, const EdgeRequest &request, const EdgeSink &sink) const {
    for (int32_t element = 0; element < 27; ++element) {
        Edge edge = join;
        if (element == inside || !in_stencil(element, request.stencil)) continue;
        if (!restrict_receive(edge, element_box(owned(join.receive_gid), request.ghosts, element))) continue;
        edge.identity.element = element_across(element, join.map);
        sink(edge);
    }
}

// The copies of one part's cells: those cells, and the ghosts that its joins fill. By sending copy first: every receiver combines them in the order
// in which a reverse exchange brings them to the owner.
void RegionsTopology::edges_between_copies(int64_t owner, const EdgeRequest &request, const EdgeSink &sink) const {
    Edge itself;
    itself.send_gid = itself.receive_gid = owner;
    itself.send_rank = itself.receive_rank = owner_[owner];
    itself.send.box = itself.receive.box = owned(owner);
    std::vector<const Edge *> copies{ &itself };
    for (const size_t join : sent_[owner]) copies.push_back(&joins_[join]);
    for (const Edge *from : copies)
        for (const Edge *to : copies)
            if (from != &itself || to != &itself) edges_of_pair(*from, *to, request, sink);
}

void RegionsTopology::edges_of_pair(const Edge &from, const Edge &to, const EdgeRequest &request, const EdgeSink &sink) const {
    const int32_t here = context_.rank();
    Edge first = from; // owner -> sending copy, and
    Edge second = to;  // owner -> receiving copy, both of the same cells
    if ((from.receive_rank != here && to.receive_rank != here) || !restrict_send(first, to.send.box) || !restrict_send(second, from.send.box)) return;
    Edge pair;
    pair.send_gid = from.receive_gid;
    pair.send_rank = from.receive_rank;
    pair.receive_gid = to.receive_gid;
    pair.receive_rank = to.receive_rank;
    pair.send = first.receive;
    pair.receive = second.receive;
    pair.map = to.map.then(from.map.inverse());
    pair.from_owner = meet(from.receive.box, owned(from.receive_gid)); // joins fill ghosts alone
    pair.ends = ends_on(here, pair.send_rank, pair.receive_rank);
    const auto wanted = [&](int32_t element) { return element == inside || in_stencil(element, request.stencil); };
    for (int32_t sent = 0; sent < 27; ++sent) {
        Edge some = pair;
        if (!wanted(sent) || !restrict_send(some, element_box(owned(pair.send_gid), request.ghosts, sent))) continue;
        for (int32_t received = 0; received < 27; ++received) {
            Edge edge = some;
            if (!wanted(received) || !restrict_receive(edge, element_box(owned(pair.receive_gid), request.ghosts, received))) continue;
            edge.identity.element = sent;
            sink(edge);
        }
    }
}

} // namespace halo
