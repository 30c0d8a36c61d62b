// SPDX-License-Identifier: BSD-3-Clause
#include "report.h"

#include "sums.h"

#include <algorithm>
#include <cstdio>

namespace euler {

namespace {

enum Column { blocks, block_bytes, pool_bytes, exchange_seconds, messages, bytes, sparse_sent, sparse_null, tracer_blocks, released, n_columns };

constexpr double mebi = 1024.0 * 1024.0;

/// One row of figures per rank, on every rank.
Table<double> figures_of_ranks(const halo::Context &context, const Solver &solver) {
    const auto stats = solver.exchange_stats();
    Table<double> table(context.n_ranks(), n_columns);
    const auto put = [&](Column column, auto value) { table.at(context.rank(), column) = static_cast<double>(value); };
    put(blocks, solver.n_local_blocks());
    put(block_bytes, solver.peak_block_bytes());
    put(pool_bytes, context.pool_stats().peak_bytes);
    put(exchange_seconds, stats.total_seconds);
    put(messages, stats.messages_sent);
    put(bytes, stats.bytes_sent);
    put(sparse_sent, stats.sparse_sent);
    put(sparse_null, stats.sparse_null);
    put(tracer_blocks, solver.n_allocated());
    put(released, solver.n_releases());
    table.share(context);
    return table;
}

} // namespace

void report_counters(const halo::Context &context, const Parameters &parameters, const Solver &solver, double seconds) {
    auto table = figures_of_ranks(context, solver);
    if (context.rank() != 0) return;
    const auto sum = table.sums();
    double exchange = 0, pool = 0;
    for (int rank = 0; rank < context.n_ranks(); ++rank) {
        exchange = std::max(exchange, table.at(rank, exchange_seconds));
        pool = std::max(pool, table.at(rank, pool_bytes));
    }
    std::printf("  exchange %.2f s of %.2f s, %.0f messages, %.1f MiB sent, pool high-water %.1f MiB\n", exchange, seconds, sum[messages],
                sum[bytes] / mebi, pool / mebi);
    if (parameters.tracers > 0)
        std::printf("  tracers: %.1f %% of their channels null, stored in %.0f of %lld blocks, %.0f times released\n",
                    100 * sum[sparse_null] / std::max(sum[sparse_sent], 1.0), sum[tracer_blocks],
                    static_cast<long long>(parameters.n_blocks()) * parameters.tracers, sum[released]);
    for (int rank = 0; rank < context.n_ranks(); ++rank)
        std::printf("  rank %d: %.0f of %lld blocks, their peak %.2f MiB, all pools %.2f MiB\n", rank, table.at(rank, blocks),
                    static_cast<long long>(parameters.n_blocks()), table.at(rank, block_bytes) / mebi, table.at(rank, pool_bytes) / mebi);
}

} // namespace euler
