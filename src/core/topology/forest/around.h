// SPDX-License-Identifier: BSD-3-Clause
// What lies across the elements of some leaves, looked up once and kept: 8 bytes for each.
#pragma once

#include <span>
#include <vector>

#include "topology/forest/leaves.h"

namespace halo {

class Around {
public:
    // Of leaves that are known, and of which all that touch them are.
    void find(const Leaves &leaves, std::span<const int64_t> gids);
    // As Leaves::across, of one of them, by its place among them; element 13: the leaf itself.
    Across across(const Leaves &leaves, size_t place, const TreeBlock &block, int32_t element) const;
    // Does any across an element of it lie so?
    bool has(size_t place, Across::Is is) const { return (kinds_[place] >> static_cast<int>(is) & 1) != 0; }

private:
    static constexpr size_t n_elements = 27;
    static constexpr int32_t own_place = 13;
    static constexpr int gid_shift = 3; // bits of an Across::Is below the gid

    std::vector<int64_t> found_; // n_elements of each leaf
    std::vector<uint8_t> kinds_; // bits by Across::Is
};

} // namespace halo
