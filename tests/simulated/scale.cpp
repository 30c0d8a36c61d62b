// SPDX-License-Identifier: BSD-3-Clause
// One of many simulated ranks: a periodic lattice of ranks with equal cubes of points, whose keys run along the ranks' Morton curve. Makes topologies
// with one layer of ghosts, exchanges, checks the ghosts, and prints what ranks have sent and allocated.
#include "scale.h"

#include "counters.h"

#include <halo.hpp>
#include <halo_levels.hpp>
#include <halo_mesh.hpp>
#include <halo_sphere.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int64_t side = 8; // points of a rank's cube along each direction
constexpr int n_runs = 2;

/// The lattice of ranks: 2^a x 2^b x 2^c, ranks numbered by interleaving the bits of their places.
class Lattice {
public:
    explicit Lattice(int n_ranks) {
        for (int bit = 0; (1 << bit) < n_ranks; ++bit) ++bits_[bit % 3];
    }
    int extent(int d) const { return 1 << bits_[d]; }
    std::array<int, 3> place(int rank) const {
        std::array<int, 3> at{ 0, 0, 0 }, done{ 0, 0, 0 };
        for (int bit = 0, d = 0; bit < bits_[0] + bits_[1] + bits_[2]; ++bit, d = (d + 1) % 3) at[d] |= (rank >> bit & 1) << done[d]++;
        return at;
    }
    int rank(const std::array<int, 3> &at) const {
        std::array<int, 3> done{ 0, 0, 0 };
        int rank = 0;
        for (int bit = 0, d = 0; bit < bits_[0] + bits_[1] + bits_[2]; ++bit, d = (d + 1) % 3) rank |= (at[d] >> done[d]++ & 1) << bit;
        return rank;
    }
    /// Key of a point, by its place counted from the first point of `rank`; all directions are periodic.
    uint64_t key(int rank_here, std::array<int64_t, 3> point) const {
        auto at = place(rank_here);
        for (int d = 0; d < 3; ++d) {
            const int shift = point[d] < 0 ? -1 : point[d] >= side ? 1 : 0;
            at[d] = (at[d] + shift + extent(d)) % extent(d);
            point[d] -= shift * side;
        }
        return static_cast<uint64_t>(rank(at) * side * side * side + point[0] + side * (point[1] + side * point[2]));
    }

private:
    std::array<int, 3> bits_{ 0, 0, 0 };
};

struct Points {
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags;
};

Points points_of(const Lattice &lattice, int rank) {
    Points points;
    for (int64_t z = -1; z <= side; ++z)
        for (int64_t y = -1; y <= side; ++y)
            for (int64_t x = -1; x <= side; ++x) {
                const bool own = std::min({ x, y, z }) >= 0 && std::max({ x, y, z }) < side;
                points.keys.push_back(lattice.key(rank, { x, y, z }));
                points.flags.push_back(own ? HALO_KEY_CLAIM : HALO_KEY_WANT);
            }
    return points;
}

struct Stage {
    const char *name;
    Counts counts;
};

/// The greatest of all ranks, and their mean.
void print(const halo::Context &context, const Stage &stage) {
    const auto &c = stage.counts;
    int64_t greatest[] = { c.messages, c.message_bytes, c.allocations, c.allocated_bytes, c.greatest_bytes };
    int64_t sums[] = { c.messages, c.message_bytes, c.allocations, c.allocated_bytes };
    context.allreduce(std::span<int64_t>(greatest), HALO_MAX);
    context.allreduce(std::span<int64_t>(sums), HALO_SUM);
    if (context.rank() != 0) return;
    const auto row = [&](const char *what, size_t i) {
        std::printf(" %s %lld mean %.1f", what, static_cast<long long>(greatest[i]), static_cast<double>(sums[i]) / context.n_ranks());
    };
    std::printf("%s", stage.name);
    row("messages", 0);
    row("bytes", 1);
    row("allocations", 2);
    row("allocated", 3);
    std::printf(" largest %lld\n", static_cast<long long>(greatest[4]));
}

halo::Topology make_points(const halo::Context &context, const Points &points, int32_t directory) {
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(points.keys.size());
    desc.keys = points.keys.data();
    desc.flags = points.flags.data();
    desc.directory = directory;
    return { context, desc };
}

