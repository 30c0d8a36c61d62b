// SPDX-License-Identifier: BSD-3-Clause
// A copy table in memory of the device.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "lowering.h"
#include "memory.h"

namespace halo::accelerator {

class Table {
public:
    Table(Runtime &runtime, const halo_copy_program &program);

    const Lowering &rows() const { return lowering_; }
    // No work uses the table.
    void patch(int64_t first, int64_t n, const halo_copy_row *rows);

    // The addresses on the device, and as `end` how many chunks there are; what they lead to begins at data().
    void set_range(halo_range &range, int64_t first, int64_t n) const;
    void *data() const { return on_device_.data(); }

    // What combines these rows' values of one size; made when it is first asked for, and kept.
    struct Combination {
        Block on_device;
        uint32_t n_targets;
        size_t contributions; // where they begin
    };
    const Combination &combination(int64_t first, int64_t n, size_t value_bytes);

private:
    void upload_all();

    Runtime &runtime_;
    Lowering lowering_;
    Block on_device_;
    size_t segments_ = 0, chunks_ = 0, indices_ = 0; // where they begin
    std::map<std::tuple<int64_t, int64_t, size_t>, Combination> combinations_;
};

} // namespace halo::accelerator
