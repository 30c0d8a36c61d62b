// SPDX-License-Identifier: BSD-3-Clause
#include "storage.h"

#include <algorithm>
#include <cstring>

namespace conformance {

namespace {

constexpr size_t guard_bytes = 64;

uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

std::byte sentinel(size_t place) { return static_cast<std::byte>(mix(place / 8 + 0x51) >> place % 8 * 8); }

} // namespace

const char *layout_name(LayoutKind kind) {
    static constexpr const char *names[n_layout_kinds] = { "natural", "padded", "strided", "component fastest", "permuted", "negative" };
    return names[static_cast<int>(kind)];
}

const char *bind_name(BindKind kind) {
    static constexpr const char *names[n_bind_kinds] = { "bind", "bind_many", "allocate" };
    return names[static_cast<int>(kind)];
}

int64_t bytes_of(halo_type type) {
    static constexpr int64_t sizes[] = { 0, 4, 8, 4, 8, 8, 16, 0, 1, 2, 1, 2, 4, 8, 2, 2 };
    return sizes[type];
}

const char *name_of(halo_type type) {
    static constexpr const char *names[] = { "?",    "float32", "float64", "int32",  "int64",  "complex64", "complex128", "bytes",
                                             "int8", "int16",   "uint8",   "uint16", "uint32", "uint64",    "float16",    "bfloat16" };
    return names[type];
}

halo_field_desc FieldCase::desc() const {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name.c_str();
    desc.type = type;
    desc.element_bytes = type == HALO_BYTES ? element_bytes : 0;
    desc.n_components = n_components;
    for (int d = 0; d < 3; ++d) {
        desc.ghost_low[d] = ghosts.low[d];
        desc.ghost_high[d] = ghosts.high[d];
    }
    desc.n_sets = n_sets;
    return desc;
}

std::string FieldCase::describe() const {
    return text_of("%s: %s of %lld bytes, %d components, ghosts %d+%d %d+%d %d+%d, %d sets, %s layout by %s", name.c_str(), name_of(type),
                   static_cast<long long>(element_bytes), n_components, ghosts.low[0], ghosts.high[0], ghosts.low[1], ghosts.high[1], ghosts.low[2],
                   ghosts.high[2], n_sets, layout_name(layout), bind_name(bind));
}

// Quiet NaNs with a sign are what check mode marks ghosts with: programs have them only by reading such ghosts.
void make_positive_if_nan(halo_type type, std::byte *value, int64_t bytes) {
    const bool narrow = type == HALO_FLOAT32 || type == HALO_COMPLEX64;
    const bool wide = type == HALO_FLOAT64 || type == HALO_COMPLEX128;
    const bool half = type == HALO_FLOAT16 || type == HALO_BFLOAT16;
    const int64_t step = half ? 2 : narrow ? 4 : 8;
    for (int64_t end = step; (half || narrow || wide) && end <= bytes; end += step) {
        const auto exponent = static_cast<unsigned>(value[end - 1]) << 8 | static_cast<unsigned>(value[end - 2]);
        const unsigned quiet = type == HALO_FLOAT16 ? 0xfe00 : wide ? 0xfff8 : 0xffc0;
        if ((exponent & quiet) == quiet) value[end - 1] &= std::byte{ 0x7f };
    }
}

void make_value(const FieldCase &field, int64_t component, const Triple &global, int64_t time, std::byte *into) {
    uint64_t bits = mix(static_cast<uint64_t>(time) * 1000003u + std::hash<std::string>{}(field.name));
    for (const int64_t index : { component, global[0], global[1], global[2] })
        bits = mix(bits ^ (static_cast<uint64_t>(index) + 0x9e3779b97f4a7c15u));
    for (int64_t byte = 0; byte < field.element_bytes; byte += 8) {
        std::memcpy(into + byte, &bits, static_cast<size_t>(std::min<int64_t>(8, field.element_bytes - byte)));
        bits = mix(bits + 1);
    }
    make_positive_if_nan(field.type, into, field.element_bytes);
}

// Strides are set from the innermost index to the outermost; an index that runs backwards has its first element at the far end.
halo_layout make_layout(LayoutKind kind, const Grid &grid, const FieldCase &field, Random &random) {
    std::array<int, 4> order{ 0, 1, 2, 3 };
    if (kind == LayoutKind::component_fastest) order = { 3, 0, 1, 2 };
    if (kind == LayoutKind::permuted || kind == LayoutKind::negative) std::shuffle(order.begin(), order.end(), random);
    const bool padded = kind != LayoutKind::natural;
    std::array<int64_t, 4> stride{};
    halo_layout layout = HALO_LAYOUT_INIT;
    int64_t step = kind == LayoutKind::strided ? pick(random, 2, 3) : 1;
    const int64_t lead = padded ? pick(random, 0, 5) : 0;
    layout.first_owned = lead;
    for (const int d : order) {
        const int64_t low = d < 3 ? field.ghosts.low[d] : 0;
        const int64_t extent = d < 3 ? grid.cells[d] + low + field.ghosts.high[d] : field.n_components;
        const bool backwards = kind == LayoutKind::negative && chance(random, 0.6);
        stride[d] = backwards ? -step : step;
        layout.first_owned += step * (backwards ? extent - 1 - low : low);
        step = step * extent + (padded ? pick(random, 0, 3) : 0);
    }
    layout.elements = lead + step + (padded ? pick(random, 0, 5) : 0);
    std::copy_n(stride.begin(), 3, layout.stride);
    layout.component_stride = stride[3];
    return layout;
}

FieldStores::FieldStores(halo_topology *topology, const Grid &grid, int32_t rank, const FieldCase &field, Random random)
    : grid_(grid),
      case_(field),
      gids_(grid.local(rank)) {
    const halo_field_desc desc = field.desc();
    OK(halo_field_create(topology, &desc, &handle_));
    stores_.assign(static_cast<size_t>(n_sets()), std::vector<Store>(gids_.size()));
    const int32_t alignment = case_.bind == BindKind::allocate ? set_layout(random) : 0;
    allocates_ = case_.bind == BindKind::allocate;
    if (allocates_ && skips("halo_field_allocate owns storage of the host: twins are bound")) case_.bind = BindKind::bind;
    choose_sets_on_host(random);
    make_memory(random);
    for (int32_t set = 0; set < case_.n_sets && case_.bind == BindKind::bind; ++set) bind(set);
    for (int32_t set = 0; set < case_.n_sets && case_.bind == BindKind::bind_many && !gids_.empty(); ++set) bind_many(set);
    if (case_.bind == BindKind::allocate) {
        OK(halo_field_allocate(handle_, -1));
        for (int32_t set = 0; set < case_.n_sets; ++set) take_allocated(set, alignment);
    }
    for (int32_t set = 0; set < n_sets(); ++set) fill(set, -1 - set);
}

// Half of the fields are laid out by a rule. Bytes at whose multiples the first owned cells must be.
int32_t FieldStores::set_layout(Random &random) {
    if (chance(random, 0.5)) return 64;
    halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
    std::shuffle(desc.order, desc.order + 5, random);
    desc.alignment = 1 << pick(random, 0, 9);
    for (int d = 0; d < grid_.n_dims; ++d) {
        desc.ghost_low[d] = static_cast<int32_t>(pick(random, 0, 3));
        desc.ghost_high[d] = static_cast<int32_t>(pick(random, 0, 3));
    }
    OK(halo_field_set_layout(handle_, &desc));
    return std::max(desc.alignment, 64);
}

void FieldStores::destroy() { OK(destroy_if_free()); }
halo_status FieldStores::destroy_if_free() { return halo_field_destroy(&handle_); }

// One set in five.
void FieldStores::choose_sets_on_host(Random random) {
    on_host_ = on_device() ? case_.on_host : 0;
    for (int32_t set = 0; set < n_sets() && on_device() && case_.some_on_host; ++set) on_host_ |= uint64_t{ chance(random, 0.2) } << set;
}

void FieldStores::place_in(int32_t set, halo_binding &binding, std::byte *data) const {
    if (is_on_device(set)) return place(binding, data);
    binding.data = data;
}

// Parts may have layouts of their own, except where one allocation holds them all.
void FieldStores::make_memory(Random &random) {
    halo_layout shared = make_layout(case_.layout, grid_, case_, random);
    if (allocates_ && !gids_.empty()) OK(halo_field_layout(handle_, gids_[0], &shared));
    for (size_t part = 0; part < gids_.size(); ++part) {
        const halo_layout layout =
            case_.bind == BindKind::bind && !allocates_ && part % 2 == 1 ? make_layout(case_.layout, grid_, case_, random) : shared;
        for (int32_t set = 0; set < n_sets(); ++set) {
            Store &store = stores_[set][part];
            store.layout = layout;
            if (case_.bind != BindKind::bind && set < case_.n_sets) continue;
            const auto bytes = static_cast<size_t>(layout.elements * case_.element_bytes);
            Bytes &memory = memory_.emplace_back(bytes + 2 * guard_bytes);
            store.memory = memory.data();
            store.bytes = memory.size();
            store.data = memory.data() + guard_bytes;
        }
    }
}

void FieldStores::bind(int32_t set) {
    for (size_t part = 0; part < gids_.size(); ++part) {
        Store &store = stores_[set][part];
        halo_binding binding = HALO_BINDING_INIT;
        binding.set = set;
        place_in(set, binding, store.data);
        binding.layout = &store.layout;
        OK(halo_field_bind(handle_, gids_[part], &binding));
    }
}

void FieldStores::bind_many(int32_t set) {
    const halo_layout &layout = stores_[set][0].layout;
    const int64_t part_stride = layout.elements + 3;
    const auto part_bytes = static_cast<size_t>(part_stride * case_.element_bytes);
    Bytes &memory = memory_.emplace_back(part_bytes * gids_.size() + 2 * guard_bytes);
    halo_binding binding = HALO_BINDING_INIT;
    binding.set = set;
    place_in(set, binding, memory.data() + guard_bytes);
    binding.layout = &layout;
    OK(halo_field_bind_many(handle_, part_stride, &binding));
    for (size_t part = 0; part < gids_.size(); ++part) {
        Store &store = stores_[set][part];
        store.data = memory.data() + guard_bytes + part * part_bytes;
        store.memory = part == 0 ? memory.data() : store.data; // guards lie before the first, between, and after the last
        store.bytes = static_cast<size_t>((part + 1 == gids_.size() ? memory.data() + memory.size() : store.data + part_bytes) - store.memory);
    }
}

void FieldStores::take_allocated(int32_t set, int32_t alignment) {
    for (size_t part = 0; part < gids_.size(); ++part) {
        Store &store = stores_[set][part];
        store.layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(handle_, gids_[part], &store.layout));
        void *data = nullptr;
        OK(halo_field_data(handle_, gids_[part], set, &data));
        store.memory = store.data = static_cast<std::byte *>(data);
        store.bytes = static_cast<size_t>(store.layout.elements * case_.element_bytes);
        const auto address = reinterpret_cast<uintptr_t>(store.element(store.layout.first_owned, case_.element_bytes));
        if (address % static_cast<uintptr_t>(alignment) != 0)
            stop("%s: part %lld: the first owned cell is at %#zx, not on %d bytes", case_.describe().c_str(), static_cast<long long>(gids_[part]),
                 address, alignment);
        if (std::any_of(store.memory, store.memory + store.bytes, [](std::byte b) { return b != std::byte{}; }))
            stop("%s: part %lld: allocated storage is not zero", case_.describe().c_str(), static_cast<long long>(gids_[part]));
    }
}

