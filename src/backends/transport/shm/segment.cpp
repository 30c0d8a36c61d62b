// SPDX-License-Identifier: BSD-3-Clause
#include "segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace halo::shm {

namespace {

constexpr int sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL; // no access within its size can go wrong later
constexpr char magic[8] = { 'h', 'a', 'l', 'o', ' ', 'm', 's', 'g' };

// At the beginning; then the bells, then who has mapped it.
struct Front {
    char magic[8];
    uint64_t nonce;
    alignas(64) std::atomic<uint32_t> closed;
    alignas(64) std::atomic<uint64_t> bells[1];
};

size_t bell_words(int32_t n_places) { return (static_cast<size_t>(n_places) + 511) / 512 * 8; } // whole lines
size_t front_bytes(int32_t n_places) {
    size_t bytes = offsetof(Front, bells) + bell_words(n_places) * 8 + static_cast<size_t>(n_places);
    return (bytes + page - 1) / page * page;
}
size_t ring_offset(int32_t n_places, int32_t place) { return front_bytes(n_places) + static_cast<size_t>(place) * sizeof(Ring); }
size_t file_bytes(int32_t n_places) { return ring_offset(n_places, n_places); }

void *map_part(int descriptor, size_t offset, size_t bytes, Trouble &trouble) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, static_cast<off_t>(offset));
    if (memory != MAP_FAILED) return memory;
    std::snprintf(trouble, sizeof trouble, "mapping %zu bytes: %s", bytes, std::strerror(errno));
    return nullptr;
}

uint64_t random_word() {
    uint64_t word = 0;
    if (getrandom(&word, sizeof word, GRND_NONBLOCK) != sizeof word) { // early in the start of a host
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        word = static_cast<uint64_t>(now.tv_nsec) * 0x9e3779b97f4a7c15u ^ static_cast<uint64_t>(now.tv_sec);
    }
    return word;
}

// Growing a file beyond the limit would end the process by a signal.
bool is_within_limit(size_t bytes, Trouble &trouble) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return true;
    std::snprintf(trouble, sizeof trouble, "a file of %zu bytes is beyond the limit of file sizes (ulimit -f), %zu", bytes,
                  static_cast<size_t>(limit.rlim_cur));
    return false;
}

// What is behind a path may be a device or a pipe, which to open has effects: it is looked at first. -1: errno says why.
int open_shared(const char *path, size_t bytes) {
    int place = ::open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return -1;
    struct stat status {};
    int descriptor = -1;
    if (fstat(place, &status) != 0 || !S_ISREG(status.st_mode) || static_cast<uint64_t>(status.st_size) != bytes) {
        errno = ENXIO;
    } else {
        char same[32];
        std::snprintf(same, sizeof same, "/proc/self/fd/%d", place);
        descriptor = ::open(same, O_RDWR | O_CLOEXEC);
    }
    int error = errno;
    ::close(place);
    errno = error;
    return descriptor;
}

} // namespace

Segment::~Segment() {
    if (rings_ != nullptr) munmap(rings_, rings_bytes_);
    if (front_ != nullptr) munmap(front_, front_bytes(address_.n_places));
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool Segment::create(int32_t n_places, Trouble &trouble) {
    address_.process = getpid();
    address_.n_places = n_places;
    address_.nonce = random_word();
    size_t bytes = file_bytes(n_places);
    if (!is_within_limit(bytes, trouble)) return false;
    address_.descriptor = descriptor_ = memfd_create("halo messages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor_ < 0) {
        std::snprintf(trouble, sizeof trouble, "memfd_create: %s", std::strerror(errno));
        return false;
    }
    if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0 || fcntl(descriptor_, F_ADD_SEALS, sealed) != 0) {
        std::snprintf(trouble, sizeof trouble, "a file of %zu bytes in memory: %s", bytes, std::strerror(errno));
        return false;
    }
    return fill(trouble);
}

