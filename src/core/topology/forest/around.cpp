// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/around.h"

namespace halo {

void Around::find(const Leaves &leaves, std::span<const int64_t> gids) {
    found_.assign(gids.size() * n_elements, 0);
    elements_.assign(gids.size(), {});
    for (size_t place = 0; place < gids.size(); ++place) {
        const TreeBlock &block = leaves[gids[place]];
        const auto keep = [&](int32_t element, int64_t gid, Across::Is is, bool turned) {
            found_[place * n_elements + static_cast<size_t>(element)] = gid * (1 << gid_shift) + (turned ? turned_bit : 0) + static_cast<int64_t>(is);
        };
        keep(own_place, gids[place], Across::Is::leaf, false);
        for_each_element(leaves.trees().n_dims(), [&](int32_t element, const ElementOffset &) {
            const Across across = leaves.across(block, element);
            keep(element, across.gid, across.is, !across.map.is_identity());
            elements_[place][static_cast<size_t>(across.is)] |= uint32_t{ 1 } << element;
        });
    }
}

Across Around::across(const Leaves &leaves, size_t place, const TreeBlock &block, int32_t element) const {
    const Found found = this->found(place, element);
    Across across;
    across.is = found.is;
    if (across.is == Across::Is::nothing) return across;
    across.gid = found.gid;
    leaves.trees().neighbour(block, element_offset(element), across.block, across.map);
    return across;
}

} // namespace halo
