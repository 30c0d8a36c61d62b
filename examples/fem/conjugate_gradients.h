// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrix.h"

namespace fem {

/// How products of vectors are summed over all nodes.
enum class Sum {
    exact,   ///< without rounding: the same bits on any number of ranks
    by_rank, ///< each rank its own in order, then ranks in order: the same bits from run to run
};

struct Solve {
    int iterations = 0;
    double residual = 0; ///< of the end, by that of the start, in the norm of the preconditioner
    double seconds = 0;
};

/// Solve matrix * x = load in the nodes inside; `x` keeps its values on the boundary and starts from those inside. Conjugate gradients,
/// preconditioned with the diagonal (Y. Saad, "Iterative Methods for Sparse Linear Systems", 2003, algorithm 9.1). Collective.
Solve conjugate_gradients(const halo::Context &context, Space &space, const Matrix &matrix, const std::vector<double> &load, std::vector<double> &x,
                          Sum sum, double tolerance);

} // namespace fem
