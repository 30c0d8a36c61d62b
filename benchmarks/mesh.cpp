// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>
#include <vector>

#include "benchmarks.h"
#include "halo_mesh.h"
#include "statistics.h"
#include "timed.h"

namespace bench {

namespace {

// Corners of the six tetrahedra of a cube: from corner 0 to corner 7 along one edge after the other.
constexpr uint64_t tetrahedra[6][4] = { { 0, 1, 3, 7 }, { 0, 1, 5, 7 }, { 0, 2, 3, 7 }, { 0, 2, 6, 7 }, { 0, 4, 5, 7 }, { 0, 4, 6, 7 } };

// A slab of cubes cut into tetrahedra for each rank, one behind the other; nodes belong to whom most of their cells belong to.
class Slab {
public:
    Slab(const Session &session, int64_t side, int32_t depth) {
        const auto n = static_cast<uint64_t>(side), below = static_cast<uint64_t>(session.rank()) * n;
        for (uint64_t k = below; k < below + n; ++k)
            for (uint64_t j = 0; j < n; ++j)
                for (uint64_t i = 0; i < n; ++i)
                    for (uint64_t t = 0; t < 6; ++t) {
                        cells_.push_back(((k * n + j) * n + i) * 6 + t);
                        for (const uint64_t corner : tetrahedra[t])
                            nodes_.push_back(((k + (corner >> 2)) * (n + 1) + j + (corner >> 1 & 1)) * (n + 1) + i + (corner & 1));
                    }
        sets_[0] = sets_[1] = HALO_MESH_SET_INIT;
        sets_[0].name = "cells", sets_[0].n = std::ssize(cells_), sets_[0].keys = cells_.data();
        sets_[1].name = "nodes", sets_[1].owner_rule = HALO_MESH_OWNER_OF_SOURCES;
        map_ = HALO_MESH_MAP_INIT;
        map_.name = "nodes of cells", map_.to = 1, map_.arity = 4, map_.keys = nodes_.data();
        desc_.depth = depth, desc_.n_sets = 2, desc_.sets = sets_, desc_.n_maps = 1, desc_.maps = &map_;
    }
    Slab(const Slab &) = delete;
    Slab &operator=(const Slab &) = delete;

    halo_mesh *make(const Session &session) const {
        halo_mesh *mesh = nullptr;
        halo::check(halo_mesh_create(session.context(), &desc_, &mesh));
        return mesh;
    }

private:
    std::vector<uint64_t> cells_, nodes_;
    halo_mesh_set sets_[2];
    halo_mesh_map map_;
    halo_mesh_desc desc_ = HALO_MESH_DESC_INIT;
};

// What one would begin with instead: topologies of the same cells and nodes, ghosts included, from keys.
class Keys {
public:
    explicit Keys(const halo_mesh *mesh) {
        for (int32_t set = 0; set < 2; ++set) {
            halo::check(halo_mesh_get_local(mesh, set, &locals_[set]));
            flags_[set].resize(static_cast<size_t>(locals_[set].n), HALO_KEY_WANT);
            std::fill_n(flags_[set].begin(), locals_[set].n_owned, HALO_KEY_CLAIM);
        }
    }
    void make(const Session &session) const {
        for (int32_t set = 0; set < 2; ++set) {
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.n_keys = locals_[set].n, desc.keys = locals_[set].keys, desc.flags = flags_[set].data();
            halo_topology *topology = nullptr;
            halo::check(halo_topology_create_keys(session.context(), &desc, &topology));
            halo_topology_destroy(&topology);
        }
    }
    int64_t n(int32_t set) const { return locals_[set].n; }

private:
    halo_mesh_local locals_[2] = { HALO_MESH_LOCAL_INIT, HALO_MESH_LOCAL_INIT };
    std::vector<int32_t> flags_[2];
};

} // namespace

void run_mesh(const Session &session, const Options &options, Report &report) {
    report.begin("a mesh made local",
                 "tetrahedra and their nodes, slabs by rank; against topologies from keys of the same cells and nodes; ms; bar: 3");
    for (const int32_t depth : { 1, 2, 3 }) {
        const Slab slab(session, options.side, depth);
        halo_mesh *mesh = slab.make(session);
        const Keys keys(mesh);
        std::vector<double> made, from_keys, ratios;
        for (int pair = 0; pair < options.pairs; ++pair) {
            from_keys.push_back(timed(session, [&] { keys.make(session); }) * milliseconds);
            halo_mesh *again = nullptr;
            made.push_back(timed(session, [&] { again = slab.make(session); }) * milliseconds);
            ratios.push_back(made.back() / from_keys.back());
            if (Keys(again).n(0) != keys.n(0) || Keys(again).n(1) != keys.n(1)) throw std::runtime_error("the mesh is another than before");
            halo::check(halo_mesh_destroy(&again));
        }
        halo::check(halo_mesh_destroy(&mesh));
        const Estimate ratio = estimate(ratios);
        report.row(
            Row().add("depth", static_cast<int64_t>(depth)).add("mesh ms", median_of(made)).add("keys ms", median_of(from_keys)).add("ratio", ratio));
    }
}

} // namespace bench
