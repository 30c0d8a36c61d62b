// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/erase.h"

namespace halo {

namespace {

std::vector<std::unique_ptr<int>> numbers(int n) {
    std::vector<std::unique_ptr<int>> made;
    for (int i = 0; i < n; ++i) made.push_back(std::make_unique<int>(i));
    return made;
}

TEST(EraseUnordered, KeepsTheOthers) {
    auto all = numbers(10);
    erase_unordered(all, [](const auto &one) { return *one % 3 != 1; });
    std::vector<int> left;
    for (const auto &one : all) left.push_back(*one);
    std::sort(left.begin(), left.end());
    EXPECT_EQ(left, (std::vector{ 1, 4, 7 }));
}

TEST(EraseUnordered, WhatIsNotAskedAboutStays) {
    auto all = numbers(10);
    int asked = 0;
    const auto fails = [&](const auto &) { return ++asked == 5 ? throw std::runtime_error("the fifth") : true; };
    EXPECT_THROW(erase_unordered(all, fails), std::runtime_error);
    EXPECT_EQ(all.size(), 6u);
    for (const auto &one : all) EXPECT_NE(one, nullptr);
}

} // namespace

} // namespace halo
