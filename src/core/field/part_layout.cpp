// SPDX-License-Identifier: BSD-3-Clause
#include "field/part_layout.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/limits.h"

namespace halo {

PartLayout as_part_layout(const halo_layout &layout) {
    return {
        layout.elements, layout.first_owned, { layout.stride[0], layout.stride[1], layout.stride[2] }, layout.component_stride, layout.place_stride
    };
}

halo_layout as_halo_layout(const PartLayout &layout) {
    halo_layout filled = HALO_LAYOUT_INIT;
    filled.elements = layout.elements;
    filled.first_owned = layout.first_owned;
    std::copy_n(layout.stride.begin(), 3, filled.stride);
    filled.component_stride = layout.component_stride;
    filled.place_stride = layout.place_stride;
    return filled;
}

LayoutRule::LayoutRule(const halo_layout_desc &desc) : alignment(desc.alignment) {
    constexpr int32_t most = 4096;
    if (alignment < 1 || alignment > most || (alignment & (alignment - 1)) != 0)
        fail(HALO_ERR_ARGUMENT, "layout: alignment is %d, it must be a power of two of at most %d bytes", desc.alignment, most);
    std::copy_n(desc.order, order.size(), order.begin());
    std::array<int32_t, 5> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (int32_t i = 0; i < std::ssize(sorted); ++i)
        if (sorted[i] != i)
            fail(HALO_ERR_ARGUMENT, "layout: order { %d, %d, %d, %d, %d } must have each of 0, 1, 2, HALO_DIM_COMPONENTS and HALO_DIM_PLACES once",
                 order[0], order[1], order[2], order[3], order[4]);
    for (int d = 0; d < 3; ++d) {
        if (desc.ghost_low[d] < 0 || desc.ghost_high[d] < 0)
            fail(HALO_ERR_ARGUMENT, "layout: ghost widths %d and %d of direction %d must be 0 or more", desc.ghost_low[d], desc.ghost_high[d], d);
        ghosts.low[d] = desc.ghost_low[d];
        ghosts.high[d] = desc.ghost_high[d];
    }
}

namespace {

using Wide = __int128; // what one step makes of sizes within the limit

Wide round_up(Wide size, int64_t unit) { return (size + unit - 1) / unit * unit; }

// What lies along one of the orders' entries.
struct Along {
    int64_t before = 0; // ghosts
    int64_t owned = 0;
    int64_t after = 0;

    Wide n() const { return Wide{ before } + owned + after; }
};

} // namespace

std::optional<PartLayout> LayoutRule::layout(const StorageShape &shape) const {
    const Wide most = limits::storage_bytes / shape.element_bytes;
    const int64_t unit = alignment / std::gcd(alignment, shape.element_bytes); // elements
    const auto along = [&](int32_t which) -> Along {
        if (which == HALO_DIM_COMPONENTS) return { 0, shape.n_components, 0 };
        if (which == HALO_DIM_PLACES) return { 0, shape.n_places, 0 };
        return { std::max(shape.ghosts.low[which], ghosts.low[which]), shape.points[which], std::max(shape.ghosts.high[which], ghosts.high[which]) };
    };
    PartLayout layout;
    Wide size = 1;
    Wide first = 0;
    Wide beyond_first = 0; // from the first owned to the last value
    bool in_row = true;    // what lies along the first direction that has more than one point is a row: it begins aligned, and so does the next
    for (const int32_t which : order) {
        const Along step = along(which);
        const bool is_direction = which < 3;
        const auto stride = static_cast<int64_t>(size);
        (is_direction ? layout.stride[which] : which == HALO_DIM_COMPONENTS ? layout.component_stride : layout.place_stride) = stride;
        const bool is_row = in_row && is_direction && step.n() > 1;
        first += round_up(size * step.before, is_row ? unit : 1);
        beyond_first += size * (Wide{ step.owned } + step.after - 1);
        size = round_up(size * step.n(), is_row ? unit : 1);
        if (size > most || first > most) return std::nullopt;
        in_row = in_row && !is_row;
    }
    layout.first_owned = static_cast<int64_t>(first);
    const Wide elements = size == 0 ? 0 : round_up(first + beyond_first + 1, unit);
    if (elements > most) return std::nullopt;
    layout.elements = static_cast<int64_t>(elements);
    return layout;
}

} // namespace halo
