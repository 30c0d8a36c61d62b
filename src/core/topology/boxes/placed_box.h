// SPDX-License-Identifier: BSD-3-Clause
// The parts of a topology as boxes of cells in one index space, with their periodic images.
#pragma once

#include <tuple>
#include <vector>

#include "topology/edge.h"

namespace halo {

// A part's box as it lies around another part: moved by `shift`, a multiple of the domain's period per direction.
struct PlacedBox {
    int64_t gid = 0;
    int32_t rank = 0;
    int32_t priority = 0;
    halo_box cells{}; // moved
    Extent shift{};

    Extent origin() const { return { cells.low[0], cells.low[1], cells.low[2] }; }
    bool same_place(const PlacedBox &other) const { return gid == other.gid && shift == other.shift; }
};

// Along z, then y, then x.
inline bool lower_shift(const Extent &a, const Extent &b) { return std::tie(a[2], a[1], a[0]) < std::tie(b[2], b[1], b[0]); }

// Which of two copies of a point comes first: the first of all is the point's owner. Higher priority, then lower gid, then the image that is shifted
// farthest up, in which the point has the lowest index. Holds in whatever part's surroundings the two are compared.
inline bool precedes(const PlacedBox &a, const PlacedBox &b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.gid != b.gid) return a.gid < b.gid;
    return lower_shift(b.shift, a.shift);
}

// Where boxes are looked up.
class BoxSource {
public:
    virtual ~BoxSource() = default;
    // Appends every box, images included, with a cell in `region`. In no particular order.
    virtual void boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const = 0;
    // A part's box, not moved. Fails for parts that are not known here.
    virtual PlacedBox box_of(int64_t gid) const = 0;
    // Of the domain per direction; 0: not periodic.
    virtual Extent period() const = 0;
};

} // namespace halo
