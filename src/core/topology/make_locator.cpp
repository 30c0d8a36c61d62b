// SPDX-License-Identifier: BSD-3-Clause
#include "topology/make_locator.h"

#include "topology/boxes/box_locator.h"
#include "topology/forest/forest.h"
#include "topology/forest/forest_locator.h"
#include "topology/regions/region_locator.h"

namespace halo {

std::unique_ptr<Locator> make_locator(const Topology &topology) {
    if (const auto *forest = dynamic_cast<const ForestTopology *>(&topology))
        return forest->is_distributed() ? nullptr : std::make_unique<ForestLocator>(*forest);
    if (const auto *regions = dynamic_cast<const RegionsTopology *>(&topology)) return std::make_unique<RegionLocator>(*regions);
    if (const BoxSource *boxes = topology.boxes(); boxes && topology.knows_all_boxes())
        return std::make_unique<BoxLocator>(*boxes, topology.why_no_rows(false).empty());
    return nullptr;
}

} // namespace halo
