// SPDX-License-Identifier: BSD-3-Clause
// The vertical: splitters between levels, and levels named by a splitter and an offset from it. Names have numbers, in which intervals are compared
// before anybody knows where the splitters are. (Method: splitters and loop intervals of GridTools.)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halo_stencil.h"

namespace halo {

// Levels counted from 0, both ends included.
struct LevelRange {
    int64_t first = 0;
    int64_t last = 0;
    bool holds(int64_t level) const { return first <= level && level <= last; }
};

class Axis {
public:
    // Without levels: one level, which has no name.
    Axis() = default;
    Axis(std::span<const int64_t> splitters, int32_t max_offset);

    bool has_levels() const { return !splitters_.empty(); }
    int64_t n_levels() const { return has_levels() ? splitters_.back() : 1; }
    halo_stencil_level last() const { return { static_cast<int32_t>(splitters_.size()) - 1, -1 }; }
    LevelRange all() const { return { 0, n_levels() - 1 }; }

    // Number of a level. `what` begins the error's text.
    int64_t index(const halo_stencil_level &level, const std::string &what) const;
    halo_stencil_level level_at(int64_t index) const;
    // Where it is; may lie beyond neighbouring splitters, and outside of the axis.
    int64_t position(const halo_stencil_level &level) const;
    LevelRange range(const halo_stencil_interval &interval) const;

    // Those of a stage: from below, no overlap, no gap, none with a reserved end, each with a level.
    void check(std::span<const halo_stencil_interval> intervals, const std::string &what) const;

private:
    std::vector<int64_t> splitters_;
    int32_t max_offset_ = 0;
};

std::string text_of(const halo_stencil_level &level);
std::string text_of(const halo_stencil_interval &interval);

// The coarsest intervals in which each of some stages is in one interval or none.
std::vector<halo_stencil_loop> overlay(const Axis &axis, std::span<const std::vector<halo_stencil_interval>> stages);

} // namespace halo
