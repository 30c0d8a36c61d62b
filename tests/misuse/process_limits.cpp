// SPDX-License-Identifier: BSD-3-Clause
// A process that may not do all that others may: ghosts are exchanged all the same, and the library says what it does without.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "halo.h"

namespace {

constexpr int64_t cells = 4096; // an edge between ranks is then 32 KiB: enough for shared memory

struct Seen {
    bool right = false;
    std::string info[2]; // of each rank: its line about shared memory
    std::string log[2];  // warnings and errors, a line each

    bool says(int rank, const std::string &info_has, const std::string &log_has) const {
        const bool once = std::count(log[rank].begin(), log[rank].end(), '\n') == (log_has.empty() ? 0 : 1);
        return info[rank].find(info_has) != std::string::npos && log[rank].find(log_has) != std::string::npos && once;
    }
    std::string text() const { return info[0] + "log: " + log[0] + "\n" + info[1] + "log: " + log[1]; }
};
using Limit = std::function<bool()>; // false: it cannot be set here

std::string info_of(const halo_context *context) {
    char text[2048] = "";
    EXPECT_EQ(halo_info(context, HALO_INFO_MODULES, text, sizeof text, nullptr), HALO_SUCCESS);
    return std::string(std::strstr(text, "shared memory: "));
}

// One rank of two, each with a block of cells x 1 and one ghost layer, so that a whole side travels. True: three runs have brought the right values.
bool exchanges(halo_context *context, int32_t rank) {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 2, blocks.n_blocks[1] = 2, blocks.n_cells[0] = cells, blocks.n_cells[1] = 1, blocks.periodic[1] = 1;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.ghost_low[1] = desc.ghost_high[1] = 1;
    halo_topology *topology = nullptr;
    halo_field *field = nullptr;
    halo_exchange *exchange = nullptr;
    void *data = nullptr;
    if (halo_topology_create_blocks(context, &blocks, &topology) || halo_field_create(topology, &desc, &field) || halo_field_allocate(field, -1) ||
        halo_exchange_create(&field, 1, nullptr, &exchange) || halo_field_data(field, rank, 0, &data))
        return false;
    auto *u = static_cast<double *>(data);
    bool right = true;
    for (int run = 0; run < 3; ++run) {
        for (int64_t x = 0; x < cells; ++x) u[cells + x] = static_cast<double>(1000 * run + rank) + static_cast<double>(x) / cells;
        right = right && halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE) == HALO_SUCCESS &&
                halo_exchange_finish(exchange, HALO_STREAM_NONE) == HALO_SUCCESS;
        for (int64_t x = 0; x < cells; ++x) {
            const double wanted = static_cast<double>(1000 * run + 1 - rank) + static_cast<double>(x) / cells;
            right = right && u[x] == wanted && u[2 * cells + x] == wanted;
        }
        right = right && halo_context_barrier(context) == HALO_SUCCESS;
    }
    return halo_exchange_destroy(&exchange) == HALO_SUCCESS && halo_field_destroy(&field) == HALO_SUCCESS &&
           halo_topology_destroy(&topology) == HALO_SUCCESS && right;
}

// `limit_of`: of a rank's thread.
Seen run_two_ranks(int64_t wanted_bytes, const std::function<void(int32_t)> &limit_of = nullptr) {
    Seen seen;
    std::atomic<int> n_right{ 0 };
    halo_inproc *group = nullptr;
    if (halo_inproc_create(2, &group) != HALO_SUCCESS) return seen;
    const auto rank = [&](int32_t number) {
        if (limit_of) limit_of(number);
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        options.log_user = &seen.log[number];
        options.log = [](void *user, int32_t, const char *text) { static_cast<std::string *>(user)->append(text).append("\n"); };
        halo_context *context = nullptr;
        if (halo_context_create_inproc(group, number, &options, &context) != HALO_SUCCESS) return;
        void *block = nullptr;
        bool right = wanted_bytes == 0 || (halo_memory_allocate(context, HALO_MEMORY_SHARED, wanted_bytes, &block) == HALO_SUCCESS &&
                                           halo_memory_release(context, &block) == HALO_SUCCESS);
        right = exchanges(context, number) && right;
        seen.info[number] = info_of(context);
        right = halo_context_destroy(&context) == HALO_SUCCESS && right;
        n_right += right;
    };
    std::thread other([&] { rank(1); });
    rank(0);
    other.join();
    seen.right = n_right == 2 && halo_inproc_destroy(&group) == HALO_SUCCESS;
    return seen;
}

