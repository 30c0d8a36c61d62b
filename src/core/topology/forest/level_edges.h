// SPDX-License-Identifier: BSD-3-Clause
// What travels between blocks of different levels. Each block has, beside its own cells, those of the next coarser level that cover it and its
// ghosts. All that ranks send are such values as they are: a block halves its own for a coarser neighbour, and takes the cells of one to fill its
// ghosts from.
#pragma once

#include <vector>

#include "topology/forest/forest.h"

namespace halo {

enum class LevelWay : uint8_t {
    to_coarser, // coarse cells of a finer block -> ghosts
    to_finer,   // cells of a coarser block -> coarse ghosts
    beside,     // coarse cells -> coarse ghosts of a block of the same level
    fluxes,     // coarse faces of a finer block -> faces on the border to it
};

// Ghosts of a field on a forest.
struct LevelGhosts {
    GhostWidths widths;
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t reach = 0; // coarse cells around the one that a fine cell lies in, per direction, from which it is made
    bool operator==(const LevelGhosts &) const = default;

    // Of coarse cells: all that ghosts are made from.
    GhostWidths coarse(int32_t n_dims) const;
    // Are coarse cells behind blocks of the same level made from the ghosts there, pair by pair? Else those blocks send them.
    bool halves_ghosts(int32_t n_dims) const;
};

class LevelEdges {
public:
    LevelEdges(const ForestTopology &forest, const LevelGhosts &ghosts);

    Extent coarse_cells() const { return coarse_cells_; }
    void emit(LevelWay way, Centring centring, const EdgeSink &sink) const;
    // Ghosts of a block behind coarser ones, by element: those that are made from coarse cells.
    std::vector<halo_box> made(int64_t gid) const;
    // Coarse cells that these are made from and no coarser block has: within the block itself, and behind blocks of the same level.
    std::vector<halo_box> read_inside(int64_t gid) const { return read(forest_.leaf(gid), HALO_ELEMENT(0, 0, 0)); }
    std::vector<halo_box> read_beside(int64_t gid) const;

private:
    struct Receiver;
    std::vector<halo_box> read(const TreeBlock &block, int32_t element) const;
    template <class Visit>
    void from_parts(int64_t gid, int32_t element, const Across &across, const halo_box &points, Centring centring, Visit &&visit) const;
    template <class Visit>
    void behind(const Receiver &receiver, LevelWay way, Centring centring, int32_t element, const Across &across, Visit &&visit) const;
    void into(const Receiver &receiver, LevelWay way, Centring centring, const EdgeSink &sink) const;

    const ForestTopology &forest_;
    LevelGhosts ghosts_;
    GhostWidths coarse_widths_;
    Extent coarse_cells_;
};

} // namespace halo
