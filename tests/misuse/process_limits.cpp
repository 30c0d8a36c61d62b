// SPDX-License-Identifier: BSD-3-Clause
// A process that may not do all that others may: ghosts are exchanged all the same, and the library says what it does without.
#include <gtest/gtest.h>

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
    std::string info; // of the first rank
    std::string log;
};

std::string info_of(const halo_context *context) {
    char text[2048] = "";
    EXPECT_EQ(halo_info(context, HALO_INFO_MODULES, text, sizeof text, nullptr), HALO_SUCCESS);
    return text;
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
        right = right && halo_barrier(context) == HALO_SUCCESS;
    }
    return halo_exchange_destroy(&exchange) == HALO_SUCCESS && halo_field_destroy(&field) == HALO_SUCCESS &&
           halo_topology_destroy(&topology) == HALO_SUCCESS && right;
}

Seen run_two_ranks(int64_t wanted_bytes) {
    Seen seen;
    std::atomic<int> n_right{ 0 };
    halo_inproc *group = nullptr;
    if (halo_inproc_create(2, &group) != HALO_SUCCESS) return seen;
    const auto rank = [&](int32_t number) {
        halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
        std::string log;
        options.log_user = &log;
        options.log = [](void *user, int32_t, const char *text) { static_cast<std::string *>(user)->append(text); };
        halo_context *context = nullptr;
        if (halo_context_create_inproc(group, number, &options, &context) != HALO_SUCCESS) return;
        void *block = nullptr;
        bool right = wanted_bytes == 0 || (halo_memory_allocate(context, HALO_MEMORY_SHARED, wanted_bytes, &block) == HALO_SUCCESS &&
                                           halo_memory_release(context, &block) == HALO_SUCCESS);
        right = exchanges(context, number) && right;
        if (number == 0) seen.info = info_of(context);
        right = halo_context_destroy(&context) == HALO_SUCCESS && right;
        if (number == 0) seen.log = log;
        n_right += right;
    };
    std::thread other([&] { rank(1); });
    rank(0);
    other.join();
    seen.right = n_right == 2 && halo_inproc_destroy(&group) == HALO_SUCCESS;
    return seen;
}

// Runs two ranks in a process of its own, after `limit`, which may answer that it cannot be done here. `info` and `log`: what they must contain.
void expect_works_with(const std::function<bool()> &limit, const std::string &info, const std::string &log, int64_t wanted_bytes = 0) {
    constexpr int not_possible = 77;
    int report[2];
    ASSERT_EQ(pipe(report), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (!limit()) _exit(not_possible);
        const Seen seen = run_two_ranks(wanted_bytes);
        const std::string text = seen.info + "log: " + seen.log;
        const bool told = write(report[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        _exit(seen.right && told && seen.info.find(info) != std::string::npos && seen.log.find(log) != std::string::npos ? 0 : 1);
    }
    close(report[1]);
    int status = 0;
    waitpid(child, &status, 0);
    char text[8192] = "";
    const ssize_t n = read(report[0], text, sizeof text - 1);
    close(report[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == not_possible) GTEST_SKIP() << "this user or system cannot be limited so";
    EXPECT_FALSE(WIFSIGNALED(status)) << strsignal(WTERMSIG(status));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wanted '" << info << "' and '" << log << "' in: " << (n > 0 ? text : "");
}

bool set_limit(decltype(RLIMIT_FSIZE) what, rlim_t most) {
    const rlimit limit{ most, most };
    return setrlimit(what, &limit) == 0;
}

// Makes one system call fail from now on.
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
    expect_works_with([] { return set_limit(RLIMIT_FSIZE, 4 << 20); }, "shared memory: used in part: a file of", "cannot be shared", 16 << 20);
}

TEST(ProcessLimits, LittleAddressSpace) {
    const auto limit = [] { return !sanitized && set_limit(RLIMIT_AS, address_space() + (200u << 20)); };
    expect_works_with(limit, "shared memory: used in part: mapping", "");
}

TEST(ProcessLimits, NoMoreFileDescriptors) {
    const auto limit = [] {
        const int next = open("/dev/null", O_RDONLY);
        return close(next) == 0 && !sanitized && set_limit(RLIMIT_NOFILE, static_cast<rlim_t>(next));
    };
    expect_works_with(limit, "shared memory: not used: ", "shared memory is not used");
}

TEST(ProcessLimits, NoFilesWithoutAName) {
    expect_works_with([] { return forbid(SYS_memfd_create); }, "shared memory: not used: memfd_create: ", "shared memory is not used");
}

TEST(ProcessLimits, NoProc) {
    const auto limit = [] {
        char empty[] = "/tmp/halo_empty_XXXXXX";
        return mkdtemp(empty) != nullptr && chroot(empty) == 0 && chdir("/") == 0;
    };
    expect_works_with(limit, "shared memory: not used: /proc/self/fd/", "shared memory is not used");
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
    ASSERT_EQ(setenv("HALO_CONFIG_FILE", "", 1), 0);
    ASSERT_EQ(setenv("HALO_TIMEOUT", "", 1), 0);
    halo_context *context = nullptr;
    EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    unsetenv("HALO_CONFIG_FILE");
    unsetenv("HALO_TIMEOUT");
    unlink(fifo.c_str());
    rmdir(folder);
}

} // namespace
