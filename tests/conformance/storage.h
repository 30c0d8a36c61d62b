// SPDX-License-Identifier: BSD-3-Clause
// Fields of a case: their shape, the layouts and memory of their parts, and what every byte of it should be.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "grid.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

enum class LayoutKind : uint8_t { natural, padded, strided, component_fastest, permuted, negative };
inline constexpr int n_layout_kinds = 6;
const char *layout_name(LayoutKind kind);

enum class BindKind : uint8_t { bind, bind_many, allocate };
inline constexpr int n_bind_kinds = 3;
const char *bind_name(BindKind kind);

struct FieldCase {
    std::string name;
    halo_type type = HALO_FLOAT64;
    int64_t element_bytes = 8;
    int32_t n_components = 1;
    Ghosts ghosts;
    int32_t n_sets = 1;
    LayoutKind layout = LayoutKind::natural;
    BindKind bind = BindKind::bind;
    bool some_on_host = false; // of its sets, where storage is on a device: as chance has it,
    uint64_t on_host = 0;      // or these, as bits

    halo_field_desc desc() const;
    std::string describe() const;
};

int64_t bytes_of(halo_type type); // 0 for HALO_BYTES; all types are HALO_FLOAT32 ... HALO_BFLOAT16
const char *name_of(halo_type type);

// A layout of the kind for one part; only halo_layout's sizes, offsets and strides are random.
halo_layout make_layout(LayoutKind kind, const Grid &grid, const FieldCase &field, Random &random);

inline int64_t element_at(const halo_layout &layout, const Triple &cell, int64_t component) {
    return layout.first_owned + cell[0] * layout.stride[0] + cell[1] * layout.stride[1] + cell[2] * layout.stride[2] +
           component * layout.component_stride;
}

// Memory of one part in one set: what it holds, and a twin with what it should hold.
struct Store {
    std::byte *memory = nullptr; // with guard bytes around where the test owns it
    size_t bytes = 0;
    std::byte *data = nullptr; // what is bound
    halo_layout layout{};
    std::vector<std::byte> expected; // of `memory`

    std::byte *element(int64_t number, int64_t element_bytes) const { return data + number * element_bytes; }
    std::byte *expected_element(int64_t number, int64_t element_bytes) { return expected.data() + (data - memory) + number * element_bytes; }
};

// The library's field with its stores on one rank. Set n_sets is bound nowhere: it is reached by the pointers of a run.
class FieldStores {
public:
    FieldStores(halo_topology *topology, const Grid &grid, int32_t rank, const FieldCase &field, Random random);
    FieldStores(const FieldStores &) = delete;
    FieldStores &operator=(const FieldStores &) = delete;
    void destroy();
    halo_status destroy_if_free();

    const FieldCase &field() const { return case_; }
    halo_field *handle() const { return handle_; }
    int32_t n_sets() const { return case_.n_sets + 1; }
    Store &store(int32_t set, size_t part) { return stores_[set][part]; }
    size_t n_parts() const { return gids_.size(); }
    int64_t gid(size_t part) const { return gids_[part]; }

    bool is_on_device(int32_t set) const { return on_device() && !(on_host_ >> set & 1); }
    // What is bound, or given to a run.
    void *address(int32_t set, size_t part) { return is_on_device(set) ? placed(store(set, part).data) : store(set, part).data; }

    // Sentinels everywhere, then owned cells with the values of a time.
    void fill(int32_t set, int64_t time);
    // Other values into the owned cells of a set that a run has started with.
    void overwrite_owned(int32_t set);
    // Write what an exchange should put into ghosts: `wanted(part, cell, component)` picks them.
    template <class Wanted>
    void expect_ghosts(int32_t set, int64_t time, Wanted &&wanted);
    // Compares everything. Empty: all is right.
    std::string first_difference();

private:
    void choose_sets_on_host(Random random);
    void make_memory(Random &random);
    void place_in(int32_t set, halo_binding &binding, std::byte *data) const;
    void bind(int32_t set);
    void bind_many(int32_t set);
    int32_t set_layout(Random &random);
    void take_allocated(int32_t set, int32_t alignment);
    std::string describe_byte(int32_t set, size_t part, size_t byte) const;

    const Grid &grid_;
    FieldCase case_;
    bool allocates_ = false; // the library does; where storage is on a device, memory of the same layout is bound
    uint64_t on_host_ = 0;   // bits of sets
    halo_field *handle_ = nullptr;
    std::vector<int64_t> gids_;
    std::vector<std::vector<Store>> stores_; // [set][part]
    std::deque<Bytes> memory_;
};

// The value of a field's component in a cell of the whole grid at a time: `bytes` bytes with any bits.
void make_value(const FieldCase &field, int64_t component, const Triple &global, int64_t time, std::byte *into);

template <class Wanted>
void FieldStores::expect_ghosts(int32_t set, int64_t time, Wanted &&wanted) {
    for (size_t part = 0; part < gids_.size(); ++part) {
        Store &store = stores_[set][part];
        for_each_cell(grid_, case_.ghosts, [&](const Triple &cell) {
            Triple global;
            if (side_of(grid_, cell) == Triple{} || !grid_.global_cell(gids_[part], cell, global)) return;
            for (int32_t component = 0; component < case_.n_components; ++component)
                if (wanted(gids_[part], cell, component))
                    make_value(case_, component, global, time,
                               store.expected_element(element_at(store.layout, cell, component), case_.element_bytes));
        });
    }
}

} // namespace conformance
