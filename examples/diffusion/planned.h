// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver.h"

#include <functional>
#include <memory>
#include <vector>

namespace diffusion {

/// Ghosts, stages and exchanges as the analysis found them: one exchange in a step, of what each level needs.
class Planned : public Solver {
public:
    Planned(const halo::Context &context, const Grid &grid);

    /// Storage and values, and the exchange that is made once. To be called first.
    void begin();
    void step() override;
    std::vector<halo_exchange_stats> stats() const override;

protected:
    // What is done where the storage is.
    virtual void allocate_all();
    virtual void set_values() { set_start(); }
    virtual void run_stages();
    virtual halo_stream stream() const { return HALO_STREAM_NONE; }

    /// The ranges of levels on which a stage runs, in that order.
    const std::vector<halo_stencil_range> &ranges(Stage stage) const { return ranges_[static_cast<std::size_t>(stage)]; }
    const halo_layout &layout() const { return layout_; } ///< of one block of each field

private:
    const halo::Context &context_;
    halo::Stencil step_;
    halo_layout layout_;
    std::unique_ptr<double, std::function<void(double *)>> temporaries_; // of one block
    std::vector<std::vector<halo_stencil_range>> ranges_;                // by stage
    std::vector<halo::Exchange> exchanges_;
};

} // namespace diffusion
