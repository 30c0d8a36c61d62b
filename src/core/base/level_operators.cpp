// SPDX-License-Identifier: BSD-3-Clause
#include "base/level_operators.h"

#include <cmath>

#include "base/error.h"
#include "base/types.h"

namespace halo {

namespace {

// The values of one component, as real numbers; complex ones are two such.
template <class Real>
struct Reals {
    Real *first;
    std::array<int64_t, 3> stride;

    Real *at(int64_t x, int64_t y, int64_t z) const { return first + x * stride[0] + y * stride[1] + z * stride[2]; }
};

template <class Real, class Work>
void for_each_component(const LevelValues &values, bool is_complex, const PartValues &fine, const PartValues &coarse, Work &&work) {
    const int64_t width = is_complex ? 2 : 1;
    const auto reals = [&](const PartValues &part, int64_t offset) {
        return Reals<Real>{ reinterpret_cast<Real *>(part.first) + offset,
                            { part.stride[0] * width, part.stride[1] * width, part.stride[2] * width } };
    };
    for (int64_t c = values.first_component; c < values.first_component + values.n_components; ++c)
        for (int64_t half = 0; half < width; ++half)
            work(reals(fine, c * fine.component_stride * width + half), reals(coarse, c * coarse.component_stride * width + half));
}

template <class Work>
void with_reals(const LevelValues &values, const PartValues &fine, const PartValues &coarse, Work &&work) {
    switch (values.type) {
    case HALO_FLOAT32: return for_each_component<float>(values, false, fine, coarse, work);
    case HALO_FLOAT64: return for_each_component<double>(values, false, fine, coarse, work);
    case HALO_COMPLEX64: return for_each_component<float>(values, true, fine, coarse, work);
    case HALO_COMPLEX128: return for_each_component<double>(values, true, fine, coarse, work);
    default: fail(HALO_ERR_INTERNAL, "level operators: values of %s", type_name(values.type));
    }
}

// Sums over the directions whose bit is set, the lowest one innermost.
template <int directions, class Real>
Real sum_of(const Real *value, const std::array<int64_t, 3> &stride) {
    if constexpr (directions == 0) {
        return *value;
    } else {
        constexpr int d = directions & 4 ? 2 : directions & 2 ? 1 : 0;
        constexpr int rest = directions & ~(1 << d);
        return sum_of<rest>(value, stride) + sum_of<rest>(value + stride[d], stride);
    }
}

template <int directions, class Real>
void restrict_box(const Reals<Real> &fine, const Reals<Real> &coarse, const halo_box &box, const std::array<int64_t, 3> &ratio) {
    constexpr int n_summed = (directions & 1) + (directions >> 1 & 1) + (directions >> 2 & 1);
    constexpr Real weight = Real(1) / Real(1 << n_summed);
    std::array<int64_t, 3> stride = fine.stride;
    const bool is_dense = fine.stride[0] == 1 && coarse.stride[0] == 1;
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y) {
            const Real *from = fine.at(box.low[0] * ratio[0], y * ratio[1], z * ratio[2]);
            Real *to = coarse.at(box.low[0], y, z);
            const int64_t n = box.high[0] - box.low[0];
            if (is_dense) {
                stride[0] = 1;
                for (int64_t x = 0; x < n; ++x) to[x] = sum_of<directions>(from + x * ratio[0], stride) * weight;
            } else {
                for (int64_t x = 0; x < n; ++x) to[x * coarse.stride[0]] = sum_of<directions>(from + x * ratio[0] * fine.stride[0], stride) * weight;
            }
        }
}

template <class Real>
void restrict_in(int directions, const Reals<Real> &fine, const Reals<Real> &coarse, const halo_box &box, const std::array<int64_t, 3> &ratio) {
    switch (directions) {
    case 0: return restrict_box<0>(fine, coarse, box, ratio);
    case 1: return restrict_box<1>(fine, coarse, box, ratio);
    case 2: return restrict_box<2>(fine, coarse, box, ratio);
    case 3: return restrict_box<3>(fine, coarse, box, ratio);
    case 4: return restrict_box<4>(fine, coarse, box, ratio);
    case 5: return restrict_box<5>(fine, coarse, box, ratio);
    case 6: return restrict_box<6>(fine, coarse, box, ratio);
    default: return restrict_box<7>(fine, coarse, box, ratio);
    }
}

template <class Real>
Real minmod(Real below, Real above) {
    if (!(below * above > Real(0))) return Real(0);
    return std::abs(below) < std::abs(above) ? below : above;
}

// Quarter of the slope per direction, from the centre of a coarse cell to that of a fine one.
template <class Real>
Real quarter_slope(const Real *value, int64_t stride) {
    return Real(0.25) * minmod(value[0] - value[-stride], value[stride] - value[0]);
}

template <int n_dims, bool linear, class Real>
void prolongate_box(const Reals<Real> &coarse, const Reals<Real> &fine, const halo_box &box) {
    const auto half = [](int64_t cell, int d) { return d < n_dims ? cell >> 1 : cell; };
    const auto sign = [](int64_t cell) { return cell & 1 ? Real(1) : Real(-1); };
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y) {
            Real *const to = fine.at(0, y, z);
            const Real *const from = coarse.at(0, half(y, 1), half(z, 2));
            for (int64_t x = box.low[0]; x < box.high[0]; ++x) {
                const Real *const cell = from + (x >> 1) * coarse.stride[0];
                Real value = *cell;
                if constexpr (linear) {
                    value += sign(x) * quarter_slope(cell, coarse.stride[0]);
                    if constexpr (n_dims > 1) value += sign(y) * quarter_slope(cell, coarse.stride[1]);
                    if constexpr (n_dims > 2) value += sign(z) * quarter_slope(cell, coarse.stride[2]);
                }
                to[x * fine.stride[0]] = value;
            }
        }
}

template <class Real>
void prolongate_in(int32_t n_dims, bool linear, const Reals<Real> &coarse, const Reals<Real> &fine, const halo_box &box) {
    if (n_dims == 1) return linear ? prolongate_box<1, true>(coarse, fine, box) : prolongate_box<1, false>(coarse, fine, box);
    if (n_dims == 2) return linear ? prolongate_box<2, true>(coarse, fine, box) : prolongate_box<2, false>(coarse, fine, box);
    return linear ? prolongate_box<3, true>(coarse, fine, box) : prolongate_box<3, false>(coarse, fine, box);
}

} // namespace

bool has_level_operators(halo_type type) { return type == HALO_FLOAT32 || type == HALO_FLOAT64 || type == HALO_COMPLEX64 || type == HALO_COMPLEX128; }

void restrict_values(const LevelValues &values, int32_t centring, const PartValues &fine, const PartValues &coarse, const halo_box &coarse_points) {
    const int in_use = (1 << values.n_dims) - 1;
    std::array<int64_t, 3> ratio;
    for (int d = 0; d < 3; ++d) ratio[static_cast<size_t>(d)] = d < values.n_dims ? 2 : 1;
    with_reals(values, fine, coarse, [&](const auto &from, const auto &to) { restrict_in(in_use & ~centring, from, to, coarse_points, ratio); });
}

void prolongate_cells(const LevelValues &values, bool linear, const PartValues &coarse, const PartValues &fine, const halo_box &fine_cells) {
    with_reals(values, fine, coarse, [&](const auto &to, const auto &from) { prolongate_in(values.n_dims, linear, from, to, fine_cells); });
}

} // namespace halo
