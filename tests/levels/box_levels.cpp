// SPDX-License-Identifier: BSD-3-Clause
#include "box_levels.h"

#include <algorithm>

namespace levels {

namespace {

int64_t below(Random &random, int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); }

int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

uint64_t mixed(uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccdULL, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

// Disjoint boxes that cover one, cut at random places.
void cut(Random &random, const halo_box &box, int32_t n_dims, int depth, std::vector<halo_box> &boxes) {
    const auto d = static_cast<size_t>(below(random, n_dims));
    if (depth == 0 || box.high[d] - box.low[d] < 4) return boxes.push_back(box);
    const int64_t at = box.low[d] + 2 + below(random, box.high[d] - box.low[d] - 3);
    halo_box first = box, second = box;
    first.high[d] = second.low[d] = at;
    cut(random, first, n_dims, depth - 1, boxes);
    cut(random, second, n_dims, depth - 1, boxes);
}

} // namespace

BoxLevels::BoxLevels(const Shape &shape, uint64_t seed, int32_t n_levels, int32_t n_ranks) : shape_(shape) {
    Random random(seed);
    bool any = false;
    for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
        ratio_[d] = below(random, 5) == 0 ? 1 : 2 + below(random, 3);
        any = any || ratio_[d] > 1;
    }
    if (!any || below(random, 3) == 0) // alike, as mostly
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) ratio_[d] = 2 + static_cast<int64_t>(seed % 3);
    BoxLevel base;
    base.domain = { { 0, 0, 0 }, { 1, 1, 1 } };
    const int64_t least = shape.n_dims == 3 ? 7 : shape.n_dims == 2 ? 10 : 16;
    for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
        base.domain.low[d] = below(random, 7) - 3;
        base.domain.high[d] = base.domain.low[d] + least + below(random, least / 2);
    }
    cut(random, base.domain, shape.n_dims, 3, base.boxes);
    std::shuffle(base.boxes.begin(), base.boxes.end(), random);
    finish_level(std::move(base), random, n_ranks);
    while (static_cast<int32_t>(levels_.size()) < n_levels) add_level(random, n_ranks);
}

void BoxLevels::finish_level(BoxLevel level, Random &random, int32_t n_ranks) {
    for (size_t gid = 0; gid < level.boxes.size(); ++gid) {
        level.owner.push_back(static_cast<int32_t>(below(random, n_ranks)));
        for_each_cell(level.boxes[gid], [&](const Cell &cell) { level.first.emplace(cell, static_cast<int64_t>(gid)); });
    }
    levels_.push_back(std::move(level));
}

// With all that may be read around its ghosts, in the level below.
bool BoxLevels::is_nested(const halo_box &box) const {
    const int32_t below = n_levels() - 1;
    const int64_t reach = shape_.prolongation == HALO_PROLONG_MINMOD ? 1 : 0;
    halo_box read = box;
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) {
        read.low[d] = floor_of(box.low[d] * ratio_[d] - shape_.low[d], ratio_[d]) - (ratio_[d] > 1 ? reach : 0);
        read.high[d] = -floor_of(-(box.high[d] * ratio_[d] + shape_.high[d]), ratio_[d]) + (ratio_[d] > 1 ? reach : 0);
    }
    bool all = true;
    for_each_cell(read, [&](const Cell &cell) {
        const std::optional<Cell> wrapped = inside(below, cell);
        all = all && (!wrapped || owner(below, *wrapped));
    });
    return all;
}

// Boxes at random places, some of which lie on each other.
void BoxLevels::add_level(Random &random, int32_t n_ranks) {
    const BoxLevel &coarser = levels_.back();
    BoxLevel level;
    level.domain = coarser.domain;
    const auto n = static_cast<size_t>(shape_.n_dims);
    for (int attempt = 0; attempt < 60 && level.boxes.size() < 6; ++attempt) {
        halo_box box{ { 0, 0, 0 }, { 1, 1, 1 } };
        for (size_t d = 0; d < n; ++d) {
            const int64_t extent = coarser.domain.high[d] - coarser.domain.low[d];
            const int64_t cells = 1 + below(random, std::min<int64_t>(extent, 6));
            box.low[d] = coarser.domain.low[d] + below(random, extent - cells + 1);
            box.high[d] = box.low[d] + cells;
        }
        if (!is_nested(box)) continue;
        bool lies_on_another = false;
        for (size_t d = 0; d < 3; ++d) box.low[d] *= ratio_[d], box.high[d] *= ratio_[d];
        for (const halo_box &other : level.boxes) {
            bool meet = true;
            for (size_t d = 0; d < 3; ++d) meet = meet && box.low[d] < other.high[d] && other.low[d] < box.high[d];
            lies_on_another = lies_on_another || meet;
        }
        if (!lies_on_another || below(random, 3) == 0) level.boxes.push_back(box);
    }
    for (size_t d = 0; d < 3; ++d) level.domain.low[d] *= ratio_[d], level.domain.high[d] *= ratio_[d];
    finish_level(std::move(level), random, n_ranks);
}

halo_boxes_desc BoxLevels::desc(int32_t number) const {
    const BoxLevel &of = level(number);
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = shape_.n_dims, desc.domain = of.domain;
    std::copy(shape_.periodic.begin(), shape_.periodic.end(), desc.periodic);
    desc.boxes = of.boxes.data(), desc.n_boxes = static_cast<int64_t>(of.boxes.size()), desc.owner = of.owner.data();
    return desc;
}

std::optional<Cell> BoxLevels::inside(int32_t number, Cell cell) const {
    const halo_box &domain = level(number).domain;
    for (size_t d = 0; d < 3; ++d) {
        const int64_t extent = domain.high[d] - domain.low[d];
        if (shape_.periodic[d]) cell[d] -= floor_of(cell[d] - domain.low[d], extent) * extent;
        if (cell[d] < domain.low[d] || cell[d] >= domain.high[d]) return std::nullopt;
    }
    return cell;
}

std::optional<int64_t> BoxLevels::owner(int32_t number, const Cell &cell) const {
    const auto found = level(number).first.find(cell);
    return found == level(number).first.end() ? std::nullopt : std::optional(found->second);
}

Cell BoxLevels::coarse(const Cell &cell) const {
    return { floor_of(cell[0], ratio_[0]), floor_of(cell[1], ratio_[1]), floor_of(cell[2], ratio_[2]) };
}

double BoxLevels::value(int32_t number, int64_t gid, const Cell &point, int32_t component, int32_t place) {
    uint64_t hash = mixed(static_cast<uint64_t>(number * 64 + place * 8 + component) + 1);
    hash = mixed(hash ^ static_cast<uint64_t>(gid));
    for (const int64_t at : point) hash = mixed(hash ^ static_cast<uint64_t>(at));
    return static_cast<double>(hash % 4096) / 2 - 1000;
}

double BoxLevels::outside(int32_t number, const Cell &cell, int32_t component) { return value(number, 1000, cell, component, 7); }

} // namespace levels
