// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/box_calculus.h"

#include <cstdlib>

#include "base/error.h"

namespace halo {

bool contains(const halo_box &outer, const halo_box &inner) {
    for (int d = 0; d < 3; ++d)
        if (inner.low[d] < outer.low[d] || inner.high[d] > outer.high[d]) return false;
    return true;
}

halo_box grown(const halo_box &box, const GhostWidths &widths) {
    halo_box larger;
    for (int d = 0; d < 3; ++d) {
        larger.low[d] = box.low[d] - widths.low[d];
        larger.high[d] = box.high[d] + widths.high[d];
    }
    return larger;
}

halo_box cells_around(halo_box points, Centring centring, const GhostWidths &theirs) {
    for (int d = 0; d < 3; ++d) {
        points.low[d] -= (centring >> d & 1) + theirs.high[d];
        points.high[d] += theirs.low[d];
    }
    return points;
}

halo_box element_box(const halo_box &inner, const GhostWidths &widths, int32_t element) {
    const ElementOffset side = element_offset(element);
    halo_box box = inner;
    for (int d = 0; d < 3; ++d) {
        if (side[d] < 0) {
            box.low[d] = inner.low[d] - widths.low[d];
            box.high[d] = inner.low[d];
        } else if (side[d] > 0) {
            box.low[d] = inner.high[d];
            box.high[d] = inner.high[d] + widths.high[d];
        }
    }
    return box;
}

bool in_stencil(int32_t element, int32_t stencil) {
    const ElementOffset side = element_offset(element);
    const int distance = std::abs(side[0]) + std::abs(side[1]) + std::abs(side[2]);
    return distance <= (stencil == HALO_STENCIL_FACES ? 1 : stencil == HALO_STENCIL_EDGES ? 2 : 3);
}

namespace {

// What is left of a box that meets the hole: up to two slabs per direction.
void cut(halo_box box, const halo_box &hole, std::vector<halo_box> &left) {
    for (int d = 2; d >= 0; --d) {
        if (box.low[d] < hole.low[d]) {
            halo_box slab = box;
            box.low[d] = slab.high[d] = hole.low[d];
            left.push_back(slab);
        }
        if (hole.high[d] < box.high[d]) {
            halo_box slab = box;
            box.high[d] = slab.low[d] = hole.high[d];
            left.push_back(slab);
        }
    }
}

} // namespace

bool subtract(std::vector<halo_box> &boxes, const halo_box &hole) {
    size_t first = 0;
    while (first < boxes.size() && !meet(boxes[first], hole)) ++first;
    if (first == boxes.size()) return false;
    std::vector<halo_box> left(boxes.begin(), boxes.begin() + static_cast<std::ptrdiff_t>(first));
    for (size_t i = first; i < boxes.size(); ++i) {
        if (meet(boxes[i], hole))
            cut(boxes[i], hole, left);
        else
            left.push_back(boxes[i]);
    }
    boxes = std::move(left);
    return true;
}

halo_box inside_domain(halo_box box, const halo_box &domain, const Extent &period) {
    for (size_t d = 0; d < 3; ++d) {
        if (period[d] > 0) continue;
        box.low[d] = std::max(box.low[d], domain.low[d]);
        box.high[d] = std::min(box.high[d], domain.high[d]);
    }
    return box;
}

void add_disjoint(std::vector<halo_box> &boxes, const halo_box &box) {
    std::vector<halo_box> rest{ box };
    for (const halo_box &known : boxes) subtract(rest, known);
    boxes.insert(boxes.end(), rest.begin(), rest.end());
}

std::string text_of(const halo_box &box) {
    const auto number = [](int64_t value) { return static_cast<long long>(value); };
    return format("(%lld, %lld, %lld) to (%lld, %lld, %lld)", number(box.low[0]), number(box.low[1]), number(box.low[2]), number(box.high[0]),
                  number(box.high[1]), number(box.high[2]));
}

} // namespace halo
