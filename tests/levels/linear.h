// SPDX-License-Identifier: BSD-3-Clause
// A linear function of the place in the model's space: means over parts, limited slopes and values between two points all keep it, on every level and
// in every centring. Its values are whole numbers, and so are all sums on the way, so that nothing is rounded.
#pragma once

#include <bit>

#include "model.h"

namespace levels {

class Linear {
public:
    // Constant along periodic directions. `finest`: no level is above it. Functions of different numbers differ.
    Linear(const Shape &shape, int32_t finest, int32_t number) : shape_(shape), finest_(finest), number_(number) {}

    // At a point of a level, between cells in the directions of the centring and amid one in the others.
    double at(int32_t level, const Place &point, int32_t centring, int32_t component) const {
        const int32_t number = number_ + component;
        int64_t value = 13 * (number + 1);
        for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) {
            if (shape_.periodic[d]) continue;
            const int64_t half_cells = 2 * point[d] + ((centring >> d & 1) != 0 ? 0 : 1);
            value += slope(number, static_cast<int32_t>(d)) * half_cells * (int64_t{ 1 } << (finest_ - level + 1));
        }
        return static_cast<double>(value);
    }
    // Is a point of that centring, on that level, in the domain or on its border?
    bool is_inside(int32_t level, const Place &point, int32_t centring) const {
        bool inside = true;
        for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) {
            const int64_t end = ((d == 0 ? shape_.n_trees : 1) * shape_.n_roots[d] * shape_.n_cells << level) + (centring >> d & 1);
            inside = inside && (shape_.periodic[d] || (point[d] >= 0 && point[d] < end));
        }
        return inside;
    }

private:
    static int64_t slope(int32_t number, int32_t d) { return ((number + d) % 2 == 0 ? 1 : -1) * (1 + (number + 2 * d) % 5); }

    Shape shape_;
    int32_t finest_;
    int32_t number_;
};

// What a block has of values that lie along a place's faces or edges, where those in space are upwards.
inline int32_t sign_of(const Model &model, int64_t gid, int32_t place_in_space) {
    const auto bits = static_cast<uint32_t>(place_in_space);
    return model.sign_along(gid, std::countr_zero(std::has_single_bit(bits) ? bits : ~bits));
}

} // namespace levels
