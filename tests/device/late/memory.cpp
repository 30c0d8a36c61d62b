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
    for (const auto &[address, block] : blocks_)
        if (block.own) unmap(address, block);
}

// One file in two places: programs get the one that allows nothing.
void *Memory::allocate_own(size_t bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t mapped = (std::max<size_t>(bytes, 1) + page - 1) / page * page;
    const int file = memfd_create("late device", MFD_CLOEXEC);
    if (file < 0) return nullptr;
    void *own = MAP_FAILED, *guarded = MAP_FAILED;
    if (ftruncate(file, static_cast<off_t>(mapped)) == 0) {
        own = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        guarded = mmap(nullptr, mapped, PROT_NONE, MAP_SHARED, file, 0);
    }
    close(file);
    if (own == MAP_FAILED || guarded == MAP_FAILED) {
        if (own != MAP_FAILED) munmap(own, mapped);
        if (guarded != MAP_FAILED) munmap(guarded, mapped);
        return nullptr;
    }
    std::memset(own, pattern, mapped);
    const std::lock_guard lock(mutex_);
    blocks_[static_cast<const char *>(guarded)] = { bytes, static_cast<char *>(own), mapped };
    return guarded;
}

// Work that still uses it ends in a fault.
void Memory::release_own(void *pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<const char *>(pointer));
    if (found == blocks_.end()) return;
    unmap(found->first, found->second);
    blocks_.erase(found);
}

void Memory::unmap(const void *address, const Block &block) {
    munmap(const_cast<void *>(address), block.mapped);
    munmap(block.own, block.mapped);
}

void Memory::add_pinned(void *pointer, size_t bytes) {
    const std::lock_guard lock(mutex_);
    blocks_[static_cast<const char *>(pointer)] = { bytes, nullptr, 0 };
}

void Memory::remove_pinned(void *pointer) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(static_cast<const char *>(pointer));
}

void *Memory::reach(const void *pointer) const {
    const auto *address = static_cast<const char *>(pointer);
    const std::lock_guard lock(mutex_);
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return nullptr;
    const auto &[begin, block] = *--after;
    const auto at = static_cast<size_t>(address - begin);
    if (at > block.bytes) return nullptr;
    return block.own ? block.own + at : const_cast<char *>(address);
}

} // namespace late
