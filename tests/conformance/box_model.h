// SPDX-License-Identifier: BSD-3-Clause
// A model of parts that are boxes, made without the library and point by point: who owns a point, and which copies of it there are.
#pragma once

#include <string>
#include <vector>

#include "grid.h"

namespace conformance {

struct BoxPart {
    halo_box cells{};
    int32_t owner = 0;
    int32_t priority = 0;
};

// How the library is told of the parts.
enum class BoxForm : uint8_t { blocks, list, distributed, cut };
inline constexpr int n_box_forms = 4;
const char *form_name(BoxForm form);

struct BoxModel {
    int32_t n_dims = 1;
    halo_box domain{ { 0, 0, 0 }, { 1, 1, 1 } };
    std::array<bool, 3> periodic{};
    BoxForm form = BoxForm::list;
    int32_t reach = 0;
    int32_t n_parts_per_rank = 1;
    Triple block_cells{ 1, 1, 1 };
    std::vector<BoxPart> parts; // by gid

    int64_t n_parts() const { return static_cast<int64_t>(parts.size()); }
    std::vector<int64_t> local(int32_t rank) const;
    Triple points(int64_t gid, int32_t centring) const;
    halo_topology *create(halo_context *context, int32_t rank) const;
    std::string describe() const;
};

// Where one part holds a point: index as the part counts, its first owned point being (0, 0, 0).
struct Copy {
    int64_t gid = 0;
    Triple at{};
    int32_t element = 13; // of the part, on which side it lies
};

// A point that somebody owns, with the copies that an exchange has to do with, in the order in which they are combined.
struct SharedPoint {
    Copy owner;
    std::vector<Copy> copies;
};

int32_t element_of(const Triple &at, const Triple &points);

struct CopyQuestion {
    int32_t centring = 0; // bits
    Ghosts ghosts;
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t shared = HALO_SHARED_KEEP;
};
std::vector<SharedPoint> shared_points(const BoxModel &model, const CopyQuestion &question);
// Ghosts of a part that nobody owns.
std::vector<Triple> orphans(const BoxModel &model, int64_t gid, int32_t centring, const Ghosts &ghosts);

// Visits owned points and ghosts.
template <class Visit>
void for_each_point(const Triple &points, const Ghosts &ghosts, Visit &&visit) {
    for (int64_t z = -ghosts.low[2]; z < points[2] + ghosts.high[2]; ++z)
        for (int64_t y = -ghosts.low[1]; y < points[1] + ghosts.high[1]; ++y)
            for (int64_t x = -ghosts.low[0]; x < points[0] + ghosts.high[0]; ++x) visit(Triple{ x, y, z });
}

} // namespace conformance
