// SPDX-License-Identifier: BSD-3-Clause
#include "text.h"

#include <cstdarg>
#include <cstdio>

namespace bench {

std::string format(const char *pattern, ...) {
    va_list arguments, again;
    va_start(arguments, pattern);
    va_copy(again, arguments);
    std::string text(static_cast<size_t>(std::vsnprintf(nullptr, 0, pattern, arguments)), '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    va_end(arguments);
    return text;
}

} // namespace bench
