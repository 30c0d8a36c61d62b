// SPDX-License-Identifier: BSD-3-Clause
#include "step.h"

#include <string>
#include <vector>

namespace diffusion {

namespace {

using Accesses = std::vector<halo_stencil_access>;
using Intervals = std::vector<halo_stencil_interval>;

void add(halo::Stencil &step, const char *name, const Intervals &intervals, const Accesses &accesses,
         std::int32_t direction = HALO_STENCIL_PARALLEL) {
    halo_stencil_stage_desc desc = HALO_STENCIL_STAGE_DESC_INIT;
    desc.name = name;
    desc.accesses = accesses.data(), desc.n_accesses = static_cast<std::int32_t>(accesses.size());
    desc.intervals = intervals.data(), desc.n_intervals = static_cast<std::int32_t>(intervals.size());
    desc.direction = direction;
    step.add_stage(desc);
}

} // namespace

halo::Stencil describe_step(std::int64_t cells_x, std::int64_t cells_y) {
    static const std::int64_t splitters[] = { 0, splitter, n_levels };
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.cells[0] = cells_x, desc.cells[1] = cells_y, desc.cells[2] = n_levels;
    desc.splitters = splitters, desc.n_splitters = 3;
    desc.order = HALO_STENCIL_BY_STAGES; // the last stage writes what the first has read around it
    desc.repeats = 1;
    halo::Stencil step(desc);
    const char *const names[n_fields] = { "u", "wind", "lap", "flux x", "flux y", "diffused", "upper diagonal", "right side" };
    for (std::int32_t field = 0; field < n_fields; ++field) step.add_field(names[field], field != u && field != wind);

    const Intervals all{ { { 0, 1 }, { 2, -1 } } }, below{ { { 0, 1 }, { 1, -1 } } }, both{ { { 0, 1 }, { 1, -1 } }, { { 1, 1 }, { 2, -1 } } };
    const Intervals by_ends{ { { 0, 1 }, { 0, 1 } }, { { 0, 2 }, { 2, -2 } }, { { 2, -1 }, { 2, -1 } } }; // bottom, between, top
    const Intervals by_top{ { { 0, 1 }, { 2, -2 } }, { { 2, -1 }, { 2, -1 } } };
    using halo::reads, halo::writes;
    add(step, "lap", all, { writes(lap), reads(u, { -1, -1, 0 }, { 1, 1, 0 }) });
    add(step, "flux x", below, { writes(flux_x), reads(lap, { 0, 0, 0 }, { 1, 0, 0 }), reads(u, { 0, 0, 0 }, { 1, 0, 0 }) });
    add(step, "flux y", below, { writes(flux_y), reads(lap, { 0, 0, 0 }, { 0, 1, 0 }), reads(u, { 0, 0, 0 }, { 0, 1, 0 }) });
    add(step, "diffuse", both,
        { writes(diffused), reads(u), reads(flux_x, { -1, 0, 0 }, { 0, 0, 0 }, 0), reads(flux_y, { 0, -1, 0 }, { 0, 0, 0 }, 0),
          reads(lap, { 0, 0, 0 }, { 0, 0, 0 }, 1) });
    add(step, "sweep up", by_ends,
        { writes(upper), writes(right_side), reads(wind, { 0, 0, 1 }, { 1, 0, 1 }, 0), reads(wind, { 0, 0, 0 }, { 1, 0, 1 }, 1),
          reads(wind, { 0, 0, 0 }, { 1, 0, 0 }, 2), reads(diffused, { 0, 0, 0 }, { 0, 0, 1 }, 0), reads(diffused, { 0, 0, -1 }, { 0, 0, 1 }, 1),
          reads(diffused, { 0, 0, -1 }, { 0, 0, 0 }, 2), reads(upper, { 0, 0, -1 }, { 0, 0, -1 }, 1), reads(upper, { 0, 0, -1 }, { 0, 0, -1 }, 2),
          reads(right_side, { 0, 0, -1 }, { 0, 0, -1 }, 1), reads(right_side, { 0, 0, -1 }, { 0, 0, -1 }, 2) },
        HALO_STENCIL_UPWARD);
    add(step, "sweep down", by_top,
        { writes(u), reads(right_side), reads(upper, { 0, 0, 0 }, { 0, 0, 0 }, 0), reads(u, { 0, 0, 1 }, { 0, 0, 1 }, 0) }, HALO_STENCIL_DOWNWARD);
    step.analyse();
    return step;
}

} // namespace diffusion
