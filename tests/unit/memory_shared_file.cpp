// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/shared_file.h"

namespace halo {

namespace {

// In a process that knows nothing yet.
TEST(HostNumberDeathTest, IsReadAgainWhereItCouldNotBe) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto read_twice = [] {
        rlimit before{};
        getrlimit(RLIMIT_NOFILE, &before);
        const rlimit none{ 0, before.rlim_max };
        setrlimit(RLIMIT_NOFILE, &none);
        const uint64_t without = host_number();
        setrlimit(RLIMIT_NOFILE, &before);
        std::exit(without == 0 && host_number() != 0 ? 0 : 1);
    };
    EXPECT_EXIT(read_twice(), testing::ExitedWithCode(0), "");
}

bool number_processes_anew() { return unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0; }

// Exit status of a process that does it, with children of its own.
int status_of_child(int (*doing)()) {
    const pid_t child = fork();
    if (child == 0) _exit(doing());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Else the memory of a process of another container would be looked for at the process that has its number here.
TEST(HostNumberDeathTest, AContainerIsAnotherHost) {
    if (status_of_child([] { return number_processes_anew() ? 0 : 1; }) != 0) GTEST_SKIP() << "no namespace of process numbers may be made here";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto compare = [] { // in a process that knows nothing yet; a namespace is that of its children
        int ends[2] = { -1, -1 };
        if (pipe(ends) != 0 || !number_processes_anew()) _exit(2);
        if (fork() == 0) {
            const uint64_t inside = host_number();
            _exit(write(ends[1], &inside, sizeof inside) == sizeof inside ? 0 : 1);
        }
        uint64_t inside = 0;
        const bool heard = read(ends[0], &inside, sizeof inside) == sizeof inside;
        _exit(heard && inside != 0 && inside != host_number() ? 0 : 1); // who looks for leaks would start a thread, for which there is no number
    };
    EXPECT_EXIT(compare(), testing::ExitedWithCode(0), "");
}

} // namespace

} // namespace halo
