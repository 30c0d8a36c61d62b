// SPDX-License-Identifier: BSD-3-Clause
// Combining in an order that the contributions themselves give: all contributions to a point are sorted by value, and then combined. The result
// depends on what was contributed and on nothing else: neither on who did, nor on where, nor on how the domain is cut.
#pragma once

#include <span>
#include <vector>

#include "plan/lower/copy_rows.h"

namespace halo {

// Every point of one field that receives, with all that it receives. Only HALO_SUM and HALO_PROD.
class CanonicalStep {
public:
    CanonicalStep(halo_type type, halo_op op);

    // Each value of a box is a contribution. `complete`: among the contributions to these points is their own value; else what is there counts.
    void add(const BoxCopy &box, bool complete);
    // Once all boxes are there.
    void sort();

    int64_t scratch_bytes() const;
    // No allocation. `scratch` as many bytes as said, aligned to 16.
    void run(std::span<void *const> bases, std::span<std::byte> scratch) const;

private:
    struct Contribution {
        int64_t to_offset;
        int64_t from_offset;
        uint32_t to_base;
        uint32_t from_base;
        bool complete;

        bool same_point(const Contribution &other) const { return to_base == other.to_base && to_offset == other.to_offset; }
    };
    template <class Value>
    void run_as(std::span<void *const> bases, std::span<std::byte> scratch) const;

    halo_type type_;
    halo_op op_;
    std::vector<Contribution> contributions_; // those of one point behind each other
    int64_t most_ = 0;                        // of one point, its own included
};

} // namespace halo