void FieldStores::fill(int32_t set, int64_t time) {
    for (size_t part = 0; part < gids_.size(); ++part) {
        Store &store = stores_[set][part];
        for (size_t i = 0; i < store.bytes; ++i) store.memory[i] = sentinel(i);
        for_each_cell(grid_, case_.ghosts, [&](const Triple &cell) {
            Triple global;
            if (side_of(grid_, cell) != Triple{} || !grid_.global_cell(gids_[part], cell, global)) return;
            for (int32_t component = 0; component < case_.n_components; ++component)
                make_value(case_, component, global, time, store.element(element_at(store.layout, cell, component), case_.element_bytes));
        });
        store.expected.assign(store.memory, store.memory + store.bytes);
    }
    Copies copies;
    for (const Store &store : stores_[set]) copies.up(store.memory, store.bytes);
    copies.go();
}

void FieldStores::overwrite_owned(int32_t set) {
    constexpr int64_t another_time = -1000;
    Copies copies;
    for (size_t part = 0; part < gids_.size(); ++part) {
        Store &store = stores_[set][part];
        for_each_cell(grid_, case_.ghosts, [&](const Triple &cell) {
            if (side_of(grid_, cell) != Triple{}) return;
            for (int32_t component = 0; component < case_.n_components; ++component) {
                const int64_t element = element_at(store.layout, cell, component);
                make_value(case_, component, cell, another_time, store.element(element, case_.element_bytes));
                make_value(case_, component, cell, another_time, store.expected_element(element, case_.element_bytes));
                copies.up(store.element(element, case_.element_bytes), static_cast<size_t>(case_.element_bytes));
            }
        });
    }
    copies.go();
}

