// SPDX-License-Identifier: BSD-3-Clause
// Which outputs are exchanged rather than computed by neighbours too, and what all of it costs.
#pragma once

#include "analysis/needs.h"
#include "analysis/placement.h"

namespace halo {

struct Costs {
    int32_t n_groups = 0;    // exchanges of a run or turn
    int64_t values = 0;      // that they bring a part
    int64_t cells_twice = 0; // computed beyond own cells
    double cost = 0;         // as halo_stencil_summary says
};

// Everything that follows from the program.
struct Choice {
    Needs needs;
    std::vector<Window> windows; // of what is filled
    Groups groups;
    Costs costs;
};

// Values that one exchange brings a part with `cells`; 0 where these are not known.
int64_t values_of(const Program &program, const FilledGhosts &filled);

// By the program's setting `exchanged`. HALO_ERR_LIMIT: ghosts wider than parts.
Choice choose(const Program &program);

} // namespace halo
