// SPDX-License-Identifier: BSD-3-Clause
// The boxes, or lists of points, that are to be copied for edges: the first step of every lowering.
#pragma once

#include <memory>
#include <vector>

#include "field/field.h"
#include "plan/lower/copy_rows.h"
#include "plan/placed_edge.h"

namespace halo {

// What plans know of a field's values; fields for which it is equal share what is compiled.
struct ValueShape {
    explicit ValueShape(const Field &field);

    halo_type type;
    int64_t element_bytes;
    int32_t n_components;
    std::vector<Centring> places;
    int32_t vector; // HALO_VECTOR_...
    bool sparse;
    bool has_cells; // parts are boxes, else lists of points
    int32_t n_dims;
    std::vector<PartLayout> layouts;             // a part that is laid out as the one before shares its
    std::vector<uint32_t> layout_of;             // of each local part
    std::vector<std::shared_ptr<PointMap>> maps; // of each local part of cells, or none: lists of points are mapped in their edges

    PointMap *map_of(int64_t part) const { return maps.empty() ? nullptr : maps[static_cast<size_t>(part)].get(); }
    int64_t n_parts() const { return std::ssize(layout_of); }
    const PartLayout &layout(int64_t part) const { return layouts[layout_of[static_cast<size_t>(part)]]; }
};

// Where an edge's values lie in a message (or a peer's storage): strides for x, y, z, component, in bytes.
struct Placement {
    uint32_t base = 0;
    int64_t offset = 0;
    std::array<int64_t, 4> stride{};
    int64_t group = 0;              // edges of one group share rows of the message
    const uint32_t *list = nullptr; // points are listed, x fastest: where each one lies, in units of stride[0]
};

// What an edge reads in the sending part, and writes in the receiving one, of boxes: in the order of the receiver.
PointMap::Turned sent_points(const PlacedEdge &edge, const AxisMap &map);
PointMap::Turned received_points(const PlacedEdge &edge);

// Components of a run; 0: all from the first.
struct ComponentRange {
    int32_t first = 0;
    int32_t n = 0;
    bool operator==(const ComponentRange &) const = default;
};

class EdgeBoxes {
public:
    // All stay. Storage of part p has base p; where source and destination differ, that of the destination comes behind.
    EdgeBoxes(const ValueShape &source, const ValueShape &destination, const PlacedEdges &edges, ComponentRange components)
        : source_(source),
          destination_(destination),
          edges_(edges),
          first_component_(components.first),
          n_components_(components.n > 0 ? components.n : destination.n_components - components.first),
          first_destination_(&source == &destination ? 0 : static_cast<uint32_t>(source.n_parts())) {}

    const PlacedEdges &edges() const { return edges_; }
    bool has_cells() const { return destination_.has_cells; }
    int64_t element_bytes() const { return destination_.element_bytes; }
    int64_t bytes(const PlacedEdge &edge) const { return edge.n_points() * n_components_ * element_bytes(); }

    uint32_t source_base(const PlacedEdge &edge) const { return static_cast<uint32_t>(edge.send_part); }
    uint32_t destination_base(const PlacedEdge &edge) const { return destination_base_of(edge.recv_part); }
    uint32_t destination_base_of(int64_t part) const { return first_destination_ + static_cast<uint32_t>(part); }
    uint32_t n_part_bases() const { return first_destination_ + static_cast<uint32_t>(destination_.n_parts()); }

    // Dense from `offset` on.
    Placement dense(const PlacedEdge &edge, uint32_t base, int64_t offset) const;
    // In the sending part, without a map between index spaces; in the receiving part.
    Placement at_source(const PlacedEdge &edge) const;
    Placement at_destination(const PlacedEdge &edge) const;

    // Part to part, part to message, message to part, message to message. Several boxes where the components of a vector change place, or where
    // points are listed on one side and lie in lines apart from each other on the other.
    void direct(const PlacedEdge &edge, std::vector<BoxCopy> &boxes) const { pack(edge, at_destination(edge), boxes); }
    void pack(const PlacedEdge &edge, const Placement &at, std::vector<BoxCopy> &boxes) const;
    void unpack(const PlacedEdge &edge, const Placement &at, std::vector<BoxCopy> &boxes) const { between(edge, at, at_destination(edge), boxes); }
    void between(const PlacedEdge &edge, const Placement &from, const Placement &to, std::vector<BoxCopy> &boxes) const;
    // One box, from values that lie without gaps.
    BoxCopy unpack_dense(const PlacedEdge &edge, const Placement &at) const;
    // Would direct() give the same boxes but for their bases, one for each of them?
    bool alike(const PlacedEdge &a, const PlacedEdge &b) const;
    // One value into the whole receive region.
    BoxCopy repeat(const PlacedEdge &edge, uint32_t base) const { return unpack_dense(edge, { base, 0, {}, 0, nullptr }); }

private:
    BoxCopy sized(const PlacedEdge &edge) const;
    BoxCopy box_between(const PlacedEdge &edge, const Placement &from, const Placement &to) const;
    void from_vector(const BoxCopy &box, const PlacedEdge &edge, std::vector<BoxCopy> &boxes) const;

    const ValueShape &source_;
    const ValueShape &destination_;
    const PlacedEdges &edges_;
    int32_t first_component_;
    int32_t n_components_;
    uint32_t first_destination_;
};

} // namespace halo
