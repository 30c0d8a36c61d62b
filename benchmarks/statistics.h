// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

// A median with the interval that holds the median of the population with at least 95 %: between two order statistics, so that nothing is
// assumed of the distribution.
struct Estimate {
    double median = 0, low = 0, high = 0;
};

double median_of(std::vector<double> values);
Estimate estimate(std::vector<double> values);

// Half the distance of the quartiles, as a share of the median.
double spread_of(std::vector<double> values);

} // namespace bench
