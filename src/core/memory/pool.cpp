// SPDX-License-Identifier: BSD-3-Clause
#include "memory/pool.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace halo {

namespace {

constexpr size_t smallest = 256;
constexpr int smallest_log2 = 8;

long long ll(int64_t value) { return static_cast<long long>(value); }

} // namespace

const char *memory_name(int32_t memory) noexcept {
    switch (memory) {
    case HALO_MEMORY_HOST: return "host";
    case HALO_MEMORY_PINNED: return "pinned";
    case HALO_MEMORY_DEVICE: return "device";
    case HALO_MEMORY_SHARED: return "shared";
    default: return "unknown";
    }
}

void Buffer::reset() noexcept {
    PoolBlock *block = std::exchange(block_, nullptr);
    if (block && --block->owners == 0) block->pool->put(block);
}

size_t Buffer::capacity() const { return block_ ? Pool::class_bytes(block_->size_class) : 0; }

Buffer WeakBuffer::lock() const {
    if (!valid()) return {};
    ++block_->owners;
    return Buffer(block_);
}

PoolFigures &PoolFigures::operator+=(const PoolFigures &other) {
    in_use_bytes += other.in_use_bytes;
    held_bytes += other.held_bytes;
    peak_bytes += other.peak_bytes;
    allocations += other.allocations;
    return *this;
}

int32_t Pool::size_class(size_t bytes) {
    if (bytes <= smallest) return 0;
    const size_t last = bytes - 1;
    const int power = static_cast<int>(std::bit_width(last)) - 1;
    const int quarter = static_cast<int>((last >> (power - 2)) & 3u);
    return 4 * (power - smallest_log2) + quarter + 1;
}

size_t Pool::class_bytes(int32_t size_class) {
    const size_t power = smallest << (size_class / 4);
    return power + static_cast<size_t>(size_class % 4) * (power / 4);
}

Pool::Pool(const halo_allocator &upstream, int64_t cap) : upstream_(upstream), cap_(cap) {}

Pool::~Pool() {
    for (const PoolBlock &block : blocks_)
        if (block.data) upstream_.release(upstream_.user, block.data, class_bytes(block.size_class));
}

Buffer Pool::get(size_t bytes) {
    const int32_t wanted = size_class(bytes);
    if (wanted >= n_classes) fail(HALO_ERR_MEMORY, "%s memory: %zu bytes wanted, more than any pool can hold", memory_name(upstream_.memory), bytes);
    PoolBlock *block = free_[wanted];
    if (block)
        free_[wanted] = block->next;
    else
        block = new_block(wanted, bytes);
    block->next = nullptr;
    block->bytes = bytes;
    block->owners = 1;
    block->generation = ++generation_;
    figures_.in_use_bytes += static_cast<int64_t>(class_bytes(wanted));
    return Buffer(block);
}

void Pool::put(PoolBlock *block) noexcept {
    block->generation = 0;
    block->next = free_[block->size_class];
    free_[block->size_class] = block;
    figures_.in_use_bytes -= static_cast<int64_t>(class_bytes(block->size_class));
}

PoolBlock *Pool::new_block(int32_t size_class, size_t bytes) {
    if (!spare_) spare_ = &blocks_.emplace_back();
    const size_t size = class_bytes(size_class);
    PoolBlock *block = spare_;
    block->data = allocate(size, bytes);
    block->pool = this;
    block->size_class = size_class;
    spare_ = block->next;
    figures_.held_bytes += static_cast<int64_t>(size);
    figures_.peak_bytes = std::max(figures_.peak_bytes, figures_.held_bytes);
    return block;
}

// Unused buffers of other classes go back upstream when the cap or the memory is exhausted.
std::byte *Pool::allocate(size_t size, size_t bytes) {
    const auto fits = [&] { return static_cast<int64_t>(size) <= cap_ - figures_.held_bytes; };
    const auto ask = [&] {
        ++figures_.allocations;
        return static_cast<std::byte *>(upstream_.allocate(upstream_.user, size));
    };
    if (!fits()) trim();
    if (!fits())
        fail(HALO_ERR_MEMORY, "%s memory: %zu bytes wanted (%zu by size class), %lld in use, the cap is %lld (setting pool.cap)",
             memory_name(upstream_.memory), bytes, size, ll(figures_.in_use_bytes), ll(cap_));
    std::byte *data = ask();
    if (!data && figures_.held_bytes > figures_.in_use_bytes) {
        trim();
        data = ask();
    }
    if (!data)
        fail(HALO_ERR_MEMORY, "%s memory: the allocator has no %zu bytes (%zu by size class); %lld in use", memory_name(upstream_.memory), bytes,
             size, ll(figures_.in_use_bytes));
    if (reinterpret_cast<uintptr_t>(data) % alignment != 0) {
        upstream_.release(upstream_.user, data, size);
        fail(HALO_ERR_ARGUMENT, "%s memory: the allocator returned %p, which is not aligned to %zu bytes", memory_name(upstream_.memory),
             static_cast<void *>(data), alignment);
    }
    return data;
}

void Pool::trim() noexcept {
    for (int32_t index = 0; index < n_classes; ++index) {
        const size_t size = class_bytes(index);
        while (PoolBlock *block = free_[index]) {
            free_[index] = block->next;
            upstream_.release(upstream_.user, std::exchange(block->data, nullptr), size);
            figures_.held_bytes -= static_cast<int64_t>(size);
            block->next = spare_;
            spare_ = block;
        }
    }
}

void Pools::add(const halo_allocator &upstream) {
    if (upstream.memory < 0 || upstream.memory >= n_kinds) fail(HALO_ERR_ARGUMENT, "allocator: %d is not a memory kind", upstream.memory);
    if (!upstream.allocate || !upstream.release)
        fail(HALO_ERR_ARGUMENT, "allocator of %s memory: %s is NULL", memory_name(upstream.memory), upstream.allocate ? "release" : "allocate");
    if (upstream.device < 0 || (upstream.device > 0 && (upstream.memory == HALO_MEMORY_HOST || upstream.memory == HALO_MEMORY_SHARED)))
        fail(HALO_ERR_ARGUMENT, "allocator of %s memory: there is no device %d of that kind", memory_name(upstream.memory), upstream.device);
    if (has(upstream.memory, upstream.device))
        fail(HALO_ERR_EXISTS, "there is already a pool of %s memory of device %d", memory_name(upstream.memory), upstream.device);
    if (upstream.device == 0)
        pools_[upstream.memory].emplace(upstream, cap_);
    else
        further_.emplace_back(upstream, cap_);
}

const Pool *Pools::find(int32_t memory, int32_t device) const {
    if (memory < 0 || memory >= n_kinds) return nullptr;
    if (device == 0) return pools_[memory].has_value() ? &*pools_[memory] : nullptr;
    for (const Further &one : further_)
        if (one.memory == memory && one.device == device) return &one.pool;
    return nullptr;
}

Pool &Pools::pool(int32_t memory, int32_t device) {
    const Pool *found = find(memory, device);
    if (!found) [[unlikely]]
        fail(HALO_ERR_NOT_FOUND, "this context has no %s memory (kind %d) of device %d", memory_name(memory), memory, device);
    return const_cast<Pool &>(*found);
}

PoolFigures Pools::figures(int32_t memory) const {
    PoolFigures figures = const_cast<Pools *>(this)->pool(memory).figures();
    for (const Further &one : further_)
        if (one.memory == memory) figures += one.pool.figures();
    return figures;
}

void Pools::trim() noexcept {
    for (auto &pool : pools_)
        if (pool) pool->trim();
    for (Further &one : further_) one.pool.trim();
}

} // namespace halo
