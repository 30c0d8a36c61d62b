// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "capi/handle.h"
#include "capi/list.h"
#include "topology/blocks/blocks.h"
#include "topology/boxes/boxes.h"


namespace halo {

namespace {

// Makes a topology of type Made from the caller's descriptor.
template <class Made, class Desc>
halo_status create_topology(halo_context *context, const Desc *desc, const Desc &defaults, const char *what, halo_topology **topology) {
    return with_handle(context, [&] {
        require(desc, "desc");
        require(topology, "topology");
        const Desc known = read_struct(desc, defaults, sizeof defaults, what);
        ContextObject &owner = object_of<ContextObject>(context);
        auto object = std::make_unique<Made>(owner.context, known);
        *topology = owner.shells.make<halo_topology>(&owner, static_cast<Topology *>(object.get()));
        object.release();
    });
}

} // namespace

} // namespace halo

using namespace halo;

halo_status halo_topology_create_blocks(halo_context *context, const halo_blocks_desc *desc, halo_topology **topology) {
    return create_topology<BlocksTopology, halo_blocks_desc>(context, desc, HALO_BLOCKS_DESC_INIT, "halo_blocks_desc", topology);
}

halo_status halo_topology_create_boxes(halo_context *context, const halo_boxes_desc *desc, halo_topology **topology) {
    return create_topology<BoxesTopology, halo_boxes_desc>(context, desc, HALO_BOXES_DESC_INIT, "halo_boxes_desc", topology);
}

halo_status halo_topology_destroy(halo_topology **topology) {
    return guard([&] {
        require(topology, "topology");
        require_handle(shell_of(*topology), HandleKind::topology);
        const int64_t fields = object_of<Topology>(*topology).fields;
        if (fields > 0) fail(HALO_BUSY, "topology: %lld fields still use it", static_cast<long long>(fields));
        destroy_object<Topology>(topology);
    });
}

halo_status halo_topology_local_parts(const halo_topology *topology, const int64_t **gids, int64_t *n) {
    return with_handle(topology, [&] {
        require(n, "n");
        const auto &parts = object_of<Topology>(topology).local_parts();
        if (gids) *gids = parts.data();
        *n = std::ssize(parts);
    });
}

halo_status halo_topology_part(const halo_topology *topology, int64_t gid, halo_part *part) {
    return with_handle(topology, [&] {
        require(part, "part");
        write_struct(part, object_of<Topology>(topology).part(gid), sizeof *part, "halo_part");
    });
}

halo_status halo_topology_neighbours(const halo_topology *topology, int64_t gid, halo_neighbour *neighbours, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(object_of<Topology>(topology).neighbours(gid), neighbours, capacity, n, "neighbours"); });
}

halo_status halo_topology_peers(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n) {
    return with_handle(topology, [&] { write_list(object_of<Topology>(topology).peers(), ranks, capacity, n, "ranks"); });
}
