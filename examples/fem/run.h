// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conjugate_gradients.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fem {

/// A solved problem. What is counted and summed is the same on every rank.
struct Outcome {
    std::string name;
    std::int64_t n_nodes = 0, n_tetrahedra = 0;
    Solve solve;
    double error = 0; ///< L2 norm of the difference from the exact solution
    bool passed = true;
    std::vector<double> solution; ///< of this rank's nodes, copies too
};

/// Poisson's equation on this rank's part, the exact solution given on the boundary. Collective; rank 0 prints checks and counters.
Outcome run(const halo::Context &context, Space &space, const std::string &name, Sum sum);

} // namespace fem
