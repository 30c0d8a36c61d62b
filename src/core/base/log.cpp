// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.h"

#include <cstdio>

#include "base/error.h"

namespace halo {

namespace {

const char *level_name(LogLevel level) {
    switch (level) {
    case LogLevel::error: return "error";
    case LogLevel::warn: return "warning";
    case LogLevel::info: return "info";
    default: return "debug";
    }
}

// One call of stdio per line, so that lines of threads do not mix.
void print(LogLevel level, int32_t rank, const char *text) {
    if (rank < 0)
        std::fprintf(stderr, "halo: %s: %s\n", level_name(level), text);
    else
        std::fprintf(stderr, "halo: rank %d: %s: %s\n", rank, level_name(level), text);
}

} // namespace

void Log::write(LogLevel level, const char *text) const noexcept {
    if (!enabled(level)) return;
    try {
        if (sink_)
            sink_(user_, static_cast<int32_t>(level), text);
        else
            print(level, rank_, text);
    } catch (...) { // of the caller's function: a message is not worth a failure
    }
}

void Log::format_and_write(LogLevel level, const char *pattern, va_list arguments) const noexcept {
    try {
        write(level, format_list(pattern, arguments).c_str());
    } catch (...) { // no memory for the text
        write(level, pattern);
    }
}

void Log::error(const char *pattern, ...) const noexcept {
    va_list arguments;
    va_start(arguments, pattern);
    format_and_write(LogLevel::error, pattern, arguments);
    va_end(arguments);
}

void Log::warn(const char *pattern, ...) const noexcept {
    if (!enabled(LogLevel::warn)) return;
    va_list arguments;
    va_start(arguments, pattern);
    format_and_write(LogLevel::warn, pattern, arguments);
    va_end(arguments);
}

void Log::info(const char *pattern, ...) const noexcept {
    if (!enabled(LogLevel::info)) return;
    va_list arguments;
    va_start(arguments, pattern);
    format_and_write(LogLevel::info, pattern, arguments);
    va_end(arguments);
}

void Log::debug(const char *pattern, ...) const noexcept {
    if (!enabled(LogLevel::debug)) return;
    va_list arguments;
    va_start(arguments, pattern);
    format_and_write(LogLevel::debug, pattern, arguments);
    va_end(arguments);
}

} // namespace halo
