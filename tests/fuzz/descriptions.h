// SPDX-License-Identifier: BSD-3-Clause
// What the fuzzers of descriptions share: numbers of the input that may be meant, or hardly ever cannot be, and what must hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include <fuzzer/FuzzedDataProvider.h>

#include "halo_access.h"
#include "halo_channel.h"

namespace fuzz {

inline void check(bool holds) {
    if (!holds) std::abort();
}

// An error has a text; a defect of the library is none.
inline bool made(halo_status status) {
    check(status >= HALO_SUCCESS && status != HALO_ERR_INTERNAL);
    check(status == HALO_SUCCESS || *halo_last_error());
    return status == HALO_SUCCESS;
}

template <class Handle>
void destroy(halo_status (*call)(Handle **), Handle *handle) {
    if (handle) check(call(&handle) == HALO_SUCCESS);
}

// A struct with memory behind it, as a newer caller's has.
template <class Desc>
struct Newer : Desc {
    std::array<unsigned char, 32> tail;
};

class Input {
public:
    Input(const unsigned char *data, size_t bytes) : data_(data, bytes) {}

    bool flip() { return (data_.ConsumeIntegral<uint8_t>() & 1) != 0; }
    int32_t pick(int32_t least, int32_t most) { return data_.ConsumeIntegralInRange(least, most); }
    // A constant of some list of `n`, or hardly ever another number.
    int32_t choice(int32_t n, int32_t first = 0) { return rarely() ? integer() : pick(first, first + n - 1); }
    // A length or width that may be meant, or hardly ever one that cannot.
    int64_t size(int64_t most = 6) {
        static constexpr std::array<int64_t, 10> extremes{
            INT64_MIN,     -1,       INT32_MAX, int64_t{ 1 } << 31, int64_t{ 1 } << 32, int64_t{ 1 } << 40, int64_t{ 1 } << 61, int64_t{ 1 } << 62,
            INT64_MAX - 1, INT64_MAX
        };
        return rarely() ? data_.PickValueInArray(extremes) : data_.ConsumeIntegralInRange<int64_t>(0, most);
    }
    // Of a list that has `n` values: more than the library takes, or no more than there are.
    int64_t length(int64_t n) {
        const int64_t given = size(n);
        return given > n && given <= int64_t{ 1 } << 40 ? n : given;
    }
    int32_t narrow(int64_t value) { return static_cast<int32_t>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX)); }
    int32_t width(int32_t most = 3) { return narrow(size(most)); }
    template <class T, size_t n>
    std::array<T, n> values(T least, T most) {
        std::array<T, n> all;
        for (T &value : all) value = rarely() ? data_.ConsumeIntegral<T>() : data_.ConsumeIntegralInRange<T>(least, most);
        return all;
    }
    // A struct of another version, hardly ever.
    template <class Desc>
    void version(Newer<Desc> &desc) {
        if (rarely()) desc.struct_size = data_.ConsumeIntegralInRange<size_t>(0, sizeof desc);
        if (desc.struct_size > sizeof(Desc) && flip()) desc.tail[static_cast<size_t>(pick(0, 31))] = 1; // what the library does not know
        if (!rarely()) return;
        const int32_t layout = integer(); // stands behind struct_size in all of them
        std::memcpy(reinterpret_cast<char *>(&desc) + sizeof desc.struct_size, &layout, sizeof layout);
    }

private:
    bool rarely() { return data_.ConsumeIntegral<uint8_t>() >= 240; }
    int32_t integer() { return data_.ConsumeIntegral<int32_t>(); }

    FuzzedDataProvider data_;
};

inline halo_context *the_context() {
    static halo_context *context = [] {
        halo_inproc *group = nullptr;
        halo_context *opened = nullptr;
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        const halo_setting settings[] = { { "pool.cap", "64MiB" }, { "timeout", "1s" } };
        options.settings = settings, options.n_settings = 2, options.log = [](void *, int32_t, const char *) {};
        check(halo_inproc_create(1, &group) == HALO_SUCCESS && halo_context_create_inproc(group, 0, &options, &opened) == HALO_SUCCESS);
        return opened;
    }();
    return context;
}

// A topology of any description; nullptr: it was refused.
halo_topology *topology_of(Input &in, int kind);
constexpr int n_topology_kinds = 10;

// Fields, exchanges and batches on a topology, then all of it is destroyed.
void use(Input &in, halo_topology *topology);

void channels(Input &in);
void context(Input &in);
void reductions(Input &in);
void sections(Input &in);

} // namespace fuzz
