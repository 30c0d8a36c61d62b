// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/boxes.h"

#include <algorithm>

#include "base/checked.h"
#include "base/digest.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "topology/boxes/box_calculus.h"
#include "topology/boxes/box_edges.h"
#include "topology/boxes/cut_domain.h"
#include "topology/boxes/find_near.h"
#include "topology/boxes/grid.h"
#include "topology/even_owner.h"

namespace halo {

namespace {

uint64_t hash_of(const std::vector<PlacedBox> &boxes) {
    uint64_t hash = boxes.size();
    for (const PlacedBox &box : boxes) {
        hash = Digest::mix(hash ^ (static_cast<uint64_t>(static_cast<uint32_t>(box.rank)) << 32 | static_cast<uint32_t>(box.priority)));
        for (int d = 0; d < 3; ++d) {
            hash = Digest::mix(hash ^ static_cast<uint64_t>(box.cells.low[d]));
            hash = Digest::mix(hash ^ static_cast<uint64_t>(box.cells.high[d]));
        }
    }
    return hash;
}

// The box without directions that are not used.
halo_box flattened(const halo_box &box, int32_t n_dims) {
    halo_box flat{ { 0, 0, 0 }, { 1, 1, 1 } };
    for (int d = 0; d < n_dims; ++d) {
        flat.low[d] = box.low[d];
        flat.high[d] = box.high[d];
    }
    return flat;
}

// Of directions that are not used, a box says from 0 to 1, or nothing. Number -1: the domain.
void require_flat(const halo_box &box, int32_t n_dims, int64_t number) {
    for (int d = n_dims; d < 3; ++d)
        if (box.low[d] != 0 || (box.high[d] != 0 && box.high[d] != 1))
            fail(HALO_ERR_ARGUMENT, "boxes: %s, %s, goes along direction %d: with n_dims %d there are directions 0 to %d",
                 number < 0 ? "the domain" : format("box %lld", static_cast<long long>(number)).c_str(), text_of(box).c_str(), d, n_dims, n_dims - 1);
}

uint64_t hash_of(const halo_boxes_desc &desc) {
    uint64_t hash = Digest::mix(static_cast<uint64_t>(desc.n_dims) << 32 | static_cast<uint32_t>(desc.reach));
    for (int d = 0; d < 3; ++d) {
        hash = Digest::mix(hash ^ static_cast<uint64_t>(desc.domain.low[d]));
        hash = Digest::mix(hash ^ static_cast<uint64_t>(desc.domain.high[d]));
        hash = Digest::mix(hash ^ (static_cast<uint64_t>(desc.periodic[d] != 0) << 1 | static_cast<uint64_t>(desc.distributed != 0)));
    }
    return hash;
}

// In words what the hashes are made from.
Terms terms_of(const halo_boxes_desc &desc, const std::vector<PlacedBox> &boxes) {
    Terms terms;
    terms.add("n_dims", std::to_string(desc.n_dims));
    terms.add("domain", text_of(desc.domain));
    terms.add("periodic", format("%d %d %d", desc.periodic[0] != 0, desc.periodic[1] != 0, desc.periodic[2] != 0));
    terms.add("reach", std::to_string(desc.reach));
    terms.add("distributed", desc.distributed ? "yes" : "no");
    if (desc.distributed) return terms;
    terms.add("list of boxes", std::to_string(boxes.size()), "boxes");
    for (const PlacedBox &box : boxes)
        terms.add("box " + std::to_string(box.gid), text_of(box.cells) + format(" of rank %d, priority %d", box.rank, box.priority));
    return terms;
}

} // namespace

BoxesTopology::BoxesTopology(Context &context, const halo_boxes_desc &desc)
    : Topology(context),
      n_dims_(desc.n_dims),
      domain_(flattened(desc.domain, std::clamp(desc.n_dims, 0, 3))),
      distributed_(desc.distributed != 0),
      cut_(!distributed_ && !desc.boxes && desc.n_boxes == 0 && desc.n_parts_per_rank != 0),
      reach_(desc.reach > 0 ? desc.reach : limits::reach) {
    std::vector<PlacedBox> boxes;
    const auto describe = [&] {
        check_desc(desc);
        for (int d = 0; d < n_dims_; ++d)
            if (desc.periodic[d]) period_[d] = domain_.high[d] - domain_.low[d];
        boxes = cut_ ? cut_domain(desc.n_parts_per_rank) : read_boxes(desc);
        return hash_of(desc) ^ (distributed_ ? 0 : hash_of(boxes));
    };
    agree_on(context, "boxes", describe, [&] { return terms_of(desc, boxes); });
    n_parts_ = std::ssize(boxes);
    if (distributed_) boxes = find_near(context, std::move(boxes), { domain_, period_, 2 * int64_t{ reach_ } + 1 }, n_parts_);
    for (const PlacedBox &box : boxes)
        if (box.rank == context.rank()) local_parts_.push_back(box.gid);
    set_.emplace(boxes, period_);
}

void BoxesTopology::check_desc(const halo_boxes_desc &desc) const {
    if (desc.n_dims < 1 || desc.n_dims > 3) fail(HALO_ERR_ARGUMENT, "boxes: n_dims is %d, it must be 1, 2 or 3", desc.n_dims);
    for (int d = 0; d < n_dims_; ++d)
        if (domain_.low[d] >= domain_.high[d])
            fail(HALO_ERR_ARGUMENT, "boxes: the domain %s has no cells along direction %d", text_of(domain_).c_str(), d);
    for (int d = 0; d < n_dims_; ++d)
        if (domain_.low[d] < -limits::coordinate || domain_.high[d] > limits::coordinate)
            fail(HALO_ERR_LIMIT, "boxes: the domain %s exceeds %lld cells from the origin along direction %d", text_of(domain_).c_str(),
                 static_cast<long long>(limits::coordinate), d);
    require_flat(desc.domain, n_dims_, -1);
    for (int d = n_dims_; d < 3; ++d)
        if (desc.periodic[d])
            fail(HALO_ERR_ARGUMENT, "boxes: the domain is periodic along direction %d: with n_dims %d there are directions 0 to %d", d, n_dims_,
                 n_dims_ - 1);
    check_limit("boxes: n_boxes", desc.n_boxes, limits::listed);
    if (desc.n_boxes < 0 || (desc.n_boxes > 0 && !desc.boxes))
        fail(HALO_ERR_ARGUMENT, "boxes: %lld boxes at address %p", static_cast<long long>(desc.n_boxes), static_cast<const void *>(desc.boxes));
    check_limit("boxes: reach", desc.reach, limits::reach);
    if (desc.reach < 0 || (distributed_ && desc.reach == 0))
        fail(HALO_ERR_ARGUMENT, "boxes: reach is %d, it must be %d or more", desc.reach, distributed_ ? 1 : 0);
    if (distributed_ && desc.owner) fail(HALO_ERR_ARGUMENT, "boxes: distributed boxes belong to the rank that gives them: owner must be NULL");
}

std::vector<PlacedBox> BoxesTopology::cut_domain(int32_t n_parts_per_rank) const {
    if (n_parts_per_rank < 1) fail(HALO_ERR_ARGUMENT, "boxes: n_parts_per_rank is %d, it must be 1 or more", n_parts_per_rank);
    const int64_t n = int64_t{ n_parts_per_rank } * context_.size();
    check_limit("boxes: n_parts_per_rank * ranks", n, limits::cut_boxes);
    const Extent cells{ domain_.high[0] - domain_.low[0], domain_.high[1] - domain_.low[1], domain_.high[2] - domain_.low[2] };
    std::vector<PlacedBox> placed;
    for (const halo_box &box : cut_into_grid(domain_, choose_grid(cells, n))) {
        const int64_t gid = std::ssize(placed);
        placed.push_back({ gid, static_cast<int32_t>(gid / n_parts_per_rank), 0, box, {} });
    }
    return placed;
}

std::vector<PlacedBox> BoxesTopology::read_boxes(const halo_boxes_desc &desc) const {
    std::vector<PlacedBox> placed;
    for (int64_t i = 0; i < desc.n_boxes; ++i) {
        require_flat(desc.boxes[i], n_dims_, i);
        const int32_t rank = distributed_ ? context_.rank() : desc.owner ? desc.owner[i] : even_owner(i, desc.n_boxes, context_.size());
        placed.push_back({ i, rank, desc.priority ? desc.priority[i] : 0, flattened(desc.boxes[i], n_dims_), {} });
        check_box(placed.back());
    }
    return placed;
}

void BoxesTopology::check_box(const PlacedBox &box) const {
    const auto number = static_cast<long long>(box.gid);
    if (empty(box.cells)) fail(HALO_ERR_ARGUMENT, "boxes: box %lld, %s, has no cells", number, text_of(box.cells).c_str());
    for (int d = 0; d < 3; ++d)
        if (box.cells.low[d] < domain_.low[d] || box.cells.high[d] > domain_.high[d])
            fail(HALO_ERR_ARGUMENT, "boxes: box %lld, %s, leaves the domain %s", number, text_of(box.cells).c_str(), text_of(domain_).c_str());
    if (box.rank < 0 || box.rank >= context_.size())
        fail(HALO_ERR_ARGUMENT, "boxes: owner of box %lld is rank %d; the context has ranks 0 to %d", number, box.rank, context_.size() - 1);
}

halo_part BoxesTopology::part(int64_t gid) const {
    const PlacedBox box = set_->box_of(gid);
    halo_part part = HALO_PART_INIT;
    part.rank = box.rank;
    part.gid = gid;
    part.n_dims = n_dims_;
    part.cells = box.cells;
    for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
        part.at_boundary[2 * d] = period_[d] == 0 && box.cells.low[d] == domain_.low[d];
        part.at_boundary[2 * d + 1] = period_[d] == 0 && box.cells.high[d] == domain_.high[d];
    }
    return part;
}

