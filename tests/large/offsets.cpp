// SPDX-License-Identifier: BSD-3-Clause
// Storage whose cells lie further apart than 2^31 bytes, and beyond 2^32 elements, in memory of which only the touched pages are there.
#include <halo.hpp>

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <new>
#include <thread>
#include <vector>

namespace {

constexpr int64_t n = 3;                                                     // cells per direction
constexpr int64_t stride[3] = { 1, int64_t{ 1 } << 29, int64_t{ 7 } << 29 }; // 4 GiB between lines, 28 GiB between planes
constexpr int64_t component_stride = int64_t{ 40 } << 29;
constexpr int64_t n_elements = 2 * component_stride;

class Storage {
public:
    Storage() {
        memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~Storage() { munmap(memory_, bytes); }
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;
    double *data() const { return static_cast<double *>(memory_); }

private:
    static constexpr size_t bytes = static_cast<size_t>(n_elements) * sizeof(double);
    void *memory_;
};

/// First owned cell behind one layer of ghosts; two components.
halo_layout far_apart() {
    halo_layout layout = HALO_LAYOUT_INIT;
    layout.elements = n_elements;
    layout.first_owned = stride[0] + stride[1] + stride[2];
    for (int d = 0; d < 3; ++d) layout.stride[d] = stride[d];
    layout.component_stride = component_stride;
    return layout;
}

template <class Visit>
void for_each_value(int64_t low, int64_t high, Visit visit) {
    const auto layout = far_apart();
    for (int64_t c = 0; c < 2; ++c)
        for (int64_t z = low; z < high; ++z)
            for (int64_t y = low; y < high; ++y)
                for (int64_t x = low; x < high; ++x)
                    visit(layout.first_owned + x * stride[0] + y * stride[1] + z * stride[2] + c * component_stride, x, y, z, c);
}

/// Of a periodic row of two blocks along z.
double value(int64_t x, int64_t y, int64_t z, int64_t c) {
    const auto wrap = [](int64_t i, int64_t extent) { return (i + extent) % extent; };
    return static_cast<double>(wrap(x, n) + 10 * wrap(y, n) + 100 * wrap(z, 2 * n) + 1000 * c);
}

void exchange_on(const halo::Context &context, const char *messages) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_blocks[2] = 2;
    for (int d = 0; d < 3; ++d) {
        desc.n_cells[d] = n;
        desc.periodic[d] = 1;
    }
    const halo::Topology topology(context, desc);
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = messages;
    field_desc.n_components = 2;
    for (int d = 0; d < 3; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = 1;
    halo::Field field(topology, field_desc);
    const Storage parts[2];
    const auto layout = far_apart();
    for (const auto gid : topology.local_parts()) {
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = parts[gid].data();
        binding.layout = &layout;
        field.bind(gid, binding);
        for_each_value(0, n, [&](int64_t at, int64_t x, int64_t y, int64_t z, int64_t c) { parts[gid].data()[at] = value(x, y, z + gid * n, c); });
    }
    halo::Exchange exchange({ field.get() });
    exchange.start();
    exchange.finish();
    for (const auto gid : topology.local_parts())
        for_each_value(-1, n + 1, [&](int64_t at, int64_t x, int64_t y, int64_t z, int64_t c) {
            ASSERT_EQ(parts[gid].data()[at], value(x, y, z + gid * n, c))
                << "block " << gid << ", cell " << x << ' ' << y << ' ' << z << ", component " << c;
        });
}

void exchange_between(int n_ranks, const char *messages) {
    const halo_setting setting = { "messages", messages };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &setting;
    options.n_settings = 1;
    const halo::Inproc group(n_ranks);
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<size_t>(n_ranks));
    for (int rank = 0; rank < n_ranks; ++rank) threads.emplace_back([&, rank] { exchange_on(halo::Context(group, rank, &options), messages); });
}

TEST(FarApart, on_one_rank) { exchange_between(1, "aggregate"); }
TEST(FarApart, between_ranks) { exchange_between(2, "aggregate"); }
TEST(FarApart, one_message_per_channel) { exchange_between(2, "per_channel"); }

} // namespace
