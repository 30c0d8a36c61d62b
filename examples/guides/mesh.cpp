// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <vector>

#include <halo_access.hpp>
#include <halo_mesh.hpp>

namespace {

constexpr int64_t n_x = 24, n_y = 4; // quadrilaterals around a cylinder

uint64_t node_of(int64_t cell, int corner) { return static_cast<uint64_t>((cell / n_x + corner / 2) * n_x + (cell % n_x + corner % 2) % n_x); }

} // namespace

int main() try {
    const halo::Context context;

    // What this rank has read from a file: every n-th cell, its nodes, its area, and the rank that a partitioner has chosen for it.
    std::vector<uint64_t> cells, corners;
    std::vector<int32_t> owners;
    std::vector<double> areas;
    for (int64_t cell = context.rank(); cell < n_x * n_y; cell += context.n_ranks()) {
        cells.push_back(static_cast<uint64_t>(cell));
        owners.push_back(static_cast<int32_t>(cell % n_x * context.n_ranks() / n_x));
        areas.push_back(1.0 + static_cast<double>(cell));
        for (int corner = 0; corner < 4; ++corner) corners.push_back(node_of(cell, corner));
    }
    halo::MeshSets sets;
    const int32_t of_cells = sets.add("cells", cells, owners), of_nodes = sets.add("nodes");
    const int32_t nodes_of_cells = sets.map("nodes of cells", of_cells, of_nodes, 4, corners);
    sets.owners_of_sources(of_nodes, nodes_of_cells);
    halo::Mesh mesh(context, sets);

    // Areas go to the owners of the cells. Ghosts get them when a loop reads them.
    const halo_mesh_local local_cells = mesh.local(of_cells), local_nodes = mesh.local(of_nodes);
    std::vector<double> area(static_cast<size_t>(local_cells.n)), around(static_cast<size_t>(local_nodes.n), 0.0);
    mesh.distribute(of_cells, areas.data(), area.data());
    const halo::Topology on_cells = mesh.topology(of_cells), on_nodes = mesh.topology(of_nodes);
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "area";
    halo::Field area_field(on_cells, desc);
    area_field.bind(context.rank(), area.data());
    desc.name = "around";
    halo::Field around_field(on_nodes, desc);
    around_field.bind(context.rank(), around.data());

    // Own cells and one layer of ghosts: own nodes get all that is to be added to them.
    const halo::LocalMap nodes = mesh.map(nodes_of_cells);
    const auto add = [&](int64_t begin, int64_t end) {
        for (int64_t cell = begin; cell < end; ++cell)
            for (const uint32_t node : nodes.row(cell)) around[node] += area[static_cast<size_t>(cell)];
    };
    halo::Batch loop(context, { halo::direct(area_field, HALO_READ), halo::via_map(around_field, HALO_INC) }, HALO_STYLE_REDUNDANT);
    add(0, local_cells.n_core); // while ghosts are on their way
    loop.ready();
    add(local_cells.n_core, local_cells.layer_ends[1]);
    loop.end();

    int wrong = 0;
    for (int64_t node = 0; node < local_nodes.n_owned; ++node) {
        double sum = 0;
        for (int64_t cell = 0; cell < n_x * n_y; ++cell)
            for (int corner = 0; corner < 4; ++corner) sum += node_of(cell, corner) == local_nodes.keys[node] ? 1.0 + static_cast<double>(cell) : 0.0;
        wrong += around[static_cast<size_t>(node)] != sum;
    }
    for (double &value : area) value *= 2;
    mesh.collect(of_cells, area.data(), areas.data()); // to where they were read
    for (size_t i = 0; i < cells.size(); ++i) wrong += areas[i] != 2 * (1.0 + static_cast<double>(cells[i]));
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