Extent BoxesTopology::cells_of(int64_t gid) const {
    const halo_box cells = set_->box_of(gid).cells;
    return { cells.high[0] - cells.low[0], cells.high[1] - cells.low[1], cells.high[2] - cells.low[2] };
}

std::string BoxesTopology::why_no_rows(bool shared) const {
    if (cut_) return {};
    if (distributed_) return "each rank knows its own boxes, and those near them, alone";
    std::vector<PlacedBox> boxes;
    for (int64_t gid = 0; gid < n_parts_; ++gid) boxes.push_back(set_->box_of(gid));
    return why_no_grid(std::move(boxes), domain_, period_, shared);
}

// Ghosts of a small periodic domain would be its images, over and over.
Extent BoxesTopology::widest_ghosts() const {
    Extent widest;
    for (int d = 0; d < 3; ++d) widest[d] = period_[d] > 0 ? std::min<int64_t>(reach_, limits::periods * period_[d]) : reach_;
    return widest;
}

// Parts that have cells in the layer around this one, or among its own.
std::vector<halo_neighbour> BoxesTopology::neighbours(int64_t gid) const {
    const PlacedBox part = set_->box_of(gid);
    GhostWidths layer;
    for (int d = 0; d < n_dims_; ++d) layer.low[d] = layer.high[d] = 1;
    std::vector<PlacedBox> near;
    set_->boxes_near(grown(part.cells, layer), near);
    std::vector<halo_neighbour> found;
    for (int32_t element = 0; element < 27; ++element) {
        const halo_box side = element_box(part.cells, layer, element);
        for (const PlacedBox &other : near)
            if (!other.same_place(part) && meet(other.cells, side)) found.push_back(neighbour_row(other.gid, other.rank, element));
    }
    sort_neighbours(found);
    return found;
}

void BoxesTopology::mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const {
    EdgeRequest request;
    request.centring = centring;
    BoxEdges(*set_, context_.rank(), request).mark_owned(local_parts_[static_cast<size_t>(local_index)], mask);
}

std::vector<halo_boundary> BoxesTopology::boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const {
    EdgeRequest request;
    request.ghosts = widths;
    request.centring = centring;
    return BoxEdges(*set_, context_.rank(), request).boundaries(gid);
}

void BoxesTopology::edges(const EdgeRequest &request, const EdgeSink &sink) const {
    BoxEdges(*set_, context_.rank(), request).emit(local_parts_, sink);
}

} // namespace halo
