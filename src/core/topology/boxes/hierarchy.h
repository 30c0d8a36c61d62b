// SPDX-License-Identifier: BSD-3-Clause
// Two levels of boxes: a finer one, whose domain is that of the coarser with some cells for one per direction. What its parts are made from.
#pragma once

#include <optional>
#include <string>

#include "halo_levels.h"
#include "topology/boxes/coarsened_boxes.h"

namespace halo {

// What is made of a finer part.
struct MadeCells {
    GhostWidths widths;
    int32_t reach = 0;  // coarse cells around the one that a fine cell lies in, per refined direction, from which it is made
    bool whole = false; // its own cells too, and ghosts that others of its level have

    // Of coarse cells beside the part: all that these are made from.
    GhostWidths coarse(const LevelRatio &ratio) const;
};

// A cell that the coarser level lacks, or a box that ends within one.
struct NotNested {
    int64_t gid;      // of the finer level
    halo_box box;     // its cells
    halo_box missing; // cells of the coarser level; empty: the box does not end on coarse cells
};

class Hierarchy {
public:
    // In words, why two topologies are no levels of one; empty: they are.
    static std::string why_none(const Topology &coarse, const Topology &fine);
    Hierarchy(const Topology &coarse, const Topology &fine);

    const LevelRatio &ratio() const { return ratio_; }
    const CoarsenedBoxes &coarsened_boxes() const { return boxes_; }

    // Of a finer part: what is made of its cells; the coarse cells that these are made from. Both without a cell twice, counted from the part's
    // first.
    std::vector<halo_box> made(int64_t gid, const MadeCells &cells) const;
    std::vector<halo_box> read(int64_t gid, const MadeCells &cells) const;
    // Faces of a coarser part that lie between a cell that the finer level covers and one that it does not. Without a face twice, counted from the
    // part's first.
    std::vector<halo_box> border(int64_t gid, Centring faces) const;
    // The first part, in the order of gids, whose cells cannot be made (null: be averaged).
    std::optional<NotNested> first_not_nested(const MadeCells *cells) const;
    // What cells of a coarser part, and its ghosts, are.
    static std::vector<halo_level_box> level_boxes(const Topology &level, const Topology *finer, const GhostWidths &widths, int64_t gid);

private:
    const Topology &coarse_;
    const Topology &fine_;
    LevelRatio ratio_;
    CoarsenedBoxes boxes_; // of the finer level
};

} // namespace halo
