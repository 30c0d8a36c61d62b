// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/placed_box.h"

#include <tuple>

namespace halo {

bool lower_shift(const Extent &a, const Extent &b) { return std::tie(a[2], a[1], a[0]) < std::tie(b[2], b[1], b[0]); }

bool precedes(const PlacedBox &a, const PlacedBox &b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.gid != b.gid) return a.gid < b.gid;
    return lower_shift(b.shift, a.shift);
}

} // namespace halo
