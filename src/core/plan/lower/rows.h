// SPDX-License-Identifier: BSD-3-Clause
// From the placed edges of a piece to rows of a copy table: pack, unpack, copies within the rank, and combining.
//
// A piece either moves values straight to where they belong, or combines them: then every contribution is staged, those of other ranks in their
// messages, those of this rank in `staging`, and rows in a fixed order combine them once all are here.
#pragma once

#include <memory>
#include <vector>

#include "comm/device.h"
#include "plan/lower/caller_step.h"
#include "plan/lower/canonical.h"
#include "plan/message_order.h"
#include "plan/piece.h"

namespace halo {

struct RowRange {
    int64_t first = 0;
    int64_t n = 0;
};

// An edge that is moved on its own because its state decides how: sparse ones, and all remote ones with a message each.
struct SingleEdge {
    int64_t bytes = 0;
    PlacedEdge edge{};
    RowRange copy;            // to its message, from it, or (local) from storage to storage
    int64_t fill_row = -1;    // receiver: write the field's fill value
    RowRange stage;           // local: set aside what comes before there is storage for it,
    int64_t unstage_row = -1; // and put it there
    uint32_t base = 0;        // its own: of its values in the message, or set aside
    uint32_t flag = 0;        // its number among those that tell what is null
};

// What the single edges of a part take of a message, if none is null.
struct PartBytes {
    int64_t part = 0;
    int64_t bytes = 0;
};

// What goes one way over a link.
struct LoweredDirection {
    RowRange rows; // dense edges
    int64_t dense_bytes = 0;
    std::vector<SingleEdge> singles; // by key; then there are no dense ones
    std::vector<PartBytes> sent_by;  // where they are sent: whose they are
};

// Rows that are run once all contributions are here, in their order.
struct CombineStep {
    RowRange rows;
    bool moves = false; // else by the operation of the run
};

struct Lowered {
    bool alone = false;
    const Device *device = nullptr;
    std::shared_ptr<const PlacedEdges> narrowed_edges; // null: all of the piece's
    CopyTable table;
    RowRange local;
    std::vector<SingleEdge> local_singles;
    int64_t local_bytes = 0;            // dense
    size_t n_bases = 0;                 // the piece's, then those of single edges
    uint32_t n_flags = 0;               // of single edges that are sent or local
    std::vector<LoweredDirection> send; // of each link
    std::vector<LoweredDirection> receive;
    int64_t staging_bytes = 0;
    std::vector<CombineStep> combine_steps;
    CallerStep caller_step;                     // after them
    std::vector<CanonicalStep> canonical_steps; // one or none
    bool combines = false;
    Narrowed narrowed;

    const LoweredDirection &direction(size_t link, bool sending) const { return sending ? send[link] : receive[link]; }
    const PlacedEdges &edges(const Piece &piece) const { return narrowed_edges ? *narrowed_edges : piece.edges(); }
    EdgeBoxes boxes(const Piece &piece) const { return piece.boxes(edges(piece), narrowed.components); }
    int64_t scratch_bytes() const { return canonical_steps.empty() ? caller_step.scratch_bytes() : canonical_steps.front().scratch_bytes(); }
};

inline size_t bytes_of(const Lowered &lowered) { return static_cast<size_t>(lowered.table.rows()) * sizeof(halo_copy_row); }

// Contributions that lie in storage of peers, by link, in the order of their message; none: they lie in the link's message. Bases behind those of
// the piece name that storage.
using PeerPlacements = std::vector<std::vector<Placement>>;

// For storage that `device` reaches. Rows of all sends come first, then those of all receives, then local ones.
Lowered lower(const Piece &piece, const Device &device, const Narrowed &narrowed, bool alone, const PeerPlacements *lent = nullptr);

// Sparse edges follow the dense ones, each at the next multiple of this.
inline constexpr int64_t sparse_alignment = 16;

// Where such an edge begins behind `end`, which becomes its own end.
inline int64_t place_single(const SingleEdge &single, int64_t &end) {
    const int64_t begin = align_up(end, sparse_alignment);
    end = begin + single.bytes;
    return begin;
}

} // namespace halo
