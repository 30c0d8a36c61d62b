// SPDX-License-Identifier: BSD-3-Clause
#include "memory/shared_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "base/digest.h"
#include "base/error.h"
#include "base/schedule_point.h"
#include "memory/one_mapping.h"

namespace halo {

#ifndef HALO_SIMULATION // which repeats its words
uint64_t random_word() {
    std::random_device device;
    return (static_cast<uint64_t>(device()) << 32 | device()) | 1;
}
#endif

#if defined(__linux__)

namespace {

constexpr int sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

struct Front {
    char magic[8];
    uint64_t nonce;
};
constexpr char magic[8] = { 'h', 'a', 'l', 'o', ' ', 's', 'h', 'm' };

constexpr const char *boot_id = "/proc/sys/kernel/random/boot_id";

// Containers of one machine have its boot id in common, but number their processes each for itself.
uint64_t read_host_number() {
    char text[64] = {};
    std::FILE *file = std::fopen(boot_id, "re");
    if (!file) return 0;
    const size_t n = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    struct stat numbering {};
    const uint64_t numbers = stat("/proc/self/ns/pid", &numbering) == 0 ? numbering.st_ino : 0;
    return n > 0 ? Digest::mix(checksum(text, n) + numbers) | 1 : 0;
}

// The largest file that can be made and filled. Growing one beyond the process's limit (ulimit -f) would end the process by a signal, and so would
// filling one that is larger than the machine's memory.
size_t most_file_bytes() {
    size_t most = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) most = std::min(most, static_cast<size_t>(limit.rlim_cur));
    return most / page_bytes * page_bytes;
}

std::byte *map_all(int descriptor, size_t bytes, std::string &trouble) {
    void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) {
        trouble = format("mapping %zu bytes: %s", bytes, std::strerror(errno));
        return nullptr;
    }
    madvise(data, bytes, MADV_HUGEPAGE); // where the system gives huge pages to those who ask
    return static_cast<std::byte *>(data);
}

std::byte *sized_and_mapped(int descriptor, size_t bytes, std::string &trouble) {
    if (ftruncate(descriptor, static_cast<off_t>(bytes)) == 0) return map_all(descriptor, bytes, trouble);
    trouble = format("a file of %zu bytes: %s", bytes, std::strerror(errno));
    return nullptr;
}

// What is behind a path may be a device or a pipe, which to open has effects: it is looked at first. -1: `why` not.
int open_if_shared(const char *path, size_t bytes, const char *&why) {
    const int place = open(path, O_PATH | O_CLOEXEC);
    why = place < 0 ? std::strerror(errno) : "it is no memory of this library";
    if (place < 0) return -1;
    struct stat status {};
    int descriptor = -1;
    if (fstat(place, &status) == 0 && S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) == bytes) {
        char same[32];
        std::snprintf(same, sizeof same, "/proc/self/fd/%d", place);
        descriptor = open(same, O_RDWR | O_CLOEXEC);
        if (descriptor < 0) why = std::strerror(errno);
    }
    close(place);
    if (descriptor >= 0 && fcntl(descriptor, F_GET_SEALS) != sealed) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

// Not in use yet: given back unless it gets there. To tell why takes memory, of which there may be none.
struct Unfinished : SharedFile {
    Unfinished() = default;
    Unfinished(const Unfinished &) = delete;
    Unfinished &operator=(const Unfinished &) = delete;
    ~Unfinished() {
        if (data) munmap(data, bytes);
        if (descriptor >= 0) close(descriptor);
    }
};

} // namespace

uint64_t host_number() {
    static std::atomic<uint64_t> number = 0;
    uint64_t known = number.load(std::memory_order_relaxed); // itself is all: threads that read it twice store the same
    if (known == 0) number = known = read_host_number();     // in vain where the process may open no more files
    return known;
}

SharedFile make_shared_file(size_t needed, size_t wanted, std::string &trouble) {
    needed = (needed + page_bytes - 1) / page_bytes * page_bytes;
    const size_t most = most_file_bytes();
    if (needed > most) {
        trouble = format("a file of %zu bytes exceeds the machine's memory or the limit of file sizes (ulimit -f), %zu", needed, most);
        return {};
    }
    Unfinished file;
    file.descriptor = memfd_create("halo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file.descriptor < 0) {
        trouble = format("memfd_create: %s", std::strerror(errno));
        return {};
    }
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file.descriptor);
    file.bytes = std::max(needed, std::min(wanted, most));
    if (access(path, R_OK | W_OK) != 0)
        trouble = format("/proc/self/fd: %s", std::strerror(errno)); // without a number, which may differ between ranks
    else if (host_number() == 0)
        trouble = format("%s: %s", boot_id, std::strerror(errno));
    else if (!(file.data = sized_and_mapped(file.descriptor, file.bytes, trouble)) && file.bytes > needed) // little address space is left (ulimit -v)
        file.data = sized_and_mapped(file.descriptor, file.bytes = needed, trouble);
    if (file.data && fcntl(file.descriptor, F_ADD_SEALS, sealed) != 0) {
        trouble = format("sealing a file: %s", std::strerror(errno));
        return {};
    }
    if (!file.data) return {};
    file.nonce = random_word();
    Front front{};
    std::memcpy(front.magic, magic, sizeof magic);
    front.nonce = file.nonce;
    std::memcpy(file.data, &front, sizeof front);
    add_mapping(file.data, file.nonce);
    return std::exchange(static_cast<SharedFile &>(file), {});
}

void close_shared_file(const SharedFile &file) {
    unmap_shared_file(file.data, file.bytes);
    close(file.descriptor);
}

std::byte *map_shared_file(int32_t process, int32_t descriptor, size_t bytes, uint64_t nonce, std::string &trouble) {
    if (bytes < shared_file_front) return nullptr;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process, descriptor);
    const char *why = "it is out of reach";
    Unfinished opened;
    opened.bytes = bytes;
    opened.descriptor = memory_is_out_of_reach() ? -1 : open_if_shared(path, bytes, why);
    if (opened.descriptor < 0) {
        trouble = format("memory of process %d, %s, cannot be opened: %s", process, path, why);
        return nullptr;
    }
    opened.data = map_all(opened.descriptor, bytes, trouble);
    if (!opened.data) return nullptr;
    Front front;
    std::memcpy(&front, opened.data, sizeof front);
    // Another process may have this number, in another container.
    if (std::memcmp(front.magic, magic, sizeof magic) == 0 && front.nonce == nonce) {
        std::byte *const same = join_mapping(nonce);
        return same ? same : std::exchange(opened.data, nullptr);
    }
    trouble = format("memory of process %d, %s: another file than was offered", process, path);
    return nullptr;
}

void unmap_shared_file(std::byte *data, size_t bytes) {
    if (leave_mapping(data)) munmap(data, bytes);
}

#else

uint64_t host_number() { return 0; }
SharedFile make_shared_file(size_t, size_t, std::string &trouble) {
    trouble = "this system has no memory that is shared so";
    return {};
}
void close_shared_file(const SharedFile &) {}
std::byte *map_shared_file(int32_t, int32_t, size_t, uint64_t, std::string &) { return nullptr; }
void unmap_shared_file(std::byte *, size_t) {}

#endif

} // namespace halo
