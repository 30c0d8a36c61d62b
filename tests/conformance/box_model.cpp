// SPDX-License-Identifier: BSD-3-Clause
#include "box_model.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ranks.h"

namespace conformance {

namespace {

std::string text_of_box(const halo_box &box) {
    const auto number = [](int64_t value) { return static_cast<long long>(value); };
    return text_of("%lld,%lld,%lld..%lld,%lld,%lld", number(box.low[0]), number(box.low[1]), number(box.low[2]), number(box.high[0]),
                   number(box.high[1]), number(box.high[2]));
}

// The same for all images of a point.
Triple identity(const BoxModel &model, int64_t gid, const Triple &at) {
    Triple point;
    for (int d = 0; d < 3; ++d) {
        point[d] = model.parts[gid].cells.low[d] + at[d];
        if (!model.periodic[d]) continue;
        const int64_t period = model.domain.high[d] - model.domain.low[d];
        while (point[d] < model.domain.low[d]) point[d] += period;
        while (point[d] >= model.domain.high[d]) point[d] -= period;
    }
    return point;
}

// Highest priority, lowest gid, lowest index.
bool owns_before(const BoxModel &model, const Copy &a, const Copy &b) {
    const int32_t left = model.parts[a.gid].priority;
    const int32_t right = model.parts[b.gid].priority;
    if (left != right) return left > right;
    return std::tie(a.gid, a.at[2], a.at[1], a.at[0]) < std::tie(b.gid, b.at[2], b.at[1], b.at[0]);
}

bool combined_before(const Copy &a, const Copy &b) {
    return std::tie(a.gid, a.element, a.at[2], a.at[1], a.at[0]) < std::tie(b.gid, b.element, b.at[2], b.at[1], b.at[0]);
}

bool element_in_stencil(int32_t element, int32_t stencil) {
    return in_stencil(Triple{ element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1 }, stencil);
}

} // namespace

const char *form_name(BoxForm form) {
    static constexpr const char *names[n_box_forms] = { "blocks", "list", "distributed", "cut" };
    return names[static_cast<int>(form)];
}

std::vector<int64_t> BoxModel::local(int32_t rank) const {
    std::vector<int64_t> mine;
    for (int64_t gid = 0; gid < n_parts(); ++gid)
        if (parts[gid].owner == rank) mine.push_back(gid);
    return mine;
}

Triple BoxModel::points(int64_t gid, int32_t centring) const {
    Triple n;
    for (int d = 0; d < 3; ++d) n[d] = parts[gid].cells.high[d] - parts[gid].cells.low[d] + (centring >> d & 1);
    return n;
}

namespace {

halo_topology *create_blocks(const BoxModel &model, halo_context *context) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    std::vector<int32_t> owner;
    for (const BoxPart &part : model.parts) owner.push_back(part.owner);
    desc.n_dims = model.n_dims;
    desc.order = HALO_ORDER_ROWS;
    for (int d = 0; d < 3; ++d) {
        desc.n_cells[d] = model.block_cells[d];
        desc.n_blocks[d] = model.domain.high[d] / model.block_cells[d];
        desc.periodic[d] = model.periodic[d];
    }
    desc.owner = owner.data();
    desc.n_owner = static_cast<int64_t>(owner.size());
    halo_topology *topology = nullptr;
    OK(halo_topology_create_blocks(context, &desc, &topology));
    return topology;
}

} // namespace

halo_topology *BoxModel::create(halo_context *context, int32_t rank) const {
    if (form == BoxForm::blocks) return create_blocks(*this, context);
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    std::vector<halo_box> boxes;
    std::vector<int32_t> owners;
    std::vector<int32_t> priorities;
    for (const BoxPart &part : parts)
        if (form == BoxForm::list || part.owner == rank) {
            boxes.push_back(part.cells);
            owners.push_back(part.owner);
            priorities.push_back(part.priority);
        }
    desc.n_dims = n_dims;
    desc.domain = domain;
    for (int d = 0; d < 3; ++d) desc.periodic[d] = periodic[d];
    desc.reach = reach;
    desc.n_parts_per_rank = n_parts_per_rank;
    desc.distributed = form == BoxForm::distributed;
    if (form != BoxForm::cut) {
        desc.boxes = boxes.data();
        desc.n_boxes = static_cast<int64_t>(boxes.size());
        desc.priority = priorities.data();
    }
    if (form == BoxForm::list) desc.owner = owners.data();
    halo_topology *topology = nullptr;
    OK(halo_topology_create_boxes(context, &desc, &topology));
    return topology;
}

std::string BoxModel::describe() const {
    std::string text = text_of("%d-D, %s, domain %s, periodic %d%d%d, reach %d:", n_dims, form_name(form), text_of_box(domain).c_str(), periodic[0],
                               periodic[1], periodic[2], reach);
    for (int64_t gid = 0; gid < n_parts() && gid < 60; ++gid)
        text += text_of("%s[%lld rank %d priority %d: %s]", gid % 3 == 0 ? "\n    " : " ", static_cast<long long>(gid), parts[gid].owner,
                        parts[gid].priority, text_of_box(parts[gid].cells).c_str());
    return text;
}

int32_t element_of(const Triple &at, const Triple &points) {
    int32_t element = 0;
    for (int d = 2; d >= 0; --d) element = 3 * element + (at[d] < 0 ? 0 : at[d] < points[d] ? 1 : 2);
    return element;
}

std::vector<SharedPoint> shared_points(const BoxModel &model, const CopyQuestion &question) {
    std::map<Triple, std::vector<Copy>> found;
    for (int64_t gid = 0; gid < model.n_parts(); ++gid) {
        const Triple n = model.points(gid, question.centring);
        for_each_point(n, question.ghosts, [&](const Triple &at) { found[identity(model, gid, at)].push_back({ gid, at, element_of(at, n) }); });
    }
    std::vector<SharedPoint> points;
    for (auto &[point, copies] : found) {
        const Copy *owner = nullptr;
        for (const Copy &copy : copies)
            if (copy.element == 13 && (!owner || owns_before(model, copy, *owner))) owner = &copy;
        if (!owner) continue;
        SharedPoint shared{ *owner, {} };
        for (const Copy &copy : copies) {
            if (&copy == owner) continue;
            const bool ghost = copy.element != 13;
            if (ghost ? question.shared == HALO_SHARED_ONLY || !element_in_stencil(copy.element, question.stencil)
                      : question.shared == HALO_SHARED_KEEP)
                continue;
            shared.copies.push_back(copy);
        }
        std::sort(shared.copies.begin(), shared.copies.end(), combined_before);
        if (!shared.copies.empty()) points.push_back(std::move(shared));
    }
    return points;
}

std::vector<Triple> orphans(const BoxModel &model, int64_t gid, int32_t centring, const Ghosts &ghosts) {
    std::map<Triple, bool> owned;
    for (int64_t other = 0; other < model.n_parts(); ++other)
        for_each_point(model.points(other, centring), Ghosts{}, [&](const Triple &at) { owned[identity(model, other, at)] = true; });
    std::vector<Triple> found;
    for_each_point(model.points(gid, centring), ghosts, [&](const Triple &at) {
        if (!owned.contains(identity(model, gid, at))) found.push_back(at);
    });
    return found;
}

} // namespace conformance
