// SPDX-License-Identifier: BSD-3-Clause
#include "memory/pool.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "expect_failure.h"
#include "heap_calls.h"

namespace halo {
namespace {

// An upstream that keeps account of what it gave away.
struct Upstream {
    std::map<void *, size_t> given;
    int64_t calls = 0;
    size_t limit = SIZE_MAX; // bytes it has in all
    size_t offset = 0;       // from proper alignment
    bool right_sizes = true;

    halo_allocator allocator(int32_t memory = HALO_MEMORY_HOST) {
        halo_allocator result{};
        result.memory = memory;
        result.user = this;
        result.allocate = [](void *user, size_t bytes) { return static_cast<Upstream *>(user)->allocate(bytes); };
        result.release = [](void *user, void *pointer, size_t bytes) { static_cast<Upstream *>(user)->release(pointer, bytes); };
        return result;
    }
    size_t bytes() const {
        size_t sum = 0;
        for (const auto &[pointer, size] : given) sum += size;
        return sum;
    }
    void *allocate(size_t size) {
        ++calls;
        if (bytes() + size > limit) return nullptr;
        char *pointer = static_cast<char *>(std::aligned_alloc(64, size + 64)) + offset;
        given[pointer] = size;
        return pointer;
    }
    void release(void *pointer, size_t size) {
        const auto entry = given.find(pointer);
        right_sizes &= entry != given.end() && entry->second == size;
        given.erase(entry);
        std::free(static_cast<char *>(pointer) - offset);
    }
    ~Upstream() {
        EXPECT_TRUE(given.empty());
        EXPECT_TRUE(right_sizes);
    }
};

TEST(PoolClasses, FourStepsPerPowerOfTwo) {
    EXPECT_EQ(Pool::class_bytes(0), 256u);
    EXPECT_EQ(Pool::class_bytes(1), 320u);
    EXPECT_EQ(Pool::class_bytes(4), 512u);
    size_t before = 0;
    for (int32_t index = 0; index < Pool::n_classes; ++index) {
        const size_t bytes = Pool::class_bytes(index);
        EXPECT_GT(bytes, before);
        EXPECT_EQ(bytes % 64, 0u);
        EXPECT_EQ(Pool::size_class(bytes), index);
        EXPECT_EQ(Pool::size_class(before + 1), index);
        if (index > 0) {
            EXPECT_LE(bytes, before + before / 4);
        }
        before = bytes;
    }
    EXPECT_EQ(Pool::size_class(0), 0);
    EXPECT_GE(Pool::size_class(SIZE_MAX), Pool::n_classes);
}

TEST(Pool, RecyclesWithoutAskingAgain) {
    Upstream upstream;
    Pool pool(upstream.allocator(), INT64_MAX);
    const std::byte *first = pool.get(1000).data();
    const int64_t calls_before = heap_calls();
    for (int turn = 0; turn < 100; ++turn) {
        const Buffer buffer = pool.get(900 + turn % 100);
        EXPECT_EQ(buffer.data(), first);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
        EXPECT_EQ(buffer.capacity(), 1024u);
        EXPECT_EQ(buffer.bytes(), size_t(900 + turn % 100));
        std::memset(buffer.data(), 1, buffer.capacity());
    }
    EXPECT_EQ(heap_calls(), calls_before);
    EXPECT_EQ(upstream.calls, 1);
    EXPECT_EQ(pool.figures().allocations, 1);
}

TEST(Pool, BuffersInUseAreDistinct) {
    Upstream upstream;
    Pool pool(upstream.allocator(), INT64_MAX);
    std::vector<Buffer> buffers;
    for (int i = 0; i < 50; ++i) {
        buffers.push_back(pool.get(256));
        std::memset(buffers.back().data(), i, 256);
    }
    for (int i = 0; i < 50; ++i) EXPECT_EQ(static_cast<int>(buffers[i].data()[255]), i);
}

TEST(Pool, LastOwnerReturnsTheBuffer) {
    Upstream upstream;
    Pool pool(upstream.allocator(), INT64_MAX);
    Buffer a = pool.get(100);
    const uint64_t generation = a.generation();
    Buffer b = a;
    EXPECT_EQ(b.data(), a.data());
    a.reset();
    a.reset();
    EXPECT_EQ(pool.figures().in_use_bytes, 256);
    EXPECT_EQ(pool.get(100).data() == b.data(), false);
    Buffer c = std::move(b);
    EXPECT_FALSE(b); // NOLINT(bugprone-use-after-move): it is empty by contract
    c = pool.get(100);
    EXPECT_EQ(pool.figures().in_use_bytes, 256);
    EXPECT_NE(c.generation(), generation);
    const Buffer &same = c;
    c = same;
    EXPECT_TRUE(c);
    c = Buffer();
    EXPECT_EQ(pool.figures().in_use_bytes, 0);
    EXPECT_EQ(Buffer().data(), nullptr);
    EXPECT_EQ(Buffer().capacity(), 0u);
}

TEST(Pool, WeakReferencesTellValidity) {
    Upstream upstream;
    Pool pool(upstream.allocator(), INT64_MAX);
    EXPECT_FALSE(WeakBuffer().valid());
    EXPECT_FALSE(WeakBuffer(Buffer()).valid());
    Buffer owner = pool.get(100);
    const WeakBuffer weak(owner);
    EXPECT_TRUE(weak.valid());
    EXPECT_EQ(weak.data(), owner.data());
    Buffer second = weak.lock();
    owner.reset();
    EXPECT_TRUE(weak.valid());
    second.reset();
    EXPECT_FALSE(weak.valid());
    EXPECT_EQ(weak.data(), nullptr);
    EXPECT_FALSE(weak.lock());
    const Buffer recycled = pool.get(100); // the same memory, another life
    EXPECT_FALSE(weak.valid());
    EXPECT_EQ(pool.figures().allocations, 1);
    EXPECT_TRUE(WeakBuffer(recycled).valid());
}

TEST(Pool, WeakReferencesOutliveTrimmedMemory) {
    Upstream upstream;
    Pool pool(upstream.allocator(), INT64_MAX);
    const WeakBuffer weak(pool.get(100));
    pool.trim();
    EXPECT_FALSE(weak.valid());
    const Buffer another = pool.get(5000); // takes the same record
    EXPECT_FALSE(weak.valid());
}

TEST(Pool, FiguresAndTrim) {
    Upstream upstream;
    Pool pool(upstream.allocator(), INT64_MAX);
    Buffer a = pool.get(1000), b = pool.get(3000), c = pool.get(300);
    EXPECT_EQ(pool.figures().in_use_bytes, 1024 + 3072 + 320);
    EXPECT_EQ(pool.figures().held_bytes, 1024 + 3072 + 320);
    a.reset();
    b.reset();
    EXPECT_EQ(pool.figures().in_use_bytes, 320);
    EXPECT_EQ(pool.figures().held_bytes, 1024 + 3072 + 320);
    pool.trim();
    EXPECT_EQ(pool.figures().held_bytes, 320);
    EXPECT_EQ(pool.figures().peak_bytes, 1024 + 3072 + 320);
    EXPECT_EQ(upstream.bytes(), 320u);
    std::memset(c.data(), 7, c.bytes());
    a = pool.get(1000);
    EXPECT_EQ(pool.figures().allocations, 4);
    EXPECT_EQ(pool.figures().peak_bytes, 1024 + 3072 + 320);
}

TEST(Pool, CapNamesEverything) {
    Upstream upstream;
    Pool pool(upstream.allocator(HALO_MEMORY_PINNED), 4096);
    Buffer a = pool.get(2048);
    expect_failure(HALO_ERR_MEMORY, { "pinned", "3000 bytes", "3072", "2048 in use", "cap is 4096", "pool.cap" }, [&] { pool.get(3000); });
    EXPECT_EQ(pool.figures().held_bytes, 2048);
    EXPECT_EQ(upstream.calls, 1);
    const Buffer b = pool.get(2048);
    EXPECT_EQ(pool.figures().held_bytes, 4096);
}

TEST(Pool, CapMakesRoomFromUnusedBuffers) {
    Upstream upstream;
    Pool pool(upstream.allocator(), 4096);
    pool.get(2048);
    const Buffer large = pool.get(4000);
    EXPECT_EQ(pool.figures().held_bytes, 4096);
    EXPECT_EQ(upstream.given.size(), 1u);
}

TEST(Pool, UpstreamWithoutMemory) {
    Upstream upstream;
    upstream.limit = 2048;
    Pool pool(upstream.allocator(HALO_MEMORY_DEVICE), INT64_MAX);
    pool.get(1024);
    pool.get(512);
    EXPECT_EQ(pool.get(2000).capacity(), 2048u); // after unused buffers went back
    expect_failure(HALO_ERR_MEMORY, { "device", "5000 bytes", "0 in use" }, [&] { pool.get(5000); });
    expect_failure(HALO_ERR_MEMORY, { "device", "more than any pool" }, [&] { pool.get(SIZE_MAX); });
    EXPECT_EQ(pool.get(2000).capacity(), 2048u); // still works
}

TEST(Pool, MisalignedUpstreamIsRefused) {
    Upstream upstream;
    upstream.offset = 8;
    Pool pool(upstream.allocator(), INT64_MAX);
    expect_failure(HALO_ERR_ARGUMENT, { "host", "64 bytes" }, [&] { pool.get(100); });
    EXPECT_EQ(pool.figures().held_bytes, 0);
    EXPECT_TRUE(upstream.given.empty());
}

TEST(Pools, ByKind) {
    Upstream host, device;
    Pools pools(1 << 20);
    pools.add(host.allocator());
    pools.add(device.allocator(HALO_MEMORY_DEVICE));
    EXPECT_TRUE(pools.has(HALO_MEMORY_DEVICE));
    EXPECT_FALSE(pools.has(HALO_MEMORY_PINNED));
    EXPECT_FALSE(pools.has(-1));
    EXPECT_FALSE(pools.has(3));
    pools.get(HALO_MEMORY_DEVICE, 500);
    EXPECT_EQ(pools.pool(HALO_MEMORY_DEVICE).figures().held_bytes, 512);
    EXPECT_EQ(pools.pool(HALO_MEMORY_HOST).figures().held_bytes, 0);
    pools.trim();
    EXPECT_EQ(device.bytes(), 0u);
    expect_failure(HALO_ERR_NOT_FOUND, { "pinned", "kind 1" }, [&] { pools.get(HALO_MEMORY_PINNED, 1); });
    expect_failure(HALO_ERR_EXISTS, { "host" }, [&] { pools.add(host.allocator()); });
    expect_failure(HALO_ERR_ARGUMENT, { "7 is not a memory kind" }, [&] { pools.add(host.allocator(7)); });
    halo_allocator half = host.allocator(HALO_MEMORY_PINNED);
    half.release = nullptr;
    expect_failure(HALO_ERR_ARGUMENT, { "pinned", "release is NULL" }, [&] { pools.add(half); });
    expect_failure(HALO_ERR_MEMORY, { "cap is 1048576" }, [&] { pools.get(HALO_MEMORY_HOST, 2 << 20); });
}

} // namespace
} // namespace halo
