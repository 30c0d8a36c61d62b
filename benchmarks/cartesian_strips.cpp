// SPDX-License-Identifier: BSD-3-Clause
#include "cartesian_strips.h"

#include <cstring>

namespace bench {

namespace {

// A box of values somewhere: x contiguous, strides in values.
template <class T>
struct Place {
    T *first;
    int64_t row, plane;
};

// Short rows have a fixed length, so that the compiler unrolls them.
template <int64_t width>
void copy_short_rows(const Place<const double> &from, const Place<double> &to, int64_t ny, int64_t nz) {
    for (int64_t z = 0; z < nz; ++z) {
        const double *source = from.first + z * from.plane;
        double *target = to.first + z * to.plane;
        for (int64_t y = 0; y < ny; ++y, source += from.row, target += to.row)
            for (int64_t x = 0; x < width; ++x) target[x] = source[x];
    }
}

void copy_rows(const Place<const double> &from, const Place<double> &to, int64_t nx, int64_t ny, int64_t nz) {
    for (int64_t z = 0; z < nz; ++z)
        for (int64_t y = 0; y < ny; ++y)
            std::memcpy(to.first + z * to.plane + y * to.row, from.first + z * from.plane + y * from.row, static_cast<size_t>(nx) * sizeof(double));
}

void copy_box(const Place<const double> &from, const Place<double> &to, const Region &region) {
    const int64_t nx = region.high[0] - region.low[0], ny = region.high[1] - region.low[1], nz = region.high[2] - region.low[2];
    switch (nx) {
    case 1: return copy_short_rows<1>(from, to, ny, nz);
    case 2: return copy_short_rows<2>(from, to, ny, nz);
    case 3: return copy_short_rows<3>(from, to, ny, nz);
    case 4: return copy_short_rows<4>(from, to, ny, nz);
    case 5: return copy_short_rows<5>(from, to, ny, nz);
    default: return copy_rows(from, to, nx, ny, nz);
    }
}

template <class T>
Place<T> in_storage(const CartesianWork &work, int32_t f, const Region &region) {
    return { work.field(f) + work.at(region.low), work.row(), work.row() * work.row() };
}

template <class T>
Place<T> in_buffer(const Region &region, int32_t f, T *buffer) {
    const int64_t nx = region.high[0] - region.low[0];
    return { buffer + f * region.cells(), nx, nx * (region.high[1] - region.low[1]) };
}

Strip make_strip(const CartesianWork &work, const Index &offset, const Region &ghosts) {
    const int64_t n = work.size().cells;
    Strip strip;
    strip.ghosts = ghosts;
    strip.source = ghosts.shifted({ -offset[0] * n, -offset[1] * n, -offset[2] * n });
    strip.from = work.neighbour(offset);
    strip.to = work.neighbour({ -offset[0], -offset[1], -offset[2] });
    strip.tag = static_cast<int32_t>(offset[0] + 1 + 3 * (offset[1] + 1) + 9 * (offset[2] + 1));
    return strip;
}

} // namespace

std::vector<Strip> strips_by_direction(const CartesianWork &work) {
    const int64_t n = work.size().cells, g = work.size().ghost;
    const int64_t low[3] = { -g, 0, n }, high[3] = { 0, n, n + g };
    std::vector<Strip> strips;
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y)
            for (int64_t x = -1; x <= 1; ++x)
                if (x != 0 || y != 0 || z != 0)
                    strips.push_back(
                        make_strip(work, { x, y, z }, { { low[x + 1], low[y + 1], low[z + 1] }, { high[x + 1], high[y + 1], high[z + 1] } }));
    return strips;
}

std::vector<Strip> strips_of_sweep(const CartesianWork &work, size_t direction) {
    const int64_t n = work.size().cells, g = work.size().ghost;
    Region all{ { 0, 0, 0 }, { n, n, n } };
    for (size_t d = 0; d < direction; ++d) {
        all.low[d] = -g;
        all.high[d] = n + g;
    }
    std::vector<Strip> strips;
    for (const int64_t side : { -1, 1 }) {
        Index offset{ 0, 0, 0 };
        offset[direction] = side;
        Region ghosts = all;
        ghosts.low[direction] = side < 0 ? -g : n;
        ghosts.high[direction] = side < 0 ? 0 : n + g;
        strips.push_back(make_strip(work, offset, ghosts));
    }
    return strips;
}

void pack(const CartesianWork &work, const Region &region, double *buffer) {
    for (int32_t f = 0; f < work.size().fields; ++f) copy_box(in_storage<const double>(work, f, region), in_buffer(region, f, buffer), region);
}

void unpack(const CartesianWork &work, const Region &region, const double *buffer) {
    for (int32_t f = 0; f < work.size().fields; ++f) copy_box(in_buffer(region, f, buffer), in_storage<double>(work, f, region), region);
}

void copy_within(const CartesianWork &work, const Region &source, const Region &target) {
    for (int32_t f = 0; f < work.size().fields; ++f) copy_box(in_storage<const double>(work, f, source), in_storage<double>(work, f, target), target);
}

} // namespace bench
