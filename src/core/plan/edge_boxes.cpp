// SPDX-License-Identifier: BSD-3-Clause
#include "plan/edge_boxes.h"

#include <algorithm>
#include <tuple>

namespace halo {

ValueShape::ValueShape(const Field &field)
    : type(field.spec().type),
      element_bytes(field.spec().element_bytes),
      n_components(field.spec().n_components),
      places(field.spec().places),
      vector(field.spec().vector),
      sparse(field.spec().sparse),
      has_cells(field.topology().has_cells()),
      n_dims(field.topology().n_dims()) {
    layout_of.reserve(field.topology().local_parts().size());
    for (int64_t part = 0; part < std::ssize(field.topology().local_parts()); ++part) {
        if (const PartLayout &layout = field.layout(part); part == 0 || !(layout == layouts.back())) layouts.push_back(layout);
        layout_of.push_back(static_cast<uint32_t>(layouts.size() - 1));
    }
}

namespace {

std::array<int64_t, 4> strides_of(const ValueShape &values, int64_t part) {
    const PartLayout &layout = values.layout(part);
    const int64_t unit = values.element_bytes;
    return { layout.stride[0] * unit, layout.stride[1] * unit, layout.stride[2] * unit, layout.component_stride * unit };
}

// Bytes from a part's storage to a point of it.
int64_t offset_of(const ValueShape &values, int64_t part, int32_t place, const std::array<int32_t, 3> &point, int32_t component) {
    const PartLayout &layout = values.layout(part);
    const int64_t element = layout.offset(point[0], point[1], point[2]) + place * layout.place_stride + component * layout.component_stride;
    return element * values.element_bytes;
}

constexpr std::array<int32_t, 3> first_listed{}; // lists count from the part's first point

} // namespace

BoxCopy EdgeBoxes::sized(const PlacedEdge &edge) const {
    const EdgeLists *lists = edges_.lists_of(edge);
    BoxCopy box;
    box.element_bytes = static_cast<uint32_t>(element_bytes());
    for (size_t d = 0; d < 3; ++d) {
        box.n[d] = static_cast<uint32_t>(edge.n[d]);
        box.place[d] = lists && lists->receive_listed ? 0 : edge.low[d];
    }
    box.n[3] = static_cast<uint32_t>(n_components_);
    box.place[3] = static_cast<int64_t>(edge.place) << 32 | first_component_;
    return box;
}

Placement EdgeBoxes::at_source(const PlacedEdge &edge) const {
    const EdgeLists *lists = edges_.lists_of(edge);
    const AxisMap &map = edges_.turn_of(edge);
    const std::array<int64_t, 4> stride = strides_of(source_, edge.send_part);
    const bool listed = lists && lists->send_listed;
    std::array<int32_t, 3> corner = listed ? first_listed : edge.from;
    Placement at{ source_base(edge), 0, {}, 0, listed ? lists->send.data() : nullptr };
    for (size_t d = 0; d < 3; ++d) {
        const auto there = static_cast<size_t>(map.axis[d]);
        at.stride[d] = map.sign[d] * stride[there];
        if (map.sign[d] < 0) corner[there] += edge.n[d] - 1;
    }
    at.stride[3] = stride[3];
    at.offset = offset_of(source_, edge.send_part, edge.place, corner, first_component_);
    return at;
}

Placement EdgeBoxes::at_destination(const PlacedEdge &edge) const {
    const EdgeLists *lists = edges_.lists_of(edge);
    const bool listed = lists && lists->receive_listed;
    return { destination_base(edge), offset_of(destination_, edge.recv_part, edge.place, listed ? first_listed : edge.low, first_component_),
             strides_of(destination_, edge.recv_part), 0, listed ? lists->receive.data() : nullptr };
}

// One box for each component that lies along a direction, taken from the component along the sender's direction; one for the others.
void EdgeBoxes::from_vector(const BoxCopy &box, const PlacedEdge &edge, std::vector<BoxCopy> &boxes) const {
    const AxisMap &map = edges_.turn_of(edge);
    const int32_t n_dims = source_.n_dims;
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
        boxes.push_back(part_of(c, map.axis[static_cast<size_t>(c)], 1));
        if (map.vector[static_cast<size_t>(c)] < 0) boxes.back().negate = source_.type;
    }
    const int32_t others = std::max(first_component_, n_dims);
    if (others < end) boxes.push_back(part_of(others, others, static_cast<uint32_t>(end - others)));
}

Placement EdgeBoxes::dense(const PlacedEdge &edge, uint32_t base, int64_t offset) const {
    if (!has_cells()) { // the components of a point stay together
        const int64_t point = element_bytes() * n_components_;
        return { base, offset, { point, 0, 0, element_bytes() }, 0, nullptr };
    }
    const int64_t x = element_bytes();
    const int64_t y = x * edge.n[0];
    const int64_t z = y * edge.n[1];
    return { base, offset, { x, y, z, z * edge.n[2] }, 0, nullptr };
}

BoxCopy EdgeBoxes::between(const PlacedEdge &edge, const Placement &from, const Placement &to) const {
    BoxCopy box = sized(edge);
    box.src_base = from.base;
    box.src_offset = from.offset;
    box.src_stride = from.stride;
    box.src_list = from.list;
    box.dst_base = to.base;
    box.dst_offset = to.offset;
    box.dst_stride = to.stride;
    box.dst_list = to.list;
    box.group = to.group;
    return box;
}

bool EdgeBoxes::alike(const PlacedEdge &a, const PlacedEdge &b) const {
    bool same = a.lists == b.lists && a.place == b.place && a.turn == b.turn;
    for (size_t d = 0; d < 3; ++d) same = same && a.low[d] == b.low[d] && a.n[d] == b.n[d] && a.from[d] == b.from[d];
    const bool one_box = a.lists < 0 && (!source_.vector || edges_.turn_of(a).is_identity());
    const auto layout_of = [](const ValueShape &values, int32_t part) { return values.layout_of[static_cast<size_t>(part)]; };
    return one_box && same && layout_of(source_, a.send_part) == layout_of(source_, b.send_part) &&
           layout_of(destination_, a.recv_part) == layout_of(destination_, b.recv_part);
}

void EdgeBoxes::pack(const PlacedEdge &edge, const Placement &at, std::vector<BoxCopy> &boxes) const {
    const BoxCopy box = between(edge, at_source(edge), at);
    if (source_.vector && !edges_.turn_of(edge).is_identity()) return from_vector(box, edge, boxes);
    boxes.push_back(box);
}

} // namespace halo
