// SPDX-License-Identifier: BSD-3-Clause
// Edges compiled into copy tables and message offsets: immutable, shared by exchanges of the same shape, free of pointers.
//
// A plan either moves values straight to where they belong, or combines them: then every contribution is staged, those of other ranks in
// their messages, those of this rank in `staging`, and rows in a fixed order combine them once all are here.
//
// Base numbers of the tables: storage of (field, local part), then the payload sent to and received from each link, then what
// the functions below name. Who runs the plan fills an array of pointers in this order.
#pragma once

#include <memory>
#include <vector>

#include "plan/canonical.h"
#include "plan/checked_edge.h"
#include "plan/message_order.h"
#include "stream/stream.h"
#include "topology/boxes/transfer_boxes.h"

namespace halo {

// From one of the plan's fields to another; the same twice but for transfers.
struct FieldPair {
    int32_t source;
    int32_t destination;
    bool operator==(const FieldPair &) const = default;
};

// A transfer: beside what HALO_KIND_... names.
inline constexpr int32_t kind_transfer = 100;
inline constexpr halo_op op_copy = 0; // it moves values

// Ghosts that take part in a transfer.
struct TransferGhosts {
    GhostWidths source;
    GhostWidths destination;
};

// What a plan is compiled from.
struct PlanShape {
    std::vector<Field *> fields;
    std::vector<FieldPair> pairs{};
    int32_t kind = HALO_KIND_GHOSTS;
    halo_op op = HALO_SUM;
    int32_t shared = HALO_SHARED_KEEP;
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t edges = HALO_EDGES_ALL;
    int32_t sweep = -1;               // direction of the only edges, which take the ghosts of lower directions along; -1: all edges
    bool per_channel = false;         // every remote edge is a message of its own
    std::vector<uint32_t> sections{}; // groups of ghosts that take part, by field; 0, or no field: all
    bool canonical = false;           // contributions are combined in the order of their values
    bool check = false;               // check mode: keep the edges, to be looked at
    bool stable = false;              // what is sent stays unchanged until the run ends

    TransferGhosts transfer{};                                          // kind_transfer
    std::vector<std::shared_ptr<const TransferBoxes>> transfer_boxes{}; // of each pair; null: all ranks know all boxes

    bool combines() const { return kind != HALO_KIND_GHOSTS && op != op_copy; }
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
    uint64_t pattern; // of FieldEdge
};

// An edge that is moved on its own because its state decides how: sparse ones, and all remote ones of a per-channel plan.
struct SingleEdge {
    halo_channel_key key;
    int64_t bytes;
    int32_t field;
    int32_t source_field;
    int64_t send_part = -1;    // local index, where this rank sends
    int64_t receive_part = -1; // local index, where this rank receives
    RowRange copy;             // to, from or (local) between; the message side is `scratch_base`
    int64_t fill_row = -1;     // receiver: write the field's fill value
    RowRange stage;            // local: source to scratch,
    int64_t unstage_row = -1;  // and scratch to destination
};

struct PlanDirection {
    std::vector<PlanEdge> edges; // all of them, by key
    RowRange rows;               // dense ones
    int64_t dense_bytes = 0;
    std::vector<SingleEdge> singles;  // by key
    int64_t most_bytes = 0;           // payload with every sparse edge sent
    std::vector<CheckedEdge> checked; // check mode: all, by key
    Digest digest;
};

struct PlanLink {
    int32_t peer = -1;
    PlanDirection send;
    PlanDirection receive;
};

// Rows that are run once all contributions are here, in their order. HALO_USER: of `caller_boxes`, not of the table.
struct CombineStep {
    RowRange rows;
    int32_t op = HALO_COPY_MOVE;
    halo_type type = 0;
};

// Contributions that lie in storage of peers, by link; none: they lie in the link's message. Bases behind those of the plan name that storage.
using LentEdges = std::vector<std::vector<Placement>>;

class Plan {
public:
    // The full plan of a shape; or, with `full`, a narrowed variant with the same links; or, with `lent`, one that combines what is lent.
    Plan(const PlanShape &shape, const PlanNarrowing &narrowing, const Plan *full, const LentEdges *lent = nullptr);

    const PlanNarrowing &narrowing() const { return narrowing_; }
    const CopyTable &table() const { return table_; }
    const std::vector<PlanLink> &links() const { return links_; }
    RowRange local() const { return local_; }
    const std::vector<SingleEdge> &local_singles() const { return local_singles_; }
    const std::vector<CheckedEdge> &local_checked() const { return local_checked_; }
    int64_t local_bytes() const { return local_bytes_; }
    int64_t local_channels() const { return local_channels_; }
    bool any_sparse() const { return any_sparse_; }
    bool combines() const { return combines_; }
    const std::vector<CombineStep> &combine_steps() const { return combine_steps_; }
    const std::vector<BoxCopy> &caller_boxes() const { return caller_boxes_; }
    const std::vector<CanonicalStep> &canonical_steps() const { return canonical_steps_; }
    int64_t staging_bytes() const { return staging_bytes_; }
    int64_t canonical_scratch_bytes() const;

    int64_t n_parts(int64_t field) const { return first_base_[field + 1] - first_base_[field]; }
    const std::vector<uint32_t> &first_bases() const { return first_base_; } // of each field, and the end
    uint32_t part_base(int64_t field, int64_t part) const { return first_base_[field] + static_cast<uint32_t>(part); }
    uint32_t send_base(size_t link) const { return first_base_.back() + static_cast<uint32_t>(link); }
    uint32_t receive_base(size_t link) const { return send_base(n_links_ + link); }
    uint32_t scratch_base() const { return send_base(2 * n_links_); }
    uint32_t staging_base() const { return scratch_base() + 1; }
    uint32_t fill_base(int64_t field) const { return scratch_base() + 2 + static_cast<uint32_t>(field); }
    int64_t n_bases() const { return fill_base(n_fields_); }

private:
    struct Compilation;
    void number_bases(const PlanShape &shape);
    void find_links(const Compilation &work, const Plan *full);
    void compile_local(Compilation &work);
    void compile_local_staged(Compilation &work);
    void compile_send(Compilation &work, size_t link);
    void compile_receive(Compilation &work, size_t link);
    void compile_combine(Compilation &work);
    void compile_canonical(const Compilation &work);

    PlanNarrowing narrowing_;
    int64_t n_fields_;
    std::vector<uint32_t> first_base_; // of each field, and the end
    size_t n_links_ = 0;
    CopyTable table_;
    std::vector<PlanLink> links_;
    RowRange local_;
    std::vector<SingleEdge> local_singles_;
    std::vector<CheckedEdge> local_checked_;
    bool combines_;
    std::vector<CombineStep> combine_steps_;
    std::vector<BoxCopy> caller_boxes_;
    std::vector<CanonicalStep> canonical_steps_;
    int64_t staging_bytes_ = 0;
    int64_t local_bytes_ = 0;
    int64_t local_channels_ = 0;
    bool any_sparse_ = false;
};

// Sparse edges follow the dense ones, each at the next multiple of this.
inline constexpr int64_t sparse_alignment = 16;

} // namespace halo
