// SPDX-License-Identifier: BSD-3-Clause
#include "contest.h"

#include "statistics.h"

namespace bench {

void add_times(Row &row, int64_t payload_bytes, const Estimate &ratio, const std::vector<double> &seconds) {
    const double median = median_of(seconds);
    row.add("median us", median * microseconds).add("spread %", 100.0 * spread_of(seconds));
    row.add("GB/s", static_cast<double>(payload_bytes) / median * 1e-9);
    row.add("libhalo/it", ratio.median).add("low", ratio.low).add("high", ratio.high);
}

} // namespace bench
