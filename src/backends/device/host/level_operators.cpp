// SPDX-License-Identifier: BSD-3-Clause
#include "level_operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../level.h"

namespace halo::host {

namespace {

// Fine cells of a coarse one per direction.
using LevelRatio = std::array<int64_t, 3>;

// The values of one component, as real numbers; complex ones are two such.
template <class Real>
struct Reals {
    Real *first;
    std::array<int64_t, 3> stride;

    Real *at(int64_t x, int64_t y, int64_t z) const { return first + x * stride[0] + y * stride[1] + z * stride[2]; }
};

// Calls work(values 0, values 1, values 2), which an operation may not all have.
template <class Real, class Work>
void for_each_component(const halo_level_operation &of, int64_t width, Work &&work) {
    constexpr auto bytes = static_cast<int64_t>(sizeof(Real));
    const auto reals = [&](size_t v, int64_t c, int64_t half) {
        const halo_level_values &values = of.values[v];
        auto *const first = static_cast<Real *>(values.first); // null: the operation has none
        return Reals<Real>{ first ? first + c * (values.component_stride / bytes) + half : nullptr,
                            { values.stride[0] / bytes, values.stride[1] / bytes, values.stride[2] / bytes } };
    };
    for (int64_t c = 0; c < of.n_components; ++c)
        for (int64_t half = 0; half < width; ++half) work(reals(0, c, half), reals(1, c, half), reals(2, c, half));
}

template <class Work>
void with_reals(const halo_level_operation &of, Work &&work) {
    switch (of.type) {
    case HALO_FLOAT32: return for_each_component<float>(of, 1, work);
    case HALO_FLOAT64: return for_each_component<double>(of, 1, work);
    case HALO_COMPLEX64: return for_each_component<float>(of, 2, work);
    default: return for_each_component<double>(of, 2, work);
    }
}

// A cell of the fine index space in one direction: the coarse one that it lies in, and which of that one's it is.
struct CellIn {
    int64_t coarse;
    int64_t number;

    // From the centre of the coarse cell to its own, in coarse cells.
    template <class Real>
    Real offset(int64_t ratio) const {
        return static_cast<Real>(2 * number + 1 - ratio) / static_cast<Real>(2 * ratio);
    }
};

// Known when compiled: 2 in each direction.
struct Halves {
    explicit Halves(const LevelRatio & = {}) {}
    constexpr int64_t operator[](size_t) const { return 2; }
    constexpr bool refines(size_t) const { return true; }
    CellIn at(int64_t cell, size_t) const { return { cell >> 1, cell & 1 }; }
    CellIn after(const CellIn &in) const { return { in.coarse + in.number, in.number ^ 1 }; }
};

struct AnyRatio {
    explicit AnyRatio(const LevelRatio &of) : ratio(of) {}
    int64_t operator[](size_t d) const { return ratio[d]; }
    bool refines(size_t d) const { return ratio[d] > 1; }
    CellIn at(int64_t cell, size_t d) const {
        const int64_t number = (cell % ratio[d] + ratio[d]) % ratio[d];
        return { (cell - number) / ratio[d], number };
    }

