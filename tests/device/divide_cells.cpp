// SPDX-License-Identifier: BSD-3-Clause
// Faces within divided cells: what flows out of the parts, and which fields are met exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "host.h"

namespace {

constexpr int64_t n = 4; // fine cells per direction
constexpr int64_t line = n + 1;

// Faces of all directions of a box of fine cells, complex values as two numbers.
template <class Real>
class Faces {
public:
    Faces(int32_t n_dims, int64_t width) : n_dims_(n_dims), width_(width) {
        for (int d = 0; d < n_dims; ++d) values_.emplace_back(static_cast<size_t>(line * line * line * width));
    }
    Real &at(int d, int64_t x, int64_t y, int64_t z, int64_t half = 0) {
        return values_[static_cast<size_t>(d)][static_cast<size_t>(((z * line + y) * line + x) * width_ + half)];
    }
    template <class Visit>
    void for_each(Visit &&visit) const {
        for (int d = 0; d < n_dims_; ++d)
            for (int64_t z = 0; z < (n_dims_ > 2 ? n + (d == 2) : 1); ++z)
                for (int64_t y = 0; y < (n_dims_ > 1 ? n + (d == 1) : 1); ++y)
                    for (int64_t x = 0; x < n + (d == 0); ++x) visit(d, x, y, z);
    }
    void divide(halo_type type) {
        halo_level_operation of{};
        of.what = HALO_LEVEL_DIVIDE;
        of.type = type;
        of.n_components = 1;
        const auto bytes = static_cast<int64_t>(sizeof(Real)) * width_;
        for (int d = 0; d < 3; ++d) {
            of.ratio[d] = d < n_dims_ ? 2 : 1;
            of.points.high[d] = d < n_dims_ ? n / 2 : 1;
            if (d < n_dims_) of.values[d] = { values_[static_cast<size_t>(d)].data(), { bytes, line * bytes, line * line * bytes }, 0 };
        }
        ASSERT_EQ(halo_device_host.ops->levels_run(nullptr, &of, 1, HALO_STREAM_NONE), HALO_SUCCESS);
    }
    // Out of a fine cell.
    Real flow(int64_t x, int64_t y, int64_t z, int64_t half = 0) {
        Real out = 0;
        for (int d = 0; d < n_dims_; ++d) out += at(d, x + (d == 0), y + (d == 1), z + (d == 2), half) - at(d, x, y, z, half);
        return out;
    }

private:
    int32_t n_dims_;
    int64_t width_;
    std::vector<std::vector<Real>> values_;
};

bool lies_within(int d, int64_t x, int64_t y, int64_t z) { return ((d == 0 ? x : d == 1 ? y : z) & 1) != 0; }

template <class Real>
void expect_equal_parts(int32_t n_dims, halo_type type, int64_t width, double tolerance) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> any(-1, 1);
    Faces<Real> faces(n_dims, width);
    faces.for_each([&](int d, int64_t x, int64_t y, int64_t z) {
        for (int64_t half = 0; half < width; ++half)
            faces.at(d, x, y, z, half) = lies_within(d, x, y, z) ? Real(1e9) : static_cast<Real>(any(random));
    });
    faces.divide(type);
    const int64_t ny = n_dims > 1 ? 2 : 1, nz = n_dims > 2 ? 2 : 1;
    for (int64_t half = 0; half < width; ++half)
        for (int64_t z = 0; z < (n_dims > 2 ? n : 1); z += 2)
            for (int64_t y = 0; y < (n_dims > 1 ? n : 1); y += 2)
                for (int64_t x = 0; x < n; x += 2) {
                    double all = 0;
                    for (int64_t part = 0; part < 2 * ny * nz; ++part)
                        all += static_cast<double>(faces.flow(x + part % 2, y + part / 2 % ny, z + part / 2 / ny, half));
                    for (int64_t part = 0; part < 2 * ny * nz; ++part)
                        EXPECT_NEAR(static_cast<double>(faces.flow(x + part % 2, y + part / 2 % ny, z + part / 2 / ny, half)),
                                    all / static_cast<double>(2 * ny * nz), tolerance)
                            << n_dims << " dimensions, part " << part;
                }
}

TEST(DivideCells, EachPartHasItsShareOfWhatFlowsOut) {
    for (int32_t n_dims = 1; n_dims <= 3; ++n_dims) {
        expect_equal_parts<double>(n_dims, HALO_FLOAT64, 1, 1e-14);
        expect_equal_parts<float>(n_dims, HALO_FLOAT32, 1, 1e-5);
        expect_equal_parts<double>(n_dims, HALO_COMPLEX128, 2, 1e-14);
    }
}

// Values in the middle of faces.
void expect_exact(int32_t n_dims, const std::function<double(int, double, double, double)> &field) {
    Faces<double> faces(n_dims, 1);
    const auto value = [&](int d, int64_t x, int64_t y, int64_t z) {
        const auto middle = [d](int64_t at, int e) { return static_cast<double>(at) + (d == e ? 0 : 0.5); };
        return field(d, middle(x, 0), middle(y, 1), middle(z, 2));
    };
    faces.for_each([&](int d, int64_t x, int64_t y, int64_t z) { faces.at(d, x, y, z) = lies_within(d, x, y, z) ? 1e9 : value(d, x, y, z); });
    faces.divide(HALO_FLOAT64);
    faces.for_each([&](int d, int64_t x, int64_t y, int64_t z) {
        EXPECT_NEAR(faces.at(d, x, y, z), value(d, x, y, z), 1e-12) << n_dims << " dimensions, direction " << d << ": " << x << ' ' << y << ' ' << z;
    });
}

TEST(DivideCells, LinearFieldsAreExact) {
    for (int32_t n_dims = 1; n_dims <= 3; ++n_dims)
        expect_exact(n_dims, [](int d, double x, double y, double z) { return (1 + d) + (2 + d) * x - (3 - d) * y + 0.5 * d * z; });
}

// Without divergence and curl: slopes of a harmonic function, x^3 - 3 x y^2 and x y z.
TEST(DivideCells, SmoothFieldsWithoutSourcesAreExact) {
    expect_exact(2, [](int d, double x, double y, double) { return d == 0 ? 3 * (x * x - y * y) : -6 * x * y; });
    expect_exact(3, [](int d, double x, double y, double z) { return d == 0 ? y * z : d == 1 ? x * z : x * y; });
}

} // namespace
