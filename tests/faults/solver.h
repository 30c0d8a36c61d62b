// SPDX-License-Identifier: BSD-3-Clause
// One rank of a small solver: a row of blocks with a field and an exchange, for tests that break things.
#pragma once

#include <memory>
#include <string>

#include "halo_channel.h"
#include "ranks.h"
#include "storage.h"

namespace conformance {

struct SolverShape {
    int64_t n_blocks = 2;
    int64_t n_cells = 4;
    bool periodic = false;
    int32_t ghost_low = 1;
    int32_t ghost_high = 1;
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t messages = HALO_MESSAGES_AGGREGATE;
    int32_t receive = HALO_RECEIVE_POSTED;
    double timeout_seconds = 10;
    int32_t n_components = 1;
    int32_t source_stable = 0;
    halo_type type = HALO_FLOAT64;
    std::string name = "density";
};

class Solver {
public:
    Solver(const Rank &rank, const SolverShape &shape);
    Solver(const Solver &) = delete;
    Solver &operator=(const Solver &) = delete;

    void make_exchange();
    // The next run's values; statuses of the calls.
    void fill();
    halo_status start();
    halo_status finish();
    // Ghosts are as the last fill makes them; else stops.
    void check();
    // fill, start, finish, check: all must be well.
    void run();
    void bind(bool bound); // the first part
    halo_exchange_stats stats() const;
    void destroy();

    halo_topology *topology = nullptr;
    halo_exchange *exchange = nullptr;
    std::unique_ptr<FieldStores> field;

private:
    SolverShape shape_;
    Grid grid_;
    int64_t time_ = 0;
};

// A channel of one value, made by hand.
halo_channel *add_channel(const Rank &rank, int32_t send_rank, int32_t receive_rank, int32_t field);

// Of a row of boxes of 8 cells, one per rank, that of rank `rank + shift`; each rank gives its own only.
halo_field *field_on_box(const Rank &rank, int32_t shift, const char *name, double *storage, halo_topology *&topology);

// Stops unless the status is the expected one and the thread's last text has all the words.
void expect_failure(halo_status status, halo_status expected, const std::vector<std::string> &words);

} // namespace conformance
