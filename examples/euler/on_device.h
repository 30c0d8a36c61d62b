// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels.h"
#include "queue.h"
#include "solver.h"

#include <vector>

namespace euler {

/// The same solver with its fields on a device. The host waits for what it needs itself: the fastest wave of each step, and which tracers fade.
class OnDevice final : public Solver {
public:
    OnDevice(const halo::Context &context, const Parameters &parameters, device::Queue &queue) : Solver(context, parameters), queue_(queue) {}

private:
    void allocate_gas() override;
    void allocate_tracer(halo_field *tracer, std::int64_t gid) override;
    void release_tracer(int tracer, std::int64_t gid) override;
    void stage(int from, const Stage &stage) override;
    double fastest_wave() const override;
    std::vector<double> greatest_tracers() const override;
    void read(const halo::Field &field, std::int64_t gid, std::vector<double> &values) const override;
    void write(const halo::Field &field, std::int64_t gid, const std::vector<double> &values) override;

    void update(int from, const halo_box &box, const Stage &stage);
    void fill_boundaries(int set);
    void bring_tables();
    std::vector<double> greatest_of_rows(std::int64_t n_rows) const;
    std::size_t number(int tracer, std::int64_t gid) const;
    device::Table tracers(int set) const { return { tables_[set], addresses_[set] }; }
    std::int64_t n_rows() const { return parameters_.block[1] * parameters_.block[2]; } ///< of a block

    device::Queue &queue_;
    Blocks shape_{};
    double *gas_memory_[2] = {};                // by set, block after block
    int *outside_ = nullptr, *quiet_ = nullptr; // flags
    double *of_rows_ = nullptr;                 // greatest values
    std::vector<double *> addresses_[2];        // of tracers, by set and number; nullptr: no storage
    std::uint64_t *tables_[2] = {};             // the same on the device
    bool tables_are_old_ = false;
};

} // namespace euler
