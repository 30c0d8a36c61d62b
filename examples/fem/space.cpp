// SPDX-License-Identifier: BSD-3-Clause
#include "space.h"

#include <stdexcept>
#include <utility>

namespace fem {

namespace {

halo_field_desc one_per_node() {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "unknowns";
    return desc;
}

} // namespace

Space::Space(const halo::Context &context, Mesh mesh)
    : mesh_(std::move(mesh)),
      topology_(find_owners(context, mesh_)),
      report_(topology_.keys_report()),
      field_(topology_, one_per_node()),
      exchange_({ field_.get() }) {
    if (report_.n_unclaimed != 0) throw std::runtime_error("some nodes belong to no rank's own tetrahedra: the parts do not fit together");
    renumber();
    field_.allocate();
}

halo::Topology Space::find_owners(const halo::Context &context, const Mesh &mesh) {
    std::vector<std::uint64_t> keys;
    std::vector<std::int32_t> flags;
    for (const auto &node : mesh.nodes) {
        keys.push_back(node.key);
        flags.push_back(node.of_own_element ? 0 : HALO_KEY_WANT);
    }
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<std::int64_t>(keys.size());
    desc.keys = keys.data();
    desc.flags = flags.data();
    return { context, desc };
}

void Space::renumber() {
    const auto new_place = topology_.local_indices();
    std::vector<Node> nodes(mesh_.nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[new_place[i]] = mesh_.nodes[i];
    mesh_.nodes = std::move(nodes);
    for (auto &tetrahedron : mesh_.tetrahedra)
        for (auto &node : tetrahedron.nodes) node = new_place[node];
}

void Space::start(std::vector<double> &values) { exchange_.start(halo::Run().data({ values.data() })); }

} // namespace fem
