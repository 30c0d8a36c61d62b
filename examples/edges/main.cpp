// SPDX-License-Identifier: BSD-3-Clause
// Heat on a triangulated square, by loops over edges that add to the nodes at their ends. No line here exchanges anything: the loops say what they
// read and write. Both styles are run, redundant execution and reverse exchange, and compared with the same loops in one place.
// Heat is counted in whole grains: sums do not depend on their order, so all results are the same bits on any number of ranks.
//
// usage: edges [--inproc RANKS] [NODES_PER_SIDE [STEPS]]      ranks are threads, or those of a launcher
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <thread>

#include "mesh.h"
#include "ok.h"

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
    Solver(halo_context *context, const Mesh &mesh) : context_(context) {
        OK(halo_context_rank(context, &rank_, &n_ranks_));
        part_ = part_of(mesh, rank_, n_ranks_);
        nodes_ = topology(part_.nodes, part_.node_owners);
        edges_ = topology(part_.edges, part_.edge_owners);
        heat_field_ = field(nodes_, names[0], heat_);
        change_field_ = field(nodes_, names[1], change_);
        conducts_field_ = field(edges_, names[2], conducts_);
        OK(halo_reduction_create(context, 1, HALO_INT64, HALO_SUM, &sum_));
        start(mesh);
    }
    ~Solver() {
        halo_reduction_destroy(&sum_);
        for (halo_field **field : { &heat_field_, &change_field_, &conducts_field_ }) halo_field_destroy(field);
        for (halo_topology **topology : { &nodes_, &edges_ }) halo_topology_destroy(topology);
    }
    Solver(const Solver &) = delete;
    Solver &operator=(const Solver &) = delete;

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
            const halo_access_stats now = counters(names[i]), &then = before_[i];
            std::printf("    %-12s exchanged %3lld times, found fresh %3lld, reversed %3lld, %7lld bytes sent by rank 0\n", names[i],
                        static_cast<long long>(now.started - then.started), static_cast<long long>(now.skipped - then.skipped),
                        static_cast<long long>(now.reversed - then.reversed), static_cast<long long>(now.bytes_sent - then.bytes_sent));
        }
    }

private:
    static constexpr const char *names[] = { "heat", "change", "conductance" };
    halo_access_stats counters(const char *name) const {
        halo_access_stats stats = HALO_ACCESS_STATS_INIT;
        OK(halo_access_stats_get(context_, name, &stats));
        return stats;
    }
    halo_topology *topology(const std::vector<uint64_t> &keys, const std::vector<int32_t> &owners) const {
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = static_cast<int64_t>(keys.size());
        desc.keys = keys.data();
        desc.owners = owners.data();
        desc.numbering = HALO_NUMBERING_AS_GIVEN; // which is by section
        halo_topology *made = nullptr;
        OK(halo_topology_create_keys(context_, &desc, &made));
        return made;
    }
    halo_field *field(halo_topology *topology, const char *name, int64_t *&values) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.type = HALO_INT64;
        halo_field *made = nullptr;
        OK(halo_field_create(topology, &desc, &made));
        OK(halo_field_allocate(made, -1));
        void *data = nullptr;
        OK(halo_field_data(made, rank_, 0, &data));
        values = static_cast<int64_t *>(data);
        return made;
    }

    // Own values alone: the first loops that read ghosts will find them stale.
    void start(const Mesh &mesh) {
        for (int64_t i = 0; i < own(part_.node_sizes); ++i) heat_[i] = first_heat(mesh.nodes[part_.nodes[static_cast<size_t>(i)]]);
        for (int64_t e = 0; e < own(part_.edge_sizes); ++e) conducts_[e] = conductance(part_.edges[static_cast<size_t>(e)]);
        for (halo_field *written : { heat_field_, change_field_, conducts_field_ }) OK(halo_access_mark_dirty(written, 0, HALO_ON_HOST));
        for (size_t i = 0; i < std::size(names); ++i) before_[i] = counters(names[i]);
    }
    static int64_t own(const halo_section_sizes &sizes) { return sizes.n[HALO_SECTION_CORE] + sizes.n[HALO_SECTION_OWNED]; }

    halo_batch *begin(const std::vector<halo_access> &loop, int32_t style) const {
        halo_batch *batch = nullptr;
        OK(halo_access_begin(context_, loop.data(), static_cast<int32_t>(loop.size()), sizeof loop[0], style, HALO_ON_HOST, HALO_STREAM_NONE,
                             &batch));
        return batch;
    }

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
        halo_batch *batch = begin({ { conducts_field_, HALO_READ, HALO_DIRECT, 0, 0, 0, 0 },
                                    { heat_field_, HALO_READ, HALO_VIA_MAP, 0, 0, 0, 0 },
                                    { change_field_, HALO_INC, HALO_VIA_MAP, 0, 0, 0, 0 } },
                                  style);
        add_flows(0, n[HALO_SECTION_CORE]); // while ghosts are on their way
        OK(halo_access_ready(batch));
        add_flows(n[HALO_SECTION_CORE], n[HALO_SECTION_OWNED]);
        int32_t needs_exec = 0;
        OK(halo_access_needs_exec(batch, &needs_exec));
        if (needs_exec) add_flows(n[HALO_SECTION_CORE] + n[HALO_SECTION_OWNED], n[HALO_SECTION_EXEC]);
        OK(halo_access_end(batch));
    }
    void update(int32_t style) {
        halo_batch *batch = begin({ { heat_field_, HALO_RW, HALO_DIRECT, 0, 0, 0, 0 }, { change_field_, HALO_RW, HALO_DIRECT, 0, 0, 0, 0 } }, style);
        OK(halo_access_ready(batch));
        for (int64_t i = 0; i < own(part_.node_sizes); ++i) {
            heat_[i] += change_[i];
            change_[i] = 0;
        }
        OK(halo_access_end(batch));
    }
    int64_t sum_of_digests() {
        halo_batch *batch = begin({ { heat_field_, HALO_READ, HALO_DIRECT, 0, 0, 0, 0 } }, HALO_STYLE_REVERSE);
        OK(halo_access_ready(batch));
        int64_t sum = 0;
        for (int64_t i = 0; i < own(part_.node_sizes); ++i) sum += digest(part_.nodes[static_cast<size_t>(i)], heat_[i]);
        OK(halo_access_end(batch));
        OK(halo_reduction_begin(sum_, &sum));
        OK(halo_reduction_end(sum_, &sum));
        return sum;
    }

    halo_context *context_;
    int32_t rank_ = 0, n_ranks_ = 1;
    Part part_;
    halo_topology *nodes_ = nullptr, *edges_ = nullptr;
    halo_field *heat_field_ = nullptr, *change_field_ = nullptr, *conducts_field_ = nullptr;
    int64_t *heat_ = nullptr, *change_ = nullptr, *conducts_ = nullptr; // of the library
    halo_reduction *sum_ = nullptr;
    halo_access_stats before_[std::size(names)]{};
};

