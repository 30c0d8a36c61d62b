// SPDX-License-Identifier: BSD-3-Clause
// What can be asked of the whole grid; see Table for why the answers do not depend on the number of ranks.
#include "solver.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace euler {

std::vector<double> Solver::totals() const {
    Table<double> table(parameters_.n_blocks(), n_conserved + parameters_.tracers);
    for (const auto &block : blocks_) {
        const auto gid = block.part.gid;
        for (int c = 0; c < n_conserved + parameters_.tracers; ++c)
            for_values(c, gid, owned(), [&](double value, auto...) { table.at(gid, c) += value; });
    }
    table.share(context_);
    auto totals = table.sums();
    for (auto &total : totals) total *= std::pow(parameters_.cell_size(), 3);
    return totals;
}

std::vector<double> Solver::released_masses() const {
    Table<double> table(parameters_.n_blocks(), parameters_.tracers);
    for (const auto &block : blocks_)
        for (int t = 0; t < parameters_.tracers; ++t) table.at(block.part.gid, t) = block.tracers[t].released_mass;
    table.share(context_);
    auto masses = table.sums();
    for (auto &mass : masses) mass *= std::pow(parameters_.cell_size(), 3);
    return masses;
}

std::uint64_t Solver::digest() const {
    Table<std::int64_t> table(parameters_.n_blocks(), 1);
    for (const auto &block : blocks_) {
        Digest digest;
        for (int c = 0; c < n_conserved + parameters_.tracers; ++c) {
            digest.add(static_cast<std::uint64_t>(c));
            for_values(c, block.part.gid, owned(), [&](double value, auto...) { digest.add(std::bit_cast<std::uint64_t>(value)); });
        }
        table.at(block.part.gid, 0) = static_cast<std::int64_t>(digest.value());
    }
    table.share(context_);
    Digest all;
    for (const auto value : table.values()) all.add(static_cast<std::uint64_t>(value));
    return all.value();
}

std::vector<double> Solver::gather(int component, const halo_box &box) const {
    const std::int64_t n[3] = { box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2] };
    std::vector<double> values(static_cast<std::size_t>(n[0] * n[1] * n[2]), 0.0);
    for (const auto &block : blocks_) {
        const auto &cells = block.part.cells;
        halo_box common;
        for (int d = 0; d < 3; ++d) {
            common.low[d] = std::max(box.low[d], cells.low[d]) - cells.low[d];
            common.high[d] = std::min(box.high[d], cells.high[d]) - cells.low[d];
        }
        for_values(component, block.part.gid, common, [&](double value, auto i, auto j, auto k) {
            const auto x = cells.low[0] + i - box.low[0], y = cells.low[1] + j - box.low[1], z = cells.low[2] + k - box.low[2];
            values[static_cast<std::size_t>(x + n[0] * (y + n[1] * z))] = value;
        });
    }
    context_.allreduce(std::span<double>(values), HALO_SUM);
    return values;
}

std::vector<std::int64_t> Solver::tracer_blocks(int tracer) const {
    Table<std::int64_t> table(parameters_.n_blocks(), 1);
    for (const auto &block : blocks_) table.at(block.part.gid, 0) = tracers_[tracer].data(block.part.gid) != nullptr;
    table.share(context_);
    return table.values();
}

std::int64_t Solver::n_allocated() const {
    std::int64_t n = 0;
    for (const auto &block : blocks_)
        for (const auto &tracer : tracers_) n += tracer.data(block.part.gid) != nullptr;
    return n;
}

} // namespace euler
