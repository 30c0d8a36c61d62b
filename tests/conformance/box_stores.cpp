// SPDX-License-Identifier: BSD-3-Clause
#include "box_stores.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>

namespace conformance {

namespace {

constexpr size_t guard_bytes = 32;

uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

template <class T>
T load(const std::byte *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store(std::byte *into, T value) {
    std::memcpy(into, &value, sizeof value);
}

template <class T>
void store_real(std::byte *into, uint64_t bits) {
    store(into, static_cast<T>((static_cast<double>(bits >> 12) * 0x1p-52 - 0.5) * (bits & 1 ? 3.0 : 1000.0)));
}

template <class T>
T combined(halo_op op, T a, T b) {
    if (op == HALO_MIN) return std::min(a, b);
    if (op == HALO_MAX) return std::max(a, b);
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(op == HALO_SUM ? static_cast<uint64_t>(a) + static_cast<uint64_t>(b)
                                             : static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); // wraps around
    else
        return op == HALO_SUM ? a + b : a * b;
}

template <class T>
void combine_numbers(halo_op op, std::byte *into, const std::byte *other) {
    store(into, combined(op, load<T>(into), load<T>(other)));
}

template <class T>
void combine_complex(halo_op op, std::byte *into, const std::byte *other) {
    const T a = load<T>(into);
    const T b = load<T>(into + sizeof(T));
    const T c = load<T>(other);
    const T d = load<T>(other + sizeof(T));
    store(into, op == HALO_SUM ? a + c : a * c - b * d);
    store(into + sizeof(T), op == HALO_SUM ? b + d : a * d + b * c);
}

} // namespace

void make_value(const BoxField &field, const BoxValue &value, std::byte *into) {
    uint64_t bits = mix(static_cast<uint64_t>(value.time) * 1000003u + 17);
    for (const int64_t part : { value.field, value.gid, int64_t{ value.place }, int64_t{ value.component }, value.at[0], value.at[1], value.at[2] })
        bits = mix(bits ^ (static_cast<uint64_t>(part) + 0x9e3779b97f4a7c15u));
    switch (field.type) {
    case HALO_FLOAT32: return store_real<float>(into, bits);
    case HALO_FLOAT64: return store_real<double>(into, bits);
    case HALO_COMPLEX64: store_real<float>(into + 4, mix(bits + 1)); return store_real<float>(into, bits);
    case HALO_COMPLEX128: store_real<double>(into + 8, mix(bits + 1)); return store_real<double>(into, bits);
    default:
        for (int64_t byte = 0; byte < field.element_bytes; byte += 8, bits = mix(bits + 1))
            std::memcpy(into + byte, &bits, static_cast<size_t>(std::min<int64_t>(8, field.element_bytes - byte)));
        if (field.type == HALO_FLOAT16 || field.type == HALO_BFLOAT16) into[1] &= std::byte{ 0xbf }; // neither infinite nor NaN
    }
}

halo_status combine_by_user(void *, void *values, const void *contributions, int64_t n, halo_type, int64_t element_bytes) {
    auto *into = static_cast<unsigned char *>(values);
    const auto *other = static_cast<const unsigned char *>(contributions);
    for (int64_t i = 0; i < n * element_bytes; ++i) into[i] = static_cast<unsigned char>(5 * into[i] + other[i] + 1);
    return HALO_SUCCESS;
}

void combine_values(const BoxField &field, halo_op op, std::byte *into, const std::byte *other) {
    if (op == HALO_USER) {
        combine_by_user(nullptr, into, other, 1, field.type, field.element_bytes);
        return;
    }
    switch (field.type) {
    case HALO_FLOAT32: return combine_numbers<float>(op, into, other);
    case HALO_FLOAT64: return combine_numbers<double>(op, into, other);
    case HALO_INT32: return combine_numbers<int32_t>(op, into, other);
    case HALO_INT64: return combine_numbers<int64_t>(op, into, other);
    case HALO_INT8: return combine_numbers<int8_t>(op, into, other);
    case HALO_INT16: return combine_numbers<int16_t>(op, into, other);
    case HALO_UINT8: return combine_numbers<uint8_t>(op, into, other);
    case HALO_UINT16: return combine_numbers<uint16_t>(op, into, other);
    case HALO_UINT32: return combine_numbers<uint32_t>(op, into, other);
    case HALO_UINT64: return combine_numbers<uint64_t>(op, into, other);
    case HALO_COMPLEX64: return combine_complex<float>(op, into, other);
    case HALO_COMPLEX128: return combine_complex<double>(op, into, other);
    default: stop("type %d cannot be combined", field.type);
    }
}

namespace {

// The values as numbers, in order: by the first, then by the second. -0 comes before +0.
std::array<long double, 4> order_of(halo_type type, const AnyValue &value) {
    const auto number = [](auto real) { return std::array<long double, 2>{ static_cast<long double>(real), std::signbit(real) ? -1.0L : 0.0L }; };
    std::array<long double, 2> first{}, second{};
    if (type == HALO_FLOAT32 || type == HALO_COMPLEX64) first = number(load<float>(value.data()));
    if (type == HALO_FLOAT64 || type == HALO_COMPLEX128) first = number(load<double>(value.data()));
    if (type == HALO_COMPLEX64) second = number(load<float>(value.data() + 4));
    if (type == HALO_COMPLEX128) second = number(load<double>(value.data() + 8));
    return { first[0], first[1], second[0], second[1] };
}

AnyValue identity_of(halo_type type, halo_op op) {
    AnyValue one{};
    if (op == HALO_SUM) return one;
    switch (type) {
    case HALO_FLOAT32:
    case HALO_COMPLEX64: store(one.data(), 1.0F); break;
    case HALO_FLOAT64:
    case HALO_COMPLEX128: store(one.data(), 1.0); break;
    default: store(one.data(), uint64_t{ 1 }); break; // of integers of any length
    }
    return one;
}

} // namespace

AnyValue combine_by_value(const BoxField &field, halo_op op, std::vector<AnyValue> values) {
    if (op == HALO_SUM && (field.type == HALO_COMPLEX64 || field.type == HALO_COMPLEX128)) {
        BoxField real = field;
        real.type = field.type == HALO_COMPLEX64 ? HALO_FLOAT32 : HALO_FLOAT64;
        real.element_bytes = field.element_bytes / 2;
        AnyValue sum{};
        for (int64_t part = 0; part < 2; ++part) {
            std::vector<AnyValue> parts(values.size());
            for (size_t i = 0; i < values.size(); ++i)
                std::copy_n(values[i].begin() + part * real.element_bytes, real.element_bytes, parts[i].begin());
            const AnyValue one = combine_by_value(real, op, parts);
            std::copy_n(one.begin(), real.element_bytes, sum.begin() + part * real.element_bytes);
        }
        return sum;
    }
    const AnyValue identity = identity_of(field.type, op);
    std::erase(values, identity);
    std::sort(values.begin(), values.end(), [&](const AnyValue &a, const AnyValue &b) { return order_of(field.type, a) < order_of(field.type, b); });
    AnyValue result = values.empty() ? identity : values[0];
    for (size_t i = 1; i < values.size(); ++i) combine_values(field, op, result.data(), values[i].data());
    return result;
}

BoxStores::BoxStores(halo_topology *topology, const BoxModel &model, int32_t rank, const BoxField &field, int64_t number, bool vector)
    : model_(model),
      field_(field),
      number_(number),
      gids_(model.local(rank)),
      stores_(gids_.size()) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = field.type;
    desc.element_bytes = field.type == HALO_BYTES ? field.element_bytes : 0;
    desc.n_components = field.n_components;
    desc.centring = field.centring;
    desc.vector = vector;
    for (int d = 0; d < 3; ++d) {
        desc.ghost_low[d] = field.ghosts.low[d];
        desc.ghost_high[d] = field.ghosts.high[d];
    }
    OK(halo_field_create(topology, &desc, &handle_));
    for (size_t part = 0; part < gids_.size(); ++part) {
        Store &store = stores_[part];
        // Parts with maps beside others without.
        if (field.layout == mapped_box_layout && gids_[part] % 4 != 3) {
            store.positions = make_map(gids_[part]);
            OK(halo_field_map_points(handle_, gids_[part], store.positions.data(), std::ssize(store.positions)));
        }
        if (field.layout == 0 || field.layout == mapped_box_layout)
            OK(halo_field_layout(handle_, gids_[part], &store.layout));
        else
            store.layout = make_layout(gids_[part]);
        store.memory.resize(static_cast<size_t>(store.layout.elements * field.element_bytes) + 2 * guard_bytes);
        halo_binding binding = HALO_BINDING_INIT;
        place(binding, store.memory.data() + guard_bytes);
        binding.layout = &store.layout;
        OK(halo_field_bind(handle_, gids_[part], &binding));
    }
}

void BoxStores::destroy() { OK(halo_field_destroy(&handle_)); }

// Strides from the innermost index to the outermost: x, y, z, component, place.
halo_layout BoxStores::make_layout(int64_t gid) const {
    if (field_.layout == 4) return aligned_layout(gid);
    std::array<int, 5> order{ 0, 1, 2, 3, 4 };
    if (field_.layout == 2) order = { 3, 0, 1, 2, 4 };
    if (field_.layout == 3) order = { 4, 0, 1, 2, 3 };
    const auto n_places = std::ssize(field_.places(model_.n_dims));
    const Triple most = most_points(gid);
    std::array<int64_t, 5> stride{};
    int64_t step = 1;
    int64_t lead = gid % 4;
    halo_layout layout = HALO_LAYOUT_INIT;
    layout.first_owned = lead;
    for (const int d : order) {
        const int64_t low = d < 3 ? field_.ghosts.low[d] : 0;
        const int64_t n = d < 3 ? most[d] + low + field_.ghosts.high[d] : d == 3 ? field_.n_components : n_places;
        stride[d] = step;
        layout.first_owned += step * low;
        step = step * n + (field_.layout == 1 ? gid % 3 : 0);
    }
    layout.elements = lead + step + 2;
    std::copy_n(stride.begin(), 3, layout.stride);
    layout.component_stride = stride[3];
    layout.place_stride = stride[4];
    return layout;
}

// Any order of directions, components and places; rows aligned; room for more ghosts than there are.
halo_layout BoxStores::aligned_layout(int64_t gid) const {
    halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
    Random random(mix(static_cast<uint64_t>(number_) * 1000003u + static_cast<uint64_t>(gid)));
    std::shuffle(desc.order, desc.order + 5, random);
    desc.alignment = 1 << pick(random, 0, 8);
    for (size_t d = 0; d < 3; ++d) {
        desc.ghost_low[d] = field_.ghosts.low[d] + static_cast<int32_t>(pick(random, 0, 1));
        desc.ghost_high[d] = field_.ghosts.high[d] + static_cast<int32_t>(pick(random, 0, 1));
    }
    halo_layout layout = HALO_LAYOUT_INIT;
    OK(halo_layout_fill(&desc, most_points(gid).data(), field_.element_bytes, field_.n_components,
                        static_cast<int32_t>(field_.places(model_.n_dims).size()), &layout));
    return layout;
}

// Of the place with most.
Triple BoxStores::most_points(int64_t gid) const {
    int32_t any = 0;
    for (const int32_t place : field_.places(model_.n_dims)) any |= place;
    return model_.points(gid, any);
}

// Any order, with gaps; every fifth part has its ghosts behind the cells.
std::vector<int64_t> BoxStores::make_map(int64_t gid) const {
    const Triple most = most_points(gid);
    std::vector<int64_t> positions;
    int64_t n_owned = 0, n_ghosts = most[0] * most[1] * most[2];
    for_each_point(most, field_.ghosts, [&](const Triple &at) {
        bool owned = true;
        for (size_t d = 0; d < 3; ++d) owned = owned && at[d] >= 0 && at[d] < most[d];
        positions.push_back(owned ? n_owned++ : n_ghosts++);
    });
    if (gid % 5 == 0) return positions;
    Random random(mix(static_cast<uint64_t>(number_) * 1000033u + static_cast<uint64_t>(gid % 3)));
    std::vector<int64_t> any_order(positions.size() + 3);
    std::iota(any_order.begin(), any_order.end(), 0);
    std::shuffle(any_order.begin(), any_order.end(), random);
    std::copy_n(any_order.begin(), positions.size(), positions.begin());
    return positions;
}

int64_t BoxStores::position(const Store &store, int64_t gid, const Triple &at) const {
    const Triple most = most_points(gid);
    int64_t number = 0;
    for (size_t d = 3; d-- > 0;) number = number * (most[d] + field_.ghosts.low[d] + field_.ghosts.high[d]) + at[d] + field_.ghosts.low[d];
    return store.positions[static_cast<size_t>(number)];
}

bool BoxStores::is_local(int64_t gid) const { return std::binary_search(gids_.begin(), gids_.end(), gid); }

std::byte *BoxStores::find(int64_t gid, int32_t place, int32_t component, const Triple &at, bool expected) {
    const auto part = static_cast<size_t>(std::lower_bound(gids_.begin(), gids_.end(), gid) - gids_.begin());
    const halo_layout &layout = stores_[part].layout;
    int64_t element = layout.first_owned + component * layout.component_stride + place * layout.place_stride;
    if (const Store &store = stores_[part]; !store.positions.empty())
        element += position(store, gid, at) * layout.stride[0];
    else
        for (int d = 0; d < 3; ++d) element += at[d] * layout.stride[d];
    const int64_t byte = static_cast<int64_t>(guard_bytes) + element * field_.element_bytes;
    return (expected ? stores_[part].expected.data() : stores_[part].memory.data()) + byte;
}

void BoxStores::fill(int64_t time) {
    for (Store &store : stores_)
        for (size_t i = 0; i < store.memory.size(); ++i) store.memory[i] = static_cast<std::byte>(mix(i + 0x51));
    for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
        make_value(field_, { number_, gid, place, component, at, time }, element(gid, place, component, at));
    });
    for (Store &store : stores_) store.expected.assign(store.memory.begin(), store.memory.end());
    upload();
}

