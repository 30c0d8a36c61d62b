// SPDX-License-Identifier: BSD-3-Clause
// A copy table in memory of the device.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

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
    void *data() const { return on_device_.block.data(); }

    // Bases that these rows name; found when they are first asked for, and kept.
    const std::vector<uint32_t> &bases_of(int64_t first, int64_t n, bool with_dst) const;

    // What combines these rows' values of one size, of which the first `n_moved` overwrite; made when it is first asked for, and kept.
    struct Combination {
        Block on_device;
        uint32_t n_targets;
        size_t contributions; // where they begin
    };
    const Combination &combination(int64_t first, int64_t n, int64_t n_moved, size_t value_bytes);

private:
    // A lowering in memory of the device, and where its arrays begin there.
    struct Uploaded {
        Block block;
        size_t segments = 0, chunks = 0, indices = 0;
    };
    static Uploaded upload(Runtime &runtime, const Lowering &lowering);

    Runtime &runtime_;
    Lowering lowering_;
    Uploaded on_device_;
    std::map<std::tuple<int64_t, int64_t, int64_t, size_t>, Combination> combinations_;
    mutable std::map<std::tuple<int64_t, int64_t, bool>, std::vector<uint32_t>> bases_;
};

} // namespace halo::accelerator
