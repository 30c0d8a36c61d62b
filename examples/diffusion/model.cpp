// SPDX-License-Identifier: BSD-3-Clause
#include "model.h"

#include <cmath>

namespace diffusion {

namespace {

template <class At>
void each(const Cells &cells, At &&at) {
    for (std::int64_t z = cells.low[2]; z < cells.high[2]; ++z)
        for (std::int64_t y = cells.low[1]; y < cells.high[1]; ++y)
            for (std::int64_t x = cells.low[0]; x < cells.high[0]; ++x) at(x, y, z);
}

} // namespace

void run(Stage stage, const Views &f, const Cells &cells) {
    const Steps to{ f[u].stride[0], f[u].stride[1], f[u].stride[2] };
    switch (stage) {
    case find_lap: return each(cells, [&](auto x, auto y, auto z) { f[lap](x, y, z) = find_lap_at(&f[u](x, y, z), to); });
    case find_flux_x: return each(cells, [&](auto x, auto y, auto z) { f[flux_x](x, y, z) = find_flux_at(&f[lap](x, y, z), &f[u](x, y, z), to.x); });
    case find_flux_y: return each(cells, [&](auto x, auto y, auto z) { f[flux_y](x, y, z) = find_flux_at(&f[lap](x, y, z), &f[u](x, y, z), to.y); });
    case diffuse:
        return each(cells, [&](auto x, auto y, auto z) {
            f[diffused](x, y, z) = diffuse_at(&f[u](x, y, z), &f[lap](x, y, z), &f[flux_x](x, y, z), &f[flux_y](x, y, z), z, to);
        });
    case sweep_up:
        return each(cells, [&](auto x, auto y, auto z) {
            sweep_up_at(&f[upper](x, y, z), &f[right_side](x, y, z), &f[diffused](x, y, z), &f[wind](x, y, z), z, to);
        });
    default:
        for (std::int64_t z = cells.high[2] - 1; z >= cells.low[2]; --z)
            for (std::int64_t y = cells.low[1]; y < cells.high[1]; ++y)
                for (std::int64_t x = cells.low[0]; x < cells.high[0]; ++x)
                    sweep_down_at(&f[u](x, y, z), &f[right_side](x, y, z), &f[upper](x, y, z), z, to);
    }
}

double initial_u(std::int64_t x, std::int64_t y, std::int64_t z) {
    const double height = static_cast<double>(z) / static_cast<double>(n_levels);
    return 10 * std::sin(0.37 * static_cast<double>(x) + height) * std::cos(0.29 * static_cast<double>(y) - height) +
           static_cast<double>((x * 7 + y * 13 + z * 5) % 17);
}

double initial_wind(std::int64_t x, std::int64_t y, std::int64_t z) {
    return 0.4 * std::sin(0.21 * static_cast<double>(x) - 0.17 * static_cast<double>(y) + 0.11 * static_cast<double>(z));
}

} // namespace diffusion
