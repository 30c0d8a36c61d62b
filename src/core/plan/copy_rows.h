// SPDX-License-Identifier: BSD-3-Clause
// From boxes to be copied to the rows and shapes of a copy table.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "halo_plugin.h"

namespace halo {

// One box moved from one base to another. Directions: x, y, z, component; offsets and strides in bytes.
struct BoxCopy {
    uint32_t src_base = 0;
    uint32_t dst_base = 0;
    uint32_t element_bytes = 0;
    std::array<uint32_t, 4> n{};
    int64_t src_offset = 0;
    int64_t dst_offset = 0;
    std::array<int64_t, 4> src_stride{};
    std::array<int64_t, 4> dst_stride{};
    std::array<int64_t, 4> place{}; // of the box in the destination part: boxes that differ in x only may share rows
};

// Collects rows; equal shapes are stored once.
class CopyRows {
public:
    // One row with one piece. Returns its number.
    int64_t add(const BoxCopy &box);
    // Rows in the order of destination memory, up to three boxes side by side in each. Returns the number of the first.
    int64_t add_fused(std::vector<BoxCopy> boxes);

    int64_t size() const { return static_cast<int64_t>(rows_.size()); }
    const std::vector<halo_copy_row> &rows() const { return rows_; }
    const std::vector<halo_copy_shape> &shapes() const { return shapes_; }

private:
    void add_row(const BoxCopy *boxes, uint32_t n);
    uint32_t shape_number(const halo_copy_shape &shape);

    std::vector<halo_copy_row> rows_;
    std::vector<halo_copy_shape> shapes_;
    std::unordered_multimap<uint64_t, uint32_t> numbers_; // by hash of the shape
};

} // namespace halo
