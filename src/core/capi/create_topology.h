// SPDX-License-Identifier: BSD-3-Clause
// Topologies made from descriptions, as handles.
#pragma once

#include <memory>

#include "capi/handle.h"
#include "comm/collective_stream.h"
#include "topology/topology.h"

namespace halo {

// What `make` makes of a description; `kind` begins texts.
template <class Desc, class Make>
halo_status create_topology(halo_context *context, const Desc *desc, const Desc &defaults, const char *kind, halo_topology **topology, Make &&make) {
    return with_handle(context, [&] {
        require(desc, "desc");
        require(topology, "topology");
        const Desc known = read_struct(desc, defaults);
        ContextObject &owner = object_of<ContextObject>(context);
        const CollectiveCall call(owner.context, kind);
        std::unique_ptr<Topology> object = make(owner.context, known);
        *topology = owner.shells.make<halo_topology>(&owner, object.get());
        object.release();
    });
}

template <class Kind, class Desc>
halo_status create_from(halo_context *context, const Desc *desc, const Desc &defaults, const char *kind, halo_topology **topology) {
    return create_topology(context, desc, defaults, kind, topology, [](Context &in, const Desc &known) { return std::make_unique<Kind>(in, known); });
}

} // namespace halo
