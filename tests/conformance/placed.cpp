// SPDX-License-Identifier: BSD-3-Clause
#include "placed.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "left_out.h"

namespace conformance {

namespace {

const halo_device_ops &ops() { return *test_device().plugin().ops; }

// As the device knows it.
halo_stream raw(halo_stream stream) { return stream == HALO_STREAM_DEFAULT ? nullptr : stream; }

// Memory of a test, and what stands for it on the device once somebody asks.
struct Block {
    size_t bytes = 0;
    std::byte *twin = nullptr;
};

struct Allocated {
    std::vector<int64_t> gids;
    std::vector<Bytes> parts;
};

struct Device {
    halo_context *context = nullptr;
    halo_device *instance = nullptr;
    halo_stream streams[2] = {};
    halo_stream at_start = HALO_STREAM_DEFAULT, at_finish = HALO_STREAM_DEFAULT;
    std::map<const std::byte *, Block> blocks;
    std::unordered_map<const halo_field *, Allocated> allocated;
    std::vector<int32_t> ordinals;
    OwnMemory<std::byte> nothing;

    halo_event *event = nullptr;

    // What follows in a stream comes behind what has been put into another.
    void order(halo_stream before, halo_stream after) const {
        if (before == after) return;
        succeed(ops().event_record(instance, event, raw(before)), "event_record", __FILE__, __LINE__);
        succeed(ops().event_wait(instance, event, raw(after)), "event_wait", __FILE__, __LINE__);
    }
    void wait() const {
        const halo_stream all[] = { streams[0], streams[1], nullptr };
        for (const halo_stream one : all) test_device().synchronize(instance, one);
    }
};

thread_local std::unique_ptr<Device> here;

std::mutex guard;
std::map<std::string, int64_t> skipped;
int64_t cases = 0, twins = 0;

std::pair<const std::byte *const, Block> &block_of(const void *data, size_t bytes) {
    const auto *at = static_cast<const std::byte *>(data);
    auto after = here->blocks.upper_bound(at);
    if (after == here->blocks.begin()) stop("%p is in no memory that the test has taken", data);
    auto &found = *--after;
    if (at + bytes > found.first + found.second.bytes) stop("%p and %zu bytes are in no memory that the test has taken", data, bytes);
    return found;
}

void *take_twin(size_t bytes) {
    void *made = nullptr;
    if (device_memory_is_shared())
        OK(halo_memory_allocate_on(here->context, HALO_MEMORY_DEVICE, 0, static_cast<int64_t>(bytes), &made));
    else
        succeed(ops().allocate(here->instance, HALO_MEMORY_DEVICE, bytes, &made), "allocate", __FILE__, __LINE__);
    return made;
}

// A peer may still be at it for a moment.
void give_twin(void *twin, size_t bytes) {
    if (!device_memory_is_shared()) return ops().release(here->instance, HALO_MEMORY_DEVICE, twin, bytes);
    constexpr int most_milliseconds = 10000;
    for (int n = 0; n < most_milliseconds && halo_memory_release(here->context, &twin) == HALO_BUSY; ++n)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(twin, nullptr) << halo_last_error();
}

// Where nothing has been asked for there is no twin, unless it is made.
std::byte *twin_of(const void *data, size_t bytes, bool make) {
    auto &[begin, block] = block_of(data, bytes);
    if (!block.twin && make) {
        block.twin = static_cast<std::byte *>(take_twin(block.bytes));
        const std::lock_guard lock(guard);
        ++twins;
    }
    return block.twin ? block.twin + (static_cast<const std::byte *>(data) - begin) : nullptr;
}

} // namespace

void enter_device(halo_context *context) {
    void *memory = nullptr;
    OK(halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, 0, 64, &memory));
    here = std::make_unique<Device>();
    here->context = context;
    here->instance = test_device().enter(memory);
    OK(halo_memory_release(context, &memory));
    succeed(ops().event_create(here->instance, &here->event), "event_create", __FILE__, __LINE__);
    for (halo_stream &stream : here->streams) stream = test_device().create_stream(here->instance);
}

void leave_device() {
    if (!here) return;
    here->allocated.clear();
    here->nothing = {};
    here->wait();
    ops().event_destroy(here->instance, here->event);
    for (const halo_stream stream : here->streams) test_device().destroy_stream(here->instance, stream);
    here.reset();
    test_device().leave();
}

bool on_device() { return here != nullptr; }

void begin_case(uint64_t number) {
    if (!here) return;
    here->wait();
    const uint64_t which = number % 4;
    here->at_start = which == 1 || which == 3 ? HALO_STREAM_DEFAULT : here->streams[0];
    here->at_finish = which == 1 ? HALO_STREAM_DEFAULT : which == 0 ? here->streams[0] : here->streams[1];
    const std::lock_guard lock(guard);
    ++cases;
}

halo_stream stream() { return here ? here->at_start : HALO_STREAM_NONE; }
halo_stream finish_stream() { return here ? here->at_finish : HALO_STREAM_NONE; }

void follow_finish() {
    if (here) here->order(here->at_finish, here->at_start);
}

