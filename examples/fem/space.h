// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mesh.h"

#include <halo.hpp>

#include <vector>

namespace fem {

/// One unknown at every node, on all ranks: who owns each node, and the copies' exchange. Values are indexed as the nodes: owned ones first.
class Space {
public:
    /// Collective. Nodes of own tetrahedra may be owned; the lowest rank among those that have a node owns it. `mesh` is renumbered.
    Space(const halo::Context &context, Mesh mesh);

    const Mesh &mesh() const { return mesh_; }
    std::size_t n_nodes() const { return mesh_.nodes.size(); }
    std::size_t n_owned() const { return static_cast<std::size_t>(report_.n_owned); }
    const halo_keys_report &report() const { return report_; }
    std::vector<double> zeros() const { return std::vector<double>(n_nodes(), 0.0); }

    /// Owned values travel to the copies on other ranks. Owned values may change after start, copies are ready after finish.
    void start(std::vector<double> &values);
    void finish() { exchange_.finish(); }
    halo_exchange_stats stats() const { return exchange_.stats(); }

private:
    static halo::Topology find_owners(const halo::Context &context, const Mesh &mesh);
    void renumber();

    Mesh mesh_;
    halo::Topology topology_;
    halo_keys_report report_;
    halo::Field field_;
    halo::Exchange exchange_;
};

} // namespace fem
