// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/cut_domain.h"

#include "base/error.h"

namespace halo {

namespace {

// Cells on both sides of the cuts.
double surface(const Extent &cells, const Extent &grid) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        double across = 1;
        for (int other = 0; other < 3; ++other)
            if (other != d) across *= static_cast<double>(cells[other]);
        sum += across * static_cast<double>(grid[d] - 1);
    }
    return sum;
}

} // namespace

// Of grids with equal surface the one with fewer cuts along x: lines stay long.
Extent choose_grid(const Extent &cells, int64_t n) {
    Extent best{};
    for (int64_t x = 1; x <= n && x <= cells[0]; ++x)
        for (int64_t y = 1; n % x == 0 && y <= n / x && y <= cells[1]; ++y) {
            const Extent grid{ x, y, n / x / y };
            if (n / x % y != 0 || grid[2] > cells[2]) continue;
            if (best[0] == 0 || surface(cells, grid) < surface(cells, best)) best = grid;
        }
    if (best[0] == 0)
        fail(HALO_ERR_ARGUMENT, "boxes: a domain of %lld x %lld x %lld cells cannot be cut into a grid of %lld boxes",
             static_cast<long long>(cells[0]), static_cast<long long>(cells[1]), static_cast<long long>(cells[2]), static_cast<long long>(n));
    return best;
}

std::vector<halo_box> cut_into_grid(const halo_box &domain, const Extent &grid) {
    const auto start = [&](int d, int64_t place) {
        const __int128 cells = domain.high[d] - domain.low[d];
        return domain.low[d] + static_cast<int64_t>(cells * place / grid[d]);
    };
    std::vector<halo_box> boxes;
    for (int64_t z = 0; z < grid[2]; ++z)
        for (int64_t y = 0; y < grid[1]; ++y)
            for (int64_t x = 0; x < grid[0]; ++x)
                boxes.push_back({ { start(0, x), start(1, y), start(2, z) }, { start(0, x + 1), start(1, y + 1), start(2, z + 1) } });
    return boxes;
}

} // namespace halo
