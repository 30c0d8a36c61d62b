// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

#include "base/error.h"
#include "base/schedule_point.h"
#include "capi/guard.h"

namespace halo {

namespace {

#if defined(HALO_SIMULATION)
constexpr size_t text_bytes = simulation::error_text_bytes;
char *last_text() { return simulation::error_text(); }
#else
constexpr size_t text_bytes = 4096;
char *last_text() {
    thread_local char text[text_bytes] = "no error";
    return text;
}
#endif

size_t struct_size_of(const void *user) {
    size_t size;
    std::memcpy(&size, user, sizeof size);
    return size;
}

int32_t struct_version_of(const void *user) {
    int32_t version;
    std::memcpy(&version, static_cast<const char *>(user) + sizeof(size_t), sizeof version);
    return version;
}

size_t checked_size(const void *user, const FirstVersion &first) {
    require(user, first.name);
    const size_t size = struct_size_of(user);
    if (size < first.bytes)
        fail(HALO_ERR_VERSION, "%s: struct_size is %zu, the smallest known is %zu; begin from its ..._INIT value", first.name, size, first.bytes);
    return size;
}

} // namespace

void set_last_error(const char *text) noexcept { std::snprintf(last_text(), text_bytes, "%s", text); }

const char *last_error() noexcept { return last_text(); }

halo_status store_exception() noexcept {
    try {
        const Error error = present_error();
        set_last_error(error.what());
        return error.status();
    } catch (...) { // no memory for the text either
        set_last_error("no memory");
        return HALO_ERR_MEMORY;
    }
}

halo_status store_status(halo_status status) noexcept {
    set_last_error(status_name(status));
    return status;
}

void require(const void *pointer, const char *what) {
    if (!pointer) fail(HALO_ERR_ARGUMENT, "argument '%s' is NULL", what);
}

void check_struct(const void *user, const FirstVersion &first, size_t known_bytes, int32_t struct_version) {
    const size_t size = checked_size(user, first);
    if (struct_version_of(user) != struct_version)
        fail(HALO_ERR_VERSION, "%s: struct_version is %d, this library knows %d", first.name, struct_version_of(user), struct_version);
    if (size > known_bytes && !all_zero(static_cast<const char *>(user) + known_bytes, size - known_bytes))
        fail(HALO_ERR_VERSION, "%s: struct_size is %zu, this library knows %zu bytes, and what follows them is not zero", first.name, size,
             known_bytes);
}

void read_struct_bytes(void *value, const void *user, const FirstVersion &first, size_t known_bytes) {
    const size_t head = sizeof(size_t);
    check_struct(user, first, known_bytes, struct_version_of(value));
    size_t user_bytes;
    std::memcpy(&user_bytes, user, sizeof user_bytes);
    std::memcpy(static_cast<char *>(value) + head, static_cast<const char *>(user) + head, std::min(user_bytes, known_bytes) - head);
}

void write_struct_bytes(void *user, const void *value, const FirstVersion &first, size_t known_bytes) {
    const size_t size = checked_size(user, first);
    if (struct_version_of(user) != struct_version_of(value))
        fail(HALO_ERR_VERSION, "%s: struct_version is %d, this library knows %d", first.name, struct_version_of(user), struct_version_of(value));
    const size_t head = sizeof(size_t);
    const size_t known = std::min(size, known_bytes);
    std::memcpy(static_cast<char *>(user) + head, static_cast<const char *>(value) + head, known - head);
    std::memset(static_cast<char *>(user) + known, 0, size - known);
}

} // namespace halo

extern "C" {

const char *halo_status_name(halo_status status) { return halo::status_name(status); }

const char *halo_last_error(void) { return halo::last_error(); }

int32_t halo_version(void) { return HALO_VERSION_MAJOR * 10000 + HALO_VERSION_MINOR * 100 + HALO_VERSION_PATCH; }
}
