// SPDX-License-Identifier: BSD-3-Clause
#include "on_device.h"

#include <algorithm>

namespace euler {

void OnDevice::allocate_gas() {
    if (blocks_.empty()) return;
    const auto gid = blocks_.front().part.gid;
    const auto layout = gas_.layout(gid);
    const auto n = n_local_blocks();
    shape_ = { n,
               { parameters_.block[0], parameters_.block[1], parameters_.block[2] },
               layout.first_owned,
               { layout.stride[0], layout.stride[1], layout.stride[2] },
               layout.component_stride,
               layout.elements,
               parameters_.tracers,
               parameters_.gamma,
               parameters_.cell_size() };
    for (int set = 0; set < 2; ++set) {
        gas_memory_[set] = queue_.allocate<double>(n * layout.elements);
        gas_.bind_many(layout.elements, queue_.binding(gas_memory_[set], set));
    }
    std::vector<int> outside;
    for (const auto &block : blocks_)
        for (const auto at : block.part.at_boundary) outside.push_back(at);
    outside_ = queue_.allocate<int>(6 * n);
    queue_.copy(outside_, outside.data(), outside.size() * sizeof(int));

    const std::int64_t n_numbers = std::max<std::int64_t>(1, n * parameters_.tracers);
    quiet_ = queue_.allocate<int>(6 * n_numbers);
    of_rows_ = queue_.allocate<double>(n_rows() * std::max(n, n_numbers));
    for (int set = 0; set < 2; ++set) {
        addresses_[set].resize(static_cast<std::size_t>(n_numbers));
        tables_[set] = queue_.allocate<std::uint64_t>(n_numbers);
    }
}

std::size_t OnDevice::number(int tracer, std::int64_t gid) const {
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block &one) { return one.part.gid == gid; }) - blocks_.begin();
    return static_cast<std::size_t>(tracer * n_local_blocks() + block);
}

void OnDevice::allocate_tracer(halo_field *tracer, std::int64_t gid) {
    const auto which = std::find_if(tracers_.begin(), tracers_.end(), [&](const auto &one) { return one.get() == tracer; });
    const auto elements = which->layout(gid).elements;
    auto *const memory = queue_.allocate<double>(2 * elements);
    for (int set = 0; set < 2; ++set) {
        addresses_[set][number(static_cast<int>(which - tracers_.begin()), gid)] = memory + set * elements;
        which->bind(gid, queue_.binding(memory + set * elements, set));
    }
    tables_are_old_ = true;
}

void OnDevice::release_tracer(int tracer, std::int64_t gid) {
    Solver::release_tracer(tracer, gid);
    const auto at = number(tracer, gid);
    double *const memory = addresses_[0][at];
    for (auto &addresses : addresses_) addresses[at] = nullptr;
    tables_are_old_ = true;
    bring_tables(); // and all that still uses the memory is done
    queue_.release(memory);
}

void OnDevice::bring_tables() {
    if (!tables_are_old_) return;
    for (int set = 0; set < 2; ++set) queue_.copy(tables_[set], addresses_[set].data(), addresses_[set].size() * sizeof(double *));
    tables_are_old_ = false;
}

/// Cells that need no ghosts are updated while the ghosts travel.
void OnDevice::stage(int from, const Stage &stage) {
    bring_tables();
    start_exchange(from, queue_.stream());
    if (!blocks_.empty()) update(from, blocks_.front().split.interior, stage); // all blocks are alike
    exchange_.finish(queue_.stream());
    if (blocks_.empty()) return;
    bring_tables(); // tracers may have arrived
    fill_boundaries(from);
    const std::int64_t n_sides = 6 * shape_.n * shape_.n_tracers;
    queue_.run("find_quiet", n_sides, { shape_, parameters_.send_threshold, tracers(from), quiet_ });
    for (const auto &box : blocks_.front().split.rim) update(from, box, stage);
}

void OnDevice::update(int from, const halo_box &box, const Stage &stage) {
    const Box cells{ { box.low[0], box.low[1], box.low[2] }, { box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2] } };
    queue_.run("update", shape_.n * cells.n[0] * cells.n[1] * cells.n[2],
               { shape_, cells, stage, gas_memory_[from], gas_memory_[1 - from], tracers(from), tracers(1 - from), quiet_ });
}

void OnDevice::fill_boundaries(int set) {
    for (int d = 0; d < 3; ++d) {
        if (parameters_.boundary[d] == "periodic") continue;
        const int mirrors = parameters_.boundary[d] == "reflect";
        const std::int64_t n_ghosts = 2 * reach * shape_.cells[(d + 1) % 3] * shape_.cells[(d + 2) % 3];
        queue_.run("fill_outside", shape_.n * n_ghosts, { shape_, d, mirrors, gas_memory_[set], tracers(set), outside_ });
    }
}

/// Of each so many rows the greatest value.
std::vector<double> OnDevice::greatest_of_rows(std::int64_t n) const {
    std::vector<double> of_rows(static_cast<std::size_t>(n * n_rows())), all;
    queue_.copy(of_rows.data(), of_rows_, of_rows.size() * sizeof(double));
    for (auto row = of_rows.begin(); row != of_rows.end(); row += n_rows()) all.push_back(*std::max_element(row, row + n_rows()));
    return all;
}

double OnDevice::fastest_wave() const {
    queue_.run("find_fastest", shape_.n * n_rows(), { shape_, gas_memory_[0], of_rows_ });
    double fastest = 0;
    for (const double one : greatest_of_rows(shape_.n)) fastest = std::max(fastest, one);
    return fastest;
}

std::vector<double> OnDevice::greatest_tracers() const {
    queue_.run("find_greatest", shape_.n * shape_.n_tracers * n_rows(), { shape_, tracers(0), of_rows_ });
    const auto by_number = greatest_of_rows(shape_.n * shape_.n_tracers);
    std::vector<double> all;
    for (const auto &block : blocks_)
        for (int t = 0; t < parameters_.tracers; ++t) all.push_back(by_number[number(t, block.part.gid)]);
    return all;
}

void OnDevice::read(const halo::Field &field, std::int64_t gid, std::vector<double> &values) const {
    values.resize(static_cast<std::size_t>(field.layout(gid).elements));
    queue_.copy(values.data(), field.data(gid), values.size() * sizeof(double));
}

void OnDevice::write(const halo::Field &field, std::int64_t gid, const std::vector<double> &values) {
    queue_.copy(field.data(gid), values.data(), values.size() * sizeof(double));
}

} // namespace euler
