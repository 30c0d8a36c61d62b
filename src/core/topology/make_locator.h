// SPDX-License-Identifier: BSD-3-Clause
// What finds positions on a topology, of whichever kind.
#pragma once

#include <memory>

#include "topology/locator.h"
#include "topology/topology.h"

namespace halo {

// Null: ranks do not know of all parts where they lie, or parts have no cells.
std::unique_ptr<Locator> make_locator(const Topology &topology);

} // namespace halo
