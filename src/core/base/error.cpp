// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.h"

#include <cstdio>
#include <stdexcept>
#include <type_traits>

namespace halo {

std::string format_list(const char *pattern, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, again);
    va_end(again);
    std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, arguments);
    return text;
}

std::string format(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    return text;
}

void fail(halo_status status, const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = format_list(pattern, arguments);
    va_end(arguments);
    throw Error(status, std::move(text));
}

void fail_after(halo_status status, const std::string &what, FirstCause cause) {
    std::string text = format("%s; first cause, on rank %d: %s: %s", what.c_str(), cause.rank, status_name(cause.status), cause.text.c_str());
    throw Error(status, std::move(text), std::move(cause));
}

const char *status_name(halo_status status) noexcept {
    switch (status) {
    case HALO_SUCCESS: return "HALO_SUCCESS";
    case HALO_BUSY: return "HALO_BUSY";
    case HALO_TIMEOUT: return "HALO_TIMEOUT";
    case HALO_DECLINED: return "HALO_DECLINED";
    case HALO_ERR_ARGUMENT: return "HALO_ERR_ARGUMENT";
    case HALO_ERR_VERSION: return "HALO_ERR_VERSION";
    case HALO_ERR_STATE: return "HALO_ERR_STATE";
    case HALO_ERR_NOT_FOUND: return "HALO_ERR_NOT_FOUND";
    case HALO_ERR_EXISTS: return "HALO_ERR_EXISTS";
    case HALO_ERR_UNBOUND: return "HALO_ERR_UNBOUND";
    case HALO_ERR_BOUNDS: return "HALO_ERR_BOUNDS";
    case HALO_ERR_MISMATCH: return "HALO_ERR_MISMATCH";
    case HALO_ERR_MEMORY: return "HALO_ERR_MEMORY";
    case HALO_ERR_LIMIT: return "HALO_ERR_LIMIT";
    case HALO_ERR_CONFIG: return "HALO_ERR_CONFIG";
    case HALO_ERR_PLUGIN: return "HALO_ERR_PLUGIN";
    case HALO_ERR_TRANSPORT: return "HALO_ERR_TRANSPORT";
    case HALO_ERR_PEER: return "HALO_ERR_PEER";
    case HALO_ERR_WIRE: return "HALO_ERR_WIRE";
    case HALO_ERR_DEVICE: return "HALO_ERR_DEVICE";
    case HALO_ERR_HANDLE: return "HALO_ERR_HANDLE";
    case HALO_ERR_CHECK: return "HALO_ERR_CHECK";
    case HALO_ERR_INTERNAL: return "HALO_ERR_INTERNAL";
    default: return "unknown status";
    }
}

namespace {
const std::string no_memory = "no memory", too_long = "no memory: a list would be longer than memory can be";
}

static_assert(std::is_nothrow_copy_constructible_v<Error>);

Error present_error() noexcept {
    try {
        try {
            throw; // cppcheck-suppress rethrowNoCurrentException
        } catch (const Error &error) {
            return error;
        } catch (const std::bad_alloc &) {
            return { HALO_ERR_MEMORY, &no_memory };
        } catch (const std::length_error &) {
            return { HALO_ERR_MEMORY, &too_long };
        } catch (const std::exception &error) {
            return { HALO_ERR_INTERNAL, error.what() };
        } catch (...) {
            return { HALO_ERR_INTERNAL, "an exception of unknown type" };
        }
    } catch (...) { // there is none for the text
        return { HALO_ERR_MEMORY, &no_memory };
    }
}

bool is_want_of_memory() noexcept {
    try {
        throw;
    } catch (const Error &error) {
        return error.status() == HALO_ERR_MEMORY;
    } catch (const std::bad_alloc &) {
        return true;
    } catch (const std::length_error &) {
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace halo
