// SPDX-License-Identifier: BSD-3-Clause
// Failure inside the library: an exception that carries a status and one line of text. It never crosses the C boundary.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "halo.h"

namespace halo {

// The failure that made others fail: where it happened, and its own text.
struct FirstCause {
    int32_t rank;
    halo_status status;
    std::string text;
    bool lasts = false; // it will be found again in every later run
};

// Copying one takes no memory: what a failed run has to set right comes after.
class Error : public std::exception {
public:
    Error(halo_status status, std::string text) : status_(status), text_(std::make_shared<const std::string>(std::move(text))) {}
    // Of a text that stays.
    Error(halo_status status, const std::string *text) noexcept : status_(status), text_(std::shared_ptr<void>(), text) {}
    Error(const Error &) noexcept = default; // and no moves, which would leave one without a text
    Error &operator=(const Error &) noexcept = default;
    // That of a rank which fails because another one has.
    Error(halo_status status, std::string text, FirstCause cause)
        : status_(status),
          text_(std::make_shared<const std::string>(std::move(text))),
          cause_(std::make_shared<const FirstCause>(std::move(cause))) {}
    halo_status status() const noexcept { return status_; }
    const char *what() const noexcept override { return text_->c_str(); }
    const std::string &text() const noexcept { return *text_; }
    // Null: it happened here, and need not last.
    const FirstCause *first_cause() const noexcept { return cause_.get(); }

private:
    halo_status status_;
    std::shared_ptr<const std::string> text_;
    std::shared_ptr<const FirstCause> cause_;
};

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

std::string format_list(const char *pattern, va_list arguments) __attribute__((format(printf, 1, 0)));

// Throw an Error with a printf text that names what was wrong, with keys, ranks and sizes.
[[noreturn, gnu::format(printf, 2, 3), gnu::cold]] void fail(halo_status status, const char *pattern, ...);

// The same of a rank that fails because another one has: "what; first cause, on rank 3: HALO_ERR_UNBOUND: its text".
[[noreturn]] void fail_after(halo_status status, const std::string &what, FirstCause cause);

// What is being thrown, as an Error: callbacks may throw anything. Only within a catch clause.
Error present_error() noexcept;

// Whether what is being thrown says so. Only within a catch clause; needs none itself.
bool is_want_of_memory() noexcept;

// An operation of a transport could not be ended: may its memory still be used? Only within a catch clause.
inline bool may_still_be_used() noexcept { return is_want_of_memory() || present_error().status() == HALO_ERR_TRANSPORT; }

const char *status_name(halo_status status) noexcept;

} // namespace halo
