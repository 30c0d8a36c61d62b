// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/axis.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/checked.h"
#include "base/error.h"

namespace halo {

namespace {

constexpr int64_t most_levels = 1 << 24;
constexpr int64_t most_splitters = 65536;
constexpr int32_t most_offset = 1024;

} // namespace

Axis::Axis(std::span<const int64_t> splitters, int32_t max_offset) : splitters_(splitters.begin(), splitters.end()), max_offset_(max_offset) {
    if (splitters.size() < 2) fail(HALO_ERR_ARGUMENT, "stencil: %zu splitters; an axis has 2 or more", splitters.size());
    check_limit("stencil: n_splitters", std::ssize(splitters), most_splitters);
    if (max_offset < 2 || max_offset > most_offset) fail(HALO_ERR_ARGUMENT, "stencil: max_offset is %d, it must be 2 to %d", max_offset, most_offset);
    if (splitters[0] != 0) fail(HALO_ERR_ARGUMENT, "stencil: the first splitter is %lld, it must be 0", static_cast<long long>(splitters[0]));
    for (size_t s = 1; s < splitters.size(); ++s)
        if (splitters[s] <= splitters[s - 1])
            fail(HALO_ERR_ARGUMENT, "stencil: splitter %zu is %lld, not above splitter %zu, which is %lld", s, static_cast<long long>(splitters[s]),
                 s - 1, static_cast<long long>(splitters[s - 1]));
    check_limit("stencil: the number of levels", splitters.back(), most_levels);
}

int64_t Axis::index(const halo_stencil_level &level, const std::string &what) const {
    if (level.splitter < 0 || level.splitter >= std::ssize(splitters_) || level.offset == 0 || std::abs(int64_t{ level.offset }) > max_offset_)
        fail(HALO_ERR_ARGUMENT, "%s: %s is no level: there are splitters 0 to %td, and offsets up to %d either way, without 0", what.c_str(),
             text_of(level).c_str(), std::ssize(splitters_) - 1, max_offset_);
    return int64_t{ 2 } * max_offset_ * level.splitter + level.offset + max_offset_ - (level.offset > 0 ? 1 : 0);
}

halo_stencil_level Axis::level_at(int64_t index) const {
    const int64_t place = index % (2 * max_offset_) - max_offset_;
    return { static_cast<int32_t>(index / (2 * max_offset_)), static_cast<int32_t>(place < 0 ? place : place + 1) };
}

int64_t Axis::position(const halo_stencil_level &level) const {
    return splitters_[static_cast<size_t>(level.splitter)] + level.offset - (level.offset > 0 ? 1 : 0);
}

LevelRange Axis::range(const halo_stencil_interval &interval) const { return { position(interval.from), position(interval.to) }; }

void Axis::check(std::span<const halo_stencil_interval> intervals, const std::string &what) const {
    int64_t before = 0; // number of the last level of the interval before
    for (size_t i = 0; i < intervals.size(); ++i) {
        const halo_stencil_interval &one = intervals[i];
        const std::string name = what + format(", interval %zu", i);
        const int64_t from = index(one.from, name), to = index(one.to, name);
        if (std::abs(one.from.offset) == max_offset_ || std::abs(one.to.offset) == max_offset_)
            fail(HALO_ERR_ARGUMENT, "%s: %s starts or ends at an offset of %d, which is reserved", name.c_str(), text_of(one).c_str(), max_offset_);
        const LevelRange levels = range(one);
        if (to < from || levels.last < levels.first) fail(HALO_ERR_ARGUMENT, "%s: %s holds no level", name.c_str(), text_of(one).c_str());
        if (levels.first < 0 || levels.last >= n_levels())
            fail(HALO_ERR_ARGUMENT, "%s: %s leaves the axis, which has levels 0 to %lld", name.c_str(), text_of(one).c_str(),
                 static_cast<long long>(n_levels() - 1));
        if (i > 0 && from != before + 1)
            fail(HALO_ERR_ARGUMENT, "%s: %s %s the interval before it", name.c_str(), text_of(one).c_str(),
                 from <= before ? "overlaps with" : "leaves a gap behind");
        before = to;
    }
}

std::string text_of(const halo_stencil_level &level) { return format("(%d,%d)", level.splitter, level.offset); }
std::string text_of(const halo_stencil_interval &interval) { return text_of(interval.from) + " to " + text_of(interval.to); }

std::vector<halo_stencil_loop> overlay(const Axis &axis, std::span<const std::vector<halo_stencil_interval>> stages) {
    std::set<int64_t> starts; // where an interval begins, or none follows the one before
    std::vector<std::pair<int64_t, int64_t>> covered;
    for (const std::vector<halo_stencil_interval> &intervals : stages)
        for (const halo_stencil_interval &one : intervals) {
            covered.emplace_back(axis.index(one.from, ""), axis.index(one.to, ""));
            starts.insert(covered.back().first);
            starts.insert(covered.back().second + 1);
        }
    std::vector<halo_stencil_loop> loops;
    for (auto start = starts.begin(); start != starts.end(); ++start) {
        const bool used = std::any_of(covered.begin(), covered.end(), [&](const auto &one) { return one.first <= *start && *start <= one.second; });
        if (!used) continue; // so another start follows
        const halo_stencil_interval interval{ axis.level_at(*start), axis.level_at(*std::next(start) - 1) };
        const LevelRange levels = axis.range(interval);
        if (levels.last < levels.first)
            fail(HALO_ERR_ARGUMENT, "stencil: between intervals of stages, %s holds no level: the splitters are too close for these offsets",
                 text_of(interval).c_str());
        loops.push_back({ interval, levels.first, levels.last });
    }
    return loops;
}

} // namespace halo
