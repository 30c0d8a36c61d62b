// SPDX-License-Identifier: BSD-3-Clause
// Launches of kernels that walk tables. One is made at a time; nothing of it is allocated once as large a one has been made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arguments.h"
#include "runtime.h"
#include "table.h"

namespace halo::accelerator {

class Launcher {
public:
    explicit Launcher(Runtime &runtime) : runtime_(runtime), arguments_(runtime) {}

    // A launch of ranges, which are read before `go` returns.
    void begin(Kernel kernel);
    // `said` has the flags, which rows, and the test.
    void add(const Table &table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, const halo_range &said);
    void add(const halo_combine_range &said);
    void add(const halo_level_operation &said);
    void go(halo_stream stream);

private:
    // A list of bases that some ranges have, and where it begins among those of all.
    struct Bases {
        void *const *from;
        int64_t n;
        uint64_t place;
    };
    uint64_t place_of(void *const *bases, int64_t n);
    void reach(const void *pointer) { reached_.push_back(const_cast<void *>(pointer)); }
    void reach(const Table &table, int64_t first, int64_t n, void *const *bases, bool with_dst);
    template <class Range>
    void launch(std::vector<Range> &ranges, uint32_t per_group, halo_stream stream);
    template <class Range>
    void write(std::vector<Range> &ranges);
    // Counted on from the last one's end.
    template <class Range>
    static uint32_t end_of(const std::vector<Range> &ranges, uint64_t n);

    Runtime &runtime_;
    Arguments arguments_;
    Kernel kernel_ = Kernel::move;
    std::vector<halo_range> ranges_;
    std::vector<halo_combination> combinations_;
    std::vector<halo_level> levels_;
    std::vector<Bases> lists_;
    uint64_t n_bases_ = 0;
    std::vector<void *> reached_;  // what the kernel will use, if the runtime wants to know
    std::vector<std::byte> bytes_; // what it is told
};

} // namespace halo::accelerator
