// SPDX-License-Identifier: BSD-3-Clause
#include "exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace {

double sum_of(const std::vector<double> &terms) {
    ranks::ExactSum sum;
    for (const double term : terms) sum.add(term);
    return sum.value();
}

TEST(ExactSum, keeps_what_rounding_loses) {
    constexpr double tiny = std::numeric_limits<double>::denorm_min(), huge = std::numeric_limits<double>::max();
    EXPECT_EQ(sum_of({}), 0.0);
    EXPECT_EQ(sum_of({ 1e300, 1, -1e300 }), 1.0);
    EXPECT_EQ(sum_of({ huge, tiny, -huge }), tiny);
    EXPECT_EQ(sum_of({ huge, huge, -huge, -huge, -3 * tiny }), -3 * tiny);
    EXPECT_EQ(sum_of({ -huge }), -huge);
    EXPECT_EQ(sum_of({ huge, huge }), std::numeric_limits<double>::infinity());
    EXPECT_EQ(sum_of({ -0.1, 0.1, -0.3 }), -0.3);
    EXPECT_TRUE(std::isnan(sum_of({ 1, std::numeric_limits<double>::infinity() })));
}

TEST(ExactSum, depends_neither_on_order_nor_on_who_adds) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-300, 300);
    std::vector<double> terms(1000);
    for (auto &term : terms) term = std::ldexp(mantissa(random), exponent(random));
    const double expected = sum_of(terms);
    std::shuffle(terms.begin(), terms.end(), random);
    EXPECT_EQ(sum_of(terms), expected);

    ranks::ExactSum parts[3];
    for (std::size_t i = 0; i < terms.size(); ++i) parts[i % 3].add(terms[i]);
    for (std::size_t word = 0; word < ranks::ExactSum::n_words; ++word) parts[0].words()[word] += parts[1].words()[word] + parts[2].words()[word];
    EXPECT_EQ(parts[0].value(), expected);
}

} // namespace
