// SPDX-License-Identifier: BSD-3-Clause
// Heat on a triangulated square, by loops over edges that add to the nodes at their ends. No line here exchanges anything: the loops say what they
// read and write. Both styles are run, redundant execution and reverse exchange, and compared with the same loops in one place.
// Heat is counted in whole grains: sums do not depend on their order, so all results are the same bits on any number of ranks.
//
// usage: edges [--inproc RANKS] [NODES_PER_SIDE [STEPS]]      ranks are threads, or those of a launcher
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>

#include <halo_access.hpp>

#include "mesh.h"
#include "ranks.h"

namespace edges {
namespace {

struct Options {
    int32_t threads = 0; // 0: a launcher's ranks, or this process alone
    uint32_t nodes_per_side = 48;
    int64_t steps = 40;
};

int64_t first_heat(const std::array<double, 2> &node) { return node[0] + node[1] < 0.6 ? 1 << 20 : 0; }
int64_t conductance(uint64_t edge) { return 4 + static_cast<int64_t>(edge % 5); } // in 64ths
int64_t flow(int64_t from, int64_t to, int64_t conducts) { return (from - to) * conducts / 64; }

// A number for a whole distribution of heat.
int64_t digest(uint64_t node, int64_t heat) { return heat * static_cast<int64_t>(node % 1021 + 1); }

int64_t serial_digest(const Mesh &mesh, int64_t steps) {
    std::vector<int64_t> heat, change(mesh.nodes.size());
    for (const auto &node : mesh.nodes) heat.push_back(first_heat(node));
    for (int64_t step = 0; step < steps; ++step) {
        for (uint64_t e = 0; e < mesh.edges.size(); ++e) {
            const auto [a, b] = mesh.edges[e];
            const int64_t grains = flow(heat[a], heat[b], conductance(e));
            change[a] -= grains;
            change[b] += grains;
        }
        for (size_t i = 0; i < heat.size(); ++i) {
            heat[i] += change[i];
            change[i] = 0;
        }
    }
    int64_t sum = 0;
    for (uint64_t i = 0; i < heat.size(); ++i) sum += digest(i, heat[i]);
    return sum;
}

class Solver {
public:
    Solver(const halo::Context &context, const Mesh &mesh)
        : context_(context),
          rank_(context.rank()),
          part_(part_of(mesh, rank_, context.n_ranks())),
          nodes_(topology(part_.nodes, part_.node_owners)),
          edges_(topology(part_.edges, part_.edge_owners)),
          heat_field_(field(nodes_, "heat")),
          change_field_(field(nodes_, "change")),
          conducts_field_(field(edges_, "conductance")),
          heat_(heat_field_.data<int64_t>(rank_)),
          change_(change_field_.data<int64_t>(rank_)),
          conducts_(conducts_field_.data<int64_t>(rank_)),
          sum_(context, HALO_SUM) {
        start(mesh);
    }

    int64_t run(int64_t steps, int32_t style) {
        for (int64_t step = 0; step < steps; ++step) {
            add_flows(style);
            update(style);
        }
        return sum_of_digests();
    }
    // Of this run: those of the library go on counting.
    void print_counters() const {
        if (rank_ != 0) return;
        for (size_t i = 0; i < std::size(names); ++i) {
            const halo_access_stats now = halo::access_stats(context_, names[i]), &then = before_[i];
            std::printf("    %-12s exchanged %3lld times, found fresh %3lld, reversed %3lld, %7lld bytes sent by rank 0\n", names[i],
                        static_cast<long long>(now.started - then.started), static_cast<long long>(now.skipped - then.skipped),
                        static_cast<long long>(now.reversed - then.reversed), static_cast<long long>(now.bytes_sent - then.bytes_sent));
        }
    }

private:
    static constexpr const char *names[] = { "heat", "change", "conductance" };

    halo::Topology topology(const std::vector<uint64_t> &keys, const std::vector<int32_t> &owners) const {
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = static_cast<int64_t>(keys.size());
        desc.keys = keys.data();
        desc.owners = owners.data();
        desc.numbering = HALO_NUMBERING_AS_GIVEN; // which is by section
        return { context_, desc };
    }
    static halo::Field field(const halo::Topology &topology, const char *name) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.type = HALO_INT64;
        halo::Field made(topology, desc);
        made.allocate();
        return made;
    }

    // Own values alone: the first loops that read ghosts will find them stale.
    void start(const Mesh &mesh) {
        for (int64_t i = 0; i < own(part_.node_sizes); ++i) heat_[i] = first_heat(mesh.nodes[part_.nodes[static_cast<size_t>(i)]]);
        for (int64_t e = 0; e < own(part_.edge_sizes); ++e) conducts_[e] = conductance(part_.edges[static_cast<size_t>(e)]);
        for (halo_field *written : { heat_field_.get(), change_field_.get(), conducts_field_.get() }) halo::mark_dirty(written);
        for (size_t i = 0; i < std::size(names); ++i) before_[i] = halo::access_stats(context_, names[i]);
    }
    static int64_t own(const halo_section_sizes &sizes) { return sizes.n[HALO_SECTION_CORE] + sizes.n[HALO_SECTION_OWNED]; }

