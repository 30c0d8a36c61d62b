// SPDX-License-Identifier: BSD-3-Clause
// Topologies made from descriptions, as handles.
#pragma once

#include <memory>

#include "capi/handle.h"
#include "comm/collective_stream.h"
#include "topology/topology.h"

namespace halo {

// What `make` makes of a description of at least so many bytes; `kind` begins texts, and is in the description's name.
template <class Desc, class Make>
halo_status create_topology(halo_context *context, const Desc *desc, const Desc &defaults, const char *kind, halo_topology **topology, Make &&make,
                            size_t least_bytes = sizeof(Desc)) {
    return with_handle(context, [&] {
        require(desc, "desc");
        require(topology, "topology");
        const Desc known = read_struct(desc, defaults, least_bytes, format("halo_%s_desc", kind).c_str());
        ContextObject &owner = object_of<ContextObject>(context);
        const CollectiveCall call(owner.context, kind);
        std::unique_ptr<Topology> object = make(owner.context, known);
        *topology = owner.shells.make<halo_topology>(&owner, object.get());
        object.release();
    });
}

template <class Kind, class Desc>
halo_status create_from(halo_context *context, const Desc *desc, const Desc &defaults, const char *kind, halo_topology **topology,
                        size_t least_bytes = sizeof(Desc)) {
    return create_topology(
        context, desc, defaults, kind, topology, [](Context &in, const Desc &known) { return std::make_unique<Kind>(in, known); }, least_bytes);
}

} // namespace halo
