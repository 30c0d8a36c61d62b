// SPDX-License-Identifier: BSD-3-Clause
// One run of an exchange while it is in flight: the plan's variant, and the pointers it works on.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace halo {

class CheckMode;

struct Run {
    uint32_t epoch = 0;
    const Plan *full = nullptr;
    const Plan *plan = nullptr; // the full one, or a narrowed variant
    Narrowing narrowing;        // as it travels in headers
    std::vector<void *> bases;  // as the plan numbers them
    std::vector<int32_t> sets;  // binding set per field
    halo_stream stream = HALO_STREAM_NONE;
    CheckMode *check = nullptr; // where check mode is on

    void *part(int64_t field, int64_t part) const { return bases[plan->part_base(field, part)]; }
    void run_rows(RowRange rows) const { plan->table().run(rows.first, rows.n, bases, stream); }
    void copy_within_rank() const { run_rows(plan->local()); }
    void run_row(int64_t row) const { plan->table().run(row, 1, bases, stream); }
};

} // namespace halo
