// SPDX-License-Identifier: BSD-3-Clause
// A sparse field of a whole grid as every rank can compute it alone: which parts have storage, what their cells hold, what is null.
#pragma once

#include <vector>

#include "storage.h"

namespace conformance {

struct SparseModel {
    const Grid *grid = nullptr;
    FieldCase field;
    double threshold = 0;
    double fill = 0;
    double allocated_share = 0.5;
    double loud_share = 0.1; // of the cells of a part that is neither quiet nor all loud
    uint64_t seed = 0;
    // Narrowing of the present run.
    int32_t depth = 0;
    int32_t first_component = 0;
    int32_t n_components = 0; // 0: all from the first

    int32_t end_component() const { return n_components > 0 ? first_component + n_components : field.n_components; }
    bool allocated(int64_t gid, int64_t time) const;
    // Bytes of a value: small, zero of either sign, at the threshold, above it, infinite, NaN.
    void value(const Triple &global, int64_t component, int64_t time, std::byte *into) const;
    // Bytes of the fill value.
    void fill_value(std::byte *into) const;
    bool is_null(const std::byte *value) const;

    // Cells of `receiver`'s ghosts towards `offset`; empty where there are none.
    bool region(const Triple &offset, Triple &low, Triple &high) const;
    int64_t region_bytes(const Triple &offset) const;
    // Is what the neighbour across `offset` sends to `receiver` null?
    bool null_region(int64_t receiver, const Triple &offset, int64_t time) const;
};

// Everything that a field's type, threshold, allocation and values can be.
SparseModel make_sparse_model(const Grid &grid, size_t place, halo_type type, Random &random);

} // namespace conformance
