// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver.h"

#include <halo.hpp>

namespace euler {

/// Print what the exchange did and what each rank held. Collective; rank 0 prints.
void report_counters(const halo::Context &context, const Parameters &parameters, const Solver &solver, double seconds);

} // namespace euler
