// SPDX-License-Identifier: BSD-3-Clause
#include "plan/edge_source.h"

#include <algorithm>

#include "topology/boxes/placed_box.h"
#include "topology/centring.h"

namespace halo {

namespace {

class OfTopology final : public EdgeSource {
public:
    OfTopology(const Topology &topology, const TopologyUse &use) : topology_(topology), use_(use) {}

    void emit(Centring centring, const EdgeSink &sink) const override {
        EdgeRequest request = use_.request;
        request.centring = centring;
        if (use_.sweep >= 0) return sweep(request, sink);
        if (!use_.reversed) return topology_.edges(request, sink);
        topology_.edges(request, [&](const Edge &edge) {
            if (centring_across(centring, edge.map) != centring) fail(HALO_ERR_INTERNAL, "exchange: the places of values in reverse are turned");
            if (edge.contributes) sink(halo::reversed(edge));
        });
    }
    bool narrow(Edge &edge, Centring centring, const GhostWidths &most) const override;
    void identify(std::vector<uint64_t> &identity) const override {
        const EdgeRequest &request = use_.request;
        identity.insert(identity.end(), { topology_.id(), static_cast<uint64_t>(request.stencil), static_cast<uint64_t>(request.shared),
                                          static_cast<uint64_t>(request.flow), request.sections, static_cast<uint64_t>(use_.reversed),
                                          static_cast<uint64_t>(use_.sweep) });
        add_widths(identity, request.ghosts);
    }

private:
    void sweep(EdgeRequest request, const EdgeSink &sink) const;
    halo_box filled_along(const halo_box &part, int32_t d) const;
    bool take_along(Edge &edge, Centring centring) const;

    const Topology &topology_;
    TopologyUse use_;
};

// Narrowing leaves cells out of edges; it never makes others.
bool OfTopology::narrow(Edge &edge, Centring centring, const GhostWidths &most) const {
    const GhostWidths ghosts = use_.request.ghosts.clipped(most);
    Edge way = use_.reversed ? halo::reversed(edge) : edge;
    if (!clip_receive(way, topology_.cells_of(way.receive_gid), centring, ghosts)) return false;
    if (use_.request.flow != Flow::from_owner) {
        Edge back = halo::reversed(way);
        if (!clip_receive(back, topology_.cells_of(way.send_gid), centring, ghosts)) return false;
        way.send = back.receive;
        way.receive = back.send;
    }
    edge.send = use_.reversed ? way.receive : way.send;
    edge.receive = use_.reversed ? way.send : way.receive;
    return true;
}

// What is not along the sweep's direction lies alike in both parts. So points have their owner along this one alone, as if in the others they were
// cells: sweep by sweep they come to lie with the owner of all.
void OfTopology::sweep(EdgeRequest request, const EdgeSink &sink) const {
    const Centring centring = request.centring;
    request.centring &= 1 << use_.sweep;
    topology_.edges(request, [&](const Edge &edge) {
        Edge along = edge;
        if (take_along(along, centring)) sink(along);
    });
}

// A part with those of its ghosts along a direction that lie in the domain.
halo_box OfTopology::filled_along(const halo_box &part, int32_t d) const {
    halo_box with_ghosts = part, filled = part;
    with_ghosts.low[d] -= use_.request.ghosts.low[d];
    with_ghosts.high[d] += use_.request.ghosts.high[d];
    std::vector<PlacedBox> there;
    topology_.boxes()->boxes_near(with_ghosts, there);
    for (const PlacedBox &box : there) {
        filled.low[d] = std::min(filled.low[d], std::max(box.cells.low[d], with_ghosts.low[d]));
        filled.high[d] = std::max(filled.high[d], std::min(box.cells.high[d], with_ghosts.high[d]));
    }
    return filled;
}

// Across the other directions an edge takes all points along, and ghosts that earlier sweeps have filled in both parts. False: an edge that leads
// elsewhere.
bool OfTopology::take_along(Edge &edge, Centring centring) const {
    const ElementOffset offset = element_offset(edge.identity.element);
    for (int d = 0; d < 3; ++d)
        if (offset[d] != 0 && d != use_.sweep) return false;
    const halo_box part = topology_.part(edge.receive_gid).cells;
    for (int32_t d = 0; d < topology_.n_dims(); ++d) {
        if (d == use_.sweep) continue;
        const halo_box filled = d < use_.sweep ? filled_along(part, d) : part;
        const int64_t below = part.low[d] - filled.low[d];
        const int64_t above = filled.high[d] - part.high[d] + (centring >> d & 1);
        for (halo_box *box : { &edge.receive.box, &edge.send.box }) {
            box->low[d] -= below;
            box->high[d] += above;
        }
    }
    return true;
}

} // namespace

std::unique_ptr<EdgeSource> edges_of_topology(const Topology &topology, const TopologyUse &use) {
    return std::make_unique<OfTopology>(topology, use);
}

} // namespace halo
