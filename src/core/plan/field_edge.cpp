// SPDX-License-Identifier: BSD-3-Clause
#include "plan/field_edge.h"

#include <algorithm>

namespace halo {

namespace {

std::array<int64_t, 4> strides_of(const Field &field, int64_t part) {
    const PartLayout &layout = field.layout(part);
    const int64_t unit = field.spec().element_bytes;
    return { layout.stride[0] * unit, layout.stride[1] * unit, layout.stride[2] * unit, layout.component_stride * unit };
}

// Bytes from a part's storage to a point of it.
int64_t offset_of(const Field &field, int64_t part, int32_t place, const Extent &point, int32_t component) {
    const PartLayout &layout = field.layout(part);
    const int64_t element = layout.offset(point[0], point[1], point[2]) + place * layout.place_stride + component * layout.component_stride;
    return element * field.spec().element_bytes;
}

// The first point of a region; lists count from the part's first.
Extent first_point(const Region &region) { return region.listed ? Extent{} : Extent{ region.box.low[0], region.box.low[1], region.box.low[2] }; }

} // namespace

int32_t EdgeBoxes::components(const FieldEdge &edge) const {
    return n_components_ > 0 ? n_components_ : destination(edge).spec().n_components - first_component_;
}

int64_t EdgeBoxes::bytes(const FieldEdge &edge) const { return edge.edge.receive.size() * components(edge) * element_bytes(edge); }

int64_t EdgeBoxes::extent(const FieldEdge &edge, int d) const {
    const Region &region = edge.edge.receive;
    if (region.listed) return d == 0 ? std::ssize(region.points) : 1;
    return region.box.high[d] - region.box.low[d];
}

BoxCopy EdgeBoxes::sized(const FieldEdge &edge) const {
    BoxCopy box;
    box.element_bytes = static_cast<uint32_t>(element_bytes(edge));
    for (int d = 0; d < 3; ++d) {
        box.n[d] = static_cast<uint32_t>(extent(edge, d));
        box.place[d] = edge.edge.receive.listed ? 0 : edge.edge.receive.box.low[d];
    }
    box.n[3] = static_cast<uint32_t>(components(edge));
    box.place[3] = static_cast<int64_t>(edge.place) << 32 | first_component_;
    return box;
}

void EdgeBoxes::from_part(BoxCopy &box, const FieldEdge &edge) const {
    const Field &field = source(edge);
    const int64_t part = send_part(edge);
    const Region &region = edge.edge.send;
    const AxisMap &map = edge.edge.map;
    const std::array<int64_t, 4> stride = strides_of(field, part);
    Extent corner = first_point(region);
    for (int d = 0; d < 3 && !region.listed; ++d)
        if (map.sign[d] < 0) corner[map.axis[d]] = region.box.high[map.axis[d]] - 1;
    box.src_base = first_base_[edge.source] + static_cast<uint32_t>(part);
    box.src_offset = offset_of(field, part, edge.place, corner, first_component_);
    for (int d = 0; d < 3; ++d) box.src_stride[d] = map.sign[d] * stride[map.axis[d]];
    box.src_stride[3] = stride[3];
    if (region.listed) box.src_list = region.points.data();
}

void EdgeBoxes::to_part(BoxCopy &box, const FieldEdge &edge) const {
    const Field &field = destination(edge);
    const int64_t part = receive_part(edge);
    box.dst_base = first_base_[edge.destination] + static_cast<uint32_t>(part);
    box.dst_offset = offset_of(field, part, edge.place, first_point(edge.edge.receive), first_component_);
    box.dst_stride = strides_of(field, part);
    if (edge.edge.receive.listed) box.dst_list = edge.edge.receive.points.data();
}

// One box for each component that lies along a direction, taken from the component along the sender's direction; one for the others.
void EdgeBoxes::from_vector(const BoxCopy &box, const FieldEdge &edge, std::vector<BoxCopy> &boxes) const {
    const FieldSpec &spec = source(edge).spec();
    const int32_t n_dims = source(edge).topology().n_dims();
    const auto part_of = [&](int32_t component, int32_t from, uint32_t n) {
        BoxCopy some = box;
        some.n[3] = n;
        some.place[3] += component - first_component_;
        some.dst_offset += (component - first_component_) * box.dst_stride[3];
        some.src_offset += (from - first_component_) * box.src_stride[3];
        return some;
    };
    const int32_t end = first_component_ + static_cast<int32_t>(box.n[3]);
    for (int32_t c = first_component_; c < std::min(end, n_dims); ++c) {
        boxes.push_back(part_of(c, edge.edge.map.axis[c], 1));
        if (edge.edge.map.sign[c] < 0) boxes.back().negate = spec.type;
    }
    const int32_t others = std::max(first_component_, n_dims);
    if (others < end) boxes.push_back(part_of(others, others, static_cast<uint32_t>(end - others)));
}

Placement EdgeBoxes::dense(const FieldEdge &edge, uint32_t base, int64_t offset) const {
    if (!destination(edge).topology().has_cells()) { // the components of a point stay together
        const int64_t point = element_bytes(edge) * components(edge);
        return { base, offset, { point, 0, 0, element_bytes(edge) }, 0 };
    }
    const int64_t x = element_bytes(edge);
    const int64_t y = x * extent(edge, 0);
    const int64_t z = y * extent(edge, 1);
    return { base, offset, { x, y, z, z * extent(edge, 2) }, 0 };
}

Placement EdgeBoxes::at_source(const FieldEdge &edge) const {
    BoxCopy box;
    from_part(box, edge);
    return { box.src_base, box.src_offset, box.src_stride, 0, box.src_list };
}

Placement EdgeBoxes::at_destination(const FieldEdge &edge) const {
    BoxCopy box;
    to_part(box, edge);
    return { box.dst_base, box.dst_offset, box.dst_stride, 0, box.dst_list };
}

void EdgeBoxes::direct(const FieldEdge &edge, std::vector<BoxCopy> &boxes) const {
    BoxCopy box = sized(edge);
    from_part(box, edge);
    to_part(box, edge);
    if (source(edge).spec().vector && !edge.edge.map.is_identity()) return from_vector(box, edge, boxes);
    boxes.push_back(box);
}

void EdgeBoxes::pack(const FieldEdge &edge, const Placement &at, std::vector<BoxCopy> &boxes) const {
    BoxCopy box = sized(edge);
    from_part(box, edge);
    box.dst_base = at.base;
    box.dst_offset = at.offset;
    box.dst_stride = at.stride;
    box.dst_list = at.list;
    box.group = at.group;
    if (source(edge).spec().vector && !edge.edge.map.is_identity()) return from_vector(box, edge, boxes);
    boxes.push_back(box);
}

BoxCopy EdgeBoxes::unpack(const FieldEdge &edge, const Placement &at) const {
    BoxCopy box = sized(edge);
    to_part(box, edge);
    box.src_base = at.base;
    box.src_offset = at.offset;
    box.src_stride = at.stride;
    box.src_list = at.list;
    return box;
}

BoxCopy EdgeBoxes::between(const FieldEdge &edge, const Placement &from, const Placement &to) const {
    BoxCopy box = sized(edge);
    box.src_base = from.base;
    box.src_offset = from.offset;
    box.src_stride = from.stride;
    box.src_list = from.list;
    box.dst_base = to.base;
    box.dst_offset = to.offset;
    box.dst_stride = to.stride;
    box.dst_list = to.list;
    return box;
}

BoxCopy EdgeBoxes::repeat(const FieldEdge &edge, uint32_t base) const {
    BoxCopy box = sized(edge);
    to_part(box, edge);
    box.src_base = base;
    return box;
}

} // namespace halo
