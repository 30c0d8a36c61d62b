// SPDX-License-Identifier: BSD-3-Clause
// What lies across the elements of some leaves, looked up once and kept.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "topology/forest/leaves.h"

namespace halo {

class Around {
public:
    // Of leaves that are known, and of which all that touch them are.
    void find(const Leaves &leaves, std::span<const int64_t> gids);
    // Of one of them, by its place among them; element 13: the leaf itself.
    struct Found {
        Across::Is is = Across::Is::nothing;
        bool turned = false; // index spaces, against each other
        int64_t gid = -1;    // as in Across
    };
    Found found(size_t place, int32_t element) const {
        const int64_t kept = found_[place * n_elements + static_cast<size_t>(element)];
        return { static_cast<Across::Is>(kept & 3), (kept & turned_bit) != 0, kept >> gid_shift };
    }
    // As Leaves::across.
    Across across(const Leaves &leaves, size_t place, const TreeBlock &block, int32_t element) const;
    // Elements of it across which something lies so, as bits.
    uint32_t elements(size_t place, Across::Is is) const { return elements_[place][static_cast<size_t>(is)]; }

private:
    static constexpr size_t n_elements = 27;
    static constexpr int32_t own_place = 13;
    static constexpr int gid_shift = 3; // below the gid: an Across::Is, and whether it is turned
    static constexpr int64_t turned_bit = 4;

    std::vector<int64_t> found_;                    // n_elements of each leaf
    std::vector<std::array<uint32_t, 4>> elements_; // by Across::Is
};

} // namespace halo
