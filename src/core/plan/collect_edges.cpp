// SPDX-License-Identifier: BSD-3-Clause
#include "plan/collect_edges.h"

#include "topology/boxes/transfer_edges.h"

namespace halo {

namespace {

Extent extent_of(const halo_box &box) { return { box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2] }; }

// Narrowing leaves cells out of edges; it never makes others.
bool narrow(Edge &edge, const Topology &topology, const BoxSource *receivers, const EdgeRequest &request, int32_t depth) {
    if (depth == 0) return true;
    const GhostWidths ghosts = request.ghosts.clipped(depth);
    const Extent cells = receivers ? extent_of(receivers->box_of(edge.recv_gid).cells) : topology.cells_of(edge.recv_gid);
    if (!clip_receive(edge, cells, request.centring, ghosts)) return false;
    if (request.flow == Flow::from_owner) return true;
    Edge back = reversed(edge);
    if (!clip_receive(back, topology.cells_of(edge.send_gid), request.centring, ghosts)) return false;
    std::swap(back.send, back.receive);
    edge.send = back.send;
    edge.receive = back.receive;
    return true;
}

// Makes an edge between faces along the sweep's direction take along the ghosts that earlier sweeps have filled on both sides. False: another edge.
bool sweep_along(Edge &edge, const Topology &topology, const GhostWidths &ghosts, int32_t direction) {
    const ElementOffset offset = element_offset(edge.identity.element);
    for (int d = 0; d < 3; ++d)
        if ((offset[d] != 0) != (d == direction)) return false;
    const halo_part receiver = topology.part(edge.recv_gid);
    for (size_t d = 0; d < static_cast<size_t>(direction); ++d) {
        const int64_t below = receiver.at_boundary[2 * d] ? 0 : ghosts.low[d];
        const int64_t above = receiver.at_boundary[2 * d + 1] ? 0 : ghosts.high[d];
        edge.receive.box.low[d] -= below;
        edge.receive.box.high[d] += above;
        edge.send.box.low[d] -= below;
        edge.send.box.high[d] += above;
    }
    return true;
}

EdgeRequest request_of(const PlanShape &shape, int32_t destination, int32_t place) {
    const Field &field = *shape.fields[destination];
    EdgeRequest request;
    request.ghosts = shape.kind == kind_transfer ? shape.transfer.destination : field.spec().ghosts;
    request.stencil = shape.stencil;
    request.centring = field.spec().places[place];
    request.shared = shape.shared;
    request.sections = shape.sections.empty() ? 0 : shape.sections[destination];
    request.flow = shape.kind == HALO_KIND_SHARED_REDUCE ? Flow::between_copies : Flow::from_owner;
    return request;
}

// Where all ranks know all boxes: null.
const TransferBoxes *known_boxes(const PlanShape &shape, size_t pair) {
    return shape.kind == kind_transfer ? shape.transfer_boxes[pair].get() : nullptr;
}

// Calls visit(edge, place) for each edge of a pair of fields.
template <class Visit>
void for_each_edge(const PlanShape &shape, size_t number, Visit &&visit) {
    const FieldPair &pair = shape.pairs[number];
    const TransferBoxes *known = known_boxes(shape, number);
    const Field &source = *shape.fields[pair.source];
    const Field &destination = *shape.fields[pair.destination];
    for (int32_t place = 0; place < std::ssize(destination.spec().places); ++place) {
        const auto sink = [&](const Edge &edge) { visit(edge, place); };
        if (shape.kind != kind_transfer) {
            destination.topology().edges(request_of(shape, pair.destination, place), sink);
            continue;
        }
        const TransferRequest request{ destination.spec().places[place], shape.transfer.source, shape.transfer.destination, shape.combines() };
        TransferEdges(known ? known->source : *source.topology().boxes(), known ? known->destination : *destination.topology().boxes(),
                      destination.topology().context().rank(), request)
            .emit(source.topology().local_parts(), destination.topology().local_parts(), sink);
    }
}

// Where a field has values at some points only, or in another order. Both ends must leave out the same.
void map_points(FieldEdge &found, const Field &field) {
    if (!field.is_mapped()) return;
    Edge &edge = found.edge;
    const auto mapped = [&](int64_t gid, Region &region) {
        PointMap *map = field.point_map(field.topology().local_index(gid));
        if (!map) return uint64_t{ 0 };
        const PointMap::Mapped &known = map->mapped(region);
        region = known.region;
        return known.pattern;
    };
    const uint64_t sent = edge.ends == EdgeEnds::receive ? 0 : mapped(edge.send_gid, edge.send);
    const uint64_t received = edge.ends == EdgeEnds::send ? 0 : mapped(edge.recv_gid, edge.receive);
    if (edge.ends == EdgeEnds::local && (sent != received || edge.send.size() != edge.receive.size()))
        fail(HALO_ERR_MISMATCH, "field %s: channel %s: its map of points leaves out other points of part %lld than of part %lld",
             field.spec().name.c_str(), describe(found.key).c_str(), static_cast<long long>(edge.send_gid), static_cast<long long>(edge.recv_gid));
    found.pattern = sent | received;
    // A peer's side has as many.
    if (edge.ends == EdgeEnds::send) edge.receive = { { { 0, 0, 0 }, { edge.send.size(), 1, 1 } }, {}, false };
    if (edge.ends == EdgeEnds::receive) edge.send = { { { 0, 0, 0 }, { edge.receive.size(), 1, 1 } }, {}, false };
}

// A field may come several times, with other storage each: how many of it stand before this one?
int64_t copy_of(const PlanShape &shape, int32_t field) {
    return std::count(shape.fields.begin(), shape.fields.begin() + field, shape.fields[static_cast<size_t>(field)]);
}

void sort_in(CollectedEdges &collected, const PlanShape &shape, const FieldEdge &found) {
    const bool is_local = found.edge.ends == EdgeEnds::local;
    if (shape.edges != HALO_EDGES_ALL && is_local != (shape.edges == HALO_EDGES_LOCAL)) return;
    if (is_local)
        collected.local.push_back(found);
    else if (found.edge.ends == EdgeEnds::send)
        collected.peers[found.edge.recv_rank].send.push_back(found);
    else
        collected.peers[found.edge.send_rank].receive.push_back(found);
}

} // namespace

