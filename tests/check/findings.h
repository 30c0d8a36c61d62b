// SPDX-License-Identifier: BSD-3-Clause
// What check mode says of a defect that a test has made.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "ranks.h"

namespace conformance {

inline const Settings checked{ { "check", "yes" } };
inline constexpr int n_ranks = 2;

struct Findings {
    std::mutex guard;
    int n = 0;
    std::string text;

    void note(halo_status status) {
        if (status == HALO_SUCCESS) return;
        const std::string found = halo_last_error();
        if (status != HALO_ERR_CHECK && status != HALO_ERR_PEER) stop("HALO_ERR_CHECK was expected: %s", found.c_str());
        const std::lock_guard lock(guard);
        if (status == HALO_ERR_CHECK) {
            ++n;
            text = found;
        }
    }
    void expect(const std::vector<std::string> &words) const {
        EXPECT_GT(n, 0) << "nothing was found";
        for (const std::string &word : words) EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
    }
};

} // namespace conformance
