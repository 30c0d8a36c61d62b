// SPDX-License-Identifier: BSD-3-Clause
#include "plan/edge_source.h"

namespace halo {

namespace {

void add_widths(std::vector<uint64_t> &identity, const GhostWidths &ghosts) {
    for (size_t d = 0; d < 3; ++d) identity.push_back(static_cast<uint64_t>(ghosts.low[d]) << 32 | static_cast<uint32_t>(ghosts.high[d]));
}

class OfTopology final : public EdgeSource {
public:
    OfTopology(const Topology &topology, const TopologyUse &use) : topology_(topology), use_(use) {}

    void emit(Centring centring, const EdgeSink &sink) const override {
        EdgeRequest request = use_.request;
        request.centring = centring;
        if (!use_.reversed && use_.sweep < 0) return topology_.edges(request, sink);
        topology_.edges(request, [&](const Edge &edge) {
            if (use_.reversed) {
                if (edge.contributes) sink(halo::reversed(edge));
                return;
            }
            Edge along = edge;
            if (sweep_along(along)) sink(along);
        });
    }
    bool narrow(Edge &edge, Centring centring, int32_t depth) const override;
    void identify(std::vector<uint64_t> &identity) const override {
        const EdgeRequest &request = use_.request;
        identity.insert(identity.end(), { topology_.id(), static_cast<uint64_t>(request.stencil), static_cast<uint64_t>(request.shared),
                                          static_cast<uint64_t>(request.flow), request.sections, static_cast<uint64_t>(use_.reversed),
                                          static_cast<uint64_t>(use_.sweep) });
        add_widths(identity, request.ghosts);
    }

private:
    bool sweep_along(Edge &edge) const;

    const Topology &topology_;
    TopologyUse use_;
};

// Narrowing leaves cells out of edges; it never makes others.
bool OfTopology::narrow(Edge &edge, Centring centring, int32_t depth) const {
    const GhostWidths ghosts = use_.request.ghosts.clipped(depth);
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

// Makes an edge between faces along the sweep's direction take along the ghosts that earlier sweeps have filled on both sides. False: another edge.
bool OfTopology::sweep_along(Edge &edge) const {
    const ElementOffset offset = element_offset(edge.identity.element);
    for (int d = 0; d < 3; ++d)
        if ((offset[d] != 0) != (d == use_.sweep)) return false;
    const halo_part receiver = topology_.part(edge.receive_gid);
    const GhostWidths &ghosts = use_.request.ghosts;
    for (size_t d = 0; d < static_cast<size_t>(use_.sweep); ++d) {
        const int64_t below = receiver.at_boundary[2 * d] ? 0 : ghosts.low[d];
        const int64_t above = receiver.at_boundary[2 * d + 1] ? 0 : ghosts.high[d];
        edge.receive.box.low[d] -= below;
        edge.receive.box.high[d] += above;
        edge.send.box.low[d] -= below;
        edge.send.box.high[d] += above;
    }
    return true;
}

} // namespace

std::unique_ptr<EdgeSource> edges_of_topology(const Topology &topology, const TopologyUse &use) {
    return std::make_unique<OfTopology>(topology, use);
}

} // namespace halo