bool Segment::fill(Trouble &trouble) {
    int32_t n_places = address_.n_places;
    int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(front_bytes(n_places)));
    if (error != 0) {
        std::snprintf(trouble, sizeof trouble, "%zu bytes of shared memory: %s", front_bytes(n_places), std::strerror(error));
        return false;
    }
    front_ = static_cast<unsigned char *>(map_part(descriptor_, 0, front_bytes(n_places), trouble));
    if (front_ == nullptr) return false;
    rings_bytes_ = static_cast<size_t>(n_places) * sizeof(Ring);
    rings_ = static_cast<Ring *>(map_part(descriptor_, ring_offset(n_places, 0), rings_bytes_, trouble));
    if (rings_ == nullptr) return false;
    auto *front = reinterpret_cast<Front *>(front_);
    front->nonce = address_.nonce;
    address_.front = reinterpret_cast<uintptr_t>(front_);
    std::memcpy(front->magic, magic, sizeof magic);
    return true;
}

bool Segment::map(const SegmentAddress &address, int32_t place, Trouble &trouble) {
    address_ = address;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId32, address.process, address.descriptor);
    int descriptor = open_shared(path, file_bytes(address.n_places));
    if (descriptor < 0) {
        std::snprintf(trouble, sizeof trouble, "%s: %s", path, std::strerror(errno));
        return false;
    }
    front_ = static_cast<unsigned char *>(map_part(descriptor, 0, front_bytes(address.n_places), trouble));
    if (front_ != nullptr) {
        rings_bytes_ = sizeof(Ring);
        rings_ = static_cast<Ring *>(map_part(descriptor, ring_offset(address.n_places, place), sizeof(Ring), trouble));
    }
    ::close(descriptor);
    if (front_ == nullptr || rings_ == nullptr) return false;
    const auto *front = reinterpret_cast<const Front *>(front_);
    if (std::memcmp(front->magic, magic, sizeof magic) == 0 && front->nonce == address.nonce) return true;
    std::snprintf(trouble, sizeof trouble, "%s: another file than was offered", path); // a process of another container
    return false;
}

bool Segment::reserve(int32_t place, size_t begin, size_t end) {
    size_t offset = ring_offset(address_.n_places, place) + begin;
    int error = posix_fallocate(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(end - begin));
    errno = error;
    return error == 0;
}

std::atomic<uint64_t> &Segment::bells(int32_t place) const { return reinterpret_cast<Front *>(front_)->bells[place / 64]; }

std::atomic<Segment::Mapped> &Segment::mapped_by(int32_t place) const {
    size_t offset = offsetof(Front, bells) + bell_words(address_.n_places) * 8 + static_cast<size_t>(place);
    return *reinterpret_cast<std::atomic<Mapped> *>(front_ + offset);
}

std::atomic<uint32_t> &Segment::closed() const { return reinterpret_cast<Front *>(front_)->closed; }

// The number of a process that has ended may be another's, and its memory is used for other things once it has closed: the same call reads the random
// word, behind the rest, and that is gone then.
Segment::Copied Segment::copy_from_owner(const void *from, void *to, size_t bytes) const {
    uint64_t word = 0;
    const iovec here[2] = { { to, bytes }, { &word, sizeof word } };
    auto *its_word = reinterpret_cast<void *>(address_.front + offsetof(Front, nonce));
    const iovec there[2] = { { const_cast<void *>(from), bytes }, { its_word, sizeof word } }; // only read
    ssize_t n = process_vm_readv(static_cast<pid_t>(address_.process), here, 2, there, 2, 0);
    if (n < 0) return errno == EFAULT ? Copied::not_there : Copied::nothing;
    if (static_cast<size_t>(n) != bytes + sizeof word) return Copied::not_there;
    if (word == address_.nonce) return Copied::done;
    errno = ESRCH;
    return Copied::nothing;
}

} // namespace halo::shm
