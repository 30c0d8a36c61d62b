// SPDX-License-Identifier: BSD-3-Clause
// Copies from the storage of one rank straight into that of another (put), out of it (get), or combinations of what lies in both: one rank tells
// where each edge's values lie in its storage, the other compiles that into a table. Only what is dense.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "plan/lower/rows.h"
#include "plan/plan.h"

namespace halo {

// Where the values of one edge lie, in storage `slot`. Other ranks read it.
struct StoredEdge {
    uint32_t slot;
    uint32_t n_listed; // points of a list, which begins at entry `list` of the lists; 0: a box
    int64_t list;
    int64_t offset; // bytes
    int64_t stride[4];
};

// All of one message, piece by piece, in its order.
struct StoredEdges {
    struct Slot {
        size_t piece;  // of the plan
        uint32_t base; // of the piece
    };
    std::vector<Slot> slots;
    std::vector<StoredEdge> edges;
    std::vector<uint32_t> lists;
};

// Of one piece, as another rank has been told.
struct StoredEdgesView {
    std::span<const StoredEdge> edges;
    std::span<const uint32_t> lists;
};

// What a peer tells, in this rank's own memory: nothing of it changes once it has been looked at.
struct ToldEdges {
    std::vector<StoredEdge> edges;
    std::vector<uint32_t> lists;
    std::vector<uint64_t> slot_bytes; // of each slot: up to where edges reach
    std::vector<StoredEdgesView> pieces;
};

// Is the storage of a piece told? That of sparse values comes and goes.
bool is_told(const Piece &piece);

// Where this rank's storage has what it sends over a link, or takes what it receives.
StoredEdges stored_edges(const Plan &plan, const PlanLink &link, bool sending);

// Finds the part of `told` that belongs to each of a link's pieces, and what it takes of each slot. `sending`: what this rank does. HALO_ERR_WIRE: it
// does not fit the plan, or lies in front of its slot.
void divide(const Plan &plan, const PlanLink &link, bool sending, ToldEdges &told);

// The peer's storage as places: its slots have the bases behind those of the piece and `n_before` others.
std::vector<Placement> placements(const Piece &piece, const StoredEdgesView &told, size_t n_before = 0);
// From this rank's storage into the peer's, by a device that reaches both.
CopyTable put_table(const Piece &piece, size_t link, const StoredEdgesView &told, const Device &device);
// From the peer's storage to where this rank would find its message.
CopyTable get_table(const Piece &piece, size_t link, const StoredEdgesView &told);

} // namespace halo
