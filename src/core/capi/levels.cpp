// SPDX-License-Identifier: BSD-3-Clause
#include "capi/create_topology.h"
#include "topology/forest/forest.h"

using namespace halo;

halo_status halo_topology_create_forest(halo_context *context, const halo_forest_desc *desc, halo_topology **topology) {
    return create_from<ForestTopology>(context, desc, HALO_FOREST_DESC_INIT, "forest", topology);
}
