// SPDX-License-Identifier: BSD-3-Clause
#include "left_out.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

namespace conformance {

namespace {

LeftOutOnDevices *first = nullptr, *last = nullptr;

std::string full_name(const testing::TestInfo &test) { return std::string(test.test_suite_name()) + "." + test.name(); }

template <class Visit>
void for_each_test(Visit &&visit) {
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s)
        for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t) visit(*all.GetTestSuite(s)->GetTestInfo(t));
}

// Without its parameter, and how many there are.
std::map<std::string, int> tests_like(const char *pattern) {
    std::map<std::string, int> found;
    for_each_test([&](const testing::TestInfo &test) {
        const std::string name = full_name(test);
        if (fnmatch(pattern, name.c_str(), 0) == 0) ++found[name.substr(0, name.find('/', name.find('.')))];
    });
    return found;
}

} // namespace

LeftOutOnDevices::LeftOutOnDevices(const char *pattern, const char *why) noexcept : pattern_(pattern), why_(why) {
    (last ? last->next_ : first) = this;
    last = this;
}

bool leave_out_on_devices() {
    if (GTEST_FLAG_GET(filter) != "*") return true;
    std::string patterns;
    bool all_there = true;
    for (const LeftOutOnDevices *one = first; one; one = one->next_) {
        patterns += std::string(patterns.empty() ? "" : ":") + one->pattern_;
        const std::map<std::string, int> found = tests_like(one->pattern_);
        for (const auto &[name, n] : found) std::printf("  left out: %s, %d: %s\n", name.c_str(), n, one->why_);
        all_there = all_there && !found.empty();
        if (found.empty()) std::printf("  left out, but there is none: %s\n", one->pattern_);
    }
    if (!patterns.empty()) GTEST_FLAG_SET(filter, "*-" + patterns);
    return all_there;
}

void print_skipped() {
    for_each_test([](const testing::TestInfo &test) {
        if (test.result()->Skipped()) std::printf("  skipped: %s: %s\n", full_name(test).c_str(), test.result()->GetTestPartResult(0).message());
    });
}

} // namespace conformance
