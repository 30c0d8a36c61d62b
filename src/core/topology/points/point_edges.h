// SPDX-License-Identifier: BSD-3-Clause
// Lists of points that travel between two ranks.
#pragma once

#include <map>
#include <vector>

#include "topology/edge.h"

namespace halo {

// Points in the order in which they travel.
class PointList {
public:
    void add(uint32_t point) { points_.push_back(point); }
    void add(size_t times, uint32_t point) { points_.insert(points_.end(), times, point); }
    void add(std::span<const uint32_t> points) { points_.insert(points_.end(), points.begin(), points.end()); }
    // Is it a run? Then the list is not kept.
    void close();
    bool empty() const { return size() == 0; }
    int64_t size() const { return run_ > 0 ? run_ : std::ssize(points_); }
    bool is_run() const { return run_ > 0; }
    uint32_t operator[](int64_t i) const { return is_run() ? static_cast<uint32_t>(first_ + i) : points_[static_cast<size_t>(i)]; }
    Region region() const;
    // Where nothing but the number of points is known.
    static Region region_of(int64_t n);

private:
    std::vector<uint32_t> points_;
    int64_t first_ = 0;
    int64_t run_ = 0; // points that follow each other
};

// What travels between this rank and another (or itself), by what becomes of it.
struct PointEdges {
    std::map<std::pair<int32_t, int64_t>, PointList> send; // (rank, tag of the edge)
    std::map<std::pair<int32_t, int64_t>, PointList> receive;
    void close();
};

// Tags of edges; from bit `section_shift` on, the groups that their ghosts belong to.
inline constexpr int section_shift = 8;
inline constexpr int64_t edge_to_copies = 0; // from an owner to copies that contribute when edges are reversed
inline constexpr int64_t edge_to_silent = 1; // to copies that do not
inline constexpr int64_t edge_of_owner = 2;  // reductions: the owner's values
inline constexpr int64_t edge_of_copies = 3; // and those of all others
inline int64_t edge_kind(int64_t tag) { return tag & ((1 << section_shift) - 1); }
// Have ghosts of the edge to do with one of these groups? 0: all.
bool in_sections(int64_t tag, uint32_t groups);

} // namespace halo
