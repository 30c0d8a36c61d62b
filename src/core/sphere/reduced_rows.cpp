// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "sphere/quads.h"
#include "sphere/reduced_rows.h"
#include "topology/even_owner.h"
#include "topology/graph/graph.h"

namespace halo {

namespace {

// The first of each, without `key`.
std::vector<uint64_t> without_repeats(const std::vector<uint64_t> &keys, uint64_t key) {
    std::unordered_set<uint64_t> known{ key };
    std::vector<uint64_t> all;
    for (const uint64_t one : keys)
        if (known.insert(one).second) all.push_back(one);
    return all;
}

// The lists of a halo_graph_desc.
struct OwnRows {
    std::vector<uint64_t> keys, neighbours;
    std::vector<int64_t> offsets{ 0 };
    std::vector<int32_t> owners; // of the neighbours
};

OwnRows own_rows(const Context &context, const ReducedRows &rows) {
    OwnRows own;
    const auto n = static_cast<int64_t>(rows.n_cells());
    const auto begin = even_begin(context.rank(), n, context.size()), end = even_begin(context.rank() + 1, n, context.size());
    for (int64_t key = begin; key < end; ++key) {
        own.keys.push_back(static_cast<uint64_t>(key));
        for (const uint64_t neighbour : rows.neighbours(own.keys.back())) {
            own.neighbours.push_back(neighbour);
            own.owners.push_back(even_owner(static_cast<int64_t>(neighbour), n, context.size()));
        }
        own.offsets.push_back(std::ssize(own.neighbours));
    }
    return own;
}

} // namespace

ReducedRows::ReducedRows(const halo_reduced_rows_desc &desc) : poles_(desc.poles != 0) {
    if (desc.n_rows < 1 || !desc.cells)
        fail(HALO_ERR_ARGUMENT, "reduced rows: %lld rows, their cells at address %p", static_cast<long long>(desc.n_rows),
             static_cast<const void *>(desc.cells));
    check_limit("reduced rows: n_rows", desc.n_rows, limits::listed);
    for (int64_t row = 0; row < desc.n_rows; ++row) {
        if (desc.cells[row] < 1)
            fail(HALO_ERR_ARGUMENT, "reduced rows: row %lld has %lld cells", static_cast<long long>(row), static_cast<long long>(desc.cells[row]));
        check_limit("reduced rows: cells of a row", desc.cells[row], limits::part_cells);
        first_.push_back(first_.back() + static_cast<uint64_t>(desc.cells[row]));
    }
}

std::vector<uint64_t> ReducedRows::neighbours(uint64_t key) const {
    if (key >= n_cells())
        fail(HALO_ERR_BOUNDS, "reduced rows: there are %llu cells, and none has key %llu", static_cast<unsigned long long>(n_cells()),
             static_cast<unsigned long long>(key));
    const size_t row = static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), key) - first_.begin()) - 1;
    const int64_t n = length(row), i = static_cast<int64_t>(key - first_[row]);
    std::vector<uint64_t> found{ first_[row] + static_cast<uint64_t>((i + n - 1) % n), first_[row] + static_cast<uint64_t>((i + 1) % n) };
    if (row > 0 || poles_) add_row(row > 0 ? row - 1 : row, i, n, row == 0, found);
    if (row + 1 < n_rows() || poles_) add_row(row + 1 < n_rows() ? row + 1 : row, i, n, row + 1 == n_rows(), found);
    return without_repeats(found, key);
}

// In units of 1 / (2 n) of the way around the cell reaches from 2 i to 2 i + 2, and n farther across a pole.
void ReducedRows::add_row(size_t row, int64_t i, int64_t n, bool across_pole, std::vector<uint64_t> &found) const {
    const int64_t there = length(row), west = 2 * i + (across_pole ? n : 0), east = west + 2;
    const auto first = static_cast<int64_t>(static_cast<__int128>(west) * there / (2 * n));
    const auto last = static_cast<int64_t>((static_cast<__int128>(east) * there - 1) / (2 * n));
    for (int64_t k = first; k <= last; ++k) found.push_back(first_[row] + static_cast<uint64_t>(k % there));
}

Terms ReducedRows::terms() const {
    Terms terms;
    terms.add("poles", std::to_string(poles_));
    terms.add("list of rows", std::to_string(n_rows()), "rows");
    for (size_t row = 0; row < n_rows(); ++row) terms.add("row " + std::to_string(row), std::to_string(length(row)) + " cells");
    return terms;
}

std::unique_ptr<Topology> make_reduced_rows(Context &context, const halo_reduced_rows_desc &desc) {
    std::optional<ReducedRows> rows;
    OwnRows own;
    const auto describe = [&] {
        own = own_rows(context, rows.emplace(desc));
        return rows->terms().hash();
    };
    agree_on(context, "reduced rows", describe, [&] { return rows->terms(); });
    halo_graph_desc graph = HALO_GRAPH_DESC_INIT;
    graph.rings = desc.rings;
    graph.n_owned = std::ssize(own.keys);
    graph.keys = own.keys.data();
    graph.offsets = own.offsets.data();
    graph.neighbours = own.neighbours.data();
    graph.owners = own.owners.data();
    return std::make_unique<GraphTopology>(context, graph);
}

} // namespace halo
