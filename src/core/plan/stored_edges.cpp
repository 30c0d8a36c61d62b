// SPDX-License-Identifier: BSD-3-Clause
#include "plan/stored_edges.h"

#include <algorithm>
#include <map>

#include "plan/collect_edges.h"

namespace halo {

namespace {

// The edges of one direction as their message has them.
std::vector<FieldEdge> in_message_order(const EdgeBoxes &boxes, std::vector<FieldEdge> edges) {
    std::vector<Placement> placements;
    place_in_order(boxes, 0, HALO_COPY_PIECES, edges, placements);
    return edges;
}

EdgeBoxes boxes_of(const PlanShape &shape, const Plan &plan) { return { shape.fields, plan.first_bases(), 0, 0 }; }

uint32_t n_listed(const EdgeBoxes &boxes, const FieldEdge &edge, const Region &region) {
    return region.listed ? static_cast<uint32_t>(boxes.extent(edge, 0)) : 0;
}

// Collects what a rank tells; lists that several edges share are told once.
class Teller {
public:
    explicit Teller(const Plan &plan) : slot_of_base_(static_cast<size_t>(plan.n_bases()), UINT32_MAX) {}

    void add(const Placement &at, uint32_t n_listed) {
        uint32_t &slot = slot_of_base_[at.base];
        if (slot == UINT32_MAX) {
            slot = static_cast<uint32_t>(told.bases.size());
            told.bases.push_back(at.base);
        }
        StoredEdge edge{ slot, n_listed, 0, at.offset, {} };
        std::copy(at.stride.begin(), at.stride.end(), edge.stride);
        if (n_listed > 0) {
            const auto [known, is_new] = list_at_.try_emplace({ at.list, n_listed }, std::ssize(told.lists));
            if (is_new) told.lists.insert(told.lists.end(), at.list, at.list + n_listed);
            edge.list = known->second;
        }
        told.edges.push_back(edge);
    }

    StoredEdges told;

private:
    std::vector<uint32_t> slot_of_base_;
    std::map<std::pair<const uint32_t *, uint32_t>, int64_t> list_at_;
};

// What the peer tells of one edge, as a place for this rank's copies.
Placement placement_of(const StoredEdgesView &told, size_t i, uint32_t first_base) {
    const StoredEdge &edge = told.edges[i];
    Placement at{ first_base + edge.slot, edge.offset, {}, 0 };
    std::copy(std::begin(edge.stride), std::end(edge.stride), at.stride.begin());
    if (edge.n_listed > 0) at.list = told.lists.data() + edge.list;
    return at;
}

// Whether the peer has a list of points, this rank does not know.
void check_told(const EdgeBoxes &boxes, const std::vector<FieldEdge> &edges, const StoredEdgesView &told, int32_t peer) {
    const auto fits = [&](const FieldEdge &edge, const StoredEdge &stored) {
        const auto n = static_cast<uint64_t>(boxes.extent(edge, 0));
        return stored.slot < told.n_slots &&
               (stored.n_listed == 0 || (stored.n_listed == n && static_cast<uint64_t>(stored.list) + n <= told.lists.size()));
    };
    for (size_t i = 0; i < edges.size(); ++i)
        if (edges.size() != told.edges.size() || !fits(edges[i], told.edges[i]))
            fail(HALO_ERR_WIRE, "rank %d tells of %zu edges in its storage, of %zu between it and this rank; edge %zu does not fit", peer,
                 told.edges.size(), edges.size(), i);
}

} // namespace

bool can_land(const PlanShape &shape) { return !shape.combines() && !shape.per_channel && !shape.check; }

// No point whose value is sent receives one.
bool can_lend(const PlanShape &shape) {
    const bool points = std::none_of(shape.fields.begin(), shape.fields.end(), [](const Field *field) { return field->topology().has_cells(); });
    return shape.stable && shape.kind == HALO_KIND_REVERSE && shape.op != HALO_USER && points && !shape.canonical && !shape.per_channel &&
           !shape.check;
}

StoredEdges stored_edges(const PlanShape &shape, const Plan &plan, size_t link) {
    const bool sends = can_lend(shape);
    const PlanDirection &direction = sends ? plan.links()[link].send : plan.links()[link].receive;
    if ((!sends && !can_land(shape)) || !direction.singles.empty() || direction.dense_bytes == 0) return {};
    const EdgeBoxes boxes = boxes_of(shape, plan);
    const CollectedEdges::Peer edges = collect_edges(shape, {}).of(plan.links()[link].peer);
    Teller teller(plan);
    for (const FieldEdge &edge : in_message_order(boxes, sends ? edges.send : edges.receive))
        teller.add(sends ? boxes.at_source(edge) : boxes.at_destination(edge), n_listed(boxes, edge, sends ? edge.edge.send : edge.edge.receive));
    return std::move(teller.told);
}

CopyTable landing_table(const PlanShape &shape, const Plan &plan, size_t link, const StoredEdgesView &destinations) {
    const EdgeBoxes boxes = boxes_of(shape, plan);
    const int32_t peer = plan.links()[link].peer;
    const std::vector<FieldEdge> edges = in_message_order(boxes, collect_edges(shape, {}).of(peer).send);
    check_told(boxes, edges, destinations, peer);
    std::vector<BoxCopy> copies;
    for (size_t i = 0; i < edges.size(); ++i) boxes.pack(edges[i], placement_of(destinations, i, static_cast<uint32_t>(plan.n_bases())), copies);
    CopyRows rows;
    rows.add_fused(std::move(copies));
    return { shape.fields[0]->topology().context().device(), rows.program() };
}

namespace {

std::vector<Placement> lent_placements(const EdgeBoxes &boxes, const std::vector<FieldEdge> &edges, int32_t peer, const StoredEdgesView &sources,
                                       uint32_t first_base) {
    check_told(boxes, edges, sources, peer);
    std::vector<Placement> placements;
    placements.reserve(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) placements.push_back(placement_of(sources, i, first_base));
    return placements;
}

} // namespace

std::vector<Placement> lent_placements(const PlanShape &shape, const Plan &plan, size_t link, const StoredEdgesView &sources, uint32_t first_base) {
    const EdgeBoxes boxes = boxes_of(shape, plan);
    const int32_t peer = plan.links()[link].peer;
    return lent_placements(boxes, in_message_order(boxes, collect_edges(shape, {}).of(peer).receive), peer, sources, first_base);
}

CopyTable message_table(const PlanShape &shape, const Plan &plan, size_t link, const StoredEdgesView &sources) {
    const EdgeBoxes boxes = boxes_of(shape, plan);
    const int32_t peer = plan.links()[link].peer;
    std::vector<FieldEdge> edges = collect_edges(shape, {}).of(peer).receive;
    std::vector<Placement> message;
    place_in_order(boxes, plan.receive_base(link), 1, edges, message);
    const std::vector<Placement> lent = lent_placements(boxes, edges, peer, sources, static_cast<uint32_t>(plan.n_bases()));
    std::vector<BoxCopy> copies;
    for (size_t i = 0; i < edges.size(); ++i) copies.push_back(boxes.between(edges[i], lent[i], message[i]));
    CopyRows rows;
    rows.add_fused(std::move(copies));
    return { shape.fields[0]->topology().context().device(), rows.program() };
}

} // namespace halo
