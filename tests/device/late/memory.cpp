// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace late {

namespace {

constexpr int pattern = 0xa5;

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

} // namespace

Memory::~Memory() {
    for (const auto &[address, block] : blocks_) unmap(block);
}

// The file, in two places: programs get the one that allows nothing. Both end in a page without memory.
bool Memory::map(Block &block, size_t usable) {
    block.mapped_bytes = usable + page_bytes();
    bool there = block.file >= 0;
    for (const int which : { 0, 1 }) {
        void *const room = mmap(nullptr, block.mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        there = there && room != MAP_FAILED;
        if (room != MAP_FAILED) block.mapped[which] = static_cast<char *>(room);
        const int allowed = which == 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
        there = there && mmap(room, usable, allowed, MAP_SHARED | MAP_FIXED, block.file, 0) != MAP_FAILED;
    }
    void *const tail = there ? mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, block.file, static_cast<off_t>(usable)) : MAP_FAILED;
    if (tail != MAP_FAILED) block.tail = static_cast<Tail *>(tail);
    struct stat status {};
    if (!block.tail || fstat(block.file, &status) != 0) {
        unmap(block);
        return false;
    }
    block.number = status.st_ino;
    return true;
}

// Returns where programs have it.
void *Memory::keep(const Block &block, size_t offset) {
    char *const address = block.mapped[0] + offset;
    const std::lock_guard lock(mutex_);
    Block &kept = blocks_[address] = block;
    kept.own = block.mapped[1] + offset;
    return address;
}

void *Memory::allocate_own(size_t bytes) {
    constexpr size_t alignment = 64;
    const size_t page = page_bytes();
    const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    const size_t usable = (rounded + page - 1) / page * page;
    Block block;
    block.bytes = bytes;
    block.file = memfd_create("late device", MFD_CLOEXEC);
    if (block.file >= 0 && ftruncate(block.file, static_cast<off_t>(usable + page)) != 0) {
        close(block.file);
        return nullptr;
    }
    if (!map(block, usable)) return nullptr;
    std::memset(block.mapped[1], pattern, usable);
    return keep(block, usable - rounded);
}

// Work that still uses it ends in a fault.
int Memory::release_own(void *pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<const char *>(pointer));
    if (found == blocks_.end() || found->second.is_others) return 0;
    const int state = !found->second.is_told ? 0 : found->second.tail->n_open > 0 ? 2 : 1;
    unmap(found->second);
    blocks_.erase(found);
    return state;
}

bool Memory::tell(void *pointer, halo_ipc_handle &handle) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<const char *>(pointer));
    if (found == blocks_.end() || !found->second.own || found->second.is_others) return false;
    Block &block = found->second;
    block.is_told = true;
    handle = { { static_cast<uint64_t>(getpid()), static_cast<uint64_t>(block.file), block.number, block.mapped_bytes - page_bytes(),
                 static_cast<uint64_t>(block.own - block.mapped[1]), block.bytes } };
    return true;
}

void *Memory::open_others(const halo_ipc_handle &handle, const char *&why) {
    const auto &[process, file, number, usable, offset, bytes, n6, n7, n8, n9, n10, n11] = handle.word;
    {
        const std::lock_guard lock(mutex_);
        for (const auto &[address, block] : blocks_) {
            why = "this instance has it open already";
            if (block.is_others && block.number == number) return nullptr;
        }
    }
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%llu/fd/%llu", static_cast<unsigned long long>(process), static_cast<unsigned long long>(file));
    Block block;
    block.bytes = bytes;
    block.is_others = true;
    block.file = open(path, O_RDWR | O_CLOEXEC);
    why = "its file cannot be mapped";
    if (!map(block, usable)) return nullptr;
    if (block.number != number) {
        why = "its file is another one now";
        unmap(block);
        return nullptr;
    }
    ++block.tail->n_open;
    return keep(block, offset);
}

bool Memory::close_others(void *pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<const char *>(pointer));
    if (found == blocks_.end() || !found->second.is_others) return false;
    --found->second.tail->n_open;
    unmap(found->second);
    blocks_.erase(found);
    return true;
}

void Memory::unmap(const Block &block) {
    for (char *const pages : block.mapped)
        if (pages) munmap(pages, block.mapped_bytes);
    if (block.tail) munmap(block.tail, page_bytes());
    if (block.file >= 0) close(block.file);
}

void Memory::add_pinned(void *pointer, size_t bytes) {
    const std::lock_guard lock(mutex_);
    Block block;
    block.bytes = bytes;
    blocks_[static_cast<const char *>(pointer)] = block;
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
