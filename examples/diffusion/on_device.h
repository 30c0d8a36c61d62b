// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "planned.h"
#include "queue.h"

namespace diffusion {

/// The same step on a device: all fields lie there, each stage runs in all blocks of the rank at once, and so each block has its temporaries.
class OnDevice final : public Planned {
public:
    OnDevice(const halo::Context &context, const Grid &grid, device::Queue &queue) : Planned(context, grid), queue_(queue) {}

    /// Brings u to the host.
    void wait() override;

private:
    void allocate_all() override;
    void set_values() override;
    void run_stages() override;
    halo_stream stream() const override { return queue_.stream(); }

    void run_range(Stage stage, const halo_stencil_range &range);
    std::size_t bytes() const { return static_cast<std::size_t>(layout().elements) * blocks().size() * sizeof(double); } ///< of one field

    device::Queue &queue_;
    double *memory_[n_fields] = {};    // of the device: block after block
    std::vector<double> on_host_[lap]; // likewise u and wind, at the start and at the end
};

} // namespace diffusion
