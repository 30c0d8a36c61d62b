// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a mesh with fields on nodes and edges, and loops over them that exchange nothing by hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mesh.h"
#include "placed.h"
#include "ranks.h"

namespace access_test {

using conformance::Rank;

// A device with memory of its own.
conformance::Settings with_device();

// Values of a part at one side. On a device whose memory the host cannot reach it is a copy that loops of the host work on; what they have changed
// goes there by `put_back`.
void *values_at(const halo_field *field, int64_t gid, int32_t set, int32_t where);
void put_back();

class World {
public:
    World(const Rank &rank, const Mesh &mesh);
    ~World();
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    const LocalMesh &local() const { return local_; }
    // Of points by global number, as given.
    static halo_topology *make_topology(const Rank &rank, const std::vector<int64_t> &numbers, const std::vector<int32_t> &owners);
    // Whole numbers, allocated.
    static halo_field *make_field(halo_topology *topology, const char *name, int32_t n_sets = 1);
    int64_t *data(const halo_field *field, int32_t where, int32_t set = 0) const;
    halo_access_state state(const halo_field *field, int32_t set = 0) const;
    halo_access_stats stats(const char *name) const;

    halo_batch *begin(const std::vector<halo_access> &accesses, int32_t style, int32_t where) const;

    // What loops over edges add leaves when they end.
    bool sends = false;
    // Over edges by section, or over own nodes; `body` gets local indices.
    template <class Body>
    void over_edges(const std::vector<halo_access> &accesses, int32_t style, int32_t where, Body &&body) const {
        const int64_t *n = local_.edge_sizes.n;
        halo_batch *batch = begin(accesses, style, where);
        for (int64_t e = 0; e < n[0]; ++e) body(e);
        put_back();
        OK(halo_access_ready(batch));
        for (int64_t e = n[0]; e < n[0] + n[1]; ++e) body(e);
        int32_t needs_exec = 0;
        OK(halo_access_needs_exec(batch, &needs_exec));
        if (needs_exec)
            for (int64_t e = n[0] + n[1]; e < n[0] + n[1] + n[2]; ++e) body(e);
        put_back();
        OK(sends ? halo_access_end_and_send(batch) : halo_access_end(batch));
    }
    template <class Body>
    void over_nodes(const std::vector<halo_access> &accesses, int32_t where, Body &&body) const {
        halo_batch *batch = begin(accesses, HALO_STYLE_REVERSE, where);
        OK(halo_access_ready(batch));
        for (int64_t i = 0; i < local_.n_own_nodes; ++i) body(i);
        put_back();
        OK(halo_access_end(batch));
    }
    // Ghosts of what is given are exchanged, no values are looked at.
    void touch(const std::vector<halo_access> &accesses, int32_t style, int32_t where) const;

    halo_topology *nodes = nullptr, *edges = nullptr;
    halo_field *x = nullptr, *res = nullptr, *low = nullptr, *high = nullptr; // on nodes
    halo_field *w = nullptr;                                                  // on edges

private:
    Rank rank_;
    LocalMesh local_;
};

inline halo_access direct(halo_field *field, int32_t mode, int32_t whole = 0, int32_t set = 0) {
    return { field, mode, HALO_DIRECT, 0, whole, set, 0, 0, 0 };
}
inline halo_access via_map(halo_field *field, int32_t mode, uint32_t sections = 0, int32_t set = 0) {
    return { field, mode, HALO_VIA_MAP, sections, 0, set, 0, 0, 0 };
}

} // namespace access_test
