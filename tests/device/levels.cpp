// SPDX-License-Identifier: BSD-3-Clause
// Operations between levels against plain loops over their definitions, bit by bit.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device_memory.h"

namespace {

using namespace halo::test;
using Random = std::mt19937_64;
using Point = std::array<int64_t, 3>;

// Values of a level with room around the points of an operation, component by component, those of complex numbers as two.
template <class Real>
struct Store {
    Point low{}, n{};
    int64_t n_components = 0, width = 1, step = 1; // of x, in values
    std::vector<Real> values;

    void resize(const halo_box &around, int32_t components, int64_t numbers, int64_t step_of_x) {
        for (size_t d = 0; d < 3; ++d) low[d] = around.low[d], n[d] = around.high[d] - around.low[d];
        n_components = components, width = numbers, step = step_of_x;
        values.resize(static_cast<size_t>(n[0] * step * n[1] * n[2] * n_components * width));
    }
    size_t place(const Point &at, int64_t c, int64_t half) const {
        const int64_t x = (at[0] - low[0]) * step, y = at[1] - low[1], z = at[2] - low[2];
        return static_cast<size_t>((((c * n[2] + z) * n[1] + y) * n[0] * step + x) * width + half);
    }
    Real &at(const Point &point, int64_t c, int64_t half) { return values[place(point, c, half)]; }
    halo_level_values described(void *memory) const {
        const int64_t bytes = width * static_cast<int64_t>(sizeof(Real));
        return { static_cast<Real *>(memory) + place({ 0, 0, 0 }, 0, 0),
                 { step * bytes, n[0] * step * bytes, n[1] * n[0] * step * bytes },
                 n[2] * n[1] * n[0] * step * bytes };
    }
    size_t bytes() const { return values.size() * sizeof(Real); }
};

// All sizes, small numbers, zeros with both signs, infinities and what is no number; or plain ones.
template <class Real>
Real any_value(Random &random, bool wild) {
    const auto plain = static_cast<Real>(std::uniform_real_distribution<double>(-1, 1)(random));
    if (!wild) return plain;
    switch (random() % 12) {
    case 0: return static_cast<Real>(0);
    case 1: return -static_cast<Real>(0);
    case 2: return std::numeric_limits<Real>::denorm_min() * static_cast<Real>(random() % 9);
    case 3: return std::numeric_limits<Real>::max();
    case 4: return -std::numeric_limits<Real>::infinity();
    case 5: return std::numeric_limits<Real>::quiet_NaN();
    case 6: return std::numeric_limits<Real>::min() * plain;
    default: return plain * std::ldexp(static_cast<Real>(1), static_cast<int>(random() % 20) - 10);
    }
}

// One operation with its values, made at random.
template <class Real>
class Operation {
public:
    Operation(Random &random, halo_type type) {
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        of_.what = below(4);
        of_.type = type;
        of_.n_components = 1 + below(3);
        n_dims_ = 1 + below(3);
        const bool halves = of_.what == HALO_LEVEL_DIVIDE || below(2) == 0;
        for (int32_t d = 0; d < 3; ++d) of_.ratio[d] = d >= n_dims_ ? 1 : halves ? 2 : 1 + below(4);
        if (of_.ratio[n_dims_ - 1] == 1) of_.ratio[n_dims_ - 1] = 3;
        of_.centring = below(8);
        if (of_.what == HALO_LEVEL_PROLONGATE && !halves) of_.centring &= ~((1 << n_dims_) - 1);
        of_.linear = below(2);
        of_.fraction = std::array{ 0.0, 1.0, 0.3, -0.5 }[static_cast<size_t>(below(4))];
        halo_box around[2];
        for (int d = 0; d < 3; ++d) {
            of_.points.low[d] = below(5) - 2;
            of_.points.high[d] = of_.points.low[d] + 1 + below(d == 0 ? 7 : 3);
            const bool of_coarse = of_.what == HALO_LEVEL_RESTRICT || of_.what == HALO_LEVEL_DIVIDE;
            const int64_t ratio = of_.ratio[d], widest = of_coarse ? ratio : 1;
            for (halo_box &box : around)
                box.low[d] = std::min<int64_t>(of_.points.low[d] * widest, of_.points.low[d]) - 3, box.high[d] = of_.points.high[d];
            for (halo_box &box : around) box.high[d] = std::max<int64_t>(of_.points.high[d] * widest, of_.points.high[d]) + 3;
            for (halo_box &box : around) box.low[d] = std::min<int64_t>(box.low[d], 0), box.high[d] = std::max<int64_t>(box.high[d], 1);
        }
        const bool wild = below(2) == 0;
        const Real scale = below(4) == 0 ? std::sqrt(std::numeric_limits<Real>::min()) / 1000 : Real(1); // products of two vanish
        for (Store<Real> &store : stores_) {
            store.resize(around[0], of_.n_components, width(), 1 + below(2));
            for (Real &value : store.values) value = any_value<Real>(random, wild) * scale;
        }
    }

