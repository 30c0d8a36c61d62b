// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.h"
#include "sphere/charts.h"
#include "sphere/quads.h"

namespace halo {

namespace {

// Around the sphere, and beyond a pole the other way round, half the way around: there is no column that is not met within one turn either way.
Passages passages_of(const ChartsDesc &desc, bool poles) {
    const int64_t n = desc.cells[0], rows = desc.cells[1];
    std::vector<Passage> all;
    const auto add = [&](int64_t first, int64_t low, int64_t high, int32_t sign, int64_t shift) {
        Passage passage;
        passage.cells = desc.chart();
        passage.cells.low[0] = first, passage.cells.high[0] = first + n;
        passage.cells.low[1] = low, passage.cells.high[1] = high;
        passage.sign[1] = sign;
        passage.shift = { -first, shift };
        passage.vector = { sign, sign };
        all.push_back(passage);
    };
    for (const int64_t turns : { -1, 0, 1 }) add(turns * n, 0, rows, 1, 0);
    for (const int64_t turns : { -1, 0, 1, 2 }) {
        const int64_t first = turns * n - n / 2;
        if (poles && desc.reach > 0) add(first, -desc.reach, 0, -1, -1);
        if (poles && desc.reach > 0) add(first, rows, rows + desc.reach, -1, 2 * rows - 1);
    }
    return { all };
}

} // namespace

std::unique_ptr<Topology> make_latitudes(Context &context, const halo_latitudes_desc &desc) {
    ChartsDesc charts;
    charts.what = "latitudes and longitudes";
    charts.cells = { desc.cells[0], desc.cells[1] };
    charts.parts = { desc.parts[0], desc.parts[1] };
    charts.levels = desc.levels;
    charts.reach = desc.reach;
    charts.owner = desc.owner;
    return std::make_unique<ChartsTopology>(context, charts, [&] {
        if (desc.poles != 0 && desc.cells[0] % 2 != 0)
            fail(HALO_ERR_ARGUMENT, "%s: %lld cells around, of which none is opposite to another; with poles it must be even", charts.what,
                 static_cast<long long>(desc.cells[0]));
        return passages_of(charts, desc.poles != 0);
    });
}

} // namespace halo
