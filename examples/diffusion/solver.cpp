// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace diffusion {

namespace {

View view(double *memory, const halo_layout &layout) {
    return { memory + layout.first_owned, { layout.stride[0], layout.stride[1], layout.stride[2] } };
}

class Planned final : public Solver {
public:
    Planned(const halo::Context &context, const Grid &grid) : Solver(grid), step_(describe_step(grid.n_cells[0], grid.n_cells[1])) {
        const auto exchanges = step_.exchanges(); // of u, and of the wind once
        for (std::int32_t number = 0; number < static_cast<std::int32_t>(exchanges.size()); ++number)
            topologies_.push_back(step_.topology(number, context, grid.desc()));
        const auto topology_of = [&](std::int32_t field) -> const halo::Topology & {
            for (std::size_t number = 0; number < exchanges.size(); ++number)
                if (exchanges[number].field == field) return topologies_[number];
            throw std::logic_error("the analysis does not exchange field " + std::to_string(field));
        };
        const halo_layout_desc rows = step_.layout_desc();
        for (const Field number : { u, wind }) {
            halo::Field made(topology_of(number), step_.field_desc(number));
            made.set_layout(rows);
            add(number, topology_of(number), std::move(made));
        }
        add_temporaries(context, rows);
        for (std::int32_t stage = 0; stage < n_stages; ++stage) ranges_.push_back(step_.stage_ranges(stage));
        set_start();
        std::vector<halo_field *> all(n_fields);
        for (const Field number : { u, wind }) all[number] = field(number);
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
        for (const Block &block : blocks_) // whose temporaries are the next one's
            for (std::int32_t stage = 0; stage < n_stages; ++stage) run_ranges(static_cast<Stage>(stage), block);
    }
    std::vector<halo_exchange_stats> stats() const override {
        std::vector<halo_exchange_stats> all;
        for (const halo::Exchange &exchange : exchanges_) all.push_back(exchange.stats());
        return all;
    }

private:
    // Nobody exchanges them: one block's are enough.
    void add_temporaries(const halo::Context &context, const halo_layout_desc &rows) {
        const halo_layout layout = halo::make_layout(rows, { grid_.n_cells[0], grid_.n_cells[1], n_levels });
        const std::int64_t bytes = (n_fields - lap) * layout.elements * static_cast<std::int64_t>(sizeof(double));
        temporaries_ = { static_cast<double *>(context.allocate(bytes, HALO_MEMORY_HOST)), [&context](double *memory) { context.release(memory); } };
        for (Block &block : blocks_)
            for (std::int32_t number = lap; number < n_fields; ++number)
                block.fields[static_cast<std::size_t>(number)] = view(temporaries_.get() + (number - lap) * layout.elements, layout);
    }
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
    std::unique_ptr<double, std::function<void(double *)>> temporaries_; // of one block
    std::vector<std::vector<halo_stencil_range>> ranges_;                // by stage
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
        blocks_[i].x = gids[i] % grid_.n_blocks[0] * grid_.n_cells[0];
        blocks_[i].y = gids[i] / grid_.n_blocks[0] * grid_.n_cells[1];
        blocks_[i].fields[static_cast<std::size_t>(number)] = view(field.data(gids[i]), field.layout(gids[i]));
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
