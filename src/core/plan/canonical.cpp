// SPDX-License-Identifier: BSD-3-Clause
#include "plan/canonical.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace halo {

namespace {

// Unsigned numbers in the order of the values; of zeros the negative one comes first, NaNs are ordered by their bits.
uint64_t rank_of(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return bits >> 63 ? ~bits : bits | uint64_t{ 1 } << 63;
}
uint32_t rank_of(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return bits >> 31 ? ~bits : bits | uint32_t{ 1 } << 31;
}
// Integers wrap around, so their order does not matter.
uint32_t rank_of(uint32_t value) { return value; }
uint64_t rank_of(uint64_t value) { return value; }

template <class Real>
struct Complex {
    Real real;
    Real imaginary;
};
template <class Real>
auto rank_of(const Complex<Real> &value) {
    return std::make_tuple(rank_of(value.real), rank_of(value.imaginary));
}

template <class Number>
Number sum(Number a, Number b) {
    return a + b;
}
template <class Number>
Number product(Number a, Number b) {
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
    return std::memcmp(&a, &b, sizeof(Value)) == 0;
}

template <class Value, class Combine>
Value combined(std::span<Value> values, Value identity, Combine &&combine) {
    std::sort(values.begin(), values.end(), [](const Value &a, const Value &b) { return rank_of(a) < rank_of(b); });
    bool any = false;
    Value result = identity;
    for (const Value &value : values) {
        if (same_bits(value, identity)) continue;
        result = any ? combine(result, value) : value;
        any = true;
    }
    return result;
}

// `op` of the values; only numbers are summed: complex values are summed part by part.
template <class Value>
Value combined(std::span<Value> values, halo_op op) {
    if constexpr (std::is_arithmetic_v<Value>)
        if (op == HALO_SUM) return combined(values, Value{}, [](Value a, Value b) { return sum(a, b); });
    return combined(values, one<Value>(), [](Value a, Value b) { return product(a, b); });
}

bool is_complex(halo_type type) { return type == HALO_COMPLEX64 || type == HALO_COMPLEX128; }

} // namespace

CanonicalStep::CanonicalStep(halo_type type, halo_op op) : type_(type), op_(op) {
    if (op == HALO_SUM && is_complex(type)) type_ = type == HALO_COMPLEX64 ? HALO_FLOAT32 : HALO_FLOAT64;
}

void CanonicalStep::add(const BoxCopy &box, bool complete) {
    const int64_t unit = type_ == HALO_FLOAT32 || type_ == HALO_INT32 ? 4 : type_ == HALO_COMPLEX128 ? 16 : 8;
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
    auto *const values = reinterpret_cast<Value *>(scratch.data());
    const auto at = [&](uint32_t base, int64_t offset) { return static_cast<std::byte *>(bases[base]) + offset; };
    for (size_t first = 0, end = 0; first < contributions_.size(); first = end) {
        const Contribution &point = contributions_[first];
        size_t n = 0;
        if (!point.complete) std::memcpy(&values[n++], at(point.to_base, point.to_offset), sizeof(Value));
        for (; end < contributions_.size() && contributions_[end].same_point(point); ++end)
            std::memcpy(&values[n++], at(contributions_[end].from_base, contributions_[end].from_offset), sizeof(Value));
        const Value result = combined(std::span<Value>(values, n), op_);
        std::memcpy(at(point.to_base, point.to_offset), &result, sizeof(Value));
    }
}

void CanonicalStep::run(std::span<void *const> bases, std::span<std::byte> scratch) const {
    switch (type_) {
    case HALO_FLOAT32: return run_as<float>(bases, scratch);
    case HALO_FLOAT64: return run_as<double>(bases, scratch);
    case HALO_INT32: return run_as<uint32_t>(bases, scratch);
    case HALO_INT64: return run_as<uint64_t>(bases, scratch);
    case HALO_COMPLEX64: return run_as<Complex<float>>(bases, scratch);
    default: return run_as<Complex<double>>(bases, scratch);
    }
}

} // namespace halo
