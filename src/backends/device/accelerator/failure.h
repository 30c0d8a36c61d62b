// SPDX-License-Identifier: BSD-3-Clause
// An error on its way to the table of operations, which hands its text to the core.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "halo.h"

namespace halo::accelerator {

struct Failure {
    halo_status status;
    char text[400];
};

[[noreturn, gnu::format(printf, 2, 3), gnu::cold]] inline void fail(halo_status status, const char *pattern, ...) {
    Failure failure{ status, {} };
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(failure.text, sizeof failure.text, pattern, arguments);
    va_end(arguments);
    throw failure;
}

} // namespace halo::accelerator
