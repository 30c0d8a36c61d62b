// SPDX-License-Identifier: BSD-3-Clause
#include "memory/process.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#if defined(__linux__)
#include <unistd.h>
#endif

#include "memory/shared_file.h"

namespace halo {

#if defined(__linux__)

namespace {

enum class Known : uint8_t { nothing, there_is_none, all };

struct Status {
    char state = 0;
    uint64_t started = 0;
};

// /proc/N/stat: number, (name), state, and the 22nd is when it was started. A name may have anything in it.
Known read_status(int64_t number, Status &status) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", number);
    std::FILE *file = std::fopen(path, "re");
    if (!file) return errno == ENOENT ? Known::there_is_none : Known::nothing;
    char text[1024] = {};
    const size_t n = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    const char *behind_name = n > 0 ? std::strrchr(text, ')') : nullptr;
    const int read = behind_name ? std::sscanf(behind_name, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
                                               &status.state, &status.started)
                                 : 0;
    return read == 2 ? Known::all : Known::nothing;
}

} // namespace

Process this_process() {
    Status own;
    if (read_status(getpid(), own) != Known::all) return {};
    return { host_number(), own.started, getpid() };
}

bool has_ended(const Process &process) {
    if (process.host == 0 || process.host != host_number()) return false;
    Status there;
    if (read_status(getpid(), there) != Known::all) return false; // nothing can be told here
    there = {};
    const Known known = read_status(process.number, there);
    if (known != Known::all) return known == Known::there_is_none;
    return there.started != process.started || there.state == 'Z' || there.state == 'X';
}

#else

Process this_process() { return {}; }
bool has_ended(const Process &) { return false; }

#endif

} // namespace halo
