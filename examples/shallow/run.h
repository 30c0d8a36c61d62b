// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "queue.h"
#include "solver.h"

#include <cstdint>
#include <string>

namespace shallow {

enum class Flow : std::uint8_t { steady, wave };

/// The same on every rank.
struct Outcome {
    std::int64_t n_cells = 0, n_steps = 0;
    double error = 0;         ///< of the depth against that at the start, in the L2 norm, in parts of it
    double greatest = 0;      ///< the same in the maximum norm
    double mass_change = 0;   ///< in parts of the mass
    std::uint64_t digest = 0; ///< of all depths and momenta, by key
};

/// From the start of a flow on, for some days. Collective; rank 0 prints what came of it. `queue`: of a device that does it, or
/// nullptr. `picture`: where this rank's cells are written; empty: nowhere.
Outcome run(const halo::Context &context, device::Queue *queue, Flow flow, std::int64_t n, double days, const std::string &picture);

} // namespace shallow
