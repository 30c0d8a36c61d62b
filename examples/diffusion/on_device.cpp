// SPDX-License-Identifier: BSD-3-Clause
#include "on_device.h"

#include "kernels.h"

namespace diffusion {

void OnDevice::allocate_all() {
    const std::int64_t all = layout().elements * static_cast<std::int64_t>(blocks_.size());
    if (all == 0) return;
    for (double *&memory : memory_) memory = queue_.allocate<double>(all);
    for (const Field number : { u, wind }) {
        field(number).bind_many(layout().elements, queue_.binding(memory_[number]));
        on_host_[number].resize(static_cast<std::size_t>(all));
        double *data = on_host_[number].data();
        for (Block &block : blocks_) {
            block.fields[number] = view(data, layout());
            data += layout().elements;
        }
    }
}

void OnDevice::set_values() {
    set_start();
    for (const Field number : { u, wind }) queue_.copy(memory_[number], on_host_[number].data(), bytes());
}

void OnDevice::wait() { queue_.copy(on_host_[u].data(), memory_[u], bytes()); }

void OnDevice::run_stages() {
    for (const Stage stage : stages)
        for (const halo_stencil_range &range : ranges(stage)) run_range(stage, range);
}

void OnDevice::run_range(Stage stage, const halo_stencil_range &range) {
    const Steps to{ layout().stride[0], layout().stride[1], layout().stride[2] };
    const Columns columns{ grid_.n_cells[0] + range.high[0] - range.low[0],
                           grid_.n_cells[1] + range.high[1] - range.low[1],
                           range.last + 1 - range.first,
                           range.first,
                           layout().first_owned + range.low[0] * to.x + range.low[1] * to.y + range.first * to.z,
                           layout().elements,
                           to };
    const std::int64_t n_columns = columns.n_x * columns.n_y * static_cast<std::int64_t>(blocks_.size()), n_cells = n_columns * columns.n_z;
    const auto &at = memory_;
    switch (stage) {
    case find_lap: return queue_.run("find_lap", n_cells, { columns, at[lap], at[u] });
    case find_flux_x: return queue_.run("find_flux", n_cells, { columns, at[flux_x], at[lap], at[u], to.x });
    case find_flux_y: return queue_.run("find_flux", n_cells, { columns, at[flux_y], at[lap], at[u], to.y });
    case diffuse: return queue_.run("diffuse", n_cells, { columns, at[diffused], at[u], at[lap], at[flux_x], at[flux_y] });
    case sweep_up: return queue_.run("sweep_up", n_columns, { columns, at[upper], at[right_side], at[diffused], at[wind] });
    default: return queue_.run("sweep_down", n_columns, { columns, at[u], at[right_side], at[upper] });
    }
}

} // namespace diffusion
