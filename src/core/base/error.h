// SPDX-License-Identifier: BSD-3-Clause
// Failure inside the library: an exception that carries a status and one line of text. It never crosses the C boundary.
#pragma once

#include <cstdarg>
#include <exception>
#include <string>

#include "halo.h"

namespace halo {

class Error : public std::exception {
public:
    Error(halo_status status, std::string text) : status_(status), text_(std::move(text)) {}
    halo_status status() const noexcept { return status_; }
    const char *what() const noexcept override { return text_.c_str(); }
    const std::string &text() const noexcept { return text_; }

private:
    halo_status status_;
    std::string text_;
};

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

std::string format_list(const char *pattern, va_list arguments) __attribute__((format(printf, 1, 0)));

// Throw an Error with a printf text that names what was wrong, with keys, ranks and sizes.
[[noreturn, gnu::format(printf, 2, 3), gnu::cold]] void fail(halo_status status, const char *pattern, ...);

// What is being thrown, as an Error: callbacks may throw anything. Only within a catch clause.
Error present_error();

const char *status_name(halo_status status) noexcept;

} // namespace halo