void check_ghosts(const Points &points, const std::vector<uint32_t> &index, const double *values, int32_t rank) {
    for (size_t i = 0; i < points.keys.size(); ++i)
        if (values[index[i]] != static_cast<double>(points.keys[i])) {
            std::fprintf(stderr, "rank %d: key %llu has the value %g\n", rank, static_cast<unsigned long long>(points.keys[i]), values[index[i]]);
            std::exit(EXIT_FAILURE);
        }
}

/// Nobody may sleep: ranks share a thread, and simulated time passes in MPI calls alone.
halo::Context make_context() {
    constexpr halo_setting settings[] = { { "transport", "mpi_smpi" },   { "plugin_path", MODULES },   { "wait.sleep_after", "none" },
                                          { "wait.spin", "1000000000" }, { "discovery", "consensus" }, { "shared_memory", "no" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = static_cast<int32_t>(std::size(settings));
    return halo::Context(&options);
}

class Stages {
public:
    explicit Stages(const halo::Context &context) : context_(context) {}
    void begin() { take_counts(); }
    void end(const char *name) { all_.push_back({ name, take_counts() }); }
    void print_all() const {
        for (const auto &stage : all_) print(context_, stage);
    }

private:
    const halo::Context &context_;
    std::vector<Stage> all_;
};

void run_points(const halo::Context &context, const Lattice &lattice, int32_t directory, Stages &stages) {
    const auto points = points_of(lattice, context.rank());
    stages.begin();
    const auto topology = make_points(context, points, directory);
    stages.end("topology");

    const auto index = topology.local_indices();
    std::vector<double> values(points.keys.size(), -1.0);
    for (size_t i = 0; i < points.keys.size(); ++i)
        if (points.flags[i] == HALO_KEY_CLAIM) values[index[i]] = static_cast<double>(points.keys[i]);
    stages.begin();
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "values";
    halo::Field field(topology, desc);
    field.bind(context.rank(), values.data());
    halo::Exchange exchange({ field.get() });
    exchange.start();
    exchange.finish();
    stages.end("first_run");
    check_ghosts(points, index, values.data(), context.rank());
    stages.begin();
    for (int i = 0; i < n_runs; ++i) {
        exchange.start();
        exchange.finish();
    }
    stages.end("later_runs");
    const auto degree = context.allreduce(static_cast<int64_t>(topology.peers().size()), HALO_MAX);
    if (context.rank() == 0) std::printf("ranks %d degree %lld\n", context.n_ranks(), static_cast<long long>(degree));
}

/// Hexahedra and their nodes, as many of each rank: a mesh with two layers of ghosts, and its topologies.
void run_mesh(const halo::Context &context, const Lattice &lattice, Stages &stages) {
    std::vector<uint64_t> keys, corners;
    for (int64_t z = 0; z < side; ++z)
        for (int64_t y = 0; y < side; ++y)
            for (int64_t x = 0; x < side; ++x) {
                keys.push_back(lattice.key(context.rank(), { x, y, z }));
                for (int64_t corner = 0; corner < 8; ++corner)
                    corners.push_back(lattice.key(context.rank(), { x + corner % 2, y + corner / 2 % 2, z + corner / 4 }));
            }
    halo::MeshSets sets;
    const int32_t cells = sets.add("cells", keys), nodes = sets.add("nodes", keys);
    sets.map("nodes of cells", cells, nodes, 8, corners);
    stages.begin();
    halo::Mesh mesh(context, sets, 2);
    stages.end("mesh");
    stages.begin();
    const halo::Topology on_cells = mesh.topology(cells), on_nodes = mesh.topology(nodes);
    stages.end("topologies");
    // Cells lead to nodes at their lower and upper ends, so both layers lie below, and one above.
    const auto cube = [](int64_t width) { return width * width * width; };
    if (mesh.local(cells).n != cube(side + 3) || mesh.local(nodes).n != cube(side + 4))
        throw std::runtime_error("the mesh has not its numbers of entities");
    const int64_t n_local = mesh.local(cells).n + mesh.local(nodes).n;
    if (context.rank() == 0) std::printf("ranks %d local %lld\n", context.n_ranks(), static_cast<long long>(n_local));
}

/// Each rank has a point of its own, and one that all have.
void run_everywhere(const halo::Context &context, Stages &stages) {
    const Points points{ { 0, static_cast<uint64_t>(context.rank()) + 1 }, { context.rank() == 0 ? HALO_KEY_CLAIM : HALO_KEY_WANT, HALO_KEY_CLAIM } };
    stages.begin();
    const auto topology = make_points(context, points, HALO_DIRECTORY_HASH);
    stages.end("topology");
    int64_t n_sharers = 0;
    halo::check(halo_topology_sharers(topology, topology.local_indices()[0], nullptr, 0, &n_sharers));
    if (n_sharers != context.n_ranks()) {
        std::fprintf(stderr, "rank %d: %lld sharers\n", context.rank(), static_cast<long long>(n_sharers));
        std::exit(EXIT_FAILURE);
    }
}

template <class Desc>
halo::Topology make_topology(const halo::Context &context, const Desc &desc) {
    return { context, desc };
}
halo::Topology make_topology(const halo::Context &context, const halo_forest_desc &desc) {
    halo_topology *topology = nullptr;
    halo::check(halo_topology_create_forest(context, &desc, &topology));
    return halo::Topology::adopt(topology);
}

/// Make a topology, a field with one layer of ghosts and an exchange, and run it once.
template <class Desc>
void run_cells(const halo::Context &context, const Desc &desc, const char *name, Stages &stages) {
    stages.begin();
    const halo::Topology topology = make_topology(context, desc);
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "cells";
    for (int d = 0; d < 3; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = 1;
    halo::Field field(topology, field_desc);
    field.allocate();
    halo::Exchange exchange({ field.get() });
    exchange.start();
    exchange.finish();
    stages.end(name);
}

void run_blocks(const halo::Context &context, const Lattice &lattice, Stages &stages) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    for (int d = 0; d < 3; ++d) {
        desc.n_blocks[d] = lattice.extent(d);
        desc.n_cells[d] = side;
        desc.periodic[d] = 1;
    }
    run_cells(context, desc, "blocks", stages);
}

/// Each rank says where its own box is, and nothing of others.
void run_boxes(const halo::Context &context, const Lattice &lattice, Stages &stages) {
    const auto at = lattice.place(context.rank());
    halo_box own;
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    for (int d = 0; d < 3; ++d) {
        own.low[d] = side * at[d];
        own.high[d] = own.low[d] + side;
        desc.domain.high[d] = side * lattice.extent(d);
        desc.periodic[d] = 1;
    }
    desc.distributed = 1;
    desc.reach = 1;
    desc.boxes = &own;
    desc.n_boxes = 1;
    run_cells(context, desc, "boxes", stages);
}

/// Each rank has a root block, an eighth of which is refined once more than the rest, and knows nothing of others: 120 leaves.
void run_forest(const halo::Context &context, const Lattice &lattice, Stages &stages) {
    halo_tree tree = HALO_TREE_INIT;
    std::array<halo_tree_join, 3> joins;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    for (int d = 0; d < 3; ++d) {
        tree.n_roots[d] = lattice.extent(d);
        joins[static_cast<size_t>(d)] = HALO_TREE_JOIN_INIT;
        joins[static_cast<size_t>(d)].side = 2 * d + 1;
        desc.n_cells[d] = 4;
    }
    const auto at = lattice.place(context.rank());
    std::vector<halo_leaf> leaves;
    const auto add = [&](int32_t level, int64_t first, int64_t end, auto &&wanted) {
        for (int64_t z = first; z < end; ++z)
            for (int64_t y = first; y < end; ++y)
                for (int64_t x = first; x < end; ++x)
                    if (wanted(x, y, z))
                        leaves.push_back(
                            { 0, level, { (int64_t{ at[0] } << level) + x, (int64_t{ at[1] } << level) + y, (int64_t{ at[2] } << level) + z } });
    };
    add(2, 0, 4, [](int64_t x, int64_t y, int64_t z) { return x > 1 || y > 1 || z > 1; });
    add(3, 0, 4, [](int64_t, int64_t, int64_t) { return true; });
    desc.trees = &tree, desc.n_trees = 1;
    desc.joins = joins.data(), desc.n_joins = 3;
    desc.leaves = leaves.data(), desc.n_leaves = static_cast<int64_t>(leaves.size());
    desc.distributed = 1;
    run_cells(context, desc, "forest", stages);
}

/// Cells, edges and vertices of an icosahedral grid, two rings of ghosts each, in one exchange: 10 p^2 ranks have a part of `squares` by `squares`
/// each.
void run_sphere(const halo::Context &context, int64_t squares, Stages &stages) {
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.parts_per_side = static_cast<int32_t>(std::lround(std::sqrt(context.n_ranks() / 10.0)));
    desc.n = squares * desc.parts_per_side;
    for (int32_t &rings : desc.rings) rings = 2;
    stages.begin();
    halo::Sphere sphere(context, desc);
    stages.end("sphere");
    stages.begin();
    std::vector<halo::Topology> topologies;
    for (const int32_t kind : { HALO_SPHERE_CELLS, HALO_SPHERE_EDGES, HALO_SPHERE_VERTICES }) topologies.push_back(sphere.topology(kind));
    stages.end("topology");

    const int64_t gid = sphere.local_parts()[0];
    const halo_sphere_part part = sphere.part(gid);
    std::array<std::vector<uint64_t>, 3> keys;
    std::array<std::vector<double>, 3> values;
    std::vector<halo::Field> fields;
    std::vector<halo_field *> handles;
    for (size_t kind = 0; kind < 3; ++kind) {
        keys[kind] = sphere.keys(gid, static_cast<int32_t>(kind));
        values[kind].assign(keys[kind].size(), -1.0);
        std::copy_n(keys[kind].begin(), part.n_owned[kind], values[kind].begin());
    }
    stages.begin();
    for (size_t kind = 0; kind < 3; ++kind) {
        constexpr const char *names[] = { "cells", "edges", "vertices" };
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = names[kind];
        handles.push_back(fields.emplace_back(topologies[kind], field).get());
        fields[kind].bind(gid, values[kind].data());
    }
    halo::Exchange exchange{ std::span<halo_field *const>(handles) };
    exchange.start();
    exchange.finish();
    stages.end("first_run");
    int64_t wrong = 0;
    for (size_t kind = 0; kind < 3; ++kind)
        for (size_t i = 0; i < keys[kind].size(); ++i) wrong += values[kind][i] != static_cast<double>(keys[kind][i]);
    if (context.allreduce(wrong, HALO_SUM) != 0) throw std::runtime_error("ghosts of the sphere are not their owners'");
    std::array<int64_t, 3> owned{ part.n_owned[0], part.n_owned[1], part.n_owned[2] };
    std::array<int64_t, 3> local{ part.n_local[0], part.n_local[1], part.n_local[2] };
    context.allreduce(std::span<int64_t>(owned), HALO_SUM);
    context.allreduce(std::span<int64_t>(local), HALO_MAX);
    const int64_t n = desc.n;
    if (owned != std::array<int64_t, 3>{ 20 * n * n, 30 * n * n, 10 * n * n + 2 })
        throw std::runtime_error("the sphere has not its numbers of entities");
    if (context.rank() == 0)
        std::printf("ranks %d cells %lld squares %lld local %lld\n", context.n_ranks(), static_cast<long long>(owned[0]),
                    static_cast<long long>(squares), static_cast<long long>(local[0] + local[1] + local[2]));
}

} // namespace

void run_simulated(const std::string &what) {
    take_counts();
    const halo::Context context = make_context();
    Stages stages(context);
    stages.end("context");
    const Lattice lattice(context.n_ranks());
    if (what == "range") {
        run_points(context, lattice, HALO_DIRECTORY_RANGE, stages);
    } else if (what == "hash") {
        run_points(context, lattice, HALO_DIRECTORY_HASH, stages);
    } else if (what == "everywhere") {
        run_everywhere(context, stages);
    } else if (what == "mesh") {
        run_mesh(context, lattice, stages);
    } else if (what == "sphere") {
        run_sphere(context, 24, stages);
    } else if (what == "sphere_large") {
        run_sphere(context, 142, stages);
    } else {
        run_blocks(context, lattice, stages);
        run_boxes(context, lattice, stages);
        run_forest(context, lattice, stages);
    }
    stages.print_all();
}
