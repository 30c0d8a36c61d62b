// SPDX-License-Identifier: BSD-3-Clause
#include "process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace halo::shm {

namespace {

// Reads the front of a small file, without the heap; -1: errno says why not.
ssize_t read_text(const char *path, char *text, size_t bytes) {
    int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t n = ::read(file, text, bytes - 1);
    int error = errno;
    ::close(file);
    errno = error;
    text[n > 0 ? n : 0] = '\0';
    return n;
}

enum class Known { nothing, there_is_none, all };

struct Status {
    char state = 0;
    int64_t n_threads = 0;
    uint64_t started = 0;
};

// /proc/N/stat: number, (name), state, the 20th is how many threads it has, the 22nd when it was started. A name may have anything in it.
Known read_status(int64_t number, Status &status) {
    char path[64];
    char text[1024];
    std::snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", number);
    if (read_text(path, text, sizeof text) <= 0) return errno == ENOENT || errno == ESRCH ? Known::there_is_none : Known::nothing;
    const char *behind_name = std::strrchr(text, ')');
    if (behind_name == nullptr) return Known::nothing;
    int n = std::sscanf(behind_name, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNd64 " %*s %" SCNu64, &status.state,
                        &status.n_threads, &status.started);
    return n == 3 ? Known::all : Known::nothing;
}

uint64_t checksum(const char *text, size_t n) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; ++i) sum = (sum ^ static_cast<unsigned char>(text[i])) * 0x100000001b3u;
    return sum;
}

} // namespace

Place this_place() {
    Place place;
    char text[64];
    ssize_t n = read_text("/proc/sys/kernel/random/boot_id", text, sizeof text);
    if (n > 0) place.host = checksum(text, static_cast<size_t>(n)) | 1;
    struct stat status {};
    if (stat("/proc/self/ns/pid", &status) == 0) place.numbering = status.st_ino;
    return place;
}

Process this_process() {
    Status own;
    Process process{ getpid(), 0 };
    if (read_status(process.number, own) == Known::all) process.started = own.started;
    return process;
}

bool has_ended(const Process &process) {
    Status there;
    if (process.started == 0 || read_status(getpid(), there) != Known::all) return false; // nothing can be told here
    there = {};
    Known known = read_status(process.number, there);
    if (known != Known::all) return known == Known::there_is_none;
    bool only_waited_for = (there.state == 'Z' || there.state == 'X') && there.n_threads <= 1; // with more, its first thread has ended, no more
    return there.started != process.started || only_waited_for;
}

} // namespace halo::shm
