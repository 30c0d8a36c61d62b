// SPDX-License-Identifier: BSD-3-Clause
// Texts from a transport to the core.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "halo_plugin.h"

namespace halo::transport {

// Hand the text of an error to the core; returns `status`, so that a failing function can end with it.
[[gnu::format(printf, 3, 4), gnu::cold]] inline halo_status report(const halo_host *host, halo_status status, const char *pattern, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    if (host != nullptr && host->report != nullptr) host->report(host->core, text);
    return status;
}

} // namespace halo::transport
