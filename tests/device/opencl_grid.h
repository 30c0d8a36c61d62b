// SPDX-License-Identifier: BSD-3-Clause
// An exchange over a grid in memory of the device, whose values are known.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "halo.h"
#include "placed.h"

namespace opencl_tests {

using namespace conformance;

inline constexpr int64_t n_cells = 8, ghosts = 2;

// Blocks in each direction, all or, where `ranks` says how those lie, of each rank.
struct Extent {
    std::array<int64_t, 3> blocks{ 4, 2, 2 };
    int64_t cells = n_cells; // of a block, in each direction
    std::array<int64_t, 3> ranks{ 0, 0, 0 };
};

// A periodic grid of blocks, and fields of one component and more, whose values tell cell, component and turn.
class Grid {
public:
    explicit Grid(Rank &rank, int32_t n_fields, int32_t n_sparse, int32_t kind = HALO_KIND_GHOSTS, const Extent &extent = {})
        : sums_(kind == HALO_KIND_REVERSE),
          cells_(extent.cells) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        for (size_t d = 0; d < 3; ++d) {
            blocks.n_blocks[d] = extent.blocks[d] * std::max<int64_t>(extent.ranks[d], 1), blocks.n_cells[d] = cells_, blocks.periodic[d] = 1;
            all_[d] = blocks.n_blocks[d] * cells_;
        }
        std::vector<int32_t> owners;
        if (extent.ranks[0] > 0) {
            blocks.order = HALO_ORDER_ROWS;
            for (int64_t gid = 0; gid < blocks.n_blocks[0] * blocks.n_blocks[1] * blocks.n_blocks[2]; ++gid) {
                const int64_t x = gid % blocks.n_blocks[0], y = gid / blocks.n_blocks[0] % blocks.n_blocks[1],
                              z = gid / blocks.n_blocks[0] / blocks.n_blocks[1];
                owners.push_back(
                    static_cast<int32_t>(x / extent.blocks[0] + extent.ranks[0] * (y / extent.blocks[1] + extent.ranks[1] * (z / extent.blocks[2]))));
            }
            blocks.owner = owners.data(), blocks.n_owner = std::ssize(owners);
        }
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        OK(halo_topology_local_parts(topology_, &gids_, &n_parts_));
        for (int32_t f = 0; f < n_fields; ++f) add_field(1 + f % 3, f >= n_fields - n_sparse);
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = kind;
        if (sums_) desc.op = HALO_SUM;
        OK(halo_exchange_create(fields_.data(), n_fields, &desc, &exchange_));
    }
    ~Grid() {
        halo_exchange_destroy(&exchange_);
        for (halo_field *&field : fields_) halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Grid(const Grid &) = delete;
    Grid &operator=(const Grid &) = delete;

    // Owned cells are set, ghosts are not: they are -1.
    void write(int turn) {
        visit(
            turn, [](double &value, double wanted, int64_t) { value = wanted; }, [](double &value, double) { value = -1; });
        for (const auto &storage : storage_) upload(storage.data(), storage.size() * sizeof(double));
    }
    // To memory where none of it has been before.
    void move() {
        for (size_t f = 0; f < fields_.size(); ++f) {
            former_.push_back(std::move(storage_[f]));
            storage_[f] = OwnMemory<double>(former_.back().size());
            bind(f);
        }
    }
    halo_status start(halo_stream on) { return halo_exchange_start(exchange_, nullptr, on); }
    halo_status finish(halo_stream on) { return halo_exchange_finish(exchange_, on); }
    void run() {
        OK(start(stream()));
        OK(finish(stream()));
    }
    halo_exchange_stats stats() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(exchange_, &stats));
        return stats;
    }
    int64_t wrong_values(int turn) {
        int64_t wrong = 0;
        for (auto &storage : storage_) download(storage.data(), storage.size() * sizeof(double));
        const auto owned = [&](double value, double wanted, int64_t n_ghosts) {
            wrong += value != (sums_ ? wanted - static_cast<double>(n_ghosts) : wanted);
        };
        visit(turn, owned, [&](double value, double wanted) { wrong += !sums_ && value != wanted; });
        return wrong;
    }

private:
    void add_field(int32_t n_components, bool sparse) {
        const std::string name = text_of("f%zu", fields_.size());
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name.c_str(), desc.n_components = n_components, desc.sparse = sparse;
        for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
        OK(halo_field_create(topology_, &desc, &fields_.emplace_back()));
        layouts_.push_back(halo_layout HALO_LAYOUT_INIT);
        OK(halo_field_layout(fields_.back(), gids_[0], &layouts_.back()));
        storage_.emplace_back(static_cast<size_t>(n_parts_ * layouts_.back().elements));
        bind(fields_.size() - 1);
    }
    void bind(size_t f) {
        halo_binding binding = HALO_BINDING_INIT;
        place(binding, storage_[f].data());
        OK(halo_field_bind_many(fields_[f], layouts_[f].elements, &binding));
    }
    // `owned` hears how many ghosts stand for the cell, too.
    template <class Owned, class Ghost>
    void visit(int turn, Owned &&owned, Ghost &&ghost) {
        for (size_t f = 0; f < fields_.size(); ++f)
            for (int64_t p = 0; p < n_parts_; ++p) visit_part(turn, f, p, owned, ghost);
    }
    template <class Owned, class Ghost>
    void visit_part(int turn, size_t f, int64_t p, Owned &&owned, Ghost &&ghost) {
        halo_part part = HALO_PART_INIT;
        OK(halo_topology_part(topology_, gids_[p], &part));
        const halo_layout &at = layouts_[f];
        const auto inside = [&](int64_t i) { return i >= 0 && i < cells_; };
        const auto copies = [&](int64_t i) { return i < ghosts || i >= cells_ - ghosts ? 2 : 1; }; // along a direction, the cell too
        const auto around = [&](int64_t i, int d) { return (i + part.cells.low[d] + all_[static_cast<size_t>(d)]) % all_[static_cast<size_t>(d)]; };
        for (int64_t c = 0; c < 1 + static_cast<int64_t>(f) % 3; ++c)
            for (int64_t z = -ghosts; z < cells_ + ghosts; ++z)
                for (int64_t y = -ghosts; y < cells_ + ghosts; ++y)
                    for (int64_t x = -ghosts; x < cells_ + ghosts; ++x) {
                        const int64_t cell = around(x, 0) + 100 * around(y, 1) + 10000 * around(z, 2);
                        const int64_t place =
                            p * at.elements + at.first_owned + x * at.stride[0] + y * at.stride[1] + z * at.stride[2] + c * at.component_stride;
                        double &value = storage_[f][static_cast<size_t>(place)];
                        const double wanted = 1.0 + turn + static_cast<double>(cell) + 0.125 * static_cast<double>(c);
                        if (inside(x) && inside(y) && inside(z))
                            owned(value, wanted, copies(x) * copies(y) * copies(z) - 1);
                        else
                            ghost(value, wanted);
                    }
    }

    const bool sums_; // what ghosts have, in the cells they stand for
    const int64_t cells_;
    std::array<int64_t, 3> all_{}; // cells of the grid
    halo_topology *topology_ = nullptr;
    const int64_t *gids_ = nullptr;
    int64_t n_parts_ = 0;
    std::vector<halo_field *> fields_;
    std::vector<halo_layout> layouts_;
    std::vector<OwnMemory<double>> storage_, former_;
    halo_exchange *exchange_ = nullptr;
};

} // namespace opencl_tests
