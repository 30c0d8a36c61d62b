// SPDX-License-Identifier: BSD-3-Clause
// Memory of a device that the library has given: the peers' devices write ghosts in it, if its module lets them; else messages bring what belongs
// there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "placed.h"

namespace conformance {

namespace {

constexpr int64_t cells = 600, ghosts = 2, row = cells + 2 * ghosts;
constexpr double unset = -1;

// A line of parts around a ring, one on each rank.
class Line {
public:
    explicit Line(const Rank &self) : self_(self), values_(static_cast<size_t>(row)) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = self.size, blocks.n_cells[0] = cells, blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(self.context, &blocks, &topology_));
        halo_field_desc field = HALO_FIELD_DESC_INIT;
        field.name = "u", field.ghost_low[0] = field.ghost_high[0] = ghosts;
        OK(halo_field_create(topology_, &field, &field_));
        halo_binding binding = HALO_BINDING_INIT;
        place(binding, values_.data());
        OK(halo_field_bind(field_, self.rank, &binding));
        OK(halo_exchange_create(&field_, 1, nullptr, &exchange_));
    }
    ~Line() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;

    // Rank 0 starts before the others do: they find its ghosts open.
    void run(int turn) {
        for (int64_t i = 0; i < row; ++i) at(i) = i < ghosts || i >= ghosts + cells ? unset : value(turn, i);
        upload(values_.data(), row * sizeof(double));
        if (self_.rank == 0) OK(halo_exchange_start(exchange_, nullptr, stream()));
        OK(halo_context_barrier(self_.context));
        if (self_.rank != 0) OK(halo_exchange_start(exchange_, nullptr, stream()));
        OK(halo_exchange_finish(exchange_, stream()));
        download(values_.data(), row * sizeof(double));
        for (int64_t i = 0; i < row; ++i)
            if (at(i) != value(turn, i)) stop("rank %d, run %d: %g at %lld", self_.rank, turn, at(i), static_cast<long long>(i));
        OK(halo_context_barrier(self_.context));
    }
    int64_t landed() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(exchange_, &stats));
        return stats.messages_landed;
    }
    const halo_exchange *exchange() const { return exchange_; }

private:
    double &at(int64_t i) { return values_[static_cast<size_t>(i)]; }
    double value(int turn, int64_t i) const {
        const int64_t all = cells * self_.size;
        return 1e6 * turn + static_cast<double>((self_.rank * cells + i - ghosts + all) % all);
    }

    const Rank &self_;
    OwnMemory<double> values_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

TEST(SharedDevice, GhostsAreWrittenByThePeersDevice) {
    if (!device_memory_is_shared()) GTEST_SKIP() << "CONFORMANCE_STORAGE is not shared_device";
    run(2, { { "shared_memory.least", "0" }, { "path", "direct" }, { "check", "no" } }, [](Rank &self) {
        constexpr int n_known = 4, n_runs = 10; // ranks know each other after a few
        const bool reaches = test_device().plugin().ipc != nullptr;
        Line line(self);
        for (int turn = 0; turn < n_known; ++turn) line.run(turn);
        const int64_t before = line.landed();
        for (int turn = n_known; turn < n_known + n_runs; ++turn) line.run(turn);
        if (!reaches && line.landed() != 0) stop("%lld messages have landed", static_cast<long long>(line.landed()));
        if (!reaches || self.rank != 1) return;
        const std::string told = description_of(line.exchange());
        if (line.landed() != before + n_runs)
            stop("%lld messages of %d have landed: %s", static_cast<long long>(line.landed() - before), n_runs, told.c_str());
        if (told.find("from storage to storage, on a device") == std::string::npos) stop("%s", told.c_str());
    });
}

} // namespace

} // namespace conformance
