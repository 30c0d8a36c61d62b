// SPDX-License-Identifier: BSD-3-Clause
#include "on_device.h"

namespace shallow {

template <class T>
T *OnDevice::bring(const std::vector<T> &from) {
    T *const memory = queue_.allocate<T>(std::ssize(from));
    queue_.copy(memory, from.data(), from.size() * sizeof(T));
    return memory;
}

void OnDevice::allocate() {
    for (double *&memory : memory_) memory = queue_.allocate<double>(n_all());
    slopes_ = queue_.allocate<Slope>(std::ssize(mesh().keys()));
    places_ = bring(mesh().places());
    cells_ = bring(mesh().cells());
    gradients_ = bring(mesh().gradients());
    bind(memory_[stage], queue_.binding(memory_[stage]));
}

void OnDevice::set(const std::function<State(const Point &)> &initial) {
    Solver::set(initial);
    queue_.copy(memory_[now], on_host(now).data(), bytes());
}

void OnDevice::wait() { queue_.copy(on_host(now).data(), memory_[now], bytes()); }

void OnDevice::copy(Values to, Values from) { queue_.run("copy_values", n_all(), { memory_[to], memory_[from] }); }

void OnDevice::advance(const Step &step) {
    exchange().start(nullptr, queue_.stream());
    exchange().finish(queue_.stream());
    const auto &at = memory_;
    const std::int64_t n_cells = std::ssize(mesh().cells());
    queue_.run("find_slopes", std::ssize(mesh().gradients()), { gradients_, at[stage], slopes_ });
    queue_.run("advance", n_cells, { cells_, places_, slopes_, at[now], at[stage], at[next], step });
    queue_.run("take_next", n_cells, { cells_, at[stage], at[next] });
}

} // namespace shallow
