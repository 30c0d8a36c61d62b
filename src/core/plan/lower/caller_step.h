// SPDX-License-Identifier: BSD-3-Clause
// Combining by a function of the program's (HALO_USER), on the host. It is given arrays: points that lie side by side as they are, others are brought
// together and back.
#pragma once

#include <span>
#include <vector>

#include "plan/lower/copy_rows.h"

namespace halo {

// Where the runs of a list end in which no point comes twice.
std::vector<uint32_t> ends_before_repeats(std::span<const uint32_t> points);

class CallerStep {
public:
    // Boxes are combined in the order in which they are added, as many of their points at a time as can be.
    void add(const BoxCopy &box);

    int64_t scratch_bytes() const { return 2 * most_bytes_; }
    struct Outcome {
        halo_status status = HALO_SUCCESS;
        uint32_t base = 0; // of the values, where that is a failure
    };
    // Until a call fails. No allocation. `scratch` as many bytes as said, aligned to 16.
    Outcome run(halo_combine_fn combine, void *user, halo_type type, std::span<void *const> bases, std::span<std::byte> scratch) const;

private:
    std::vector<BoxCopy> boxes_;
    int64_t most_bytes_ = 0; // of points that are brought together, a multiple of 16
};

} // namespace halo
