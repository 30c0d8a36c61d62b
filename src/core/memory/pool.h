// SPDX-License-Identifier: BSD-3-Clause
// Recycled buffers by memory kind and size class.
//
// A pool asks its upstream (a device or the caller's allocator) for memory only when no free buffer of the size class exists. Asking and
// giving back are O(1). A pool and its buffers belong to one context and one thread; the pool outlives its buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "halo.h"

namespace halo {

class Pool;

// One piece of upstream memory. Never moves and is never freed before its pool, so that weak references can always be asked.
struct PoolBlock {
    Pool *pool = nullptr;
    std::byte *data = nullptr;
    PoolBlock *next = nullptr; // in the list of free or of spare blocks
    size_t bytes = 0;          // as asked for
    uint64_t generation = 0;   // of the present owners; 0: none
    int64_t owners = 0;
    int32_t size_class = 0;
};

// Shared owner of a buffer. When the last one goes, the buffer returns to its pool.
class Buffer {
public:
    Buffer() = default;
    Buffer(const Buffer &other) noexcept : block_(other.block_) {
        if (block_) ++block_->owners;
    }
    Buffer(Buffer &&other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    Buffer &operator=(Buffer other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~Buffer() { reset(); }

    void reset() noexcept;
    // It stays in use as long as its pool.
    void keep() &&noexcept { block_ = nullptr; }
    explicit operator bool() const { return block_ != nullptr; }
    bool is_of(const Pool &pool) const { return block_ && block_->pool == &pool; }
    std::byte *data() const { return block_ ? block_->data : nullptr; }
    size_t bytes() const { return block_ ? block_->bytes : 0; }             // as asked for
    size_t capacity() const;                                                // as there is
    uint64_t generation() const { return block_ ? block_->generation : 0; } // differs between all buffers a pool has handed out

private:
    friend class Pool;
    friend class WeakBuffer;
    explicit Buffer(PoolBlock *block) : block_(block) {}
    PoolBlock *block_ = nullptr;
};

// Knows whether the buffer it was made from still has owners. Must not outlive the pool.
class WeakBuffer {
public:
    WeakBuffer() = default;
    WeakBuffer(const Buffer &buffer) : block_(buffer.block_), generation_(buffer.generation()) {}

    bool valid() const { return block_ && block_->generation == generation_; }
    std::byte *data() const { return valid() ? block_->data : nullptr; }
    // A new owner; empty when there is no owner left.
    Buffer lock() const;

private:
    PoolBlock *block_ = nullptr;
    uint64_t generation_ = 0;
};

struct PoolFigures {
    int64_t in_use_bytes = 0; // by size class
    int64_t held_bytes = 0;   // in use and kept for reuse
    int64_t peak_bytes = 0;   // high water of held_bytes
    int64_t allocations = 0;  // times memory was asked for upstream

    PoolFigures &operator+=(const PoolFigures &other);
};

class Pool {
public:
    static constexpr size_t alignment = 64; // of blocks, in bytes

    // `upstream` says the memory kind and returns blocks that are aligned so. `cap` bounds held_bytes.
    Pool(const halo_allocator &upstream, int64_t cap);
    ~Pool();
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    // A buffer of at least `bytes` with undefined content. Fails with HALO_ERR_MEMORY naming kind, wish, use and cap.
    Buffer get(size_t bytes);
    // Give unused memory back upstream.
    void trim() noexcept;
    const PoolFigures &figures() const { return figures_; }

    // Size classes: four steps per power of two from 256 bytes.
    static int32_t size_class(size_t bytes);
    static size_t class_bytes(int32_t size_class);
    static constexpr int32_t n_classes = 4 * 54;

private:
    friend class Buffer;
    PoolBlock *new_block(int32_t size_class, size_t bytes);
    std::byte *allocate(size_t class_size, size_t bytes);
    void put(PoolBlock *block) noexcept;

    halo_allocator upstream_;
    int64_t cap_;
    PoolFigures figures_;
    uint64_t generation_ = 0;
    std::array<PoolBlock *, n_classes> free_{};
    PoolBlock *spare_ = nullptr; // blocks without memory
    std::deque<PoolBlock> blocks_;
};

// The pools of a context, one per memory kind, and of what devices have, one per device too.
class Pools {
public:
    explicit Pools(int64_t cap) : cap_(cap) {}

    // Make the pool of `upstream.memory` of `upstream.device`; replaces none: HALO_ERR_EXISTS.
    void add(const halo_allocator &upstream);
    bool has(int32_t memory, int32_t device = 0) const { return find(memory, device) != nullptr; }
    // HALO_ERR_NOT_FOUND: the context has no pool of this kind.
    Pool &pool(int32_t memory, int32_t device = 0);
    Buffer get(int32_t memory, size_t bytes) { return pool(memory).get(bytes); }
    // Of a kind, on all devices. HALO_ERR_NOT_FOUND.
    PoolFigures figures(int32_t memory) const;
    void trim() noexcept;

private:
    struct Further {
        Further(const halo_allocator &upstream, int64_t cap) : memory(upstream.memory), device(upstream.device), pool(upstream, cap) {}
        int32_t memory;
        int32_t device;
        Pool pool;
    };
    const Pool *find(int32_t memory, int32_t device) const;

    static constexpr int32_t n_kinds = 4;
    int64_t cap_;
    std::array<std::optional<Pool>, n_kinds> pools_; // of device 0, or of the host
    std::deque<Further> further_;
};

const char *memory_name(int32_t memory) noexcept;

} // namespace halo