std::string FieldStores::first_difference() {
    Copies copies;
    for (const std::vector<Store> &set : stores_)
        for (const Store &store : set) copies.down(store.memory, store.bytes);
    copies.go();
    for (int32_t set = 0; set < n_sets(); ++set)
        for (size_t part = 0; part < gids_.size(); ++part) {
            const Store &store = stores_[set][part];
            if (std::memcmp(store.memory, store.expected.data(), store.bytes) == 0) continue;
            size_t byte = 0;
            while (store.memory[byte] == store.expected[byte]) ++byte;
            return describe_byte(set, part, byte);
        }
    return {};
}

// What the byte belongs to: a cell, or nothing.
std::string FieldStores::describe_byte(int32_t set, size_t part, size_t byte) const {
    const Store &store = stores_[set][part];
    std::string what = "no cell";
    for_each_cell(grid_, case_.ghosts, [&](const Triple &cell) {
        for (int32_t component = 0; component < case_.n_components; ++component) {
            const std::byte *element = store.element(element_at(store.layout, cell, component), case_.element_bytes);
            if (store.memory + byte >= element && store.memory + byte < element + case_.element_bytes)
                what = text_of("cell (%lld, %lld, %lld), component %d", static_cast<long long>(cell[0]), static_cast<long long>(cell[1]),
                               static_cast<long long>(cell[2]), component);
        }
    });
    return text_of("field %s, set %d, part %lld: byte %zu (%s) is %02x, should be %02x", case_.name.c_str(), set, static_cast<long long>(gids_[part]),
                   byte, what.c_str(), static_cast<unsigned>(store.memory[byte]), static_cast<unsigned>(store.expected[byte]));
}

} // namespace conformance
