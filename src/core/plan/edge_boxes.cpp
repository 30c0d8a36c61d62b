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
        if (has_cells && field.is_mapped()) maps.push_back(field.point_map(part));
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

// A box of a part whose points are mapped, in the order of another index space.
Placement mapped(uint32_t base, const ValueShape &values, int64_t part, int32_t place, int32_t component, const PointMap::Turned &box) {
    const std::array<int64_t, 4> stride = strides_of(values, part);
    return {
        base, offset_of(values, part, place, first_listed, component), { stride[0], 0, 0, stride[3] }, 0, values.map_of(part)->positions(box).data()
    };
}

} // namespace

PointMap::Turned sent_points(const PlacedEdge &edge, const AxisMap &map) {
    PointMap::Turned sent{ edge.from, map.axis, map.sign, edge.n };
    for (size_t d = 0; d < 3; ++d)
        if (map.sign[d] < 0) sent.first[static_cast<size_t>(map.axis[d])] += edge.n[d] - 1;
    return sent;
}

PointMap::Turned received_points(const PlacedEdge &edge) {
    const AxisMap as_here;
    return { edge.low, as_here.axis, as_here.sign, edge.n };
}

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
    const PointMap::Turned points = sent_points(edge, map);
    if (source_.map_of(edge.send_part)) return mapped(source_base(edge), source_, edge.send_part, edge.send_place, first_component_, points);
    const std::array<int64_t, 4> stride = strides_of(source_, edge.send_part);
    const bool listed = lists && lists->send_listed;
    const std::array<int32_t, 3> corner = listed ? first_listed : points.first;
    Placement at{ source_base(edge), 0, {}, 0, listed ? lists->send.data() : nullptr };
    for (size_t d = 0; d < 3; ++d) at.stride[d] = map.sign[d] * stride[static_cast<size_t>(map.axis[d])];
    at.stride[3] = stride[3];
    at.offset = offset_of(source_, edge.send_part, edge.send_place, corner, first_component_);
    return at;
}

Placement EdgeBoxes::at_destination(const PlacedEdge &edge) const {
    const EdgeLists *lists = edges_.lists_of(edge);
    const bool listed = lists && lists->receive_listed;
    if (destination_.map_of(edge.recv_part))
        return mapped(destination_base(edge), destination_, edge.recv_part, edge.place, first_component_, received_points(edge));
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

BoxCopy EdgeBoxes::box_between(const PlacedEdge &edge, const Placement &from, const Placement &to) const {
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

namespace {

bool is_listed(const BoxCopy &box) { return box.src_list || box.dst_list; }
bool is_line(const BoxCopy &box) { return box.n[1] == 1 && box.n[2] == 1; }

// Do lines follow each other as the points of one do?
bool goes_on(const std::array<int64_t, 4> &stride, const std::array<uint32_t, 4> &n) {
    return (n[1] == 1 || stride[1] == stride[0] * n[0]) && (n[2] == 1 || stride[2] == stride[0] * n[0] * n[1]);
}

BoxCopy as_line(const BoxCopy &box) {
    BoxCopy line = box;
    line.n = { box.n[0] * box.n[1] * box.n[2], 1, 1, box.n[3] };
    return line;
}

BoxCopy line_of(const BoxCopy &box, uint32_t y, uint32_t z) {
    BoxCopy line = box;
    line.n = { box.n[0], 1, 1, box.n[3] };
    line.place[1] += y;
    line.place[2] += z;
    const auto go = [&](int64_t &offset, const std::array<int64_t, 4> &stride, const uint32_t *&list) {
        if (list)
            list += size_t{ box.n[0] } * (size_t{ box.n[1] } * z + y);
        else
            offset += y * stride[1] + z * stride[2];
    };
    go(line.src_offset, box.src_stride, line.src_list);
    go(line.dst_offset, box.dst_stride, line.dst_list);
    return line;
}

} // namespace

BoxCopy EdgeBoxes::unpack_dense(const PlacedEdge &edge, const Placement &at) const {
    const BoxCopy box = box_between(edge, at, at_destination(edge));
    return is_listed(box) ? as_line(box) : box;
}

void EdgeBoxes::between(const PlacedEdge &edge, const Placement &from, const Placement &to, std::vector<BoxCopy> &boxes) const {
    const BoxCopy box = box_between(edge, from, to);
    if (!is_listed(box) || is_line(box)) return boxes.push_back(box);
    if ((from.list || goes_on(from.stride, box.n)) && (to.list || goes_on(to.stride, box.n))) return boxes.push_back(as_line(box));
    for (uint32_t z = 0; z < box.n[2]; ++z)
        for (uint32_t y = 0; y < box.n[1]; ++y) boxes.push_back(line_of(box, y, z));
}

bool EdgeBoxes::alike(const PlacedEdge &a, const PlacedEdge &b) const {
    bool same = a.lists == b.lists && a.place == b.place && a.send_place == b.send_place && a.turn == b.turn;
    for (size_t d = 0; d < 3; ++d) same = same && a.low[d] == b.low[d] && a.n[d] == b.n[d] && a.from[d] == b.from[d];
    const auto listed = [&](const PlacedEdge &one) { return one.lists >= 0 || source_.map_of(one.send_part) || destination_.map_of(one.recv_part); };
    const bool one_box = !listed(a) && !listed(b) && (source_.vector == HALO_VECTOR_NONE || edges_.turn_of(a).is_identity());
    const auto layout_of = [](const ValueShape &values, int32_t part) { return values.layout_of[static_cast<size_t>(part)]; };
    return one_box && same && layout_of(source_, a.send_part) == layout_of(source_, b.send_part) &&
           layout_of(destination_, a.recv_part) == layout_of(destination_, b.recv_part);
}

namespace {

// Through a face, or along an edge of three dimensions.
size_t direction_of(Centring centring) {
    const bool is_face = (centring & (centring - 1)) == 0;
    const Centring direction = is_face ? centring : 7 & ~centring;
    return direction == 1 ? 0 : direction == 2 ? 1 : 2;
}

} // namespace

void EdgeBoxes::pack(const PlacedEdge &edge, const Placement &at, std::vector<BoxCopy> &boxes) const {
    const size_t n_before = boxes.size();
    between(edge, at_source(edge), at, boxes);
    if (source_.vector == HALO_VECTOR_NONE || edges_.turn_of(edge).is_identity()) return;
    if (source_.vector == HALO_VECTOR_ALONG) {
        const size_t along = direction_of(destination_.places[edge.place]);
        const bool turns = edges_.turn_of(edge).vector[along] < 0;
        for (size_t i = n_before; i < boxes.size() && turns; ++i) boxes[i].negate = source_.type;
        return;
    }
    const std::vector<BoxCopy> whole(boxes.begin() + static_cast<std::ptrdiff_t>(n_before), boxes.end());
    boxes.resize(n_before);
    for (const BoxCopy &box : whole) from_vector(box, edge, boxes);
}

} // namespace halo
