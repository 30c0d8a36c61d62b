// SPDX-License-Identifier: BSD-3-Clause
// The one place where exceptions become statuses, and where structs of other versions are read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/items.h"
#include "halo.h"

namespace halo {

// Text of this thread's last failing call. Fixed storage: it cannot fail, long texts are cut.
void set_last_error(const char *text) noexcept;
const char *last_error() noexcept;

// Status of the exception being handled; its text becomes the thread's last error. Call inside catch.
halo_status store_exception() noexcept;
// A body that returned a status instead of throwing: the text is the status's name.
halo_status store_status(halo_status status) noexcept;

// Run the body of an extern "C" function. It returns nothing or a halo_status. `remember` is called with the text and status of a failure. A returned
// HALO_BUSY is an answer and leaves the texts as they were; one that is thrown says what is left.
template <class Body, class Remember>
halo_status guard(Body &&body, Remember &&remember) noexcept {
    halo_status status = HALO_SUCCESS;
    static_assert(noexcept(remember("", status)), "keeping an error's text must not fail");
    try {
        if constexpr (std::is_void_v<decltype(body())>)
            body();
        else
            status = body();
        if (status == HALO_SUCCESS) [[likely]]
            return HALO_SUCCESS;
        if (status == HALO_BUSY) return HALO_BUSY;
        store_status(status);
    } catch (...) {
        status = store_exception();
    }
    remember(last_error(), status);
    return status;
}

template <class Body>
halo_status guard(Body &&body) noexcept {
    return guard(static_cast<Body &&>(body), [](const char *, halo_status) noexcept {});
}

// Fails with HALO_ERR_ARGUMENT: "argument 'what' is NULL".
void require(const void *pointer, const char *what);

// Check the head of a caller's struct.
void check_struct(const void *user, const FirstVersion &first, size_t known_bytes, int32_t struct_version);

// Over a HALO_..._INIT.
void read_struct_bytes(void *value, const void *user, const FirstVersion &first, size_t known_bytes);

// A caller's struct as this library knows it. `defaults` (a HALO_..._INIT) gives the struct_version and what older, smaller structs lack.
// HALO_ERR_VERSION names the struct: no struct_size or one below the first version's, another struct_version, or a newer struct whose unknown tail is
// not zero.
template <Growing T>
T read_struct(const T *user, const T &defaults) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value = defaults;
    read_struct_bytes(&value, user, first_version<T>, sizeof(T));
    return value;
}

// The same where NULL means the defaults.
template <Growing T>
T read_optional_struct(const T *user, const T &defaults) {
    return user ? read_struct(user, defaults) : defaults;
}

// Fill a caller's struct up to its struct_size, which is kept. `value` starts as HALO_..._INIT. A newer caller's tail is zeroed.
void write_struct_bytes(void *user, const void *value, const FirstVersion &first, size_t known_bytes);

template <Growing T>
void write_struct(T *user, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    write_struct_bytes(user, &value, first_version<T>, sizeof(T));
}

} // namespace halo
