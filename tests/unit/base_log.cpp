// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.h"

namespace halo {
namespace {

using Lines = std::vector<std::string>;

void keep(void *user, int32_t level, const char *text) { static_cast<Lines *>(user)->push_back(std::to_string(level) + " " + text); }

TEST(Log, LevelsAndFormat) {
    Lines lines;
    Log log(keep, &lines, LogLevel::warn);
    log.error("rank %d", 3);
    log.warn("%s", "two");
    log.info("not shown");
    log.debug("not shown");
    EXPECT_EQ(lines, (Lines{ "0 rank 3", "1 two" }));
    log.set_level(LogLevel::debug);
    log.info("%zu", size_t(5));
    log.debug("d");
    log.write(LogLevel::info, "100 %d");
    EXPECT_EQ(lines, (Lines{ "0 rank 3", "1 two", "2 5", "3 d", "2 100 %d" }));
    log.set_level(LogLevel::error);
    log.warn("not shown");
    EXPECT_EQ(lines.size(), 5u);
}

TEST(Log, LongTexts) {
    Lines lines;
    const Log log(keep, &lines, LogLevel::warn);
    const std::string text(100000, 'x');
    log.warn("%s", text.c_str());
    EXPECT_EQ(lines.at(0), "1 " + text);
}

TEST(Log, StandardErrorShowsLevelAndRank) {
    Log log;
    testing::internal::CaptureStderr();
    log.warn("a");
    log.set_rank(4);
    log.error("b");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "halo: warning: a\nhalo: rank 4: error: b\n");
}

TEST(Log, ThrowingSinkIsSurvived) {
    const Log log([](void *, int32_t, const char *) { throw std::runtime_error("sink"); }, nullptr, LogLevel::warn);
    log.warn("x");
    SUCCEED();
}

} // namespace
} // namespace halo
