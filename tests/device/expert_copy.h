// SPDX-License-Identifier: BSD-3-Clause
// What an expert writes by hand for one case: every size is a constant of the compiler, every pointer is ready.
#pragma once

#include <vector>

#include "ghost_case.h"

namespace halo::test {

// Sources left, in the middle and right of one block's rows in direction (y, z).
struct ExpertRow {
    double *dst;
    const double *src[3];
};

class ExpertCopy {
public:
    explicit ExpertCopy(const GhostWork &work);
    void run() const { function_(rows_.data(), rows_.size() / 9); }

private:
    std::vector<ExpertRow> rows_; // nine of each block
    void (*function_)(const ExpertRow *rows, size_t n_blocks);
};

} // namespace halo::test
