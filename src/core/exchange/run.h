// SPDX-License-Identifier: BSD-3-Clause
// One run of a round while it is in flight: which tables it works on, and the pointers they use.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "exchange/ages.h"
#include "plan/lower/rows.h"
#include "plan/message_order.h"
#include "plan/plan.h"
#include "stream/wire.h"

namespace halo {

class CheckMode;
class DeviceWork;
class FieldsBeside;

// What one piece of the plan does in a run.
struct PieceRun {
    std::shared_ptr<const Lowered> rows;
    bool takes_part = false;
    DeviceWork *work = nullptr;     // where its storage is on a device
    uint8_t *flags = nullptr;       // in runs with devices: of its single edges, which have data
    uint32_t first_destination = 0; // base of the destination's storage
    std::vector<void *> bases;      // as the piece and its rows number them

    void take_rows(std::shared_ptr<const Lowered> of) {
        rows = std::move(of);
        if (bases.size() < rows->n_bases) bases.resize(rows->n_bases);
    }
    void *source_part(int64_t part) const { return bases[static_cast<size_t>(part)]; }
    void *&part(int64_t part) { return bases[first_destination + static_cast<size_t>(part)]; }
    void *part(int64_t part) const { return bases[first_destination + static_cast<size_t>(part)]; }
    // On the host.
    void run_rows(RowRange range) const { rows->table.run(range.first, range.n, bases, HALO_STREAM_NONE); }
    void run_row(int64_t row) const { rows->table.run(row, 1, bases, HALO_STREAM_NONE); }
};

inline WireGhosts::Widths layers_of(const GhostWidths &ghosts) {
    return { ghosts.low[0], ghosts.low[1], ghosts.low[2], ghosts.high[0], ghosts.high[1], ghosts.high[2] };
}

struct Run {
    uint32_t epoch = 0;
    const Plan *plan = nullptr;
    bool whole = true;               // all fields, components and layers
    Narrowing narrowing;             // as it travels in headers
    halo_op op = op_move;            // by which pieces that combine do
    std::vector<PieceRun> pieces;    // of the plan
    std::vector<int32_t> sets;       // binding set per field
    std::vector<DeviceWork *> works; // on each device that has storage of it
    CheckMode *check = nullptr;      // where check mode is on
    FieldsBeside *beside = nullptr;  // of the round
    GhostWidths ghosts;              // at most
    Ages ages;                       // of what has come

    bool on_host() const { return works.empty(); }
    // That of the one device that has all storage; nullptr: there is none such.
    DeviceWork *only_work() const {
        const auto is_elsewhere = [&](const PieceRun &piece) { return piece.takes_part && piece.work != works.front(); };
        return works.size() == 1 && std::none_of(pieces.begin(), pieces.end(), is_elsewhere) ? works.front() : nullptr;
    }

    // Calls visit(piece, planned, direction) for what takes part in one way of a link.
    template <class Visit>
    void for_each(const PlanLink &link, bool sending, Visit &&visit) {
        for (const LinkPiece &at : link.pieces)
            if (PieceRun &piece = pieces[at.piece]; piece.takes_part) visit(piece, at, piece.rows->direction(at.link, sending));
    }
    template <class Visit>
    void for_each(const PlanLink &link, bool sending, Visit &&visit) const {
        for (const LinkPiece &at : link.pieces)
            if (const PieceRun &piece = pieces[at.piece]; piece.takes_part) visit(piece, at, piece.rows->direction(at.link, sending));
    }
    // Where the dense values of a message end: piece by piece, each aligned.
    int64_t dense_bytes(const PlanLink &link, bool sending) const {
        int64_t end = 0;
        for_each(link, sending, [&](const PieceRun &, const LinkPiece &at, const LoweredDirection &way) {
            if (way.dense_bytes > 0) end = align_up(end, alignment(at)) + way.dense_bytes;
        });
        return end;
    }
    int64_t alignment(const LinkPiece &at) const { return edge_alignment(plan->piece(at.piece).destination().element_bytes); }
    // What is on the host.
    void copy_within_rank() const {
        if (!plan->scope().local) return;
        for (const PieceRun &piece : pieces)
            if (piece.takes_part && !piece.work) piece.run_rows(piece.rows->local);
    }
};

} // namespace halo