    const LevelRatio &ratio;
};

// Sums over the directions whose bit is set, the lowest one innermost.
template <int directions, class Ratio, class Real>
Real sum_of(const Real *value, const std::array<int64_t, 3> &stride, const Ratio &ratio) {
    if constexpr (directions == 0) {
        return *value;
    } else {
        constexpr int d = directions & 4 ? 2 : directions & 2 ? 1 : 0;
        constexpr int rest = directions & ~(1 << d);
        Real sum = sum_of<rest>(value, stride, ratio);
        for (int64_t i = 1; i < ratio[d]; ++i) sum += sum_of<rest>(value + i * stride[d], stride, ratio);
        return sum;
    }
}

template <int directions, class Ratio>
int64_t n_summed(const Ratio &ratio) {
    int64_t n = 1;
    for (size_t d = 0; d < 3; ++d) n *= directions >> d & 1 ? ratio[d] : 1;
    return n;
}

template <int directions, class Ratio, class Real>
void restrict_box(const Reals<Real> &fine, const Reals<Real> &coarse, const halo_box &box, const LevelRatio &place) {
    const Ratio ratio(place);
    const Real n_values = static_cast<Real>(n_summed<directions>(ratio));
    std::array<int64_t, 3> stride = fine.stride;
    const bool is_dense = fine.stride[0] == 1 && coarse.stride[0] == 1;
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y) {
            const Real *from = fine.at(box.low[0] * place[0], y * place[1], z * place[2]);
            Real *to = coarse.at(box.low[0], y, z);
            const int64_t n = box.high[0] - box.low[0];
            if (is_dense) {
                stride[0] = 1;
                for (int64_t x = 0; x < n; ++x) to[x] = sum_of<directions>(from + x * place[0], stride, ratio) / n_values;
            } else {
                for (int64_t x = 0; x < n; ++x)
                    to[x * coarse.stride[0]] = sum_of<directions>(from + x * place[0] * fine.stride[0], stride, ratio) / n_values;
            }
        }
}

// A set of directions as a constant.
template <class Call>
void for_directions(int directions, Call &&call) {
    switch (directions) {
    case 0: return call(std::integral_constant<int, 0>());
    case 1: return call(std::integral_constant<int, 1>());
    case 2: return call(std::integral_constant<int, 2>());
    case 3: return call(std::integral_constant<int, 3>());
    case 4: return call(std::integral_constant<int, 4>());
    case 5: return call(std::integral_constant<int, 5>());
    case 6: return call(std::integral_constant<int, 6>());
    default: return call(std::integral_constant<int, 7>());
    }
}

template <class Ratio, class Real>
void restrict_in(int directions, const Reals<Real> &fine, const Reals<Real> &coarse, const halo_box &box, const LevelRatio &ratio) {
    for_directions(directions, [&](auto known) { restrict_box<decltype(known)::value, Ratio>(fine, coarse, box, ratio); });
}

template <class Real>
Real minmod(Real below, Real above) {
    const Real smaller = std::abs(below) < std::abs(above) ? below : above;
    const bool rises = (below > Real(0)) & (above > Real(0)), falls = (below < Real(0)) & (above < Real(0)); // a product of small ones may be 0
    const bool one_way = rises | falls;
    return one_way ? smaller : Real(0);
}

template <class Real>
Real slope_along(const Real *value, int64_t stride) {
    return minmod(value[0] - value[-stride], value[stride] - value[0]);
}

// What a direction adds to the coarse cell's value.
template <class Real>
Real along(const Real *value, int64_t stride, Real offset) {
    return offset * slope_along(value, stride);
}

// Calls visit(coarse cell, first and end of its cells in the box, by number) along direction d, which is refined or has cells as they are.
template <class Ratio, class Visit>
void for_each_coarse(const Ratio &ratio, bool is_refined, size_t d, const halo_box &box, Visit &&visit) {
    const int64_t n = is_refined ? ratio[d] : 1;
    for (int64_t coarse = is_refined ? ratio.at(box.low[d], d).coarse : box.low[d]; coarse * n < box.high[d]; ++coarse)
        visit(coarse, std::max<int64_t>(box.low[d] - coarse * n, 0), std::min<int64_t>(box.high[d] - coarse * n, n));
}

// Cells of a coarse one, by number.
struct SomeOfCell {
    std::array<int64_t, 3> low, high;
    int64_t begin(size_t d) const { return low[d]; }
    int64_t end(size_t d) const { return high[d]; }
};

// All: known when compiled, where the ratio is.
template <int n_dims, class Ratio>
struct WholeCell {
    const Ratio &ratio;
    constexpr int64_t begin(size_t) const { return 0; }
    constexpr int64_t end(size_t d) const { return d < n_dims ? ratio[d] : 1; }
};

template <int n_dims, bool linear, class Ratio, class Real, class Some>
void prolongate_cell(const Real *cell, const std::array<int64_t, 3> &coarse_stride, Real *to, const std::array<int64_t, 3> &stride,
                     const Ratio &ratio, const Some &some) {
    const auto has_slope = [&](size_t d) { return linear && d < n_dims && ratio.refines(d); };
    const auto slope = [&](size_t d) { return has_slope(d) ? slope_along(cell, coarse_stride[d]) : Real(0); };
    const auto offset = [&](size_t d, int64_t number) { return CellIn{ 0, number }.template offset<Real>(ratio[d]); };
    const Real slope_x = slope(0), slope_y = slope(1), slope_z = slope(2);
    for (int64_t w = some.begin(2); w < some.end(2); ++w)
        for (int64_t v = some.begin(1); v < some.end(1); ++v)
            for (int64_t u = some.begin(0); u < some.end(0); ++u) {
                Real value = *cell;
                if (has_slope(0)) value += offset(0, u) * slope_x;
                if (has_slope(1)) value += offset(1, v) * slope_y;
                if (has_slope(2)) value += offset(2, w) * slope_z;
                to[u * stride[0] + v * stride[1] + w * stride[2]] = value;
            }
}

// Coarse cell by coarse cell: slopes are the same for all that lie in it.
template <int n_dims, bool linear, class Ratio, class Real>
void prolongate_box(const Reals<Real> &coarse, const Reals<Real> &fine, const halo_box &box, const LevelRatio &place) {
    const Ratio ratio(place);
    const WholeCell<n_dims, Ratio> whole{ ratio };
    for_each_coarse(ratio, n_dims > 2, 2, box, [&](int64_t z, int64_t z_low, int64_t z_high) {
        for_each_coarse(ratio, n_dims > 1, 1, box, [&](int64_t y, int64_t y_low, int64_t y_high) {
            const Real *const from = coarse.at(0, y, z);
            Real *const to = fine.at(0, y * whole.end(1), z * whole.end(2));
            const bool is_whole = y_high - y_low == whole.end(1) && z_high - z_low == whole.end(2);
            for_each_coarse(ratio, true, 0, box, [&](int64_t x, int64_t x_low, int64_t x_high) {
                const Real *const cell = from + x * coarse.stride[0];
                Real *const first = to + x * whole.end(0) * fine.stride[0];
                if (is_whole && x_high - x_low == whole.end(0))
                    return prolongate_cell<n_dims, linear>(cell, coarse.stride, first, fine.stride, ratio, whole);
                const SomeOfCell some{ { x_low, y_low, z_low }, { x_high, y_high, z_high } };
                prolongate_cell<n_dims, linear>(cell, coarse.stride, first, fine.stride, ratio, some);
            });
        });
    });
}

template <class Ratio, class Real>
void prolongate_in(int32_t n_dims, bool linear, const Reals<Real> &coarse, const Reals<Real> &fine, const halo_box &box, const LevelRatio &ratio) {
    if (n_dims == 1)
        return linear ? prolongate_box<1, true, Ratio>(coarse, fine, box, ratio) : prolongate_box<1, false, Ratio>(coarse, fine, box, ratio);
    if (n_dims == 2)
        return linear ? prolongate_box<2, true, Ratio>(coarse, fine, box, ratio) : prolongate_box<2, false, Ratio>(coarse, fine, box, ratio);
    return linear ? prolongate_box<3, true, Ratio>(coarse, fine, box, ratio) : prolongate_box<3, false, Ratio>(coarse, fine, box, ratio);
}

// A value between coarse points in the directions below the n-th whose bit is set; `in`: the coarse one below it. Slopes go along the other ones.
template <int faces, bool linear, size_t n, class Real>
Real between(const Real *coarse, const std::array<int64_t, 3> &stride, const std::array<CellIn, 3> &in, size_t n_dims) {
    if constexpr (n == 0) {
        Real value = *coarse;
        if constexpr (linear)
            for (size_t d = 0; d < n_dims; ++d)
                if ((faces >> d & 1) == 0) value += along(coarse, stride[d], in[d].offset<Real>(2));
        return value;
    } else {
        constexpr size_t d = n - 1;
        const Real below = between<faces, linear, d>(coarse, stride, in, n_dims);
        if ((faces >> d & 1) == 0 || in[d].number == 0) return below;
        return (below + between<faces, linear, d>(coarse + stride[d], stride, in, n_dims)) / Real(2);
    }
}

template <int faces, bool linear, class Real>
void interpolate_box(const Reals<Real> &coarse, const Reals<Real> &fine, const halo_box &box, size_t n_dims) {
    const Halves ratio;
    const auto in = [&](int64_t point, size_t d) { return d < n_dims ? ratio.at(point, d) : CellIn{ point, 0 }; };
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y) {
            std::array<CellIn, 3> at{ in(box.low[0], 0), in(y, 1), in(z, 2) };
            const Real *const from = coarse.at(0, at[1].coarse, at[2].coarse);
            Real *const to = fine.at(0, y, z);
            for (int64_t x = box.low[0]; x < box.high[0]; ++x, at[0] = ratio.after(at[0]))
                to[x * fine.stride[0]] = between<faces, linear, 3>(from + at[0].coarse * coarse.stride[0], coarse.stride, at, n_dims);
        }
}

