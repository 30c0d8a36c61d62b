// SPDX-License-Identifier: BSD-3-Clause
#include "planned.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace diffusion {

Planned::Planned(const halo::Context &context, const Grid &grid)
    : Solver(grid),
      context_(context),
      step_(describe_step(grid.n_cells[0], grid.n_cells[1])),
      layout_(halo::make_layout(step_.layout_desc(), { grid.n_cells[0], grid.n_cells[1], n_levels })) {
    const auto exchanges = step_.exchanges(); // of u, and of the wind once
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(exchanges.size()); ++number)
        topologies_.push_back(step_.topology(number, context, grid.desc()));
    const auto topology_of = [&](std::int32_t field) -> const halo::Topology & {
        for (std::size_t number = 0; number < exchanges.size(); ++number)
            if (exchanges[number].field == field) return topologies_[number];
        throw std::logic_error("the analysis does not exchange field " + std::to_string(field));
    };
    for (const Field number : { u, wind }) {
        fields_.emplace_back(topology_of(number), step_.field_desc(number));
        fields_.back().set_layout(step_.layout_desc());
    }
    find_blocks(topologies_[0]);
    for (std::int32_t stage = 0; stage < n_stages; ++stage) ranges_.push_back(step_.stage_ranges(stage));
    std::reverse(ranges_[sweep_down].begin(), ranges_[sweep_down].end());
}

void Planned::begin() {
    allocate_all();
    set_values();
    std::vector<halo_field *> all(n_fields);
    for (const Field number : { u, wind }) all[number] = field(number);
    const auto groups = step_.groups();
    for (std::int32_t group = 0; group < static_cast<std::int32_t>(groups.size()); ++group) {
        exchanges_.push_back(step_.exchange(group, all));
        if (groups[static_cast<std::size_t>(group)].once == 0) continue;
        exchanges_.back().start(nullptr, stream());
        exchanges_.back().finish(stream());
        std::swap(exchanges_.back(), exchanges_.front()); // the one of each step comes last
    }
}

void Planned::step() {
    exchanges_.back().start(nullptr, stream());
    exchanges_.back().finish(stream());
    run_stages();
}

std::vector<halo_exchange_stats> Planned::stats() const {
    std::vector<halo_exchange_stats> all;
    for (const halo::Exchange &exchange : exchanges_) all.push_back(exchange.stats());
    return all;
}

// Nobody exchanges the temporaries: one block's are enough.
void Planned::allocate_all() {
    for (const Field number : { u, wind }) allocate(number, field(number));
    const std::int64_t bytes = (n_fields - lap) * layout_.elements * static_cast<std::int64_t>(sizeof(double));
    temporaries_ = { static_cast<double *>(context_.allocate(bytes, HALO_MEMORY_HOST)), [this](double *memory) { context_.release(memory); } };
    for (Block &block : blocks_)
        for (std::int32_t number = lap; number < n_fields; ++number)
            block.fields[static_cast<std::size_t>(number)] = view(temporaries_.get() + (number - lap) * layout_.elements, layout_);
}

// Block by block, whose temporaries are the next one's.
void Planned::run_stages() {
    for (const Block &block : blocks_)
        for (const Stage stage : stages)
            for (const halo_stencil_range &range : ranges(stage))
                run(stage, block.fields,
                    { { range.low[0], range.low[1], range.first },
                      { grid_.n_cells[0] + range.high[0], grid_.n_cells[1] + range.high[1], range.last + 1 } });
}

} // namespace diffusion
