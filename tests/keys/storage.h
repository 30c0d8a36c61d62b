// SPDX-License-Identifier: BSD-3-Clause
// A field on a topology of points, in a random layout, with values that can be set and read by local index.
#pragma once

#include <cstring>

#include "model.h"
#include "placed.h"
#include "ranks.h"

namespace keys {

template <class T>
constexpr halo_type type_of() {
    if constexpr (std::is_same_v<T, double>) return HALO_FLOAT64;
    if constexpr (std::is_same_v<T, float>) return HALO_FLOAT32;
    if constexpr (std::is_same_v<T, int32_t>) return HALO_INT32;
    if constexpr (std::is_same_v<T, int8_t>) return HALO_INT8;
    if constexpr (std::is_same_v<T, int16_t>) return HALO_INT16;
    if constexpr (std::is_same_v<T, uint8_t>) return HALO_UINT8;
    if constexpr (std::is_same_v<T, uint16_t>) return HALO_UINT16;
    if constexpr (std::is_same_v<T, uint32_t>) return HALO_UINT32;
    if constexpr (std::is_same_v<T, uint64_t>) return HALO_UINT64;
    return HALO_INT64;
}

template <class T>
using Values = std::vector<T, conformance::StorageAllocator<T>>;

template <class T>
class Storage {
public:
    // Layouts differ between ranks. `layout` 0: components apart with a pitch; 1: together; 2: natural.
    Storage(halo_topology *topology, const char *name, int32_t n_components, int64_t n_points, int layout, int32_t rank)
        : n_components_(n_components) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = type_of<T>();
        desc.name = name;
        desc.n_components = n_components;
        OK(halo_field_create(topology, &desc, &field_));
        halo_layout known = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field_, rank, &known));
        if (layout == 0) {
            known.component_stride = n_points + 3;
            known.stride[0] = 1;
        } else if (layout == 1) {
            known.component_stride = 1;
            known.stride[0] = n_components + 1; // a gap behind each point
        }
        known.first_owned = 2;
        known.elements = 2 + known.component_stride * (n_components - 1) + known.stride[0] * (n_points > 0 ? n_points - 1 : 0) + 5;
        values_.assign(static_cast<size_t>(known.elements), T{ 99 });
        step_ = known.stride[0];
        component_stride_ = known.component_stride;
        halo_binding binding = HALO_BINDING_INIT;
        conformance::place(binding, values_.data());
        binding.layout = &known;
        OK(halo_field_bind(field_, rank, &binding));
    }
    ~Storage() { halo_field_destroy(&field_); }
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;

    halo_field *field() const { return field_; }
    T &at(Values<T> &values, int64_t point, int32_t component) const {
        return values[static_cast<size_t>(2 + point * step_ + component * component_stride_)];
    }
    T &at(int64_t point, int32_t component) { return at(values_, point, component); }
    Values<T> &values() { return values_; }
    // Between the host, which has written or will read, and where exchanges find them.
    void upload() const { conformance::upload(values_.data(), values_.size() * sizeof(T)); }
    void download() { conformance::download(values_.data(), values_.size() * sizeof(T)); }
    int32_t n_components() const { return n_components_; }

private:
    int32_t n_components_;
    halo_field *field_ = nullptr;
    Values<T> values_;
    int64_t step_ = 1;
    int64_t component_stride_ = 1;
};

// The same on every rank that asks. Small whole numbers for integers.
template <class T>
T value_of(uint64_t seed, int32_t rank, int64_t position, int32_t component) {
    Random random(seed * 1000003 + static_cast<uint64_t>(rank) * 7919 + static_cast<uint64_t>(position) * 31 + static_cast<uint64_t>(component));
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(pick(random, -20, 20))));
    else
        return static_cast<T>(pick(random, -5, 5));
}

template <class T>
T combined(T a, T b, halo_op op) {
    using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>; // integers wrap around
    switch (op) {
    case HALO_SUM: return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    case HALO_PROD: return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case HALO_MIN: return a < b ? a : b;
    case HALO_MAX: return a < b ? b : a;
    case HALO_LAND: return a != T{} && b != T{} ? T{ 1 } : T{};
    case HALO_LOR: return a != T{} || b != T{} ? T{ 1 } : T{};
    case HALO_LXOR: return (a != T{}) != (b != T{}) ? T{ 1 } : T{};
    default: break;
    }
    if constexpr (std::is_integral_v<T>) return static_cast<T>(op == HALO_BAND ? a & b : op == HALO_BOR ? a | b : a ^ b);
    conformance::stop("op %d", op);
}

// What a copy must hold after an exchange.
template <class T>
T expected(uint64_t seed, int32_t kind, halo_op op, const KeyFacts &fact, const Copy &copy, int32_t component) {
    const auto value = [&](const Copy &of) { return value_of<T>(seed, of.rank, of.position, component); };
    const Copy *primary = fact.primary();
    const bool is_primary = primary && *primary == copy;
    if (!primary || (kind == HALO_KIND_REVERSE && !is_primary) || (kind == HALO_KIND_GHOSTS && is_primary)) return value(copy);
    T result = value(*primary);
    if (kind == HALO_KIND_GHOSTS) return result;
    if (kind == HALO_KIND_FETCH && !is_primary && !fact.contributes(copy)) return value(copy);
    for (const Copy &other : fact.copies) {
        if (kind == HALO_KIND_FETCH && !is_primary && other == copy) return result;
        if (fact.contributes(other)) result = combined(result, value(other), op);
    }
    return result;
}

// One that combines values of the type.
template <class T>
halo_op any_op(Random &random) {
    constexpr halo_op ops[] = { HALO_SUM, HALO_MIN, HALO_MAX, HALO_PROD, HALO_LAND, HALO_LOR, HALO_LXOR, HALO_BAND, HALO_BOR, HALO_BXOR };
    const int64_t last = std::is_integral<T>::value ? 9 : 6;
    return ops[pick(random, 0, last)];
}

} // namespace keys