template <bool linear, class Real>
void interpolate_in(int faces, const Reals<Real> &coarse, const Reals<Real> &fine, const halo_box &box, size_t n_dims) {
    for_directions(faces, [&](auto known) { interpolate_box<decltype(known)::value, linear>(coarse, fine, box, n_dims); });
}

// Parts are numbered as those of a block are: bit d set, if it is the upper one along direction d.
template <size_t n_dims, class Real>
void divide_cell(const std::array<Reals<Real>, 3> &faces, const std::array<int64_t, 3> &first) {
    constexpr size_t n_parts = size_t{ 1 } << n_dims;
    const auto is_upper = [](size_t part, size_t d) { return part >> d & 1; };
    const auto sign = [&](size_t part, size_t d) { return is_upper(part, d) ? Real(1) : Real(-1); };
    // The lower (0), middle (1) and upper (2) one along d.
    const auto face = [&](size_t d, size_t part, size_t place) {
        std::array<int64_t, 3> at = first;
        for (size_t e = 0; e < n_dims; ++e) at[e] += static_cast<int64_t>(e == d ? place : is_upper(part, e));
        return faces[d].at(at[0], at[1], at[2]);
    };
    std::array<std::array<Real, n_parts>, n_dims> outer;
    std::array<Real, n_dims> bend{}, twist{};
    for (size_t d = 0; d < n_dims; ++d)
        for (size_t part = 0; part < n_parts; ++part) outer[d][part] = *face(d, part, 2 * is_upper(part, d));
    for (size_t d = 0; d < n_dims; ++d) {
        for (size_t part = 0; part < n_parts; ++part) {
            for (size_t e = 0; e < n_dims; ++e)
                if (e != d) bend[d] += sign(part, d) * sign(part, e) * outer[e][part];
            if constexpr (n_dims == 3) twist[d] += sign(part, 0) * sign(part, 1) * sign(part, 2) * outer[d][part];
        }
        bend[d] /= Real(n_parts);
        twist[d] /= Real(2 * n_parts);
    }
    for (size_t d = 0; d < n_dims; ++d)
        for (size_t part = 0; part < n_parts; ++part) {
            if (is_upper(part, d)) continue;
            Real value = (outer[d][part] + outer[d][part | size_t{ 1 } << d]) / Real(2) + bend[d];
            if constexpr (n_dims == 3) {
                const size_t e = (d + 1) % 3, g = (d + 2) % 3;
                value += sign(part, g) * twist[e] + sign(part, e) * twist[g];
            }
            *face(d, part, 1) = value;
        }
}

