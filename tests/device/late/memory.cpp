// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace late {

namespace {

constexpr int pattern = 0xa5;

} // namespace

Memory::~Memory() {
    for (const auto &[address, block] : blocks_) unmap(block);
}

// One file in two places: programs get the one that allows nothing. Both end in a page without memory.
void *Memory::allocate_own(size_t bytes) {
    constexpr size_t alignment = 64;
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    const size_t usable = (rounded + page - 1) / page * page;
    Block block;
    block.bytes = bytes;
    block.mapped_bytes = usable + page;
    const int file = memfd_create("late device", MFD_CLOEXEC);
    bool there = file >= 0 && ftruncate(file, static_cast<off_t>(usable)) == 0;
    for (const int which : { 0, 1 }) {
        void *const room = mmap(nullptr, block.mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        there = there && room != MAP_FAILED;
        if (room != MAP_FAILED) block.mapped[which] = static_cast<char *>(room);
        const int allowed = which == 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
        there = there && mmap(room, usable, allowed, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
    }
    if (file >= 0) close(file);
    if (!there) {
        unmap(block);
        return nullptr;
    }
    std::memset(block.mapped[1], pattern, usable);
    block.own = block.mapped[1] + (usable - rounded);
    char *const address = block.mapped[0] + (usable - rounded);
    const std::lock_guard lock(mutex_);
    blocks_[address] = block;
    return address;
}

// Work that still uses it ends in a fault.
void Memory::release_own(void *pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<const char *>(pointer));
    if (found == blocks_.end()) return;
    unmap(found->second);
    blocks_.erase(found);
}

void Memory::unmap(const Block &block) {
    for (char *const pages : block.mapped)
        if (pages) munmap(pages, block.mapped_bytes);
}

void Memory::add_pinned(void *pointer, size_t bytes) {
    const std::lock_guard lock(mutex_);
    blocks_[static_cast<const char *>(pointer)] = { bytes, nullptr, {}, 0 };
}

void Memory::remove_pinned(void *pointer) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(static_cast<const char *>(pointer));
}

void *Memory::reach(const void *pointer, size_t bytes) const {
    const auto *address = static_cast<const char *>(pointer);
    const std::lock_guard lock(mutex_);
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return nullptr;
    const auto &[begin, block] = *--after;
    const auto at = static_cast<size_t>(address - begin);
    if (at > block.bytes || bytes > block.bytes - at) return nullptr;
    return block.own ? block.own + at : const_cast<char *>(address);
}

bool Memory::owns(const void *pointer) const {
    const void *const reached = reach(pointer);
    return reached && reached != pointer;
}

} // namespace late
