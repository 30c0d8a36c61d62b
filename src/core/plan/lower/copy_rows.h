// SPDX-License-Identifier: BSD-3-Clause
// From boxes and lists of points to the rows and shapes of a copy table.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "halo_plugin.h"

namespace halo {

// One box, or one list of points along x, moved from one base to another. Directions: x, y, z, component; offsets and strides in bytes.
struct BoxCopy {
    uint32_t src_base = 0;
    uint32_t dst_base = 0;
    uint32_t element_bytes = 0;
    halo_type negate = 0; // change the sign of values of this type
    std::array<uint32_t, 4> n{};
    int64_t src_offset = 0;
    int64_t dst_offset = 0;
    std::array<int64_t, 4> src_stride{};
    std::array<int64_t, 4> dst_stride{};
    const uint32_t *src_list = nullptr; // of n[0] points
    const uint32_t *dst_list = nullptr;
    int64_t group = 0;              // only boxes of one group may share rows,
    std::array<int64_t, 4> place{}; // those that fill the same range of (y, z, component) of their destination
};

// Collects rows; equal shapes are stored once, and so are lists that are given several times: they must stay while rows are collected.
class CopyRows {
public:
    // One row with one piece. Returns its number.
    int64_t add(const BoxCopy &box);
    // As many rows as a list has long runs of points that follow each other on both sides, in its order; else one, of no points none.
    void add_runs(const BoxCopy &box);
    // Rows in the order of destination memory, up to three boxes side by side in each. Returns the number of the first.
    int64_t add_fused(std::vector<BoxCopy> boxes);
    // Rows that there are once more, with other bases: those of the sources in the order of the rows' pieces.
    void repeat(int64_t first, int64_t n, uint32_t dst_base, const std::vector<uint32_t> &src_bases);
    void reserve(size_t n_rows) { rows_.reserve(n_rows); }
    void set_flag(int64_t first, int64_t n, uint32_t flag) {
        for (int64_t i = first; i < first + n; ++i) rows_[static_cast<size_t>(i)].flag = flag;
    }

    int64_t size() const { return static_cast<int64_t>(rows_.size()); }
    halo_copy_program program() const;

private:
    void add_row(const BoxCopy *boxes, uint32_t n);
    uint32_t shape_number(const halo_copy_shape &shape);
    bool is_shape(uint32_t number, const halo_copy_shape &shape) const;
    uint32_t known_or_new(const halo_copy_shape &shape);
    int64_t list_start(const uint32_t *list, uint32_t n);

    std::vector<halo_copy_row> rows_;
    std::vector<halo_copy_shape> shapes_;
    std::unordered_multimap<uint64_t, uint32_t> numbers_; // by hash of the shape
    std::vector<uint32_t> following_;                     // the shape that came after each one last
    uint32_t last_ = 0;
    std::vector<uint32_t> indices_;
    struct List {
        int64_t start; // in indices_
        uint32_t n;
    };
    std::unordered_map<const uint32_t *, List> lists_;
};

} // namespace halo