    // By the device; what it has made is compared with what it should have.
    const halo_level_operation &described(const TestedDevice &device) {
        for (size_t v = 0; v < 3; ++v) {
            memory_.emplace_back(std::make_unique<Memory>(device, stores_[v].bytes(), kind()));
            memory_.back()->write(stores_[v].values.data());
            of_.values[v] = stores_[v].described(memory_.back()->data());
        }
        return of_;
    }
    void compare() {
        make();
        for (size_t v = 0; v < 3; ++v) {
            const std::vector<unsigned char> found = memory_[v]->read();
            for (size_t i = 0; i < stores_[v].values.size(); ++i) {
                Real is;
                std::memcpy(&is, found.data() + i * sizeof is, sizeof is);
                const Real wanted = stores_[v].values[i];
                if (std::isnan(is) && std::isnan(wanted)) continue; // whose other bits are nobody's
                ASSERT_EQ(std::memcmp(&is, &wanted, sizeof is), 0)
                    << "operation " << of_.what << " of type " << of_.type << ", centring " << of_.centring << ", linear " << of_.linear << ", ratio "
                    << of_.ratio[0] << of_.ratio[1] << of_.ratio[2] << ": value " << i << " of " << v << " is " << is << ", wanted " << wanted;
            }
        }
    }

private:
    static int32_t kind() { return (tested_plugin().memory_kinds >> HALO_MEMORY_DEVICE & 1U) != 0 ? HALO_MEMORY_DEVICE : HALO_MEMORY_HOST; }
    int64_t width() const { return of_.type == HALO_COMPLEX64 || of_.type == HALO_COMPLEX128 ? 2 : 1; }
    bool has_bit(int d) const { return (of_.centring >> d & 1) != 0; }

