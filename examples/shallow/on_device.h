// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "queue.h"
#include "solver.h"

namespace shallow {

/// The same solver with its values and its mesh on a device. The host waits for nothing but what peers send.
class OnDevice final : public Solver {
public:
    OnDevice(const Mesh &mesh, const Point &axis, device::Queue &queue) : Solver(mesh, axis), queue_(queue) {}

    void set(const std::function<State(const Point &place)> &initial) override;
    /// Brings the state to the host.
    void wait() override;

private:
    void allocate() override;
    void copy(Values to, Values from) override;
    void advance(const Step &step) override;

    template <class T>
    T *bring(const std::vector<T> &from);
    std::size_t bytes() const { return static_cast<std::size_t>(n_all()) * sizeof(double); } ///< of one array of values

    device::Queue &queue_;
    double *memory_[n_arrays] = {};
    Slope *slopes_ = nullptr;
    Point *places_ = nullptr;
    Cell *cells_ = nullptr;
    Gradient *gradients_ = nullptr;
};

} // namespace shallow
