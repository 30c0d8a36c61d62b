// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/joins.h"

#include <algorithm>

#include "base/error.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "topology/blocks/blocks.h"
#include "topology/regions/regions.h"

namespace halo {

namespace {

void check_blocks(const Program &program, std::span<const halo_stencil_range> ranges, const halo_blocks_desc &blocks) {
    if (blocks.n_dims != program.desc().n_dims)
        fail(HALO_ERR_ARGUMENT, "stencil: blocks in %d dimensions for a stencil in %d", blocks.n_dims, program.desc().n_dims);
    if (program.axis().has_levels() && (blocks.n_blocks[2] != 1 || blocks.n_cells[2] != program.axis().n_levels()))
        fail(HALO_ERR_ARGUMENT, "stencil: %lld blocks of %lld cells in direction 2, where levels want one of %lld",
             static_cast<long long>(blocks.n_blocks[2]), static_cast<long long>(blocks.n_cells[2]),
             static_cast<long long>(program.axis().n_levels()));
    for (const halo_stencil_range &range : ranges)
        for (size_t d = 0; d < program.n_cut_dims(); ++d)
            if (const int64_t widest = std::max(range.low[d], range.high[d]); widest > blocks.n_cells[d])
                fail(HALO_ERR_LIMIT, "stencil: %lld ghost layers in direction %zu for blocks of %lld cells", static_cast<long long>(widest), d,
                     static_cast<long long>(blocks.n_cells[d]));
}

// What lies across an element of a part; false: nothing.
bool fill_join(halo_join &join, int32_t element, const halo_stencil_range &range, const Program &program, const Extent &cells) {
    const int32_t across[3] = { element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1 };
    for (size_t d = 0; d < 3; ++d) {
        const bool levels = d == 2 && program.axis().has_levels();
        if (levels && across[d] != 0) return false; // the vertical is not cut
        join.receive.low[d] = levels ? range.first : across[d] < 0 ? -range.low[d] : across[d] > 0 ? cells[d] : 0;
        join.receive.high[d] = levels ? range.last + 1 : across[d] < 0 ? 0 : across[d] > 0 ? cells[d] + range.high[d] : cells[d];
        if (join.receive.low[d] >= join.receive.high[d]) return false;
        join.send.low[d] = join.receive.low[d] - across[d] * cells[d];
        join.send.high[d] = join.receive.high[d] - across[d] * cells[d];
        join.axis[d] = static_cast<int32_t>(d);
        join.sign[d] = 1;
    }
    return true;
}

// The lists of a halo_regions_desc.
struct Regions {
    std::vector<int64_t> cells;
    std::vector<int32_t> owners;
    std::vector<halo_join> joins;
    int32_t reach = 0;
};

Regions regions_of(Context &context, const Program &program, std::span<const halo_stencil_range> ranges, const halo_blocks_desc &blocks) {
    const BlocksTopology grid(context, blocks); // whose parts and neighbours these are
    check_blocks(program, ranges, blocks);
    Regions regions;
    for (int64_t gid = 0; gid < grid.n_parts(); ++gid) {
        const Extent size = grid.cells_of(gid);
        regions.cells.insert(regions.cells.end(), size.begin(), size.end());
        regions.owners.push_back(grid.part(gid).rank);
        for (const halo_neighbour &neighbour : grid.neighbours(gid))
            for (const halo_stencil_range &range : ranges) {
                halo_join join{ neighbour.gid, gid, {}, {}, {}, {} };
                if (fill_join(join, neighbour.element, range, program, size)) regions.joins.push_back(join);
            }
    }
    for (size_t d = 0; d < program.n_cut_dims(); ++d)
        regions.reach = std::max(regions.reach, static_cast<int32_t>(std::min<int64_t>(blocks.n_cells[d], limits::reach)));
    return regions;
}

} // namespace

std::unique_ptr<Topology> topology_of_ranges(Context &context, const Program &program, std::span<const halo_stencil_range> ranges,
                                             const halo_blocks_desc &blocks) {
    Regions regions;
    together(context, "stencil", [&] { regions = regions_of(context, program, ranges, blocks); });
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = blocks.n_dims;
    desc.cells = regions.cells.data();
    desc.owner = regions.owners.data();
    desc.n_parts = std::ssize(regions.owners);
    desc.joins = regions.joins.data();
    desc.n_joins = std::ssize(regions.joins);
    desc.reach = regions.reach;
    return std::make_unique<RegionsTopology>(context, desc);
}

} // namespace halo
