// SPDX-License-Identifier: BSD-3-Clause
#include "combining.h"

#include <algorithm>
#include <tuple>

#include "failure.h"

namespace halo::accelerator {

namespace {

struct Term {
    int64_t to, from;
    uint32_t to_base, from_base;
    uint32_t overwrites;
};

// Calls `each(to, from)` with the offsets of every element of a piece, in the row's order.
template <class Each>
void for_each_element(const halo_copy_shape &shape, const halo_copy_row &row, uint32_t p, const uint32_t *indices, Each &&each) {
    const auto at = [&](int side, int64_t x) {
        const bool listed = (shape.lists & (side == 1 ? HALO_LIST_SOURCE : HALO_LIST_DESTINATION)) != 0;
        return listed ? int64_t{ indices[row.src_offset[side] + x] } : x;
    };
    for (int64_t c = 0; c < shape.n[2]; ++c)
        for (int64_t z = 0; z < shape.n[1]; ++z)
            for (int64_t y = 0; y < shape.n[0]; ++y) {
                const int64_t to = row.dst_offset + shape.dst_shift[p] + y * shape.dst_stride[0] + z * shape.dst_stride[1] + c * shape.dst_stride[2];
                const int64_t from = row.src_offset[p] + y * shape.src_stride[p][0] + z * shape.src_stride[p][1] + c * shape.src_stride[p][2];
                for (int64_t x = 0; x < shape.run[p]; ++x) each(to + at(2, x) * shape.dst_step, from + at(1, x) * shape.src_step[p]);
            }
}

std::vector<Term> terms_of(const Lowering &lowering, int64_t first, int64_t n, int64_t n_moved, size_t value_bytes) {
    std::vector<Term> terms;
    for (int64_t i = first; i < first + n; ++i) {
        const halo_copy_row &row = lowering.rows()[static_cast<size_t>(i)];
        const halo_copy_shape &shape = lowering.shapes()[row.shape];
        const uint32_t overwrites = i < first + n_moved ? 1 : 0;
        if (overwrites && shape.negate != 0) fail(HALO_ERR_ARGUMENT, "row %lld of a table negates what it overwrites", static_cast<long long>(i));
        for (uint32_t p = 0; p < shape.n_pieces; ++p)
            for_each_element(shape, row, p, lowering.indices().data(), [&](int64_t to, int64_t from) {
                for (int64_t at = 0; at < shape.element_bytes; at += static_cast<int64_t>(value_bytes))
                    terms.push_back({ to + at, from + at, row.dst_base, row.src_base[p], overwrites });
            });
    }
    return terms;
}

} // namespace

Combining combining_of(const Lowering &lowering, int64_t first, int64_t n, int64_t n_moved, size_t value_bytes) {
    std::vector<Term> terms = terms_of(lowering, first, n, n_moved, value_bytes);
    if (terms.size() > INT32_MAX) fail(HALO_ERR_LIMIT, "more than 2^31 values to combine in one run");
    const auto place = [](const Term &term) { return std::tuple(term.to_base, term.to); };
    std::stable_sort(terms.begin(), terms.end(), [&](const Term &one, const Term &other) { return place(one) < place(other); });
    Combining all;
    all.contributions.reserve(terms.size());
    for (size_t i = 0; i < terms.size(); ++i) {
        if (i == 0 || place(terms[i]) != place(terms[i - 1])) all.targets.push_back({ terms[i].to, terms[i].to_base, static_cast<uint32_t>(i) });
        all.contributions.push_back({ terms[i].from, terms[i].from_base, terms[i].overwrites });
    }
    all.targets.push_back({ 0, 0, static_cast<uint32_t>(terms.size()) });
    return all;
}

} // namespace halo::accelerator