    void add_flows(int64_t first, int64_t n) {
        for (int64_t e = first; e < first + n; ++e) {
            const uint32_t a = part_.ends[static_cast<size_t>(2 * e)], b = part_.ends[static_cast<size_t>(2 * e + 1)];
            const int64_t grains = flow(heat_[a], heat_[b], conducts_[e]);
            change_[a] -= grains;
            change_[b] += grains;
        }
    }
    void add_flows(int32_t style) {
        const int64_t *n = part_.edge_sizes.n;
        halo::Batch batch(context_,
                          { halo::direct(conducts_field_, HALO_READ), halo::via_map(heat_field_, HALO_READ), halo::via_map(change_field_, HALO_INC) },
                          style);
        add_flows(0, n[HALO_SECTION_CORE]); // while ghosts are on their way
        batch.ready();
        add_flows(n[HALO_SECTION_CORE], n[HALO_SECTION_OWNED]);
        if (batch.needs_exec()) add_flows(n[HALO_SECTION_CORE] + n[HALO_SECTION_OWNED], n[HALO_SECTION_EXEC]);
        batch.end();
    }
    void update(int32_t style) {
        halo::Batch batch(context_, { halo::direct(heat_field_, HALO_RW), halo::direct(change_field_, HALO_RW) }, style);
        batch.ready();
        for (int64_t i = 0; i < own(part_.node_sizes); ++i) {
            heat_[i] += change_[i];
            change_[i] = 0;
        }
        batch.end();
    }
    int64_t sum_of_digests() {
        halo::Batch batch(context_, { halo::direct(heat_field_, HALO_READ) }, HALO_STYLE_REVERSE);
        batch.ready();
        int64_t sum = 0;
        for (int64_t i = 0; i < own(part_.node_sizes); ++i) sum += digest(part_.nodes[static_cast<size_t>(i)], heat_[i]);
        batch.end();
        sum_.begin(sum);
        return sum_.end();
    }

    const halo::Context &context_;
    int32_t rank_;
    Part part_;
    halo::Topology nodes_, edges_;
    halo::Field heat_field_, change_field_, conducts_field_;
    int64_t *heat_, *change_, *conducts_; // of the fields
    halo::Reduction<int64_t> sum_;
    halo_access_stats before_[std::size(names)]{};
};

bool run_style(const halo::Context &context, const Mesh &mesh, int64_t steps, int32_t style, const char *name) {
    Solver solver(context, mesh);
    const int64_t got = solver.run(steps, style), wanted = serial_digest(mesh, steps);
    if (context.rank() == 0)
        std::printf("  %s: digest %lld, %s\n", name, static_cast<long long>(got), got == wanted ? "as in one place" : "OTHER THAN IN ONE PLACE");
    solver.print_counters();
    return got == wanted;
}

// False: the results are not those of the serial loops.
bool run(const halo::Context &context, const Options &options) {
    const Mesh mesh = triangulated_square(options.nodes_per_side);
    if (context.rank() == 0)
        std::printf("%zu nodes, %zu edges, %lld steps, %d ranks\n", mesh.nodes.size(), mesh.edges.size(), static_cast<long long>(options.steps),
                    context.n_ranks());
    const bool redundant = run_style(context, mesh, options.steps, HALO_STYLE_REDUNDANT, "redundant execution");
    const bool reverse = run_style(context, mesh, options.steps, HALO_STYLE_REVERSE, "reverse exchange");
    return redundant && reverse;
}

// False: not understood.
bool read(int argc, char **argv, Options &options) {
    int i = 1;
    if (i + 1 < argc && std::strcmp(argv[i], "--inproc") == 0) {
        options.threads = std::atoi(argv[i + 1]);
        if (options.threads < 1) return false;
        i += 2;
    }
    if (i < argc) options.nodes_per_side = static_cast<uint32_t>(std::atoi(argv[i++]));
    if (i < argc) options.steps = std::atoi(argv[i++]);
    return i == argc && options.nodes_per_side >= 2 && options.nodes_per_side <= 4096 && options.steps >= 0;
}

} // namespace
} // namespace edges

int main(int argc, char **argv) {
    edges::Options options;
    if (!edges::read(argc, argv, options)) {
        std::fprintf(stderr, "usage: edges [--inproc RANKS] [NODES_PER_SIDE [STEPS]]\n");
        return 2;
    }
    try {
        return ranks::run("edges", options.threads, [&](const halo::Context &context) { return edges::run(context, options); }) ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "edges: %s\n", error.what());
        return 1;
    }
}
