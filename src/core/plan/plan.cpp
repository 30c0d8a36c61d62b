// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.h"

#include <algorithm>
#include <tuple>

#include "plan/collect_edges.h"

namespace halo {

// What is known while a plan is being compiled.
struct Plan::Compilation {
    const PlanShape &shape;
    EdgeBoxes boxes;
    CollectedEdges edges;
    const LentEdges *lent = nullptr;
    CopyRows rows{};
    // Contributions to be combined here, and where they will lie.
    std::vector<std::pair<FieldEdge, Placement>> contributions{};

    const Field &destination(const FieldEdge &edge) const { return boxes.destination(edge); }
    bool sparse(const FieldEdge &edge) const { return destination(edge).spec().sparse; }
    bool alone(const FieldEdge &edge) const { return shape.per_channel || sparse(edge); }
    PlanEdge plan_edge(const FieldEdge &edge) const {
        return { edge.key, boxes.bytes(edge), edge.destination, destination(edge).spec().type, edge.pattern };
    }
    SingleEdge single(const FieldEdge &edge) const {
        SingleEdge single{};
        single.key = edge.key;
        single.bytes = boxes.bytes(edge);
        single.field = edge.destination;
        single.source_field = edge.source;
        single.send_part = edge.edge.ends == EdgeEnds::receive ? -1 : boxes.send_part(edge);
        single.receive_part = edge.edge.ends == EdgeEnds::send ? -1 : boxes.receive_part(edge);
        return single;
    }
    CheckedEdge checked(const FieldEdge &edge) const { return halo::checked(edge, boxes, shape.combines()); }
    RowRange add_fused(std::vector<BoxCopy> list) {
        const int64_t first = rows.add_fused(std::move(list));
        return { first, rows.size() - first };
    }
    RowRange add_direct(const FieldEdge &edge) {
        std::vector<BoxCopy> list;
        boxes.direct(edge, list);
        return add_fused(std::move(list));
    }
    RowRange add_pack(const FieldEdge &edge, const Placement &at) {
        std::vector<BoxCopy> list;
        boxes.pack(edge, at, list);
        return add_fused(std::move(list));
    }
};

namespace {

bool by_key(const FieldEdge &a, const FieldEdge &b) { return before(a.key, b.key); }

// Takes out the edges for which `pick` holds, by key.
template <class Pick>
std::vector<FieldEdge> picked(const std::vector<FieldEdge> &edges, Pick &&pick) {
    std::vector<FieldEdge> some;
    std::copy_if(edges.begin(), edges.end(), std::back_inserter(some), pick);
    std::sort(some.begin(), some.end(), by_key);
    return some;
}

void finish_direction(const PlanShape &shape, PlanDirection &direction) {
    direction.most_bytes = direction.dense_bytes;
    for (const SingleEdge &single : direction.singles) direction.most_bytes = align_up(direction.most_bytes, sparse_alignment) + single.bytes;
    direction.digest.add(static_cast<uint64_t>(shape.canonical) << 24 | static_cast<uint64_t>(shape.kind) << 16 |
                         static_cast<uint64_t>(shape.op) << 8 | static_cast<uint64_t>(shape.shared));
    for (const PlanEdge &edge : direction.edges) {
        direction.digest.add(static_cast<uint64_t>(edge.key.send_gid));
        direction.digest.add(static_cast<uint64_t>(edge.key.recv_gid));
        direction.digest.add(static_cast<uint64_t>(edge.key.field) << 32 | static_cast<uint32_t>(edge.key.element));
        direction.digest.add(static_cast<uint64_t>(edge.key.extra));
        direction.digest.add(static_cast<uint64_t>(edge.bytes) << 4 | static_cast<uint64_t>(edge.type));
        direction.digest.add(edge.pattern);
    }
}

} // namespace

Plan::Plan(const PlanShape &shape, const PlanNarrowing &narrowing, const Plan *full, const LentEdges *lent)
    : narrowing_(narrowing),
      n_fields_(std::ssize(shape.fields)),
      combines_(shape.combines()) {
    number_bases(shape);
    Compilation work{ shape, EdgeBoxes(shape.fields, first_base_, narrowing.first_component, narrowing.n_components), collect_edges(shape, narrowing),
                      lent };
    for (const FieldPair &pair : shape.pairs)
        any_sparse_ = any_sparse_ || (narrowing.takes(pair.destination) && shape.fields[pair.destination]->spec().sparse);
    find_links(work, full);
    if (combines_)
        compile_local_staged(work);
    else
        compile_local(work);
    for (size_t link = 0; link < n_links_; ++link) {
        compile_send(work, link);
        compile_receive(work, link);
    }
    if (shape.canonical)
        compile_canonical(work);
    else
        compile_combine(work);
    if (shape.check)
        for (const FieldEdge &edge : work.edges.local) local_checked_.push_back(work.checked(edge));
    table_ = CopyTable(shape.fields[0]->topology().context().device(), work.rows.program());
}

void Plan::number_bases(const PlanShape &shape) {
    first_base_.push_back(0);
    for (const Field *field : shape.fields) first_base_.push_back(first_base_.back() + static_cast<uint32_t>(field->topology().local_parts().size()));
}

// A narrowed variant keeps the links of the full plan, even those that have nothing to carry.
void Plan::find_links(const Compilation &work, const Plan *full) {
    std::vector<int32_t> peers;
    if (full)
        for (const PlanLink &link : full->links_) peers.push_back(link.peer);
    else
        for (const auto &[peer, edges] : work.edges.peers) peers.push_back(peer);
    n_links_ = peers.size();
    links_.resize(n_links_);
    for (size_t link = 0; link < n_links_; ++link) links_[link].peer = peers[link];
}

void Plan::compile_local(Compilation &work) {
    std::vector<BoxCopy> boxes;
    for (const FieldEdge &edge : work.edges.local) {
        if (work.sparse(edge)) continue;
        work.boxes.direct(edge, boxes);
        local_bytes_ += work.boxes.bytes(edge);
    }
    local_channels_ = std::ssize(work.edges.local);
    local_ = work.add_fused(std::move(boxes));
    for (const FieldEdge &edge : work.edges.local) {
        if (!work.sparse(edge)) continue;
        const Placement scratch = work.boxes.dense(edge, scratch_base(), 0);
        SingleEdge single = work.single(edge);
        single.copy = work.add_direct(edge);
        single.stage = work.add_pack(edge, scratch);
        single.unstage_row = work.rows.add(work.boxes.unpack(edge, scratch));
        single.fill_row = work.rows.add(work.boxes.repeat(edge, fill_base(edge.destination)));
        local_singles_.push_back(single);
    }
}

// The caller may overwrite what contributes as soon as a run has started, so it is copied first. If he has promised not to, contributions of points
// are read where they lie: none of them receives itself.
void Plan::compile_local_staged(Compilation &work) {
    const PlanShape &shape = work.shape;
    const bool may_stay = shape.stable && shape.kind == HALO_KIND_REVERSE && shape.op != HALO_USER && !shape.canonical && !shape.check;
    std::vector<FieldEdge> staged;
    for (const FieldEdge &edge : work.edges.local) {
        local_bytes_ += work.boxes.bytes(edge);
        if (may_stay && !work.boxes.has_cells(edge))
            work.contributions.emplace_back(edge, work.boxes.at_source(edge));
        else
            staged.push_back(edge);
    }
    local_channels_ = std::ssize(work.edges.local);
    std::vector<Placement> placements;
    staging_bytes_ = place_in_order(work.boxes, staging_base(), 1, staged, placements);
    std::vector<BoxCopy> boxes;
    for (size_t i = 0; i < placements.size(); ++i) {
        work.boxes.pack(staged[i], placements[i], boxes);
        work.contributions.emplace_back(staged[i], placements[i]);
    }
    local_ = work.add_fused(std::move(boxes));
}

void Plan::compile_send(Compilation &work, size_t link) {
    PlanDirection &planned = links_[link].send;
    const std::vector<FieldEdge> edges = picked(work.edges.of(links_[link].peer).send, [](const FieldEdge &) { return true; });
    for (const FieldEdge &edge : edges) {
        planned.edges.push_back(work.plan_edge(edge));
        if (work.shape.check) planned.checked.push_back(work.checked(edge));
    }

    std::vector<FieldEdge> dense = picked(edges, [&](const FieldEdge &edge) { return !work.alone(edge); });
    std::vector<Placement> placements;
    planned.dense_bytes = place_in_order(work.boxes, send_base(link), combines_ ? 1 : HALO_COPY_PIECES, dense, placements);
    std::vector<BoxCopy> boxes;
    for (size_t i = 0; i < dense.size(); ++i) work.boxes.pack(dense[i], placements[i], boxes);
    planned.rows = work.add_fused(std::move(boxes));

    for (const FieldEdge &edge : picked(edges, [&](const FieldEdge &one) { return work.alone(one); })) {
        planned.singles.push_back(work.single(edge));
        planned.singles.back().copy = work.add_pack(edge, work.boxes.dense(edge, scratch_base(), 0));
    }
    finish_direction(work.shape, planned);
}

namespace {

// Edges of one group lie side by side in the message and in the ghosts: one box.
void append_or_widen(std::vector<BoxCopy> &boxes, const BoxCopy &box, bool same_group) {
    if (same_group)
        boxes.back().n[0] += box.n[0];
    else
        boxes.push_back(box);
}

} // namespace

void Plan::compile_receive(Compilation &work, size_t link) {
    PlanDirection &planned = links_[link].receive;
    const std::vector<FieldEdge> edges = picked(work.edges.of(links_[link].peer).receive, [](const FieldEdge &) { return true; });
    for (const FieldEdge &edge : edges) {
        planned.edges.push_back(work.plan_edge(edge));
        if (work.shape.check) planned.checked.push_back(work.checked(edge));
    }

    std::vector<FieldEdge> dense = picked(edges, [&](const FieldEdge &edge) { return !work.alone(edge); });
    std::vector<Placement> placements;
    planned.dense_bytes = place_in_order(work.boxes, receive_base(link), combines_ ? 1 : HALO_COPY_PIECES, dense, placements);
    if (work.lent && !(*work.lent)[link].empty()) placements = (*work.lent)[link];
    std::vector<BoxCopy> boxes;
    for (size_t i = 0; i < dense.size(); ++i) {
        if (combines_)
            work.contributions.emplace_back(dense[i], placements[i]);
        else
            append_or_widen(boxes, work.boxes.unpack(dense[i], placements[i]), i > 0 && placements[i].group == placements[i - 1].group);
    }
    planned.rows = work.add_fused(std::move(boxes));

    for (const FieldEdge &edge : picked(edges, [&](const FieldEdge &one) { return work.alone(one); })) {
        const Placement scratch = work.boxes.dense(edge, scratch_base(), 0);
        SingleEdge single = work.single(edge);
        if (combines_) {
            staging_bytes_ = align_up(staging_bytes_, sparse_alignment);
            const Placement staged = work.boxes.dense(edge, staging_base(), staging_bytes_);
            single.copy = { work.rows.add(work.boxes.between(edge, scratch, staged)), 1 };
            work.contributions.emplace_back(edge, staged);
            staging_bytes_ += single.bytes;
        } else {
            single.copy = { work.rows.add(work.boxes.unpack(edge, scratch)), 1 };
        }
        if (work.sparse(edge)) single.fill_row = work.rows.add(work.boxes.repeat(edge, fill_base(edge.destination)));
        planned.singles.push_back(single);
    }
    finish_direction(work.shape, planned);
}

// The owner's value first (it overwrites, and only where a reduction has been asked of all copies), then the others by key: contributing gid first.
// Rows of different fields or parts never meet.
void Plan::compile_combine(Compilation &work) {
    auto &list = work.contributions;
    const auto order = [](const auto &item) {
        const FieldEdge &edge = item.first;
        return std::make_tuple(edge.edge.from_owner ? 0 : 1, edge.destination, edge.edge.recv_gid);
    };
    std::sort(list.begin(), list.end(),
              [&](const auto &a, const auto &b) { return order(a) != order(b) ? order(a) < order(b) : before(a.first.key, b.first.key); });
    for (size_t first = 0, end = 0; first < list.size(); first = end) {
        const FieldEdge &edge = list[first].first;
        CombineStep step;
        step.op = edge.edge.from_owner && work.shape.kind == HALO_KIND_SHARED_REDUCE ? HALO_COPY_MOVE : work.shape.op;
        step.type = work.destination(edge).spec().type;
        const bool by_caller = step.op == HALO_USER;
        step.rows.first = by_caller ? std::ssize(caller_boxes_) : work.rows.size();
        for (; end < list.size() && list[end].first.edge.from_owner == edge.edge.from_owner && list[end].first.destination == edge.destination;
             ++end) {
            const BoxCopy box = work.boxes.unpack(list[end].first, list[end].second);
            if (by_caller)
                caller_boxes_.push_back(box);
            else
                work.rows.add_runs(box);
        }
        step.rows.n = (by_caller ? std::ssize(caller_boxes_) : work.rows.size()) - step.rows.first;
        combine_steps_.push_back(step);
    }
}

// One step for each field. Where the owner's value comes with the others, what a copy holds comes too.
void Plan::compile_canonical(const Compilation &work) {
    auto list = work.contributions;
    std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.first.destination < b.first.destination; });
    for (size_t i = 0; i < list.size(); ++i) {
        const auto &[edge, placement] = list[i];
        if (i == 0 || list[i - 1].first.destination != edge.destination)
            canonical_steps_.emplace_back(work.destination(edge).spec().type, work.shape.op);
        canonical_steps_.back().add(work.boxes.unpack(edge, placement), edge.edge.from_owner);
    }
    for (CanonicalStep &step : canonical_steps_) step.sort();
}

int64_t Plan::canonical_scratch_bytes() const {
    int64_t bytes = 0;
    for (const CanonicalStep &step : canonical_steps_) bytes = std::max(bytes, step.scratch_bytes());
    return bytes;
}

} // namespace halo
