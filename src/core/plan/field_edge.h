// SPDX-License-Identifier: BSD-3-Clause
// Edges of a topology as edges of fields, and the boxes that are to be copied for them.
#pragma once

#include <vector>

#include "field/field.h"
#include "plan/copy_rows.h"

namespace halo {

// An edge between a field and itself, or (transfers) another.
struct FieldEdge {
    Edge edge;
    int32_t source = 0; // position among the plan's fields
    int32_t destination = 0;
    int32_t place = 0; // of the fields' places
    halo_channel_key key{};
    uint64_t pattern = 0; // tells which points of the topology's edge the field has no value at; 0: at none
};

// Where an edge's values lie in a message (or a peer's storage): strides for x, y, z, component, in bytes.
struct Placement {
    uint32_t base = 0;
    int64_t offset = 0;
    std::array<int64_t, 4> stride{};
    int64_t group = 0;              // edges of one group share rows of the message
    const uint32_t *list = nullptr; // points are listed: where each one lies, in units of stride[0]
};

// Boxes of edges, for one variant of a plan. `part_base` numbers the storage of (field, local part).
class EdgeBoxes {
public:
    EdgeBoxes(const std::vector<Field *> &fields, const std::vector<uint32_t> &first_base, int32_t first_component, int32_t n_components)
        : fields_(fields),
          first_base_(first_base),
          first_component_(first_component),
          n_components_(n_components) {}

    const Field &source(const FieldEdge &edge) const { return *fields_[edge.source]; }
    const Field &destination(const FieldEdge &edge) const { return *fields_[edge.destination]; }
    bool has_cells(const FieldEdge &edge) const { return destination(edge).topology().has_cells(); }
    int64_t element_bytes(const FieldEdge &edge) const { return destination(edge).spec().element_bytes; }
    int64_t bytes(const FieldEdge &edge) const;
    // Points in direction d, as the receiver counts them.
    int64_t extent(const FieldEdge &edge, int d) const;
    int64_t send_part(const FieldEdge &edge) const { return source(edge).topology().local_index(edge.edge.send_gid); }
    int64_t receive_part(const FieldEdge &edge) const { return destination(edge).topology().local_index(edge.edge.recv_gid); }

    // Dense from `offset` on.
    Placement dense(const FieldEdge &edge, uint32_t base, int64_t offset) const;

    // In the sending part, without a map between index spaces; in the receiving part.
    Placement at_source(const FieldEdge &edge) const;
    Placement at_destination(const FieldEdge &edge) const;

    // Part to part, part to message; several boxes where the components of a vector change place.
    void direct(const FieldEdge &edge, std::vector<BoxCopy> &boxes) const;
    void pack(const FieldEdge &edge, const Placement &at, std::vector<BoxCopy> &boxes) const;
    // Message to part.
    BoxCopy unpack(const FieldEdge &edge, const Placement &at) const;
    // Message to message.
    BoxCopy between(const FieldEdge &edge, const Placement &from, const Placement &to) const;
    // One value into the whole receive region.
    BoxCopy repeat(const FieldEdge &edge, uint32_t base) const;

private:
    int32_t components(const FieldEdge &edge) const;
    BoxCopy sized(const FieldEdge &edge) const;
    void from_part(BoxCopy &box, const FieldEdge &edge) const;
    void to_part(BoxCopy &box, const FieldEdge &edge) const;
    void from_vector(const BoxCopy &box, const FieldEdge &edge, std::vector<BoxCopy> &boxes) const;

    const std::vector<Field *> &fields_;
    const std::vector<uint32_t> &first_base_; // of each field
    int32_t first_component_;
    int32_t n_components_; // 0: all
};

} // namespace halo
