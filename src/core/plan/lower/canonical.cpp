// SPDX-License-Identifier: BSD-3-Clause
#include "plan/lower/canonical.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "base/types.h"

namespace halo {

namespace {

// Unsigned numbers in the order of the values, and back; of zeros the negative one comes first, NaNs are ordered by their bits. Integers wrap around,
// so their order does not matter.
template <class Value>
struct Ordered {
    using Rank = Value;
    static Rank rank(Value value) { return value; }
    static Value value(Rank rank) { return rank; }
};
template <class Real, class Bits>
struct OrderedReal {
    using Rank = Bits;
    static constexpr Bits sign = Bits{ 1 } << (sizeof(Bits) * 8 - 1);
    static Rank rank(Real value) {
        const auto bits = std::bit_cast<Bits>(value);
        return bits & sign ? ~bits : bits | sign;
    }
    static Real value(Rank rank) { return std::bit_cast<Real>(rank & sign ? rank ^ sign : ~rank); }
};
template <>
struct Ordered<double> : OrderedReal<double, uint64_t> {};
template <>
struct Ordered<float> : OrderedReal<float, uint32_t> {};

template <class Real>
struct Complex {
    Real real;
    Real imaginary;
};
template <class Real>
struct Ordered<Complex<Real>> {
    using Part = Ordered<Real>;
    using Rank = std::pair<typename Part::Rank, typename Part::Rank>;
    static Rank rank(const Complex<Real> &value) { return { Part::rank(value.real), Part::rank(value.imaginary) }; }
    static Complex<Real> value(const Rank &rank) { return { Part::value(rank.first), Part::value(rank.second) }; }
};

// Insertion without branches: the order of values cannot be foretold.
template <class Rank>
void sort_few(std::span<Rank> ranks) {
    for (size_t i = 1; i < ranks.size(); ++i) {
        Rank least = ranks[i];
        for (size_t j = i; j > 0; --j) {
            const Rank other = ranks[j - 1];
            ranks[j] = other < least ? least : other;
            least = other < least ? other : least;
        }
        ranks[0] = least;
    }
}

template <class Rank>
void sort(std::span<Rank> ranks) {
    constexpr size_t few = 20;
    if (std::is_integral_v<Rank> && ranks.size() <= few)
        sort_few(ranks);
    else
        std::sort(ranks.begin(), ranks.end());
}

template <class Number>
Number sum(Number a, Number b) {
    return static_cast<Number>(a + b);
}
template <class Number>
Number product(Number a, Number b) {
    if constexpr (std::is_integral_v<Number>)
        return static_cast<Number>(uint64_t{ a } * b); // of short ones int has no room
    else
        return a * b;
}
template <class Real>
Complex<Real> product(Complex<Real> a, Complex<Real> b) {
    return { a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real };
}

template <class Value>
Value one() {
    if constexpr (std::is_arithmetic_v<Value>)
        return 1;
    else
        return { 1, 0 };
}

// A copy that nobody has contributed to holds the identity of the operation, and there are more or fewer of these as the domain is cut: they do not
// count. Only +0 is the identity of sums: -0 is not, for bits are to be the same.
template <class Value>
bool same_bits(const Value &a, const Value &b) {
    using Bytes = std::array<std::byte, sizeof(Value)>;
    return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
}

template <class Value, class Combine>
Value combined(std::span<const typename Ordered<Value>::Rank> ranks, Value identity, Combine &&combine) {
    bool any = false;
    Value result = identity;
    for (const auto &rank : ranks) {
        const Value value = Ordered<Value>::value(rank);
        if (same_bits(value, identity)) continue;
        result = any ? combine(result, value) : value;
        any = true;
    }
    return result;
}

// `op` of the values; only numbers are summed: complex values are summed part by part.
template <class Value>
Value combined(std::span<const typename Ordered<Value>::Rank> ranks, halo_op op) {
    if constexpr (std::is_arithmetic_v<Value>)
        if (op == HALO_SUM) return combined(ranks, Value{}, [](Value a, Value b) { return sum(a, b); });
    return combined(ranks, one<Value>(), [](Value a, Value b) { return product(a, b); });
}

bool is_complex(halo_type type) { return type == HALO_COMPLEX64 || type == HALO_COMPLEX128; }

} // namespace

CanonicalStep::CanonicalStep(halo_type type, halo_op op) : type_(type), op_(op) {
    if (op == HALO_SUM && is_complex(type)) type_ = type == HALO_COMPLEX64 ? HALO_FLOAT32 : HALO_FLOAT64;
}

void CanonicalStep::add(const BoxCopy &box, bool complete) {
    const auto unit = static_cast<int64_t>(type_bytes(type_));
    for (int64_t c = 0; c < box.n[3]; ++c)
        for (int64_t z = 0; z < box.n[2]; ++z)
            for (int64_t y = 0; y < box.n[1]; ++y)
                for (int64_t x = 0; x < box.n[0]; ++x) {
                    const int64_t to = box.dst_offset + (box.dst_list ? box.dst_list[x] : x) * box.dst_stride[0] + y * box.dst_stride[1] +
                                       z * box.dst_stride[2] + c * box.dst_stride[3];
                    const int64_t from = box.src_offset + (box.src_list ? box.src_list[x] : x) * box.src_stride[0] + y * box.src_stride[1] +
                                         z * box.src_stride[2] + c * box.src_stride[3];
                    for (int64_t part = 0; part < box.element_bytes; part += unit)
                        contributions_.push_back({ to + part, from + part, box.dst_base, box.src_base, complete });
                }
}

void CanonicalStep::sort() {
    std::sort(contributions_.begin(), contributions_.end(), [](const Contribution &a, const Contribution &b) {
        return std::tie(a.to_base, a.to_offset, b.complete, a.from_base, a.from_offset) <
               std::tie(b.to_base, b.to_offset, a.complete, b.from_base, b.from_offset);
    });
    for (size_t first = 0, end = 0; first < contributions_.size(); first = end) {
        while (end < contributions_.size() && contributions_[end].same_point(contributions_[first])) ++end;
        most_ = std::max(most_, static_cast<int64_t>(end - first) + 1);
    }
}

int64_t CanonicalStep::scratch_bytes() const { return most_ * static_cast<int64_t>(sizeof(Complex<double>)); }

template <class Value>
void CanonicalStep::run_as(std::span<void *const> bases, std::span<std::byte> scratch) const {
    using Rank = typename Ordered<Value>::Rank;
    auto *const ranks = reinterpret_cast<Rank *>(scratch.data());
    const auto at = [&](uint32_t base, int64_t offset) { return static_cast<std::byte *>(bases[base]) + offset; };
    const auto rank_at = [&](uint32_t base, int64_t offset) {
        Value value;
        std::memcpy(&value, at(base, offset), sizeof value);
        return Ordered<Value>::rank(value);
    };
    for (size_t first = 0, end = 0; first < contributions_.size(); first = end) {
        const Contribution &point = contributions_[first];
        size_t n = 0;
        if (!point.complete) ranks[n++] = rank_at(point.to_base, point.to_offset);
        for (; end < contributions_.size() && contributions_[end].same_point(point); ++end)
            ranks[n++] = rank_at(contributions_[end].from_base, contributions_[end].from_offset);
        halo::sort(std::span<Rank>(ranks, n));
        const Value result = combined<Value>(std::span<const Rank>(ranks, n), op_);
        std::memcpy(at(point.to_base, point.to_offset), &result, sizeof(Value));
    }
}

void CanonicalStep::run(std::span<void *const> bases, std::span<std::byte> scratch) const {
    switch (type_) {
    case HALO_FLOAT32: return run_as<float>(bases, scratch);
    case HALO_FLOAT64: return run_as<double>(bases, scratch);
    case HALO_INT8:
    case HALO_UINT8: return run_as<uint8_t>(bases, scratch);
    case HALO_INT16:
    case HALO_UINT16: return run_as<uint16_t>(bases, scratch);
    case HALO_INT32:
    case HALO_UINT32: return run_as<uint32_t>(bases, scratch);
    case HALO_INT64:
    case HALO_UINT64: return run_as<uint64_t>(bases, scratch);
    case HALO_COMPLEX64: return run_as<Complex<float>>(bases, scratch);
    default: return run_as<Complex<double>>(bases, scratch);
    }
}

} // namespace halo
