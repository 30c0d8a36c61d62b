// SPDX-License-Identifier: BSD-3-Clause
// Messages to whoever runs the program. Nothing is formatted while the level is off; logging never throws.
#pragma once

#include <cstdarg>
#include <cstdint>

#include "halo.h"

namespace halo {

// Numbers as in halo_log_fn.
enum class LogLevel : int32_t { error = 0, warn = 1, info = 2, debug = 3 };

class Log {
public:
    // Standard error, warnings and errors.
    Log() = default;
    // `sink` nullptr: standard error.
    Log(halo_log_fn sink, void *user, LogLevel level) : sink_(sink), user_(user), level_(level) {}

    void set_level(LogLevel level) { level_ = level; }
    // Shown in front of lines on standard error; below 0: no rank.
    void set_rank(int32_t rank) { rank_ = rank; }
    bool enabled(LogLevel level) const { return level <= level_; }

    void error(const char *pattern, ...) const noexcept __attribute__((format(printf, 2, 3), cold));
    void warn(const char *pattern, ...) const noexcept __attribute__((format(printf, 2, 3), cold));
    void info(const char *pattern, ...) const noexcept __attribute__((format(printf, 2, 3)));
    void debug(const char *pattern, ...) const noexcept __attribute__((format(printf, 2, 3)));
    // A finished text, e.g. a module's.
    void write(LogLevel level, const char *text) const noexcept;

private:
    void format_and_write(LogLevel level, const char *pattern, va_list arguments) const noexcept;

    halo_log_fn sink_ = nullptr;
    void *user_ = nullptr;
    LogLevel level_ = LogLevel::warn;
    int32_t rank_ = -1;
};

} // namespace halo
