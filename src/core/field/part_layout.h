// SPDX-License-Identifier: BSD-3-Clause
// Where the values of a part lie in its storage: layouts, and the rules that make them.
#pragma once

#include <array>
#include <optional>

#include "halo.h"
#include "topology/edge.h"

namespace halo {

// Storage of one part, in elements, as halo_layout.
struct PartLayout {
    int64_t elements = 0;
    int64_t first_owned = 0;
    Extent stride{};
    int64_t component_stride = 0;
    int64_t place_stride = 0;
    bool operator==(const PartLayout &) const = default;

    int64_t offset(int64_t x, int64_t y, int64_t z) const { return first_owned + x * stride[0] + y * stride[1] + z * stride[2]; }
};

PartLayout as_part_layout(const halo_layout &layout);
halo_layout as_halo_layout(const PartLayout &layout);

// What storage must hold.
struct StorageShape {
    Extent points{}; // owned, per direction
    GhostWidths ghosts;
    int64_t n_components = 1;
    int64_t n_places = 1;
    int64_t element_bytes = 1;
};

// How it shall lie, as halo_layout_desc. By default x fastest, ghosts around, then components, places slowest, without gaps.
struct LayoutRule {
    int64_t alignment = 1;                                                         // bytes
    std::array<int32_t, 5> order{ 0, 1, 2, HALO_DIM_COMPONENTS, HALO_DIM_PLACES }; // fastest first
    GhostWidths ghosts;                                                            // room for at least so many

    LayoutRule() = default;
    // HALO_ERR_ARGUMENT
    explicit LayoutRule(const halo_layout_desc &desc);

    // None where storage would exceed the bytes that a part may have.
    std::optional<PartLayout> layout(const StorageShape &shape) const;
};

} // namespace halo
