// SPDX-License-Identifier: BSD-3-Clause
#include "cartesian_work.h"

#include <algorithm>
#include <stdexcept>

#include "text.h"

namespace bench {

namespace {

constexpr double poison = -1.0;

int64_t wrapped(int64_t i, int64_t period) { return (i % period + period) % period; }

} // namespace

std::string CartesianSize::text() const { return format("%lld^3, ghost %d, %d fields", static_cast<long long>(cells), ghost, fields); }

Region Region::shifted(const Index &by) const {
    Region result = *this;
    for (size_t d = 0; d < 3; ++d) {
        result.low[d] += by[d];
        result.high[d] += by[d];
    }
    return result;
}

CartesianWork::CartesianWork(const CartesianSize &size, const Index &per_side, std::vector<Index> places, int32_t rank, const Storage &storage)
    : size_(size),
      per_side_(per_side),
      places_(std::move(places)),
      rank_(rank) {
    if (size.fields < 1 || size.ghost < 1 || size.ghost > size.cells)
        throw std::invalid_argument(size.text() + ": needs a field, and ghosts no wider than the cube");
    for (int32_t f = 0; f < size.fields; ++f) fields_.push_back(storage(elements()));
}

int32_t CartesianWork::neighbour(const Index &offset) const {
    Index place = places_[static_cast<size_t>(rank_)];
    for (size_t d = 0; d < 3; ++d) place[d] = wrapped(place[d] + offset[d], per_side_[d]);
    return static_cast<int32_t>(std::find(places_.begin(), places_.end(), place) - places_.begin());
}

int64_t CartesianWork::ghost_bytes() const {
    return (elements() - size_.cells * size_.cells * size_.cells) * size_.fields * static_cast<int64_t>(sizeof(double));
}

double CartesianWork::number(int32_t f, const Index &cell) const {
    const Index &place = places_[static_cast<size_t>(rank_)];
    int64_t number = f;
    for (size_t d = 3; d-- > 0;) {
        const int64_t period = per_side_[d] * size_.cells;
        number = number * period + wrapped(place[d] * size_.cells + cell[d], period);
    }
    return static_cast<double>(number + changes_);
}

// visit(field, y, z, value at x = 0)
template <class Visit>
void CartesianWork::for_each_row(const Index &low, const Index &high, Visit &&visit) const {
    for (int32_t f = 0; f < size_.fields; ++f)
        for (int64_t z = low[2]; z < high[2]; ++z)
            for (int64_t y = low[1]; y < high[1]; ++y) visit(f, y, z, field(f) + at({ 0, y, z }));
}

void CartesianWork::fill() {
    changes_ = 0;
    poison_ghosts();
    const int64_t n = size_.cells;
    for_each_row({ 0, 0, 0 }, { n, n, n }, [&](int32_t f, int64_t y, int64_t z, double *values) {
        const double first = number(f, { 0, y, z });
        for (int64_t x = 0; x < n; ++x) values[x] = first + static_cast<double>(x);
    });
}

void CartesianWork::change() {
    ++changes_;
    const int64_t n = size_.cells;
    for_each_row({ 0, 0, 0 }, { n, n, n }, [&](int32_t, int64_t, int64_t, double *values) {
        for (int64_t x = 0; x < n; ++x) values[x] += 1.0;
    });
}

void CartesianWork::poison_ghosts() {
    const int64_t n = size_.cells, g = size_.ghost;
    for_each_row({ -g, -g, -g }, { n + g, n + g, n + g }, [&](int32_t, int64_t y, int64_t z, double *values) {
        const bool inside = y >= 0 && y < n && z >= 0 && z < n;
        std::fill(values - g, values + (inside ? 0 : n), poison);
        std::fill(values + n, values + n + g, poison);
    });
}

int64_t CartesianWork::wrong_values() const {
    const int64_t n = size_.cells, g = size_.ghost;
    int64_t wrong = 0;
    for_each_row({ -g, -g, -g }, { n + g, n + g, n + g }, [&](int32_t f, int64_t y, int64_t z, const double *values) {
        const double first = number(f, { 0, y, z });
        for (int64_t x = 0; x < n; ++x) wrong += values[x] != first + static_cast<double>(x);
        for (int64_t x = 1; x <= g; ++x) {
            wrong += values[-x] != number(f, { -x, y, z });
            wrong += values[n - 1 + x] != number(f, { n - 1 + x, y, z });
        }
    });
    return wrong;
}

} // namespace bench
