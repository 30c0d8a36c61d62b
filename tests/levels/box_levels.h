// SPDX-License-Identifier: BSD-3-Clause
// Levels of boxes, cell by cell: which box owns each, what it holds, and what ghosts, means and whole boxes must be by the definitions of
// halo_levels.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "halo_levels.h"

namespace levels {

using Random = std::mt19937_64;
using Cell = std::array<int64_t, 3>;

inline Cell low_of(const halo_box &box) { return { box.low[0], box.low[1], box.low[2] }; }

template <class Visit>
void for_each_cell(const halo_box &box, Visit &&visit) {
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (int64_t x = box.low[0]; x < box.high[0]; ++x) visit(Cell{ x, y, z });
}

struct BoxLevel {
    halo_box domain{};
    std::vector<halo_box> boxes;
    std::vector<int32_t> owner;
    std::map<Cell, int64_t> first; // gid of the first box that has a cell
};

class BoxLevels {
public:
    struct Shape {
        int32_t n_dims = 3;
        std::array<int32_t, 3> periodic{};
        std::array<int32_t, 3> low{}, high{}; // ghosts of fine fields
        int32_t prolongation = HALO_PROLONG_MINMOD;
    };
    BoxLevels(const Shape &shape, uint64_t seed, int32_t n_levels, int32_t n_ranks);

    const Shape &shape() const { return shape_; }
    int32_t n_levels() const { return static_cast<int32_t>(levels_.size()); }
    const BoxLevel &level(int32_t number) const { return levels_[static_cast<size_t>(number)]; }
    const Cell &ratio() const { return ratio_; }
    halo_boxes_desc desc(int32_t number) const;

    // A cell within the period; none: it lies outside the domain.
    std::optional<Cell> inside(int32_t number, Cell cell) const;
    // The first box of a level that has it.
    std::optional<int64_t> owner(int32_t number, const Cell &cell) const;
    Cell coarse(const Cell &cell) const;

    // What a point of a box holds, and what a caller fills in outside the domain; small whole numbers and halves.
    static double value(int32_t number, int64_t gid, const Cell &point, int32_t component, int32_t place);
    static double outside(int32_t number, const Cell &cell, int32_t component);
    // Of a coarse cell, as it is sent.
    using CoarseValue = std::function<double(int64_t gid, const Cell &cell)>;
    // What a cell of a finer level is made into. False: something outside the domain was read.
    template <class Real>
    bool made(int32_t number, const Cell &cell, int32_t component, const CoarseValue &value, Real &result) const;

private:
    void add_level(Random &random, int32_t n_ranks);
    bool is_nested(const halo_box &box) const;
    void finish_level(BoxLevel level, Random &random, int32_t n_ranks);

    Shape shape_;
    Cell ratio_{ 1, 1, 1 };
    std::vector<BoxLevel> levels_;
};

template <class Real>
bool BoxLevels::made(int32_t number, const Cell &cell, int32_t component, const CoarseValue &value, Real &result) const {
    bool all_inside = true;
    const auto at = [&](const Cell &there) {
        const std::optional<Cell> wrapped = inside(number - 1, there);
        if (!wrapped) {
            all_inside = false;
            return static_cast<Real>(outside(number - 1, there, component));
        }
        return static_cast<Real>(value(*owner(number - 1, *wrapped), *wrapped));
    };
    const Cell from = coarse(cell);
    result = at(from);
    for (size_t d = 0; d < 3 && shape_.prolongation == HALO_PROLONG_MINMOD; ++d) {
        if (ratio_[d] == 1) continue;
        Cell before = from, behind = from;
        --before[d], ++behind[d];
        const Real below = at(from) - at(before), above = at(behind) - at(from);
        Real slope = 0;
        if ((below > 0 && above > 0) || (below < 0 && above < 0)) slope = (below < 0 ? -below : below) < (above < 0 ? -above : above) ? below : above;
        const int64_t place = cell[d] - from[d] * ratio_[d];
        result += static_cast<Real>(2 * place + 1 - ratio_[d]) / static_cast<Real>(2 * ratio_[d]) * slope;
    }
    return all_inside;
}

} // namespace levels
