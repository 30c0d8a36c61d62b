// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include <utility>

namespace diffusion {

namespace {

class Plain final : public Solver {
public:
    Plain(const halo::Context &context, const Grid &grid) : Solver(grid) {
        topologies_.emplace_back(context, grid.desc());
        find_blocks(topologies_[0]);
        const char *const names[n_fields] = { "u", "wind", "lap", "flux x", "flux y", "diffused", "upper diagonal", "right side" };
        for (std::int32_t number = 0; number < n_fields; ++number) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = names[number];
            for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
            fields_.emplace_back(topologies_[0], desc);
            allocate(static_cast<Field>(number), fields_.back());
        }
        set_start();
        const std::vector<Field> read[n_stages] = { { u }, { lap, u }, { lap, u }, { flux_x, flux_y }, { wind }, {} };
        for (const auto &of_stage : read) {
            std::vector<halo_field *> all;
            for (const Field number : of_stage) all.push_back(field(number));
            exchanges_.push_back(all.empty() ? nullptr : std::make_unique<halo::Exchange>(std::span<halo_field *const>(all)));
        }
    }
    void step() override {
        for (std::int32_t stage = 0; stage < n_stages; ++stage) {
            if (auto &exchange = exchanges_[static_cast<std::size_t>(stage)]) {
                exchange->start();
                exchange->finish();
            }
            const bool below = stage == find_flux_x || stage == find_flux_y;
            for (const Block &block : blocks_)
                run(static_cast<Stage>(stage), block.fields, { { 0, 0, 0 }, { grid_.n_cells[0], grid_.n_cells[1], below ? splitter : n_levels } });
        }
    }
    std::vector<halo_exchange_stats> stats() const override {
        std::vector<halo_exchange_stats> all;
        for (const auto &exchange : exchanges_)
            if (exchange) all.push_back(exchange->stats());
        return all;
    }

private:
    std::vector<std::unique_ptr<halo::Exchange>> exchanges_; // by stage
};

} // namespace

halo_blocks_desc Grid::desc() const {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.order = HALO_ORDER_ROWS;
    for (std::size_t d = 0; d < 2; ++d) desc.n_blocks[d] = n_blocks[d], desc.n_cells[d] = n_cells[d], desc.periodic[d] = 1;
    desc.n_blocks[2] = 1, desc.n_cells[2] = n_levels;
    return desc;
}

View view(double *memory, const halo_layout &layout) {
    return { memory + layout.first_owned, { layout.stride[0], layout.stride[1], layout.stride[2] } };
}

// gids count blocks with x fastest, also on topologies that the analysis has made of them.
void Solver::find_blocks(const halo::Topology &topology) {
    for (const std::int64_t gid : topology.local_parts())
        blocks_.push_back({ gid, gid % grid_.n_blocks[0] * grid_.n_cells[0], gid / grid_.n_blocks[0] * grid_.n_cells[1], {} });
}

void Solver::allocate(Field number, halo::Field &field) {
    field.allocate();
    for (Block &block : blocks_) block.fields[static_cast<std::size_t>(number)] = view(field.data(block.gid), field.layout(block.gid));
}

void Solver::set_start() {
    for (const Block &block : blocks_)
        for (std::int64_t z = 0; z < n_levels; ++z)
            for (std::int64_t y = 0; y < grid_.n_cells[1]; ++y)
                for (std::int64_t x = 0; x < grid_.n_cells[0]; ++x) {
                    block.fields[u](x, y, z) = initial_u(block.x + x, block.y + y, z);
                    block.fields[wind](x, y, z) = initial_wind(block.x + x, block.y + y, z);
                }
}

std::unique_ptr<Solver> make_plain(const halo::Context &context, const Grid &grid) { return std::make_unique<Plain>(context, grid); }

} // namespace diffusion
