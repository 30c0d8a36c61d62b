// SPDX-License-Identifier: BSD-3-Clause
#include "model.h"

#include <cmath>

namespace diffusion {

namespace {

constexpr double strength = 0.025, strength_above = 0.1;

template <class At>
void each(const Cells &cells, At &&at) {
    for (std::int64_t z = cells.low[2]; z < cells.high[2]; ++z)
        for (std::int64_t y = cells.low[1]; y < cells.high[1]; ++y)
            for (std::int64_t x = cells.low[0]; x < cells.high[0]; ++x) at(x, y, z);
}

// Nothing flows up a slope.
double limited(double flux, double slope) { return flux * slope > 0 ? 0 : flux; }

// The implicit half of a Crank-Nicolson step with the wind across the levels, level by level: L. Thomas' elimination.
void eliminate(const Views &f, std::int64_t x, std::int64_t y, std::int64_t z) {
    const auto wind_below = [&](std::int64_t level) { return 0.25 * (f[wind](x, y, level) + f[wind](x + 1, y, level)); };
    const View &now = f[diffused];
    double below = 0, above = 0, right = now(x, y, z);
    if (z > 0) {
        below = -0.5 * wind_below(z);
        right -= below * (now(x, y, z - 1) - now(x, y, z));
    }
    if (z < n_levels - 1) {
        above = 0.5 * wind_below(z + 1);
        right -= above * (now(x, y, z + 1) - now(x, y, z));
    }
    const double middle = 1 - below - above;
    const double divisor = z > 0 ? middle - below * f[upper](x, y, z - 1) : middle;
    f[upper](x, y, z) = above / divisor;
    f[right_side](x, y, z) = (z > 0 ? right - below * f[right_side](x, y, z - 1) : right) / divisor;
}

} // namespace

void run(Stage stage, const Views &f, const Cells &cells) {
    switch (stage) {
    case find_lap:
        return each(cells, [&](auto x, auto y, auto z) {
            f[lap](x, y, z) = 4 * f[u](x, y, z) - (f[u](x + 1, y, z) + f[u](x - 1, y, z) + f[u](x, y + 1, z) + f[u](x, y - 1, z));
        });
    case find_flux_x:
        return each(cells, [&](auto x, auto y, auto z) {
            f[flux_x](x, y, z) = limited(f[lap](x + 1, y, z) - f[lap](x, y, z), f[u](x + 1, y, z) - f[u](x, y, z));
        });
    case find_flux_y:
        return each(cells, [&](auto x, auto y, auto z) {
            f[flux_y](x, y, z) = limited(f[lap](x, y + 1, z) - f[lap](x, y, z), f[u](x, y + 1, z) - f[u](x, y, z));
        });
    case diffuse:
        return each(cells, [&](auto x, auto y, auto z) {
            if (z < splitter)
                f[diffused](x, y, z) =
                    f[u](x, y, z) - strength * (f[flux_x](x, y, z) - f[flux_x](x - 1, y, z) + f[flux_y](x, y, z) - f[flux_y](x, y - 1, z));
            else
                f[diffused](x, y, z) = f[u](x, y, z) - strength_above * f[lap](x, y, z);
        });
    case sweep_up: return each(cells, [&](auto x, auto y, auto z) { eliminate(f, x, y, z); });
    default:
        for (std::int64_t z = cells.high[2] - 1; z >= cells.low[2]; --z)
            for (std::int64_t y = cells.low[1]; y < cells.high[1]; ++y)
                for (std::int64_t x = cells.low[0]; x < cells.high[0]; ++x)
                    f[u](x, y, z) = f[right_side](x, y, z) - (z < n_levels - 1 ? f[upper](x, y, z) * f[u](x, y, z + 1) : 0);
    }
}

double initial_u(std::int64_t x, std::int64_t y, std::int64_t z) {
    const double height = static_cast<double>(z) / n_levels;
    return 10 * std::sin(0.37 * static_cast<double>(x) + height) * std::cos(0.29 * static_cast<double>(y) - height) +
           static_cast<double>((x * 7 + y * 13 + z * 5) % 17);
}

double initial_wind(std::int64_t x, std::int64_t y, std::int64_t z) {
    return 0.4 * std::sin(0.21 * static_cast<double>(x) - 0.17 * static_cast<double>(y) + 0.11 * static_cast<double>(z));
}

} // namespace diffusion
