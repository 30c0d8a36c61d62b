// SPDX-License-Identifier: BSD-3-Clause
// Core, owned, executed and read entities of a set, from what they touch in other sets.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "halo_access.h"

namespace halo {

struct Sections {
    std::vector<int32_t> of;        // HALO_SECTION_..., by position
    std::array<int64_t, 4> sizes{}; // by section

    // Positions by section; ghosts by owner within theirs.
    std::vector<uint32_t> order(std::span<const int32_t> owners) const;
};

Sections classify(int32_t rank, std::span<const int32_t> owners, std::span<const halo_map> maps);

// Adds `bits` to the groups of what is touched from the sections in `from`.
void reach(const halo_map &map, std::span<const int32_t> sections, uint32_t from, uint32_t bits, uint32_t *groups);

} // namespace halo