std::byte *take_twinned(size_t bytes) {
    auto *const memory = static_cast<std::byte *>(::operator new(bytes));
    if (here) here->blocks[memory] = { bytes, nullptr };
    return memory;
}

// Nothing may go on with it.
void give_twinned(std::byte *memory) noexcept {
    if (here) {
        const auto found = here->blocks.find(memory);
        if (found != here->blocks.end() && found->second.twin) {
            here->wait();
            give_twin(found->second.twin, found->second.bytes);
        }
        if (found != here->blocks.end()) here->blocks.erase(found);
    }
    ::operator delete(memory);
}

void *placed(void *data) { return here && data ? twin_of(data, 0, true) : data; }

void *somewhere() {
    static double unused = 0;
    if (!here) return &unused;
    if (here->nothing.empty()) here->nothing.resize(8);
    return here->nothing.data();
}

void place(halo_binding &binding, void *data) {
    binding.data = placed(data);
    binding.memory = here ? HALO_MEMORY_DEVICE : HALO_MEMORY_HOST;
}

const int32_t *devices(size_t n_fields) {
    if (!here) return nullptr;
    here->ordinals.assign(n_fields, 0);
    return here->ordinals.data();
}

// What follows what came before is one piece with it.
void Copies::add(void *to, const void *from, size_t bytes) {
    if (!pieces_.empty()) {
        late_piece &last = pieces_.back();
        if (static_cast<std::byte *>(last.dst) + last.bytes == to && static_cast<const std::byte *>(last.src) + last.bytes == from) {
            last.bytes += bytes;
            return;
        }
    }
    pieces_.push_back({ to, from, bytes });
}

void Copies::up(const void *data, size_t bytes) {
    if (!here || bytes == 0) return;
    if (std::byte *const twin = twin_of(data, bytes, false)) add(twin, data, bytes);
}

void Copies::down(void *data, size_t bytes) {
    if (!here || bytes == 0) return;
    const std::byte *const twin = twin_of(data, bytes, false);
    if (!twin) return;
    add(data, twin, bytes);
    waits_ = true;
}

void Copies::go(halo_stream in) {
    if (pieces_.empty()) return;
    here->order(in == here->at_start ? here->at_finish : here->at_start, in);
    test_device().copy(here->instance, pieces_, raw(in));
    pieces_.clear();
    waits_ = false;
}

void upload(const void *data, size_t bytes, halo_stream in) {
    Copies copies;
    copies.up(data, bytes);
    copies.go(in);
}

void download(void *data, size_t bytes) {
    Copies copies;
    copies.down(data, bytes);
    copies.go();
}

void let_messages_leave(halo_context *context) {
    if (!here) return;
    here->wait();
    OK(halo_context_progress(context));
}

void allocate_storage(halo_topology *topology, halo_field *field, size_t element_bytes) {
    if (!here) return OK(halo_field_allocate(field, -1));
    skips("halo_field_allocate owns storage of the host: twins are bound");
    const int64_t *gids = nullptr;
    int64_t n = 0;
    OK(halo_topology_local_parts(topology, &gids, &n));
    Allocated &allocated = here->allocated[field];
    allocated.parts.clear();
    allocated.gids.assign(gids, gids + n);
    for (int64_t part = 0; part < n; ++part) {
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field, gids[part], &layout));
        allocated.parts.emplace_back(static_cast<size_t>(layout.elements) * element_bytes);
        halo_binding binding = HALO_BINDING_INIT;
        place(binding, allocated.parts.back().data());
        OK(halo_field_bind(field, gids[part], &binding));
    }
    upload(field);
}

void *storage_of(const halo_field *field, int64_t gid) {
    if (here)
        if (const auto found = here->allocated.find(field); found != here->allocated.end())
            for (size_t part = 0; part < found->second.gids.size(); ++part)
                if (found->second.gids[part] == gid) return found->second.parts[part].data();
    void *data = nullptr;
    OK(halo_field_data(field, gid, 0, &data));
    return data;
}

void upload(const halo_field *field) {
    if (!here) return;
    Copies copies;
    for (const Bytes &part : here->allocated.at(field).parts) copies.up(part.data(), part.size());
    copies.go();
}

void download(const halo_field *field) {
    if (!here) return;
    Copies copies;
    for (Bytes &part : here->allocated.at(field).parts) copies.down(part.data(), part.size());
    copies.go();
}

bool skips(const char *what) {
    if (!here) return false;
    const std::lock_guard lock(guard);
    ++skipped[what];
    return true;
}

int run_tests(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], "--processes") == 0) set_processes();
    testing::InitGoogleTest(&argc, argv);
    if (!storage_is_on_device()) return RUN_ALL_TESTS();
    const TestDevice &device = test_device();
    const bool all_there = leave_out_on_devices();
    const int failed = RUN_ALL_TESTS();
    print_skipped();
    const bool worked = device.print_counts();
    std::printf("  %lld cases of ranks, %lld blocks of storage\n", static_cast<long long>(cases), static_cast<long long>(twins));
    for (const auto &[what, times] : skipped) std::printf("  not there, %lld times: %s\n", static_cast<long long>(times), what.c_str());
    return failed || !worked || !all_there;
}

} // namespace conformance
