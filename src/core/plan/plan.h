// SPDX-License-Identifier: BSD-3-Clause
// Edges compiled into copy tables and message offsets: immutable, shared by exchanges of the same shape, free of pointers.
//
// Base numbers of the tables: storage of (field, local part), then the payload sent to and received from each link, then three
// kinds of scratch. Who runs the plan fills an array of pointers in this order.
#pragma once

#include <memory>
#include <vector>

#include "comm/message.h"
#include "comm/peer_link.h"
#include "field/field.h"
#include "plan/copy_rows.h"

namespace halo {

// What a plan is compiled from.
struct PlanShape {
    std::vector<Field *> fields;
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t edges = HALO_EDGES_ALL;
    bool per_channel = false; // every remote edge is a message of its own
    bool check = false;       // check mode: compile rows that poison the ghosts too
};

// Narrowing of one variant; the full plan has none.
struct PlanNarrowing {
    std::vector<bool> field; // takes part; empty: all
    int32_t first_component = 0;
    int32_t n_components = 0; // 0: all from first_component
    int32_t depth = 0;        // 0: all
    bool operator==(const PlanNarrowing &) const = default;

    bool takes(size_t field_index) const { return field.empty() || field[field_index]; }
};

struct RowRange {
    int64_t first = 0;
    int64_t n = 0;
};

// A remote edge, as messages and error texts need it. `key.field` is the field's ordinal.
struct PlanEdge {
    halo_channel_key key;
    int64_t bytes;
    int32_t field; // position among the plan's fields
    int32_t type;
};

// An edge that is moved on its own because its state decides how: sparse ones, and all remote ones of a per-channel plan.
struct SingleEdge {
    halo_channel_key key;
    int64_t bytes;
    int32_t field;
    int64_t send_part = -1;    // local index, where this rank sends
    int64_t receive_part = -1; // local index, where this rank receives
    int64_t copy_row = -1;     // to, from or (local) between; the message side is `scratch_base`
    int64_t fill_row = -1;     // receiver: write the field's fill value
    int64_t stage_row = -1;    // local: source to scratch,
    int64_t unstage_row = -1;  // and scratch to destination
};

struct PlanDirection {
    std::vector<PlanEdge> edges; // all of them, by key
    RowRange rows;               // dense ones
    int64_t dense_bytes = 0;
    std::vector<SingleEdge> singles;
    int64_t most_bytes = 0; // payload with every sparse edge sent
    Digest digest;
};

struct PlanLink {
    int32_t peer = -1;
    PlanDirection send;
    PlanDirection receive;
};

class Plan {
public:
    // The full plan of a shape; or, with `full`, a narrowed variant with the same links.
    Plan(const PlanShape &shape, const PlanNarrowing &narrowing, const Plan *full);

    const PlanNarrowing &narrowing() const { return narrowing_; }
    const CopyTable &table() const { return table_; }
    const std::vector<PlanLink> &links() const { return links_; }
    RowRange local() const { return local_; }
    const std::vector<SingleEdge> &local_singles() const { return local_singles_; }
    RowRange poison() const { return poison_; }
    int64_t local_bytes() const { return local_bytes_; }
    int64_t local_channels() const { return local_channels_; }
    bool any_sparse() const { return any_sparse_; }

    uint32_t part_base(int64_t field, int64_t part) const { return static_cast<uint32_t>(field * n_parts_ + part); }
    uint32_t send_base(size_t link) const { return static_cast<uint32_t>(n_fields_ * n_parts_ + static_cast<int64_t>(link)); }
    uint32_t receive_base(size_t link) const { return send_base(n_links_ + link); }
    uint32_t scratch_base() const { return send_base(2 * n_links_); }
    uint32_t poison_base() const { return scratch_base() + 1; }
    uint32_t fill_base(int64_t field) const { return scratch_base() + 2 + static_cast<uint32_t>(field); }
    int64_t n_bases() const { return fill_base(n_fields_); }

private:
    struct FieldEdge;
    struct Compilation;
    void compile_local(Compilation &work, std::vector<FieldEdge> &edges);
    void compile_link(Compilation &work, size_t link, std::vector<FieldEdge> &send, std::vector<FieldEdge> &receive);
    void compile_poison(Compilation &work, const std::vector<FieldEdge> &edges);

    PlanNarrowing narrowing_;
    int64_t n_fields_;
    int64_t n_parts_;
    size_t n_links_ = 0;
    CopyTable table_;
    std::vector<PlanLink> links_;
    RowRange local_;
    std::vector<SingleEdge> local_singles_;
    RowRange poison_;
    int64_t local_bytes_ = 0;
    int64_t local_channels_ = 0;
    bool any_sparse_ = false;
};

// Alignment of edges within a payload, in bytes.
inline constexpr int64_t edge_alignment(int64_t element_bytes) {
    return element_bytes % 16 == 0 ? 16 : element_bytes % 8 == 0 ? 8 : element_bytes % 4 == 0 ? 4 : 1;
}
inline constexpr int64_t align_up(int64_t value, int64_t alignment) { return (value + alignment - 1) / alignment * alignment; }
// Sparse edges follow the dense ones, each at the next multiple of this.
inline constexpr int64_t sparse_alignment = 16;

} // namespace halo
