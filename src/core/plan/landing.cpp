// SPDX-License-Identifier: BSD-3-Clause
#include "plan/landing.h"

#include <algorithm>

#include "plan/collect_edges.h"

namespace halo {

namespace {

bool can_land(const PlanShape &shape, const PlanDirection &direction) {
    return !shape.combines() && !shape.per_channel && !shape.check && direction.singles.empty() && direction.dense_bytes > 0;
}

// The edges of one direction as their message has them.
std::vector<FieldEdge> in_message_order(const EdgeBoxes &boxes, std::vector<FieldEdge> edges) {
    std::vector<Placement> placements;
    place_in_order(boxes, 0, HALO_COPY_PIECES, edges, placements);
    return edges;
}

} // namespace

Landings landings_of(const PlanShape &shape, const Plan &plan, size_t link) {
    Landings landings;
    if (!can_land(shape, plan.links()[link].receive)) return landings;
    const EdgeBoxes boxes(shape.fields, plan.first_bases(), 0, 0);
    std::vector<uint32_t> slot_of_base(static_cast<size_t>(plan.n_bases()), UINT32_MAX);
    for (const FieldEdge &edge : in_message_order(boxes, collect_edges(shape, {}).of(plan.links()[link].peer).receive)) {
        const BoxCopy box = boxes.unpack(edge, {});
        uint32_t &slot = slot_of_base[box.dst_base];
        if (slot == UINT32_MAX) {
            slot = static_cast<uint32_t>(landings.bases.size());
            landings.bases.push_back(box.dst_base);
        }
        Landing landing{ slot, 0, std::ssize(landings.lists), box.dst_offset, {} };
        std::copy(box.dst_stride.begin(), box.dst_stride.end(), landing.stride);
        if (box.dst_list) {
            landing.n_listed = box.n[0];
            landings.lists.insert(landings.lists.end(), box.dst_list, box.dst_list + box.n[0]);
        }
        landings.edges.push_back(landing);
    }
    return landings;
}

CopyTable landing_table(const PlanShape &shape, const Plan &plan, size_t link, const LandingsView &landings) {
    const EdgeBoxes boxes(shape.fields, plan.first_bases(), 0, 0);
    const int32_t peer = plan.links()[link].peer;
    const std::vector<FieldEdge> edges = in_message_order(boxes, collect_edges(shape, {}).of(peer).send);
    const auto fits = [&](const FieldEdge &edge, const Landing &landing) {
        const auto n = static_cast<uint64_t>(boxes.extent(edge, 0));
        return landing.slot < landings.n_slots &&
               (!edge.edge.receive.listed || (landing.n_listed == n && static_cast<uint64_t>(landing.list) + n <= landings.lists.size()));
    };
    std::vector<BoxCopy> copies;
    for (size_t i = 0; i < edges.size(); ++i) {
        if (edges.size() != landings.edges.size() || !fits(edges[i], landings.edges[i]))
            fail(HALO_ERR_WIRE, "rank %d offers to take %zu edges in its storage, of %zu that are sent to it; edge %zu does not fit", peer,
                 landings.edges.size(), edges.size(), i);
        const Landing &landing = landings.edges[i];
        Placement at{ static_cast<uint32_t>(plan.n_bases()) + landing.slot, landing.offset, {}, 0 };
        std::copy(std::begin(landing.stride), std::end(landing.stride), at.stride.begin());
        if (edges[i].edge.receive.listed) at.list = landings.lists.data() + landing.list;
        boxes.pack(edges[i], at, copies);
    }
    CopyRows rows;
    rows.add_fused(std::move(copies));
    return { shape.fields[0]->topology().context().device(), rows.program() };
}

} // namespace halo
