// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mesh.h"

#include <cmath>

namespace fem {

/// A function and minus its Laplacian: the solution that is asked for, and the source that makes it so.
inline double exact_solution(const Point &p) { return std::sin(4 * p[0]) * std::cos(3 * p[1]) * std::exp(p[2]); }
inline double exact_source(const Point &p) { return (4 * 4 + 3 * 3 - 1) * exact_solution(p); }

} // namespace fem
