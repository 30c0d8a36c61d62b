// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.h"

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

double median_sorted(const std::vector<double> &sorted) {
    const size_t n = sorted.size();
    return n == 0 ? 0.0 : n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

// Largest k for which the median lies outside [sorted[k], sorted[n-1-k]] with at most 5 %: a sign test.
size_t rank_of_interval(size_t n) {
    double term = std::pow(0.5, static_cast<double>(n)), tail = term; // chance that none is below the median
    size_t k = 0;
    while (2.0 * tail <= 0.05) {
        ++k;
        term *= static_cast<double>(n - k + 1) / static_cast<double>(k);
        tail += term;
    }
    return k == 0 ? 0 : k - 1;
}

} // namespace

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return median_sorted(values);
}

Estimate estimate(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const size_t k = rank_of_interval(values.size());
    return { median_sorted(values), values[k], values[values.size() - 1 - k] };
}

double spread_of(std::vector<double> values) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return 0.5 * (values[n - 1 - n / 4] - values[n / 4]) / median_sorted(values);
}

} // namespace bench
