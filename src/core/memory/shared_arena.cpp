// SPDX-License-Identifier: BSD-3-Clause
#include "memory/shared_arena.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "base/error.h"

namespace halo {

namespace {

constexpr size_t page = 4096;
constexpr size_t file_bytes = size_t{ 256 } << 20; // address space; memory is taken page by page when it is written
constexpr size_t file_front = page;                // the file's nonce

size_t rounded(size_t bytes, size_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

uint64_t new_nonce() {
    std::random_device device;
    return (static_cast<uint64_t>(device()) << 32 | device()) | 1;
}

} // namespace

#if defined(__linux__)

namespace {

// The largest file that can be made and filled. Growing one beyond the process's limit (ulimit -f) would end the process by a signal, and so would
// filling one that is larger than the machine's memory.
size_t most_file_bytes() {
    size_t most = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) most = std::min(most, static_cast<size_t>(limit.rlim_cur));
    return most / page * page;
}

} // namespace

bool SharedArena::refuse(std::string why) {
    trouble_ = std::move(why);
    return false;
}

bool SharedArena::map_file(File &file, size_t bytes) {
    if (ftruncate(file.descriptor, static_cast<off_t>(bytes)) != 0) return refuse(format("a file of %zu bytes: %s", bytes, std::strerror(errno)));
    void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
    if (data == MAP_FAILED) return refuse(format("mapping %zu bytes: %s", bytes, std::strerror(errno)));
    file.data = static_cast<std::byte *>(data);
    file.bytes = bytes;
    return true;
}

bool SharedArena::add_file(size_t bytes) {
    const size_t needed = rounded(bytes + file_front, page);
    const size_t most = most_file_bytes();
    if (needed > most)
        return refuse(format("a file of %zu bytes exceeds the machine's memory or the limit of file sizes (ulimit -f), %zu", needed, most));
    File file;
    file.descriptor = memfd_create("halo", MFD_CLOEXEC);
    if (file.descriptor < 0) return refuse(format("memfd_create: %s", std::strerror(errno)));
    const std::string path = "/proc/self/fd/" + std::to_string(file.descriptor);
    const bool reachable = access(path.c_str(), R_OK | W_OK) == 0 || refuse(format("%s: %s", path.c_str(), std::strerror(errno)));
    const size_t wanted = std::max(needed, std::min(file_bytes, most));
    if (!reachable || !(map_file(file, wanted) || (wanted > needed && map_file(file, needed)))) { // little address space is left (ulimit -v)
        close(file.descriptor);
        return false;
    }
    madvise(file.data, file.bytes, MADV_HUGEPAGE); // where the system gives huge pages to those who ask
    file.nonce = new_nonce();
    file.used = file_front;
    std::memcpy(file.data, &file.nonce, sizeof file.nonce);
    files_.push_back(file);
    return true;
}

std::byte *SharedArena::map_offered(const SharedOffer &offer) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", offer.process, offer.file);
    const auto out_of_reach = [&](const char *why) {
        refuse(format("memory of process %d, %s: %s", offer.process, path, why));
        return nullptr;
    };
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return out_of_reach(std::strerror(errno));
    struct stat status {};
    void *data = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) == offer.file_bytes)
        data = mmap(nullptr, offer.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (data == MAP_FAILED) return out_of_reach("cannot be mapped");
    uint64_t nonce;
    std::memcpy(&nonce, data, sizeof nonce);
    if (nonce != offer.nonce) { // another process of this number, on another host or in another container
        munmap(data, offer.file_bytes);
        return out_of_reach("another file than was offered");
    }
    madvise(data, offer.file_bytes, MADV_HUGEPAGE);
    return static_cast<std::byte *>(data);
}

std::byte *SharedArena::reach(const SharedOffer &offer) {
    if (offer.nonce == 0 || offer.offset > offer.file_bytes || offer.bytes > offer.file_bytes - offer.offset) return nullptr;
    auto known = mapped_.find(offer.nonce);
    if (known == mapped_.end()) {
        std::byte *data = map_offered(offer);
        if (!data) return nullptr;
        known = mapped_.emplace(offer.nonce, std::pair(data, offer.file_bytes)).first;
    }
    if (offer.file_bytes != known->second.second) return nullptr;
    return known->second.first + offer.offset;
}

// What is not used any more costs address space, but no memory.
void SharedArena::release_plain(std::byte *data, size_t bytes) {
    const auto address = reinterpret_cast<uintptr_t>(data);
    const uintptr_t first = rounded(address, page), end = (address + bytes) / page * page;
    if (first < end) madvise(data + (first - address), end - first, MADV_REMOVE);
    free_plain_.emplace(bytes, data);
}

SharedArena::~SharedArena() {
    for (const File &file : files_) {
        munmap(file.data, file.bytes);
        close(file.descriptor);
    }
    for (const auto &[nonce, mapping] : mapped_) munmap(mapping.first, mapping.second);
}

#else

bool SharedArena::add_file(size_t) {
    trouble_ = "this system has no memory that is shared so";
    return false;
}
std::byte *SharedArena::reach(const SharedOffer &) { return nullptr; }
void SharedArena::release_plain(std::byte *, size_t) {}
SharedArena::~SharedArena() = default;
int32_t getpid() { return 0; }

#endif

SharedBlock SharedArena::reused(size_t bytes) {
    for (auto released = released_.begin(); released != released_.end(); ++released) {
        const SharedOffer &offer = released->block.offer();
        const bool fits = offer.bytes >= bytes && offer.bytes <= 2 * bytes;
        if (!fits || static_cast<int32_t>(released->block.read_epoch().load(std::memory_order_acquire) - released->epoch) < 0) continue;
        const SharedBlock block = released->block;
        released_.erase(released);
        block.read_epoch().store(0, std::memory_order_relaxed);
        block.written_epoch().store(0, std::memory_order_relaxed);
        block.state().store(0, std::memory_order_relaxed);
        return block;
    }
    return {};
}

SharedBlock SharedArena::map(const SharedOffer &offer) {
    std::byte *data = reach(offer);
    return data ? SharedBlock(data, offer) : SharedBlock();
}

std::byte *SharedArena::take(size_t bytes, size_t alignment) {
    if ((files_.empty() || files_.back().bytes - rounded(files_.back().used, alignment) < bytes) && !add_file(bytes)) return nullptr;
    File &file = files_.back();
    file.used = rounded(file.used, alignment) + bytes;
    return file.data + file.used - bytes;
}

SharedBlock SharedArena::allocate(size_t bytes) {
    bytes = rounded(bytes + SharedBlock::front, page);
    if (SharedBlock block = reused(bytes)) return block;
    std::byte *data = take(bytes, page);
    if (!data) return {};
    SharedOffer offer = locate(data);
    offer.bytes = bytes;
    return { data, offer };
}

std::byte *SharedArena::allocate_plain(size_t bytes) {
    const auto same_size = free_plain_.find(bytes);
    if (same_size == free_plain_.end()) return take(bytes, 64);
    std::byte *data = same_size->second;
    free_plain_.erase(same_size);
    return data;
}

SharedOffer SharedArena::locate(const void *address) const {
    const auto *at = static_cast<const std::byte *>(address);
    for (const File &file : files_)
        if (at >= file.data && at < file.data + file.bytes)
            return { file.nonce, static_cast<int32_t>(getpid()), file.descriptor, file.bytes, static_cast<uint64_t>(at - file.data), 0 };
    return {};
}

void SharedArena::release(const SharedBlock &block, uint32_t epoch) { released_.push_back({ block, epoch }); }

} // namespace halo