    void make() {
        for (int64_t c = 0; c < of_.n_components; ++c)
            for (int64_t half = 0; half < width(); ++half)
                for (int64_t z = of_.points.low[2]; z < of_.points.high[2]; ++z)
                    for (int64_t y = of_.points.low[1]; y < of_.points.high[1]; ++y)
                        for (int64_t x = of_.points.low[0]; x < of_.points.high[0]; ++x) make({ x, y, z }, c, half);
    }
    void make(const Point &p, int64_t c, int64_t half) {
        switch (of_.what) {
        case HALO_LEVEL_RESTRICT: stores_[1].at(p, c, half) = mean(p, c, half); break;
        case HALO_LEVEL_PROLONGATE: stores_[1].at(p, c, half) = between(p, 2, c, half); break;
        case HALO_LEVEL_DIVIDE: divide(p, c, half); break;
        default: stores_[2].at(p, c, half) = mix(stores_[0].at(p, c, half), stores_[1].at(p, c, half)); break;
        }
    }
    // One direction after the other, from the last to the first: its values, then their sum.
    Real sum(Point first, int d, int64_t c, int64_t half) {
        if (d < 0) return stores_[0].at(first, c, half);
        Real all = sum(first, d - 1, c, half);
        for (int64_t i = 1; i < of_.ratio[d] && !has_bit(d); ++i) {
            ++first[static_cast<size_t>(d)];
            all += sum(first, d - 1, c, half);
        }
        return all;
    }
    Real mean(const Point &p, int64_t c, int64_t half) {
        Point first{};
        int64_t n = 1;
        for (size_t d = 0; d < 3; ++d) {
            first[d] = p[d] * of_.ratio[d];
            n *= has_bit(static_cast<int>(d)) ? 1 : of_.ratio[d];
        }
        return sum(first, 2, c, half) / static_cast<Real>(n);
    }
    // The coarse points on both sides, where a fine one lies between two.
    Real between(const Point &fine, int d, int64_t c, int64_t half, Point coarse = {}) {
        if (d < 0) return within(fine, coarse, c, half);
        const auto e = static_cast<size_t>(d);
        const int64_t below = static_cast<int64_t>(std::floor(static_cast<double>(fine[e]) / of_.ratio[e]));
        coarse[e] = below;
        const Real low = between(fine, d - 1, c, half, coarse);
        if (!has_bit(d) || of_.ratio[e] == 1 || fine[e] == 2 * below) return low;
        coarse[e] = below + 1;
        return (low + between(fine, d - 1, c, half, coarse)) / 2;
    }
    Real within(const Point &fine, const Point &coarse, int64_t c, int64_t half) {
        const Real middle = stores_[0].at(coarse, c, half);
        Real value = middle;
        for (size_t d = 0; d < 3 && of_.linear; ++d) {
            if (of_.ratio[d] == 1 || has_bit(static_cast<int>(d))) continue;
            Point low = coarse, high = coarse;
            --low[d], ++high[d];
            const Real below = middle - stores_[0].at(low, c, half), above = stores_[0].at(high, c, half) - middle;
            const bool rises = below > 0 && above > 0, falls = below < 0 && above < 0;
            const Real slope = !rises && !falls ? 0 : std::abs(below) < std::abs(above) ? below : above;
            const int64_t number = fine[d] - coarse[d] * of_.ratio[d];
            value += static_cast<Real>(2 * number + 1 - of_.ratio[d]) / static_cast<Real>(2 * of_.ratio[d]) * slope;
        }
        return value;
    }
    Real mix(Real older, Real newer) const {
        const auto t = static_cast<Real>(of_.fraction);
        return of_.fraction == 0 ? older : of_.fraction == 1 ? newer : (1 - t) * older + t * newer;
    }
    void divide(const Point &p, int64_t c, int64_t half) {
        const int n_parts = 1 << n_dims_;
        const auto s = [](int k, int d) { return static_cast<Real>((k >> d & 1) != 0 ? 1 : -1); };
        const auto face = [&](int d, int k, int64_t place) -> Real & {
            Point at = p;
            for (int e = 0; e < n_dims_; ++e) at[static_cast<size_t>(e)] = 2 * p[static_cast<size_t>(e)] + (e == d ? place : k >> e & 1);
            return stores_[static_cast<size_t>(d)].at(at, c, half);
        };
        const auto f = [&](int d, int k) { return face(d, k, 2 * (k >> d & 1)); };
        std::array<Real, 3> bend{}, twist{};
        for (int d = 0; d < n_dims_; ++d) {
            for (int k = 0; k < n_parts; ++k) {
                for (int e = 0; e < n_dims_; ++e)
                    if (e != d) bend[static_cast<size_t>(d)] += s(k, d) * s(k, e) * f(e, k);
                twist[static_cast<size_t>(d)] += s(k, 0) * s(k, 1) * s(k, 2) * f(d, k);
            }
            bend[static_cast<size_t>(d)] /= static_cast<Real>(n_parts);
            twist[static_cast<size_t>(d)] /= static_cast<Real>(2 * n_parts);
        }
        for (int d = 0; d < n_dims_; ++d)
            for (int k = 0; k < n_parts; ++k) {
                if ((k >> d & 1) != 0) continue;
                const int e = (d + 1) % 3, g = (d + 2) % 3;
                Real value = (f(d, k) + f(d, k | 1 << d)) / 2 + bend[static_cast<size_t>(d)];
                if (n_dims_ == 3) value += s(k, g) * twist[static_cast<size_t>(e)] + s(k, e) * twist[static_cast<size_t>(g)];
                face(d, k, 1) = value;
            }
    }

