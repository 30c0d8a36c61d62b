// SPDX-License-Identifier: BSD-3-Clause
#include "sparse_model.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "ranks.h"

namespace conformance {

namespace {

Random random_of(uint64_t seed, std::initializer_list<int64_t> numbers) {
    for (const int64_t number : numbers) seed = (seed ^ static_cast<uint64_t>(number + 1)) * 0x9e3779b97f4a7c15u + (seed >> 29);
    Random random(seed);
    return random;
}

template <class T>
void store(std::byte *into, T value) {
    std::memcpy(into, &value, sizeof value);
}

template <class T>
T load(const std::byte *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class Real>
Real quiet_real(Random &random, double threshold) {
    const double sign = chance(random, 0.5) ? -1.0 : 1.0;
    if (threshold == 0 || chance(random, 0.5)) return static_cast<Real>(sign * 0.0);
    const auto highest = static_cast<Real>(threshold);
    return static_cast<Real>(sign) * (highest < threshold ? highest : std::nextafter(highest, Real{}));
}

template <class Real>
Real loud_real(Random &random, double threshold) {
    const auto sign = static_cast<Real>(chance(random, 0.5) ? -1 : 1);
    const auto lowest = static_cast<Real>(threshold);
    switch (pick(random, 0, 4)) {
    case 0: return std::numeric_limits<Real>::quiet_NaN();
    case 1: return sign * std::numeric_limits<Real>::infinity();
    case 2:
        return sign * (threshold == 0 ? std::numeric_limits<Real>::denorm_min() : lowest < threshold ? std::nextafter(lowest, Real{ 1e9 }) : lowest);
    default: return sign * static_cast<Real>(threshold + static_cast<double>(pick(random, 1, 1000)));
    }
}

template <class Integer>
Integer quiet_integer(Random &random, double threshold) {
    const auto highest = static_cast<Integer>(std::max(std::ceil(threshold) - 1, 0.0));
    return std::is_signed_v<Integer> && chance(random, 0.5) ? static_cast<Integer>(-highest) : highest;
}

// What is largest in size comes often.
template <class Integer>
Integer loud_integer(Random &random, double threshold) {
    using Limits = std::numeric_limits<Integer>;
    const auto lowest = static_cast<Integer>(threshold == 0 ? 1 : std::ceil(threshold));
    if (chance(random, 0.2)) return Limits::is_signed ? Limits::min() : Limits::max();
    return static_cast<Integer>(std::is_signed_v<Integer> && chance(random, 0.5) ? -lowest : lowest + pick(random, 0, 100));
}

// HALO_FLOAT16 and HALO_BFLOAT16, by their bits.
uint16_t infinite_half(halo_type type) { return type == HALO_FLOAT16 ? 0x7c00 : 0x7f80; }

double half_value(halo_type type, uint16_t bits) {
    const int fraction = type == HALO_FLOAT16 ? 10 : 7, bias = type == HALO_FLOAT16 ? 15 : 127;
    const int size = bits & 0x7fff, exponent = size >> fraction, digits = size & ((1 << fraction) - 1);
    if (size > infinite_half(type)) return std::numeric_limits<double>::quiet_NaN();
    if (size == infinite_half(type)) return std::numeric_limits<double>::infinity();
    return exponent == 0 ? std::ldexp(digits, 1 - bias - fraction) : std::ldexp(digits + (1 << fraction), exponent - bias - fraction);
}

// Bits of the largest one below a positive value.
uint16_t half_below(halo_type type, double value) {
    uint16_t low = 0, high = infinite_half(type);
    while (high - low > 1) {
        const auto middle = static_cast<uint16_t>((low + high) / 2);
        (half_value(type, middle) < value ? low : high) = middle;
    }
    return low;
}

uint16_t make_half(halo_type type, bool loud, double threshold, Random &random) {
    const uint16_t sign = chance(random, 0.5) ? 0x8000 : 0, highest = threshold == 0 ? uint16_t{ 0 } : half_below(type, threshold);
    if (!loud) return static_cast<uint16_t>(sign | (chance(random, 0.5) ? 0 : highest));
    switch (pick(random, 0, 4)) {
    case 0: return static_cast<uint16_t>(infinite_half(type) + pick(random, 1, 0x7fff - infinite_half(type)));
    case 1: return static_cast<uint16_t>(sign | infinite_half(type));
    case 2: return static_cast<uint16_t>(sign | (highest + 1));
    default: return static_cast<uint16_t>(sign | (highest + pick(random, 1, 1000)));
    }
}

bool null_half(halo_type type, const std::byte *value, double threshold) {
    const double size = half_value(type, load<uint16_t>(value));
    return threshold == 0 ? size == 0 : size < threshold;
}

// visit(T{}) with the type of integers; false: they are none.
template <class Visit>
bool with_integer(halo_type type, Visit &&visit) {
    switch (type) {
    case HALO_INT8: return visit(int8_t{}), true;
    case HALO_INT16: return visit(int16_t{}), true;
    case HALO_INT32: return visit(int32_t{}), true;
    case HALO_INT64: return visit(int64_t{}), true;
    case HALO_UINT8: return visit(uint8_t{}), true;
    case HALO_UINT16: return visit(uint16_t{}), true;
    case HALO_UINT32: return visit(uint32_t{}), true;
    case HALO_UINT64: return visit(uint64_t{}), true;
    default: return false;
    }
}

template <class Real>
bool null_real(const std::byte *value, double threshold) {
    const auto v = static_cast<double>(load<Real>(value));
    return threshold == 0 ? v == 0 : std::fabs(v) < threshold;
}

template <class Integer>
bool null_integer(const std::byte *value, double threshold) {
    const auto v = static_cast<long double>(load<Integer>(value));
    return threshold == 0 ? v == 0 : std::fabs(v) < static_cast<long double>(threshold);
}

template <class Real>
void store_real(std::byte *into, int parts, bool loud, double threshold, Random &random) {
    const int64_t loud_part = pick(random, 0, parts - 1);
    for (int part = 0; part < parts; ++part)
        store(into + part * static_cast<int>(sizeof(Real)),
              loud && part == loud_part ? loud_real<Real>(random, threshold) : quiet_real<Real>(random, threshold));
}

} // namespace

bool SparseModel::allocated(int64_t gid, int64_t time) const {
    Random random = random_of(seed, { 1, gid, time });
    return chance(random, allocated_share);
}

void SparseModel::value(const Triple &global, int64_t component, int64_t time, std::byte *into) const {
    static constexpr double shares[] = { 0, 1, -1, -1 };
    Random part = random_of(seed, { 2, global[0] / grid->cells[0], global[1] / grid->cells[1], global[2] / grid->cells[2], time });
    const double share = shares[pick(part, 0, 3)];
    Random random = random_of(seed, { 3, global[0], global[1], global[2], component, time });
    const bool loud = chance(random, share < 0 ? loud_share : share);
    switch (field.type) {
    case HALO_FLOAT32: return store_real<float>(into, 1, loud, threshold, random);
    case HALO_FLOAT64: return store_real<double>(into, 1, loud, threshold, random);
    case HALO_COMPLEX64: return store_real<float>(into, 2, loud, threshold, random);
    case HALO_COMPLEX128: return store_real<double>(into, 2, loud, threshold, random);
    case HALO_FLOAT16:
    case HALO_BFLOAT16: return store(into, make_half(field.type, loud, threshold, random));
    default: break;
    }
    const auto make = [&](auto zero) {
        using Integer = decltype(zero);
        store(into, loud ? loud_integer<Integer>(random, threshold) : quiet_integer<Integer>(random, threshold));
    };
    if (!with_integer(field.type, make)) stop("a sparse field of type %d", field.type);
}

void SparseModel::fill_value(std::byte *into) const {
    std::memset(into, 0, static_cast<size_t>(field.element_bytes));
    switch (field.type) {
    case HALO_FLOAT32:
    case HALO_COMPLEX64: return store(into, static_cast<float>(fill));
    case HALO_FLOAT64:
    case HALO_COMPLEX128: return store(into, fill);
    case HALO_FLOAT16:
    case HALO_BFLOAT16: return store(into, fill == 0 ? uint16_t{ 0 } : static_cast<uint16_t>(half_below(field.type, fill) + 1)); // has the value
    default: with_integer(field.type, [&](auto zero) { store(into, static_cast<decltype(zero)>(fill)); });
    }
}

bool SparseModel::is_null(const std::byte *value) const {
    switch (field.type) {
    case HALO_FLOAT32: return null_real<float>(value, threshold);
    case HALO_FLOAT64: return null_real<double>(value, threshold);
    case HALO_COMPLEX64: return null_real<float>(value, threshold) && null_real<float>(value + 4, threshold);
    case HALO_COMPLEX128: return null_real<double>(value, threshold) && null_real<double>(value + 8, threshold);
    case HALO_FLOAT16:
    case HALO_BFLOAT16: return null_half(field.type, value, threshold);
    default: break;
    }
    bool null = false;
    with_integer(field.type, [&](auto zero) { null = null_integer<decltype(zero)>(value, threshold); });
    return null;
}

bool SparseModel::region(const Triple &offset, Triple &low, Triple &high) const {
    const auto clipped = [&](int32_t width) { return depth > 0 ? std::min(depth, width) : width; };
    for (int d = 0; d < 3; ++d) {
        low[d] = offset[d] < 0 ? -clipped(field.ghosts.low[d]) : offset[d] > 0 ? grid->cells[d] : 0;
        high[d] = offset[d] < 0 ? 0 : offset[d] > 0 ? grid->cells[d] + clipped(field.ghosts.high[d]) : grid->cells[d];
        if (low[d] >= high[d]) return false;
    }
    return true;
}

int64_t SparseModel::region_bytes(const Triple &offset) const {
    Triple low;
    Triple high;
    if (!region(offset, low, high)) return 0;
    return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]) * (end_component() - first_component) * field.element_bytes;
}

