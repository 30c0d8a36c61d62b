// SPDX-License-Identifier: BSD-3-Clause
// Points stacked over the entities of a set: what is over one of them is a column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/context.h"
#include "halo_mesh.h"

namespace halo {

struct LocalMap;
struct LocalSet;

struct Columns {
    int32_t set = 0;
    std::vector<int64_t> starts;  // by local entity: its lowest point, and the end of all
    std::vector<uint64_t> firsts; // by local entity: number of its lowest point among those of all ranks

    int64_t layers(size_t entity) const { return starts[entity + 1] - starts[entity]; }
};

// `layers`: of each own entity; empty: `n_layers` each. Owners tell those of ghosts. Collective. HALO_ERR_ARGUMENT, HALO_ERR_LIMIT.
Columns make_columns(Context &context, const LocalSet &set, int32_t n_layers, std::span<const int32_t> layers);

// Where the lowest points of columns lead by a map between the sets below. HALO_ERR_ARGUMENT: some point leads out of a column.
std::vector<uint32_t> map_columns(const LocalMap &map, const LocalSet &base, const Columns &from, const Columns &to,
                                  std::span<const halo_column_entry> entries);

} // namespace halo