    halo_level_operation of_{};
    int32_t n_dims_ = 1;
    std::array<Store<Real>, 3> stores_;
    std::vector<std::unique_ptr<Memory>> memory_;
};

// Some of each in one launch.
TEST(LevelOperations, AreTheirDefinitions) {
    const TestedDevice device;
    Random random(11);
    for (int turn = 0; turn < 12; ++turn) {
        std::vector<Operation<float>> singles;
        std::vector<Operation<double>> doubles;
        for (int i = 0; i < 3; ++i) {
            singles.emplace_back(random, HALO_FLOAT32);
            singles.emplace_back(random, HALO_COMPLEX64);
            doubles.emplace_back(random, HALO_FLOAT64);
            doubles.emplace_back(random, HALO_COMPLEX128);
        }
        std::vector<halo_level_operation> all;
        for (auto &one : singles) all.push_back(one.described(device));
        for (auto &one : doubles) all.push_back(one.described(device));
        ASSERT_EQ(device.ops().levels_run(device.get(), all.data(), std::ssize(all), nullptr), HALO_SUCCESS) << device.report();
        for (auto &one : singles) one.compare();
        for (auto &one : doubles) one.compare();
        if (HasFailure()) return;
    }
}

TEST(LevelOperations, ThatAreNone) {
    const TestedDevice device;
    Random random(5);
    Operation<double> right(random, HALO_FLOAT64);
    const halo_level_operation known = right.described(device);
    const auto expect_refused = [&](auto &&spoil, const char *text) {
        halo_level_operation wrong = known;
        spoil(wrong);
        EXPECT_EQ(device.ops().levels_run(device.get(), &wrong, 1, nullptr), HALO_ERR_ARGUMENT) << text;
        EXPECT_NE(device.report().find(text), std::string::npos) << device.report();
    };
    expect_refused([](halo_level_operation &of) { of.what = 4; }, "none of HALO_LEVEL_");
    expect_refused([](halo_level_operation &of) { of.type = HALO_INT32; }, "have no means");
    expect_refused([](halo_level_operation &of) { of.n_components = 0; }, "no components");
    expect_refused([](halo_level_operation &of) { of.centring = HALO_CENTRE_FACES; }, "none of one place");
    expect_refused([](halo_level_operation &of) { of.ratio[1] = 0; }, "a ratio below 1");
    expect_refused([](halo_level_operation &of) { of.what = HALO_LEVEL_DIVIDE, of.ratio[0] = 3; }, "by another ratio than 2");
    expect_refused([](halo_level_operation &of) { of.points.high[0] = INT64_MAX; }, "points beyond 2^30");
    expect_refused([](halo_level_operation &of) { of.values[0].stride[2] = 5; }, "where their type cannot");
    EXPECT_EQ(device.ops().levels_run(device.get(), nullptr, -1, nullptr), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().levels_run(device.get(), nullptr, 0, nullptr), HALO_SUCCESS) << device.report();
    halo_level_operation empty = known;
    empty.points.high[1] = empty.points.low[1];
    EXPECT_EQ(device.ops().levels_run(device.get(), &empty, 1, nullptr), HALO_SUCCESS) << device.report();
}

} // namespace
