// SPDX-License-Identifier: BSD-3-Clause
#include "contest.h"

#include "statistics.h"
#include "text.h"

namespace bench {

void add_times(Row &row, int64_t payload_bytes, const Estimate &ratio, const std::vector<double> &seconds) {
    const double median = median_of(seconds);
    row.add("median us", median * microseconds).add("spread %", 100.0 * spread_of(seconds));
    row.add("GB/s", static_cast<double>(payload_bytes) / median * 1e-9);
    row.add("libhalo/it", ratio);
}

std::string name_of(const WorkSize &size, Part part) { return format("W%s%s", size.text().c_str(), part == Part::remote ? " remote part" : ""); }

int repetitions_of(int wanted, const WorkSize &size) {
    constexpr int64_t small = 64; // cells per direction
    return wanted > 0 ? wanted : size.cells <= small ? 12 : 3;
}

} // namespace bench
