// SPDX-License-Identifier: BSD-3-Clause
#include "base/combine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "base/types.h"

namespace halo {

namespace {

// Sums and products of integers wrap around. Those of short unsigned ones would be made of int, and overflow.
template <class T>
struct Wrapping {
    using type = T;
};
template <std::integral T>
struct Wrapping<T> {
    using type = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
};

struct Sum {
    template <class T>
    T operator()(T a, T b) const {
        using Wide = typename Wrapping<T>::type;
        return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    }
    template <class Real>
    std::complex<Real> operator()(std::complex<Real> a, std::complex<Real> b) const {
        return a + b;
    }
};

// Complex products by the plain formula, as devices have it.
struct Product {
    template <class T>
    T operator()(T a, T b) const {
        using Wide = typename Wrapping<T>::type;
        return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    }
    template <class Real>
    std::complex<Real> operator()(std::complex<Real> a, std::complex<Real> b) const {
        return { a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real() };
    }
};

// NaN wins; of equal numbers the minimum is the one with the sign set, the maximum the other.
template <bool minimum>
struct Extreme {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
            if (a == b) return std::signbit(a) == minimum ? a : b;
        }
        return (a < b) == minimum ? a : b;
    }
};

// Calls use(op) for values of T.
template <class T, class Use>
void with_op(halo_op op, Use &&use) {
    if (op == HALO_SUM) return use(Sum{});
    if (op == HALO_PROD) return use(Product{});
    if constexpr (std::is_arithmetic_v<T>) {
        if (op == HALO_MIN) return use(Extreme<true>{});
        if (op == HALO_MAX) return use(Extreme<false>{});
        if (op == HALO_LAND) return use([](T a, T b) { return static_cast<T>(a != T{} && b != T{}); });
        if (op == HALO_LOR) return use([](T a, T b) { return static_cast<T>(a != T{} || b != T{}); });
        if (op == HALO_LXOR) return use([](T a, T b) { return static_cast<T>((a != T{}) != (b != T{})); });
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == HALO_BAND) return use([](T a, T b) { return static_cast<T>(a & b); });
        if (op == HALO_BOR) return use([](T a, T b) { return static_cast<T>(a | b); });
        if (op == HALO_BXOR) return use([](T a, T b) { return static_cast<T>(a ^ b); });
    }
    fail(HALO_ERR_INTERNAL, "values of this type cannot be combined by op %d", op);
}

// Calls use(T{}, op).
template <class Use>
void with_type_and_op(halo_type type, halo_op op, Use &&use) {
    const auto as = [&](auto value) { with_op<decltype(value)>(op, [&](auto combined) { use(value, combined); }); };
    if (!with_type(type, as)) fail(HALO_ERR_INTERNAL, "values of %s cannot be combined", type_name(type));
}

template <class T>
T load(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
template <class T>
void store(std::byte *at, T value) {
    std::memcpy(at, &value, sizeof value);
}

// Returns the new value.
template <class T, class Op>
T fetch(T value, std::byte *contribution, Op op) {
    const T more = load<T>(contribution);
    store(contribution, value);
    return op(value, more);
}

// Does the first one stay, by value or, of two that an extreme keeps where they come first, by index?
template <class T, class Op>
bool stays(T value, int64_t index, T other, int64_t other_index, Op extreme) {
    const auto same = [](T a, T b) {
        using Bytes = std::array<std::byte, sizeof(T)>;
        return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
    };
    if (!same(extreme(value, other), value)) return false;
    return !same(extreme(other, value), other) || index <= other_index;
}

template <class T, class Op>
void locate(std::byte *values, std::byte *indices, const std::byte *more, const std::byte *more_indices, int64_t n, Op extreme) {
    for (int64_t i = 0; i < n; ++i) {
        const int64_t at = i * static_cast<int64_t>(sizeof(T)), index_at = i * static_cast<int64_t>(sizeof(int64_t));
        const T other = load<T>(more + at);
        const auto other_index = load<int64_t>(more_indices + index_at);
        if (stays(load<T>(values + at), load<int64_t>(indices + index_at), other, other_index, extreme)) continue;
        store(values + at, other);
        store(indices + index_at, other_index);
    }
}

constexpr int64_t lookahead = 16; // listed values that are asked for before they are needed

template <class T, class Op>
void fetch_in_run(std::byte *values, std::byte *contributions, int64_t n, Op op) {
    for (int64_t at = 0; at < n * static_cast<int64_t>(sizeof(T)); at += sizeof(T))
        store(values + at, fetch(load<T>(values + at), contributions + at, op));
}

// Listed values; contributions in a run.
template <class T, class Op>
void fetch_listed(std::byte *values, int64_t step, const uint32_t *list, std::byte *contributions, int64_t n, Op op) {
    for (int64_t i = 0; i < n; ++i, contributions += sizeof(T)) {
        __builtin_prefetch(values + list[std::min(i + lookahead, n - 1)] * step, 1);
        std::byte *value = values + list[i] * step;
        store(value, fetch(load<T>(value), contributions, op));
    }
}

template <class T, class Op>
void fetch_any(const ValuesAt &given, const ValuesAt &given_contributions, int64_t n, Op op) {
    const ValuesAt values = given, contributions = given_contributions; // no store can change them
    for (int64_t i = 0; i < n; ++i) {
        const int64_t later = std::min(i + lookahead, n - 1);
        __builtin_prefetch(values[later], 1);
        __builtin_prefetch(contributions[later], 1);
        store(values[i], fetch(load<T>(values[i]), contributions[i], op));
    }
}

} // namespace