const CollectedEdges::Peer &CollectedEdges::of(int32_t peer) const {
    static const Peer none;
    const auto found = peers.find(peer);
    return found == peers.end() ? none : found->second;
}

CollectedEdges collect_edges(const PlanShape &shape, const PlanNarrowing &narrowing) {
    CollectedEdges collected;
    for (size_t number = 0; number < shape.pairs.size(); ++number) {
        const FieldPair &pair = shape.pairs[number];
        const TransferBoxes *known = known_boxes(shape, number);
        if (!narrowing.takes(pair.destination)) continue;
        const Field &field = *shape.fields[pair.destination];
        const int64_t copy = copy_of(shape, pair.destination);
        for_each_edge(shape, number, [&](const Edge &edge, int32_t place) {
            if (shape.kind == HALO_KIND_REVERSE && !edge.contributes) return;
            FieldEdge found{ edge, pair.source, pair.destination, place, {} };
            if (shape.sweep >= 0 && !sweep_along(found.edge, field.topology(), field.spec().ghosts, shape.sweep)) return;
            const EdgeRequest request = request_of(shape, pair.destination, place);
            if (!narrow(found.edge, field.topology(), known ? &known->destination : nullptr, request, narrowing.depth)) return;
            if (shape.kind == HALO_KIND_REVERSE) found.edge = reversed(found.edge);
            const Edge &way = found.edge;
            found.key = { way.send_gid, way.recv_gid, field.ordinal(), way.identity.element, key_extra(way.identity, place, copy) };
            map_points(found, field);
            sort_in(collected, shape, found);
        });
    }
    return collected;
}

} // namespace halo