bool SparseModel::null_region(int64_t receiver, const Triple &offset, int64_t time) const {
    Triple low;
    Triple high;
    if (!region(offset, low, high) || !allocated(grid->neighbour(receiver, offset), time)) return true;
    for (int64_t z = low[2]; z < high[2]; ++z)
        for (int64_t y = low[1]; y < high[1]; ++y)
            for (int64_t x = low[0]; x < high[0]; ++x)
                for (int32_t component = first_component; component < end_component(); ++component) {
                    Triple global;
                    grid->global_cell(receiver, { x, y, z }, global);
                    std::byte bytes[16];
                    value(global, component, time, bytes);
                    if (!is_null(bytes)) return false;
                }
    return true;
}

SparseModel make_sparse_model(const Grid &grid, size_t place, halo_type type, Random &random) {
    static constexpr double thresholds[] = { 0, 0, 0.5, 0.7, 2.5, 1e-3 };
    static constexpr double shares[] = { 0, 0.3, 0.6, 1 };
    SparseModel model;
    model.grid = &grid;
    model.field.name = text_of("sparse%zu", place);
    model.field.type = type;
    model.field.element_bytes = bytes_of(type);
    model.field.n_components = static_cast<int32_t>(pick(random, 1, 3));
    for (int d = 0; d < grid.n_dims; ++d) {
        model.field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, std::min<int64_t>(2, grid.cells[d])));
        model.field.ghosts.high[d] = static_cast<int32_t>(pick(random, 0, std::min<int64_t>(2, grid.cells[d])));
    }
    model.field.layout = static_cast<LayoutKind>(pick(random, 0, n_layout_kinds - 1));
    model.threshold = thresholds[pick(random, 0, 5)];
    model.fill = chance(random, 0.5) ? 0 : 7;
    model.allocated_share = shares[pick(random, 0, 3)];
    model.loud_share = chance(random, 0.5) ? 0.02 : 0.3;
    model.seed = random();
    return model;
}

} // namespace conformance
