// SPDX-License-Identifier: BSD-3-Clause
// A device that does one row of each table wrongly, for tests of check mode. All else is the host device.
#pragma once

#include <cstdint>

extern "C" {

enum class SkewKind : int32_t {
    none,
    wrong_source,  // the row reads one element farther on
    skipped,       // the row is left out
    wrong_target,  // the row writes one element farther on, if it writes into one of the first `n_part_bases` bases
    too_long,      // the row moves one element more, if it moves from another base into one of these
    too_long_here, // the same, if it moves from one of these into another
    stopped        // at once: no row of any table is run
};

// Of tables created from now on, but for `stopped`. Returns through `n_rows` (may be null) how many rows the last table had.
using skew_set_fn = void (*)(SkewKind kind, int64_t row, uint32_t n_part_bases);
using skew_rows_fn = int64_t (*)();
}
