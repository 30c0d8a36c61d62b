// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cell.h"

#include <array>

namespace euler {

struct Primitive {
    double density;
    std::array<double, 3> velocity;
    double pressure;
};

inline std::array<double, n_conserved> conserved(const Primitive &w, double gamma) {
    const auto &v = w.velocity;
    const double kinetic = 0.5 * w.density * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return { w.density, w.density * v[0], w.density * v[1], w.density * v[2], w.pressure / (gamma - 1) + kinetic };
}

} // namespace euler