bool run_style(halo_context *context, const Mesh &mesh, int64_t steps, int32_t style, const char *name) {
    int32_t rank = 0, n_ranks = 1;
    OK(halo_context_rank(context, &rank, &n_ranks));
    Solver solver(context, mesh);
    const int64_t got = solver.run(steps, style), wanted = serial_digest(mesh, steps);
    if (rank == 0)
        std::printf("  %s: digest %lld, %s\n", name, static_cast<long long>(got), got == wanted ? "as in one place" : "OTHER THAN IN ONE PLACE");
    solver.print_counters();
    return got == wanted;
}

// False: the results are not those of the serial loops.
bool run(halo_context *context, const Options &options) {
    int32_t rank = 0, n_ranks = 1;
    OK(halo_context_rank(context, &rank, &n_ranks));
    const Mesh mesh = triangulated_square(options.nodes_per_side);
    if (rank == 0)
        std::printf("%zu nodes, %zu edges, %lld steps, %d ranks\n", mesh.nodes.size(), mesh.edges.size(), static_cast<long long>(options.steps),
                    n_ranks);
    const bool redundant = run_style(context, mesh, options.steps, HALO_STYLE_REDUNDANT, "redundant execution");
    const bool reverse = run_style(context, mesh, options.steps, HALO_STYLE_REVERSE, "reverse exchange");
    return redundant && reverse;
}

// One rank, from context to context.
bool run_rank(halo_inproc *group, int32_t rank, const Options &options) {
    halo_context *context = nullptr;
    bool good = false;
    try {
        OK(group ? halo_context_create_inproc(group, rank, nullptr, &context) : halo_context_create(nullptr, &context));
        good = run(context, options);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "edges: rank %d: %s\n", rank, error.what());
    }
    if (context && halo_context_destroy(&context) != HALO_SUCCESS) good = false;
    return good;
}

bool run_threads(const Options &options) {
    halo_inproc *group = nullptr;
    OK(halo_inproc_create(options.threads, &group));
    std::vector<char> good(static_cast<size_t>(options.threads), 0);
    std::vector<std::thread> ranks;
    for (int32_t r = 0; r < options.threads; ++r) ranks.emplace_back([&, r] { good[static_cast<size_t>(r)] = run_rank(group, r, options) ? 1 : 0; });
    for (std::thread &rank : ranks) rank.join();
    OK(halo_inproc_destroy(&group));
    return std::count(good.begin(), good.end(), 1) == options.threads;
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
        return (options.threads > 0 ? edges::run_threads(options) : edges::run_rank(nullptr, 0, options)) ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "edges: %s\n", error.what());
        return 1;
    }
}
