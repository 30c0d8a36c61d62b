// SPDX-License-Identifier: BSD-3-Clause
// Sets of points made of boxes.
#pragma once

#include <vector>

#include "topology/edge.h"

namespace halo {

inline halo_box shifted(const halo_box &box, const Extent &by) {
    return { { box.low[0] + by[0], box.low[1] + by[1], box.low[2] + by[2] }, { box.high[0] + by[0], box.high[1] + by[1], box.high[2] + by[2] } };
}
// As seen from its part: (0, 0, 0) is `origin`.
inline halo_box relative(const halo_box &box, const Extent &origin) { return shifted(box, { -origin[0], -origin[1], -origin[2] }); }
// Around both.
inline halo_box hull(const halo_box &a, const halo_box &b) {
    halo_box both;
    for (int d = 0; d < 3; ++d) {
        both.low[d] = std::min(a.low[d], b.low[d]);
        both.high[d] = std::max(a.high[d], b.high[d]);
    }
    return both;
}
// Without branches, which nothing foretells in a search.
inline bool meet(const halo_box &a, const halo_box &b) {
    bool all = true;
    for (int d = 0; d < 3; ++d) all &= std::max(a.low[d], b.low[d]) < std::min(a.high[d], b.high[d]);
    return all;
}
inline bool equal(const halo_box &a, const halo_box &b) {
    bool all = true;
    for (int d = 0; d < 3; ++d) all &= a.low[d] == b.low[d] && a.high[d] == b.high[d];
    return all;
}
bool contains(const halo_box &outer, const halo_box &inner);
halo_box grown(const halo_box &box, const GhostWidths &widths);

// Owned points of a box of cells.
inline halo_box points_of(const halo_box &cells, Centring centring) {
    return { { cells.low[0], cells.low[1], cells.low[2] },
             { points(cells.high[0], centring, 0), points(cells.high[1], centring, 1), points(cells.high[2], centring, 2) } };
}
// Cells of which a box must have one if its points, with ghosts of widths `theirs`, meet `points`.
halo_box cells_around(halo_box points, Centring centring, const GhostWidths &theirs);
// Points around `inner` on the side of an element, as wide as the ghosts; element 13: `inner` itself.
halo_box element_box(const halo_box &inner, const GhostWidths &widths, int32_t element);
bool in_stencil(int32_t element, int32_t stencil);

// Takes the points of `hole` out of disjoint boxes. Boxes that do not meet it stay as they are; the others are cut along z first, so that lines
// along x stay long. False: none met it.
bool subtract(std::vector<halo_box> &boxes, const halo_box &hole);

// But for what is outside the domain, in directions that have no period.
halo_box inside_domain(halo_box box, const halo_box &domain, const Extent &period);
// Adds those points of a box that none of the others has.
void add_disjoint(std::vector<halo_box> &boxes, const halo_box &box);

// Quotient rounded down.
constexpr int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0); }

// "(0, 0, 0) to (4, 4, 1)".
std::string text_of(const halo_box &box);

} // namespace halo
