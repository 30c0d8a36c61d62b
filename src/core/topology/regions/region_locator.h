// SPDX-License-Identifier: BSD-3-Clause
// Positions among ghosts that joins fill. What lies beyond all joins of a part is outside of the domain.
#pragma once

#include "topology/locator.h"
#include "topology/regions/regions.h"

namespace halo {

class RegionLocator final : public Locator {
public:
    explicit RegionLocator(const RegionsTopology &regions) : regions_(regions) {}
    Landing find(int64_t gid, const CellPosition &at) override;

private:
    const RegionsTopology &regions_;
};

} // namespace halo