// Runs two ranks in a process of its own, after `limit`. `as_wanted`: of what they have seen.
void expect_works_with(const Limit &limit, const std::function<bool(const Seen &)> &as_wanted, int64_t wanted_bytes = 0,
                       const std::function<void(int32_t)> &limit_of = nullptr) {
    constexpr int not_possible = 77;
    int report[2];
    ASSERT_EQ(pipe(report), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (!limit()) _exit(not_possible);
        const Seen seen = run_two_ranks(wanted_bytes, limit_of);
        const std::string text = seen.text();
        const bool told = write(report[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        _exit(seen.right && told && as_wanted(seen) ? 0 : 1);
    }
    close(report[1]);
    int status = 0;
    waitpid(child, &status, 0);
    char text[8192] = "";
    const ssize_t n = read(report[0], text, sizeof text - 1);
    close(report[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == not_possible) GTEST_SKIP() << "this user or system cannot be limited so";
    EXPECT_FALSE(WIFSIGNALED(status)) << strsignal(WTERMSIG(status));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << (n > 0 ? text : "");
}

// Every rank has `info`, and the first alone logs `log`, once; empty: nothing.
void expect_works_with(const Limit &limit, const std::string &info, const std::string &log) {
    expect_works_with(limit, [&](const Seen &seen) { return seen.says(0, info, log) && seen.says(1, info, ""); });
}

bool set_limit(decltype(RLIMIT_FSIZE) what, rlim_t most) {
    const rlimit limit{ most, most };
    return setrlimit(what, &limit) == 0;
}

// Makes one system call fail in this thread from now on.
#if defined(__x86_64__)
constexpr bool can_forbid = true;
#else
constexpr bool can_forbid = false;
#endif
bool forbid(uint32_t number) {
#if defined(__x86_64__)
    sock_filter program[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
                              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
    const sock_fprog filter{ 4, program };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
#else
    return number == 0;
#endif
}

uint64_t address_space() {
    char text[64] = "";
    const int file = open("/proc/self/statm", O_RDONLY);
    const ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    return n > 0 ? std::strtoull(text, nullptr, 10) * static_cast<uint64_t>(getpagesize()) : 0;
}

// A sanitizer needs more address space than any limit leaves, and a pipe to see whether memory can be read.
#ifdef HALO_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST(ProcessLimits, NoneAreNeeded) {
    expect_works_with([] { return true; }, "shared memory: used\n", "");
}

TEST(ProcessLimits, NoFilesAtAll) {
    expect_works_with([] { return set_limit(RLIMIT_FSIZE, 0); }, "shared memory: not used: a file of", "(ulimit -f), 0");
}

TEST(ProcessLimits, SmallFiles) {
    expect_works_with([] { return set_limit(RLIMIT_FSIZE, 4 << 20); }, "shared memory: used\n", "");
}

TEST(ProcessLimits, FilesSmallerThanWhatIsWanted) {
    const std::string info = "shared memory: used in part: a file of";
    const auto once_each = [&](const Seen &seen) {
        return seen.says(0, info, "shared memory is used in part: a file of") && seen.says(1, info, "shared memory is used in part: a file of");
    };
    expect_works_with([] { return set_limit(RLIMIT_FSIZE, 4 << 20); }, once_each, 16 << 20);
}

TEST(ProcessLimits, LittleAddressSpace) {
    const auto limit = [] { return !sanitized && set_limit(RLIMIT_AS, address_space() + (200u << 20)); };
    expect_works_with(limit, "shared memory: used\n", ""); // smaller files do
}

// So many more files may be opened.
bool leave_descriptors(int n) {
    const int next = open("/dev/null", O_RDONLY);
    rlimit limit{};
    if (sanitized || close(next) != 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
    limit.rlim_cur = static_cast<rlim_t>(next + n);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

TEST(ProcessLimits, NoMoreFileDescriptors) {
    expect_works_with([] { return leave_descriptors(0); }, "shared memory: not used: ", "shared memory is not used");
}

// Where something fails depends on which rank is first: a rank says what fails on it, and no rank says that all is well while another has none.
TEST(ProcessLimits, FewFileDescriptors) {
    const std::string used = "shared memory: used\n";
    for (const int left : { 1, 2, 3, 4, 8, 16 })
        expect_works_with([&] { return leave_descriptors(left); },
                          [&](const Seen &seen) {
                              const bool any_logs = !seen.log[0].empty() || !seen.log[1].empty();
                              bool right = left > 3 || any_logs;
                              for (const int rank : { 0, 1 }) {
                                  const bool has_none = seen.info[rank].find("not used: ") != std::string::npos;
                                  right = right && std::count(seen.log[rank].begin(), seen.log[rank].end(), '\n') <= 2;
                                  if (has_none) right = right && any_logs && seen.info[1 - rank] != used;
                                  if (seen.info[rank].find("memory of process") != std::string::npos)
                                      right = right && seen.log[rank].find("cannot be opened: Too many open files") != std::string::npos;
                                  if (left >= 8) right = right && seen.says(rank, used, "");
                              }
                              return right;
                          });
}

TEST(ProcessLimits, OneRankAloneHasNone) {
    for (const int lacking : { 0, 1 })
        expect_works_with([] { return can_forbid; },
                          [&](const Seen &seen) {
                              const std::string who = "shared memory: used in part: rank " + std::to_string(lacking) + ", and perhaps";
                              return seen.says(lacking, "shared memory: not used: memfd_create", "shared memory is not used: memfd_create") &&
                                     seen.says(1 - lacking, who, "");
                          },
                          0,
                          [&](int32_t rank) {
                              if (rank == lacking) forbid(SYS_memfd_create);
                          });
}

// In a process that knows nothing yet: see below.
TEST(ProcessLimits, DISABLED_FilesAgain) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    if (!leave_descriptors(1)) GTEST_SKIP() << "this system cannot be limited so";
    const Seen without = run_two_ranks(0);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(without.right && without.text().find("not used: ") != std::string::npos) << without.text();
    const Seen with = run_two_ranks(0);
    EXPECT_TRUE(with.right && with.says(0, "shared memory: used\n", "") && with.says(1, "shared memory: used\n", "")) << with.text();
}

TEST(ProcessLimits, WhatCouldNotBeOpenedIsTriedAgain) {
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "misuse", "--gtest_filter=ProcessLimits.DISABLED_FilesAgain", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
              nullptr);
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(ProcessLimits, NoFilesWithoutAName) {
    expect_works_with([] { return forbid(SYS_memfd_create); }, "shared memory: not used: memfd_create: ", "shared memory is not used");
}

TEST(ProcessLimits, NoProc) {
    char empty[] = "/tmp/halo_empty_XXXXXX";
    ASSERT_NE(mkdtemp(empty), nullptr);
    const auto limit = [&] { return chroot(empty) == 0 && chdir("/") == 0; };
    expect_works_with(limit, "shared memory: not used: /proc/self/fd: ", "shared memory is not used");
    rmdir(empty);
}

// Whoever makes the settings file a FIFO must not make the program wait for ever.
TEST(ProcessLimits, SettingsFilesThatAreNone) {
    char folder[] = "/tmp/halo_settings_XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    const std::string fifo = std::string(folder) + "/fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    for (const std::string &path : { fifo, std::string(folder), std::string("/dev/zero") }) {
        ASSERT_EQ(setenv("HALO_CONFIG_FILE", path.c_str(), 1), 0);
        halo_context *context = nullptr;
        EXPECT_EQ(halo_context_create(nullptr, &context), HALO_ERR_CONFIG) << path;
        EXPECT_NE(std::string(halo_last_error()).find("settings file " + path + ": not a regular file"), std::string::npos) << halo_last_error();
    }
    halo_context *context = nullptr;
    ASSERT_EQ(setenv("HALO_CONFIG_FILE", "/proc/self/status", 1), 0); // which says that it has no bytes
    EXPECT_EQ(halo_context_create(nullptr, &context), HALO_ERR_CONFIG);
    EXPECT_NE(std::string(halo_last_error()).find("/proc/self/status:1: expected 'key = value'"), std::string::npos) << halo_last_error();
    ASSERT_EQ(setenv("HALO_CONFIG_FILE", "", 1), 0);
    ASSERT_EQ(setenv("HALO_TIMEOUT", "", 1), 0);
    EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    unsetenv("HALO_CONFIG_FILE");
    unsetenv("HALO_TIMEOUT");
    unlink(fifo.c_str());
    rmdir(folder);
}

} // namespace