void combine(void *into, const void *from, int64_t n, halo_type type, halo_op op) {
    with_type_and_op(type, op, [&](auto value, auto combined) {
        using T = decltype(value);
        auto *to = static_cast<std::byte *>(into);
        const auto *more = static_cast<const std::byte *>(from);
        for (int64_t at = 0; at < n * static_cast<int64_t>(sizeof(T)); at += sizeof(T))
            store(to + at, combined(load<T>(to + at), load<T>(more + at)));
    });
}

namespace {

template <class T, class Op>
void combine_each(const ValuesAt &given, const ValueGroups &groups, std::byte *results, Op op) {
    const ValuesAt values = given; // no store can change it
    const uint32_t *const list = groups.list.data();
    const uint32_t *const giving = groups.giving.empty() ? nullptr : groups.giving.data();
    const uint32_t *const ends = groups.ends.data();
    const size_t n = groups.ends.size();
    const auto at_place = [&](size_t i) { return load<T>(values.first + list[i] * values.step); };
    for (size_t g = 0, at = 0; g < n; at = ends[g++]) {
        for (; !giving && g < n && ends[g] == at + 2; ++g, at += 2)
            store(results + g * sizeof(T), op(at_place(at), at_place(at + 1))); // most are such
        if (g == n) break;
        T value = at_place(at);
        const size_t end = giving ? at + giving[g] : ends[g];
        for (size_t i = at + 1; i < end; ++i) value = op(value, at_place(i));
        store(results + g * sizeof(T), value);
    }
}

} // namespace

void combine_groups(const ValuesAt &values, const ValueGroups &groups, void *results, halo_type type, halo_op op) {
    with_type_and_op(type, op,
                     [&](auto value, auto combined) { combine_each<decltype(value)>(values, groups, static_cast<std::byte *>(results), combined); });
}

void spread_to_groups(const void *results, const ValueGroups &groups, const ValuesAt &given, halo_type type) {
    with_type(type, [&](auto zero) {
        const ValuesAt values = given;
        const uint32_t *const list = groups.list.data();
        const uint32_t *const ends = groups.ends.data();
        const size_t n = groups.ends.size();
        const auto result = [&](size_t g) { return load<decltype(zero)>(static_cast<const std::byte *>(results) + g * sizeof zero); };
        const auto place = [&](size_t i) { return values.first + list[i] * values.step; };
        for (size_t g = 0, at = 0; g < n; ++g) {
            for (; g < n && ends[g] == at + 2; ++g, at += 2) {
                const auto value = result(g);
                store(place(at), value), store(place(at + 1), value);
            }
            if (g == n) break;
            for (const auto value = result(g); at < ends[g]; ++at) store(place(at), value);
        }
    });
}

void combine_located(void *values, void *indices, const void *more, const void *more_indices, int64_t n, halo_type type, halo_op op) {
    with_type(type, [&](auto value) {
        using T = decltype(value);
        if constexpr (std::is_arithmetic_v<T>) {
            const auto by = [&](auto extreme) {
                locate<T>(static_cast<std::byte *>(values), static_cast<std::byte *>(indices), static_cast<const std::byte *>(more),
                          static_cast<const std::byte *>(more_indices), n, extreme);
            };
            op == HALO_MINLOC ? by(Extreme<true>{}) : by(Extreme<false>{});
        }
    });
}

void fetch_and_combine(const ValuesAt &values, const ValuesAt &contributions, int64_t n, halo_type type, halo_op op) {
    with_type_and_op(type, op, [&](auto value, auto combined) {
        using T = decltype(value);
        const auto is_run = [](const ValuesAt &at) { return !at.list && at.step == static_cast<int64_t>(sizeof(T)); };
        if (!is_run(contributions)) return fetch_any<T>(values, contributions, n, combined);
        if (is_run(values)) return fetch_in_run<T>(values.first, contributions.first, n, combined);
        if (values.list) return fetch_listed<T>(values.first, values.step, values.list, contributions.first, n, combined);
        fetch_any<T>(values, contributions, n, combined);
    });
}

} // namespace halo
