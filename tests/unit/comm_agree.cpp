// SPDX-License-Identifier: BSD-3-Clause
// What two ranks say that must have the same: the first difference, in the same words on both.
#include <gtest/gtest.h>

#include "comm/agree.h"
#include "two_contexts.h"

namespace halo {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string said_by(Context &context, const Lines &lines) {
    Terms terms;
    for (const auto &[of, value] : lines) terms.add(of, value);
    try {
        agree(context, "these", terms);
        return "agreed";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), HALO_ERR_MISMATCH);
        return error.text();
    }
}

void expect_said(const char *text, const Lines &first, const Lines &second) {
    const TwoContexts ranks;
    std::string by_second;
    std::thread other([&] { by_second = said_by(*ranks.contexts[1], second); });
    EXPECT_EQ(said_by(*ranks.contexts[0], first), text);
    other.join();
    EXPECT_EQ(by_second, text);
}

TEST(Agree, NamesTheFirstDifference) {
    expect_said("agreed", {}, {});
    expect_said("agreed", { { "a", "1" }, { "b", "2" } }, { { "a", "1" }, { "b", "2" } });
    expect_said("these must agree on all ranks: b: 2 on rank 0, 3 on rank 1", { { "a", "1" }, { "b", "2" }, { "c", "5" } },
                { { "a", "1" }, { "b", "3" }, { "c", "4" } });
}

TEST(Agree, NamesWhatARankLacks) {
    expect_said("these must agree on all ranks: b: 2 on rank 0, none on rank 1", { { "a", "1" }, { "b", "2" } }, { { "a", "1" } });
    expect_said("these must agree on all ranks: a: 1 on rank 0, none on rank 1", { { "a", "1" } }, {});
    expect_said("these must agree on all ranks: b: 2 on rank 1, none on rank 0", { { "a", "1" } }, { { "a", "1" }, { "b", "2" } });
    expect_said("these must agree on all ranks: b: 2 on rank 1, none on rank 0", { { "a", "1" } }, { { "b", "2" }, { "a", "1" } });
}

TEST(Agree, NamesAnotherOrder) {
    expect_said("these must agree on all ranks: the order", { { "a", "1" }, { "b", "2" } }, { { "b", "2" }, { "a", "1" } });
}

TEST(Agree, FindsALineInMany) {
    Lines first, second;
    for (int i = 0; i < 100'000; ++i) first.emplace_back("line " + std::to_string(i), "this one is as on the other rank");
    second = first;
    second[77'777].second = "not this one";
    expect_said("these must agree on all ranks: line 77777: this one is as on the other rank on rank 0, not this one on rank 1", first, second);
}

} // namespace
} // namespace halo
