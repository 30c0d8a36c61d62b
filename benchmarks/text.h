// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace bench {

// As printf.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

} // namespace bench
