// SPDX-License-Identifier: BSD-3-Clause
#include "run.h"

#include "digest.h"
#include "exact_sum.h"
#include "manufactured.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fem {

namespace {

constexpr double tolerance = 1e-10;

/// Square of the L2 norm of the error in one tetrahedron, by the rule of four points of second degree (A. Stroud, "Approximate Calculation of
/// Multiple Integrals", 1971, T3: 2-1).
double squared_error(const Mesh &mesh, const Tetrahedron &tetrahedron, const std::vector<double> &solution) {
    constexpr double far = 0.5854101966249685, near = 0.1381966011250105;
    double sum = 0;
    for (std::size_t at = 0; at < 4; ++at) {
        Point point{ 0, 0, 0 };
        double value = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const auto node = tetrahedron.nodes[i];
            const double share = i == at ? far : near;
            value += share * solution[node];
            for (std::size_t d = 0; d < 3; ++d) point[d] += share * mesh.nodes[node].position[d];
        }
        const double difference = value - exact_solution(point);
        sum += difference * difference;
    }
    return volume(mesh, tetrahedron) / 4 * sum;
}

/// In exact sums too, so that it is the same for any number of ranks.
double error_norm(const halo::Context &context, const Space &space, const std::vector<double> &solution) {
    ranks::ExactSum sum;
    for (const auto &tetrahedron : space.mesh().tetrahedra)
        if (tetrahedron.own) sum.add(squared_error(space.mesh(), tetrahedron, solution));
    context.allreduce(sum.words(), HALO_SUM);
    return std::sqrt(sum.value());
}

std::uint64_t digest(const halo::Context &context, const Space &space, const std::vector<double> &solution) {
    ranks::Digest digest;
    for (std::size_t i = 0; i < space.n_owned(); ++i) digest.add(space.mesh().nodes[i].key, solution[i]);
    return digest.value(context);
}

void report_exchange(const halo::Context &context, const Space &space, bool speak) {
    const auto stats = space.stats();
    std::int64_t counts[] = { stats.messages_sent, stats.bytes_sent, stats.payload_bytes };
    double seconds[] = { stats.total_seconds, stats.wait_seconds };
    context.allreduce(std::span<std::int64_t>(counts), HALO_SUM);
    context.allreduce(std::span<double>(seconds), HALO_MAX);
    if (!speak) return;
    std::printf(
        "  exchange: %lld runs in %.3f s (waiting %.3f s) on the slowest rank; all ranks: %lld messages, %lld bytes sent, %lld bytes of values\n",
        static_cast<long long>(stats.runs), seconds[0], seconds[1], static_cast<long long>(counts[0]), static_cast<long long>(counts[1]),
        static_cast<long long>(counts[2]));
}

std::vector<double> solve(const halo::Context &context, Space &space, const Matrix &matrix, Sum sum, Solve &outcome) {
    const auto &nodes = space.mesh().nodes;
    auto source = space.zeros(), solution = space.zeros();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        source[i] = exact_source(nodes[i].position);
        if (nodes[i].on_boundary) solution[i] = exact_solution(nodes[i].position);
    }
    outcome = conjugate_gradients(context, space, matrix, assemble_load(space, source), solution, sum, tolerance);
    space.start(solution);
    space.finish();
    return solution;
}

} // namespace

Outcome run(const halo::Context &context, Space &space, const std::string &name, Sum sum) {
    const bool speak = context.rank() == 0;
    Outcome outcome;
    outcome.name = name;
    outcome.n_nodes = space.report().n_global;
    const auto &tetrahedra = space.mesh().tetrahedra;
    outcome.n_tetrahedra = context.allreduce(
        static_cast<std::int64_t>(std::count_if(tetrahedra.begin(), tetrahedra.end(), [](const auto &t) { return t.own; })), HALO_SUM);

    const auto matrix = assemble_stiffness(space);
    const double row_sum = context.allreduce(matrix.greatest_row_sum(), HALO_MAX);
    const auto core = context.allreduce(static_cast<std::int64_t>(matrix.core.size()), HALO_SUM);
    outcome.passed = row_sum < 1e-14;
    outcome.solution = solve(context, space, matrix, sum, outcome.solve);
    outcome.error = error_norm(context, space, outcome.solution);
    const auto bits = digest(context, space, outcome.solution);
    if (speak) {
        std::printf("%s: %lld nodes, %lld tetrahedra, %d rank%s; %.1f %% of the rows need no exchange\n", name.c_str(),
                    static_cast<long long>(outcome.n_nodes), static_cast<long long>(outcome.n_tetrahedra), context.n_ranks(),
                    context.n_ranks() == 1 ? "" : "s", 100.0 * static_cast<double>(core) / static_cast<double>(outcome.n_nodes));
        std::printf("  greatest row sum of the stiffness, in parts of its entries: %.1e   %s\n", row_sum, outcome.passed ? "pass" : "FAIL");
        std::printf("  conjugate gradients: %d iterations to a residual of %.1e, %.3f s\n", outcome.solve.iterations, outcome.solve.residual,
                    outcome.solve.seconds);
        std::printf("  L2 norm of the error %.4e\n", outcome.error);
    }
    report_exchange(context, space, speak);
    if (speak)
        std::printf("  result: %lld nodes, %d iterations, solution %016llx\n", static_cast<long long>(outcome.n_nodes), outcome.solve.iterations,
                    static_cast<unsigned long long>(bits));
    return outcome;
}

} // namespace fem