void BoxStores::upload() {
    Copies copies;
    for (const Store &store : stores_) copies.up(store.memory.data(), store.memory.size());
    copies.go();
}

void BoxStores::download() {
    Copies copies;
    for (Store &store : stores_) copies.down(store.memory.data(), store.memory.size());
    copies.go();
}

void BoxStores::overwrite(bool owned, int64_t time) {
    const std::vector<int32_t> places = field_.places(model_.n_dims);
    Copies copies;
    for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
        if ((element_of(at, model_.points(gid, places[static_cast<size_t>(place)])) == 13) != owned) return;
        make_value(field_, { number_, gid, place, component, at, time }, element(gid, place, component, at));
        make_value(field_, { number_, gid, place, component, at, time }, expected(gid, place, component, at));
        copies.up(element(gid, place, component, at), static_cast<size_t>(field_.element_bytes));
    });
    copies.go();
}

std::string BoxStores::first_difference() {
    download();
    std::string text;
    for (size_t part = 0; part < gids_.size() && text.empty(); ++part) {
        const Store &store = stores_[part];
        if (std::ranges::equal(store.memory, store.expected)) continue;
        size_t byte = 0;
        while (store.memory[byte] == store.expected[byte]) ++byte;
        text =
            text_of("field %lld, part %lld: byte %zu is %02x, should be %02x", static_cast<long long>(number_), static_cast<long long>(gids_[part]),
                    byte, static_cast<unsigned>(store.memory[byte]), static_cast<unsigned>(store.expected[byte]));
        for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
            const std::byte *begin = element(gid, place, component, at);
            if (gid == gids_[part] && store.memory.data() + byte >= begin && store.memory.data() + byte < begin + field_.element_bytes)
                text += text_of(" (point (%lld, %lld, %lld), place %d, component %d)", static_cast<long long>(at[0]), static_cast<long long>(at[1]),
                                static_cast<long long>(at[2]), place, component);
        });
    }
    return text;
}

} // namespace conformance
