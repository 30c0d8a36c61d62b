// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include <utility>

namespace diffusion {

namespace {

class Planned final : public Solver {
public:
    Planned(const halo::Context &context, const Grid &grid) : Solver(grid), step_(describe_step(grid.n_cells[0], grid.n_cells[1])) {
        const auto exchanges = step_.exchanges(); // of u, and of the wind once
        for (std::int32_t number = 0; number < static_cast<std::int32_t>(exchanges.size()); ++number)
            topologies_.push_back(step_.topology(number, context, grid.desc()));
        const auto topology_of = [&](std::int32_t field) -> const halo::Topology & {
            for (std::size_t number = 0; number < exchanges.size(); ++number)
                if (exchanges[number].field == field) return topologies_[number];
            return topologies_[0]; // only stored
        };
        for (std::int32_t number = 0; number < n_fields; ++number) {
            const halo_field_desc desc = step_.field_desc(number);
            add(static_cast<Field>(number), topology_of(number), halo::Field(topology_of(number), desc));
        }
        for (std::int32_t stage = 0; stage < n_stages; ++stage) ranges_.push_back(step_.stage_ranges(stage));
        set_start();
        std::vector<halo_field *> all;
        for (std::int32_t number = 0; number < n_fields; ++number) all.push_back(field(static_cast<Field>(number)));
        const auto groups = step_.groups();
        for (std::int32_t group = 0; group < static_cast<std::int32_t>(groups.size()); ++group) {
            exchanges_.push_back(step_.exchange(group, all));
            if (groups[static_cast<std::size_t>(group)].once == 0) continue;
            exchanges_.back().start();
            exchanges_.back().finish();
            std::swap(exchanges_.back(), exchanges_.front()); // the one of each step comes last
        }
    }
    void step() override {
        exchanges_.back().start();
        exchanges_.back().finish();
        for (std::int32_t stage = 0; stage < n_stages; ++stage)
            for (const Block &block : blocks_) run_ranges(static_cast<Stage>(stage), block);
    }
    std::vector<halo_exchange_stats> stats() const override {
        std::vector<halo_exchange_stats> all;
        for (const halo::Exchange &exchange : exchanges_) all.push_back(exchange.stats());
        return all;
    }

private:
    void run_ranges(Stage stage, const Block &block) const {
        const auto &ranges = ranges_[static_cast<std::size_t>(stage)];
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            const halo_stencil_range &range = ranges[stage == sweep_down ? ranges.size() - 1 - i : i];
            run(stage, block.fields,
                { { range.low[0], range.low[1], range.first },
                  { grid_.n_cells[0] + range.high[0], grid_.n_cells[1] + range.high[1], range.last + 1 } });
        }
    }

    halo::Stencil step_;
    std::vector<std::vector<halo_stencil_range>> ranges_; // by stage
    std::vector<halo::Exchange> exchanges_;
};

class Plain final : public Solver {
public:
    Plain(const halo::Context &context, const Grid &grid) : Solver(grid) {
        topologies_.emplace_back(context, grid.desc());
        const char *const names[n_fields] = { "u", "wind", "lap", "flux x", "flux y", "diffused", "upper diagonal", "right side" };
        for (std::int32_t number = 0; number < n_fields; ++number) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = names[number];
            for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
            add(static_cast<Field>(number), topologies_[0], halo::Field(topologies_[0], desc));
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

// gids count blocks with x fastest, also on topologies that the analysis has made of them.
void Solver::add(Field number, const halo::Topology &topology, halo::Field field) {
    field.allocate();
    const auto gids = topology.local_parts();
    blocks_.resize(gids.size());
    for (std::size_t i = 0; i < gids.size(); ++i) {
        const halo_layout layout = field.layout(gids[i]);
        blocks_[i].x = gids[i] % grid_.n_blocks[0] * grid_.n_cells[0];
        blocks_[i].y = gids[i] / grid_.n_blocks[0] * grid_.n_cells[1];
        View &view = blocks_[i].fields[static_cast<std::size_t>(number)];
        view.first = field.data(gids[i]) + layout.first_owned;
        for (int d = 0; d < 3; ++d) view.stride[d] = layout.stride[d];
    }
    fields_.push_back(std::move(field));
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

std::unique_ptr<Solver> make_planned(const halo::Context &context, const Grid &grid) { return std::make_unique<Planned>(context, grid); }
std::unique_ptr<Solver> make_plain(const halo::Context &context, const Grid &grid) { return std::make_unique<Plain>(context, grid); }

} // namespace diffusion
