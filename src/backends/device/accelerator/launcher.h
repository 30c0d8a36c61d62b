// SPDX-License-Identifier: BSD-3-Clause
// Launches of kernels that walk tables. Those that go together are made at a time; nothing of them is allocated once as large ones have been made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arguments.h"
#include "graphs.h"
#include "runtime.h"
#include "table.h"

namespace halo::accelerator {

class Launcher {
public:
    explicit Launcher(Runtime &runtime) : runtime_(runtime), arguments_(runtime), former_(arguments_) {}

    // The first of the launches that go together, then each of the others. Their ranges are read before `go` returns.
    void begin(Kernel kernel);
    void next(Kernel kernel);
    // `said` has the flags, which rows, and the test.
    void add(const Table &table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, const halo_range &said);
    void add(const halo_combine_range &said);
    void add(const halo_level_operation &said);
    // A call of the runtime for each.
    void go(halo_stream stream);
    // One for all, if they are recorded. Those of `graphs` are of this launcher.
    Graphs::Outcome go(Graphs &graphs, halo_stream stream);
    std::unique_ptr<Graphs> make_graphs() { return std::make_unique<Graphs>(runtime_, arguments_, former_); }

private:
    // A list of bases that some ranges have, and where it begins among those of all.
    struct Bases {
        void *const *from;
        int64_t n;
        uint64_t place;
    };
    uint64_t place_of(void *const *bases, int64_t n);
    void reach(const void *pointer) { launches_.reached.push_back(const_cast<void *>(pointer)); }
    void reach(const Table &table, int64_t first, int64_t n, void *const *bases, bool with_dst);
    void end();
    void launch(const Launch &one, halo_stream stream);
    template <class Range>
    void write(std::vector<Range> &ranges, uint32_t per_group);
    // Counted on from the last one's end.
    template <class Range>
    static uint32_t end_of(const std::vector<Range> &ranges, uint64_t n);

    Runtime &runtime_;
    Arguments arguments_;
    FormerGraphs former_;
    Launches launches_;
    Kernel kernel_ = Kernel::move; // of the one that is being made
    std::vector<halo_range> ranges_;
    std::vector<halo_combination> combinations_;
    std::vector<halo_level> levels_;
    std::vector<Bases> lists_;
    uint64_t n_bases_ = 0;
};

} // namespace halo::accelerator
