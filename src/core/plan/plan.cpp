// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.h"

#include <algorithm>

namespace halo {

struct Plan::FieldEdge {
    Edge edge;
    int32_t field;
    halo_channel_key key;
};

// What is known while a plan is being compiled.
struct Plan::Compilation {
    const PlanShape &shape;
    const PlanNarrowing &narrowing;
    const Plan &plan;
    CopyRows rows;

    const Field &field(const FieldEdge &edge) const { return *shape.fields[edge.field]; }
    int32_t components(const FieldEdge &edge) const {
        const int32_t all = field(edge).spec().n_components - narrowing.first_component;
        return narrowing.n_components > 0 ? narrowing.n_components : all;
    }
    int64_t bytes(const FieldEdge &edge) const;
    int64_t local_index(int64_t gid) const { return shape.fields[0]->topology().local_index(gid); }

    // Either side of a box copy.
    void from_part(BoxCopy &box, const FieldEdge &edge) const;
    void to_part(BoxCopy &box, const FieldEdge &edge) const;
    void from_payload(BoxCopy &box, const FieldEdge &edge, uint32_t base, int64_t offset) const;
    void to_payload(BoxCopy &box, const FieldEdge &edge, uint32_t base, int64_t offset) const;
    BoxCopy repeat(uint32_t base, const FieldEdge &edge) const;
    PlanEdge plan_edge(const FieldEdge &edge) const;
    SingleEdge single(const FieldEdge &edge) const;
    bool alone(const FieldEdge &edge) const { return shape.per_channel || field(edge).spec().sparse; }

private:
    void extents(BoxCopy &box, const FieldEdge &edge) const;
    std::array<int64_t, 4> payload_strides(const BoxCopy &box) const;
    std::array<int64_t, 4> part_strides(const FieldEdge &edge, int64_t part) const;
    int64_t part_offset(const FieldEdge &edge, int64_t part, const halo_box &box) const;
};

int64_t Plan::Compilation::bytes(const FieldEdge &edge) const {
    int64_t cells = 1;
    for (int d = 0; d < 3; ++d) cells *= edge.edge.receive.high[d] - edge.edge.receive.low[d];
    return cells * components(edge) * field(edge).spec().element_bytes;
}

void Plan::Compilation::extents(BoxCopy &box, const FieldEdge &edge) const {
    box.element_bytes = static_cast<uint32_t>(field(edge).spec().element_bytes);
    for (int d = 0; d < 3; ++d) {
        box.n[d] = static_cast<uint32_t>(edge.edge.receive.high[d] - edge.edge.receive.low[d]);
        box.place[d] = edge.edge.receive.low[d];
    }
    box.n[3] = static_cast<uint32_t>(components(edge));
    box.place[3] = narrowing.first_component;
}

std::array<int64_t, 4> Plan::Compilation::part_strides(const FieldEdge &edge, int64_t part) const {
    const PartLayout &layout = field(edge).layout(part);
    const int64_t unit = field(edge).spec().element_bytes;
    return { layout.stride[0] * unit, layout.stride[1] * unit, layout.stride[2] * unit, layout.component_stride * unit };
}

int64_t Plan::Compilation::part_offset(const FieldEdge &edge, int64_t part, const halo_box &box) const {
    const PartLayout &layout = field(edge).layout(part);
    const int64_t element = layout.offset(box.low[0], box.low[1], box.low[2]) + narrowing.first_component * layout.component_stride;
    return element * field(edge).spec().element_bytes;
}

std::array<int64_t, 4> Plan::Compilation::payload_strides(const BoxCopy &box) const {
    const int64_t x = box.element_bytes;
    const int64_t y = x * box.n[0];
    const int64_t z = y * box.n[1];
    return { x, y, z, z * box.n[2] };
}

void Plan::Compilation::from_part(BoxCopy &box, const FieldEdge &edge) const {
    const int64_t part = local_index(edge.edge.send_gid);
    extents(box, edge);
    box.src_base = plan.part_base(edge.field, part);
    box.src_offset = part_offset(edge, part, edge.edge.send);
    box.src_stride = part_strides(edge, part);
}

void Plan::Compilation::to_part(BoxCopy &box, const FieldEdge &edge) const {
    const int64_t part = local_index(edge.edge.recv_gid);
    extents(box, edge);
    box.dst_base = plan.part_base(edge.field, part);
    box.dst_offset = part_offset(edge, part, edge.edge.receive);
    box.dst_stride = part_strides(edge, part);
}

void Plan::Compilation::from_payload(BoxCopy &box, const FieldEdge &edge, uint32_t base, int64_t offset) const {
    extents(box, edge);
    box.src_base = base;
    box.src_offset = offset;
    box.src_stride = payload_strides(box);
}

void Plan::Compilation::to_payload(BoxCopy &box, const FieldEdge &edge, uint32_t base, int64_t offset) const {
    extents(box, edge);
    box.dst_base = base;
    box.dst_offset = offset;
    box.dst_stride = payload_strides(box);
}

// One value into the whole receive region.
BoxCopy Plan::Compilation::repeat(uint32_t base, const FieldEdge &edge) const {
    BoxCopy box;
    to_part(box, edge);
    box.src_base = base;
    return box;
}

PlanEdge Plan::Compilation::plan_edge(const FieldEdge &edge) const { return { edge.key, bytes(edge), edge.field, field(edge).spec().type }; }

SingleEdge Plan::Compilation::single(const FieldEdge &edge) const {
    SingleEdge single{};
    single.key = edge.key;
    single.bytes = bytes(edge);
    single.field = edge.field;
    single.send_part = edge.edge.ends == EdgeEnds::receive ? -1 : local_index(edge.edge.send_gid);
    single.receive_part = edge.edge.ends == EdgeEnds::send ? -1 : local_index(edge.edge.recv_gid);
    single.copy_row = single.fill_row = single.stage_row = single.unstage_row = -1;
    return single;
}

void Plan::compile_local(Compilation &work, std::vector<FieldEdge> &edges) {
    std::vector<BoxCopy> boxes;
    for (const FieldEdge &edge : edges) {
        ++local_channels_;
        if (work.field(edge).spec().sparse) continue;
        BoxCopy box;
        work.from_part(box, edge);
        work.to_part(box, edge);
        boxes.push_back(box);
        local_bytes_ += work.bytes(edge);
    }
    local_.first = work.rows.add_fused(std::move(boxes));
    local_.n = work.rows.size() - local_.first;
    for (const FieldEdge &edge : edges) {
        if (!work.field(edge).spec().sparse) continue;
        SingleEdge single = work.single(edge);
        BoxCopy direct;
        work.from_part(direct, edge);
        work.to_part(direct, edge);
        BoxCopy stage = direct;
        work.to_payload(stage, edge, scratch_base(), 0);
        BoxCopy unstage = direct;
        work.from_payload(unstage, edge, scratch_base(), 0);
        single.copy_row = work.rows.add(direct);
        single.stage_row = work.rows.add(stage);
        single.unstage_row = work.rows.add(unstage);
        single.fill_row = work.rows.add(work.repeat(fill_base(edge.field), edge));
        local_singles_.push_back(single);
    }
}

namespace {

void finish_direction(PlanDirection &direction) {
    direction.most_bytes = direction.dense_bytes;
    for (const SingleEdge &single : direction.singles) direction.most_bytes = align_up(direction.most_bytes, sparse_alignment) + single.bytes;
    for (const PlanEdge &edge : direction.edges) {
        direction.digest.add(static_cast<uint64_t>(edge.key.send_gid));
        direction.digest.add(static_cast<uint64_t>(edge.key.recv_gid));
        direction.digest.add(static_cast<uint64_t>(edge.key.field) << 32 | static_cast<uint32_t>(edge.key.element));
        direction.digest.add(static_cast<uint64_t>(edge.bytes) << 4 | static_cast<uint64_t>(edge.type));
    }
}

} // namespace

// Both ends sort by key, so both place every edge at the same offset without a message.
void Plan::compile_link(Compilation &work, size_t link, std::vector<FieldEdge> &send, std::vector<FieldEdge> &receive) {
    const auto by_key = [](const FieldEdge &a, const FieldEdge &b) { return before(a.key, b.key); };
    std::sort(send.begin(), send.end(), by_key);
    std::sort(receive.begin(), receive.end(), by_key);
    PlanLink &planned = links_[link];
    const auto place = [&](PlanDirection &direction, const FieldEdge &edge) {
        const int64_t offset = align_up(direction.dense_bytes, edge_alignment(work.field(edge).spec().element_bytes));
        direction.dense_bytes = offset + work.bytes(edge);
        return offset;
    };

    planned.send.rows.first = work.rows.size();
    for (const FieldEdge &edge : send) {
        planned.send.edges.push_back(work.plan_edge(edge));
        if (work.alone(edge)) continue;
        BoxCopy box;
        work.from_part(box, edge);
        work.to_payload(box, edge, send_base(link), place(planned.send, edge));
        work.rows.add(box);
    }
    planned.send.rows.n = work.rows.size() - planned.send.rows.first;

    std::vector<BoxCopy> boxes;
    for (const FieldEdge &edge : receive) {
        planned.receive.edges.push_back(work.plan_edge(edge));
        if (work.alone(edge)) continue;
        BoxCopy box;
        work.to_part(box, edge);
        work.from_payload(box, edge, receive_base(link), place(planned.receive, edge));
        boxes.push_back(box);
    }
    planned.receive.rows.first = work.rows.add_fused(std::move(boxes));
    planned.receive.rows.n = work.rows.size() - planned.receive.rows.first;

    for (const FieldEdge &edge : send)
        if (work.alone(edge)) {
            SingleEdge single = work.single(edge);
            BoxCopy box;
            work.from_part(box, edge);
            work.to_payload(box, edge, scratch_base(), 0);
            single.copy_row = work.rows.add(box);
            planned.send.singles.push_back(single);
        }
    for (const FieldEdge &edge : receive)
        if (work.alone(edge)) {
            SingleEdge single = work.single(edge);
            BoxCopy box;
            work.to_part(box, edge);
            work.from_payload(box, edge, scratch_base(), 0);
            single.copy_row = work.rows.add(box);
            if (work.field(edge).spec().sparse) single.fill_row = work.rows.add(work.repeat(fill_base(edge.field), edge));
            planned.receive.singles.push_back(single);
        }
    finish_direction(planned.send);
    finish_direction(planned.receive);
}

void Plan::compile_poison(Compilation &work, const std::vector<FieldEdge> &edges) {
    poison_.first = work.rows.size();
    for (const FieldEdge &edge : edges)
        if (!work.field(edge).spec().sparse) work.rows.add(work.repeat(poison_base(), edge));
    poison_.n = work.rows.size() - poison_.first;
}

Plan::Plan(const PlanShape &shape, const PlanNarrowing &narrowing, const Plan *full)
    : narrowing_(narrowing),
      n_fields_(std::ssize(shape.fields)),
      n_parts_(std::ssize(shape.fields[0]->topology().local_parts())) {
    const Topology &topology = shape.fields[0]->topology();
    Compilation work{ shape, narrowing, *this, {} };
    std::vector<FieldEdge> local;
    std::vector<FieldEdge> poisoned;
    std::vector<std::pair<int32_t, FieldEdge>> remote; // with the peer's rank
    for (int32_t f = 0; f < n_fields_; ++f) {
        const Field &field = *shape.fields[f];
        if (!narrowing.takes(f)) continue;
        any_sparse_ = any_sparse_ || field.spec().sparse;
        topology.edges(field.spec().ghosts.clipped(narrowing.depth), shape.stencil, [&](const Edge &edge) {
            const FieldEdge found{ edge, f, { edge.send_gid, edge.recv_gid, field.ordinal(), edge.element, 0 } };
            const bool is_local = edge.ends == EdgeEnds::local;
            if (shape.edges != HALO_EDGES_ALL && is_local != (shape.edges == HALO_EDGES_LOCAL)) return;
            if (is_local)
                local.push_back(found);
            else
                remote.emplace_back(edge.ends == EdgeEnds::send ? edge.recv_rank : edge.send_rank, found);
            if (shape.check && edge.ends != EdgeEnds::send) poisoned.push_back(found);
        });
    }
    std::vector<int32_t> peers;
    if (full)
        for (const PlanLink &link : full->links_) peers.push_back(link.peer);
    else
        for (const auto &[peer, edge] : remote) peers.push_back(peer);
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    n_links_ = peers.size();
    links_.resize(n_links_);

    compile_local(work, local);
    std::vector<std::vector<FieldEdge>> send(n_links_);
    std::vector<std::vector<FieldEdge>> receive(n_links_);
    for (const auto &[peer, edge] : remote) {
        const auto link = static_cast<size_t>(std::lower_bound(peers.begin(), peers.end(), peer) - peers.begin());
        (edge.edge.ends == EdgeEnds::send ? send : receive)[link].push_back(edge);
    }
    for (size_t link = 0; link < n_links_; ++link) {
        links_[link].peer = peers[link];
        compile_link(work, link, send[link], receive[link]);
    }
    compile_poison(work, poisoned);
    table_ = CopyTable(topology.context().device(), work.rows.shapes(), work.rows.rows());
}

} // namespace halo
