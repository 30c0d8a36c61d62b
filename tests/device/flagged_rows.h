// SPDX-License-Identifier: BSD-3-Clause
// Ranges of the host device's tables, for test devices that are made of it. It does not tell the rows of a table, so they are given: all of them.
#pragma once

#include "host.h"

namespace halo::test {

inline bool is_chosen(const halo_copy_range &range, const halo_copy_row &row) {
    if (!range.flags || range.rows == HALO_ROWS_ALL) return true;
    return (range.flags[row.flag] != 0) == (range.rows == HALO_ROWS_FLAGGED);
}

// Neighbours are run at once. Each flag is read once.
inline halo_status run_chosen(halo_device *host, const halo_copy_range &range, const halo_copy_row *rows) {
    const int64_t end = range.first + range.n;
    for (int64_t row = range.first; row < end; ++row) {
        const int64_t begin = row;
        while (row < end && is_chosen(range, rows[row])) ++row;
        const halo_status status =
            halo_device_host.ops->table_run(host, range.table, begin, row - begin, range.bases, range.n_bases, HALO_COPY_MOVE, 0, HALO_STREAM_NONE);
        if (status != HALO_SUCCESS) return status;
    }
    return HALO_SUCCESS;
}

inline halo_status test_and_flag(halo_device *host, const halo_copy_range &range, const halo_copy_row *rows) {
    for (int64_t row = range.first; range.flags && row < range.first + range.n; ++row) {
        uint8_t non_null = 0;
        const halo_status status =
            halo_device_host.ops->table_test(host, range.table, row, 1, range.bases, range.n_bases, &range.test, &non_null, HALO_STREAM_NONE);
        if (status != HALO_SUCCESS) return status;
        if (non_null) range.flags[rows[row].flag] = 1;
    }
    return HALO_SUCCESS;
}

} // namespace halo::test