template <size_t n_dims, class Real>
void divide_box(const std::array<Reals<Real>, 3> &faces, const halo_box &box) {
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (int64_t x = box.low[0]; x < box.high[0]; ++x) divide_cell<n_dims>(faces, { 2 * x, n_dims > 1 ? 2 * y : y, n_dims > 2 ? 2 * z : z });
}

// At the ends of the way the values of one alone, also where the other's are no numbers.
template <class Real>
void mix_box(double fraction, const Reals<Real> &old, const Reals<Real> &later, const Reals<Real> &to, const halo_box &box) {
    const Real of_later = static_cast<Real>(fraction), of_old = Real(1) - of_later;
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (int64_t x = box.low[0]; x < box.high[0]; ++x)
                *to.at(x, y, z) = fraction == 0   ? *old.at(x, y, z)
                                  : fraction == 1 ? *later.at(x, y, z)
                                                  : of_old * *old.at(x, y, z) + of_later * *later.at(x, y, z);
}

} // namespace

void run_level_operation(const halo_level_operation &of) {
    const LevelRatio ratio{ of.ratio[0], of.ratio[1], of.ratio[2] };
    const int n_dims = device::n_refined(of), refined = (1 << n_dims) - 1;
    const int faces = of.centring & refined;
    const bool linear = of.linear != 0, halves = device::is_halves(of);
    with_reals(of, [&](const auto &first, const auto &second, const auto &third) {
        switch (of.what) {
        case HALO_LEVEL_RESTRICT:
            if (halves) return restrict_in<Halves>(refined & ~of.centring, first, second, of.points, ratio);
            return restrict_in<AnyRatio>(refined & ~of.centring, first, second, of.points, ratio);
        case HALO_LEVEL_PROLONGATE:
            if (faces != 0 && linear) return interpolate_in<true>(faces, first, second, of.points, n_dims);
            if (faces != 0) return interpolate_in<false>(faces, first, second, of.points, n_dims);
            if (halves) return prolongate_in<Halves>(n_dims, linear, first, second, of.points, ratio);
            return prolongate_in<AnyRatio>(n_dims, linear, first, second, of.points, ratio);
        case HALO_LEVEL_DIVIDE:
            if (n_dims == 1) return divide_box<1>(std::array{ first, second, third }, of.points);
            if (n_dims == 2) return divide_box<2>(std::array{ first, second, third }, of.points);
            return divide_box<3>(std::array{ first, second, third }, of.points);
        default: return mix_box(of.fraction, first, second, third, of.points);
        }
    });
}

} // namespace halo::host
