// SPDX-License-Identifier: BSD-3-Clause
#include "memory/process.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#if defined(__linux__)
#include <unistd.h>
#endif

#include "base/schedule_point.h"
#include "memory/shared_file.h"

namespace halo {

#if defined(HALO_SIMULATION)

Process this_process() { return { host_number(), 1, simulation::process() }; }
bool has_ended(const Process &process) { return simulation::has_died(process.number); }

#elif defined(__linux__)

namespace {

enum class Known : uint8_t { nothing, there_is_none, all };

struct Status {
    char state = 0;
    int64_t n_threads = 0;
    uint64_t started = 0;
};

// /proc/N/stat: number, (name), state, the 20th is how many threads it has, the 22nd when it was started. A name may have anything in it.
Known read_status(int64_t number, Status &status) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", number);
    std::FILE *file = std::fopen(path, "re");
    if (!file) return errno == ENOENT ? Known::there_is_none : Known::nothing;
    char text[1024] = {};
    const size_t n = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    const char *behind_name = n > 0 ? std::strrchr(text, ')') : nullptr;
    const int read = behind_name
                         ? std::sscanf(behind_name, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNd64 " %*s %" SCNu64,
                                       &status.state, &status.n_threads, &status.started)
                         : 0;
    return read == 3 ? Known::all : Known::nothing;
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
    const bool only_waited_for = (there.state == 'Z' || there.state == 'X') && there.n_threads <= 1; // with more, its first thread has ended, no more
    return there.started != process.started || only_waited_for;
}

#else

Process this_process() { return {}; }
bool has_ended(const Process &) { return false; }

#endif

} // namespace halo
