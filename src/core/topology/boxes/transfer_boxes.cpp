// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/transfer_boxes.h"

#include <algorithm>

#include "comm/collective.h"
#include "topology/boxes/find_near.h"

namespace halo {

namespace {

// Boxes of both sets have gids of their own in the search.
int64_t source_number(int64_t gid) { return 2 * gid; }
int64_t destination_number(int64_t gid) { return 2 * gid + 1; }

void add_own(const Topology &topology, int64_t (*number)(int64_t), std::vector<PlacedBox> &own) {
    for (const int64_t gid : topology.local_parts()) {
        own.push_back(topology.boxes()->box_of(gid));
        own.back().gid = number(gid);
    }
}

// A box around all boxes of all ranks; where it is periodic, just one period.
halo_box space_around(Context &context, const std::vector<PlacedBox> &own, const Extent &period) {
    int64_t ends[6]; // low, and high with its sign changed
    std::fill_n(ends, 6, int64_t{ 0 });
    for (size_t i = 0; i < own.size(); ++i)
        for (int d = 0; d < 3; ++d) {
            ends[d] = i == 0 ? own[i].cells.low[d] : std::min(ends[d], own[i].cells.low[d]);
            ends[3 + d] = i == 0 ? -own[i].cells.high[d] : std::min(ends[3 + d], -own[i].cells.high[d]);
        }
    allreduce(context, ends, ends, 6, HALO_INT64, HALO_MIN);
    halo_box space;
    for (int d = 0; d < 3; ++d) {
        space.low[d] = period[d] > 0 ? 0 : ends[d];
        space.high[d] = period[d] > 0 ? period[d] : std::max(-ends[3 + d], ends[d] + 1);
    }
    return space;
}

} // namespace

TransferBoxes find_transfer_boxes(Context &context, const Topology &source, const Topology &destination, int64_t range) {
    std::vector<PlacedBox> own;
    add_own(source, source_number, own);
    add_own(destination, destination_number, own);
    const Extent period = source.boxes()->period();
    const halo_box space = space_around(context, own, period);
    std::vector<PlacedBox> sources, destinations;
    for (PlacedBox box : near_boxes(context, std::move(own), { space, period, range })) {
        std::vector<PlacedBox> &side = box.gid % 2 == 0 ? sources : destinations;
        box.gid /= 2;
        side.push_back(box);
    }
    return { BoxSet(sources, period), BoxSet(destinations, period) };
}

} // namespace halo
