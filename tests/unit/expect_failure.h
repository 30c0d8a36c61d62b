// SPDX-License-Identifier: BSD-3-Clause
// Expectations on halo::Error.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

// The call fails with this status, and its text has all these parts.
template <class Call>
void expect_failure(halo_status status, std::initializer_list<const char *> parts, Call &&call) {
    try {
        call();
        FAIL() << "the call succeeded; expected " << halo::status_name(status);
    } catch (const halo::Error &error) {
        EXPECT_STREQ(halo::status_name(error.status()), halo::status_name(status)) << error.what();
        for (const char *part : parts) EXPECT_NE(error.text().find(part), std::string::npos) << "no '" << part << "' in: " << error.what();
    }
}
