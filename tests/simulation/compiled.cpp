// SPDX-License-Identifier: BSD-3-Clause
// What is printed of a program is C, and runs.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <unistd.h>

#include "printed.h"

namespace programs {

namespace {

// Objects of all kinds, each of them run, given up, and run beside the others.
Program with_all_objects() {
    Program all;
    all.n_ranks = 3;
    std::set<std::string> known;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        const Program program = make_program(seed);
        for (const ObjectCase &made : program.objects) {
            std::string kind = name_of(made.what);
            if (made.what == What::points) kind += name_of(made.made);
            if (made.what == What::channels) kind += std::to_string(made.desc.messages);
            if (made.what == What::boxes) kind += std::to_string(made.distributed);
            if (made.what == What::loops) kind += std::to_string(made.desc.op);
            if (program.n_ranks == all.n_ranks && known.insert(kind).second) all.objects.push_back(made);
        }
    }
    for (size_t i = 0; i < all.objects.size(); ++i)
        for (const auto does : { Step::Does::run, Step::Does::give_up }) all.steps.push_back({ does, i });
    for (const auto does : { Step::Does::run_all, Step::Does::reopen, Step::Does::run_all }) all.steps.push_back({ does, 0 });
    EXPECT_EQ(known.size(), 21u);
    return all;
}

TEST(Printed, ProgramsAreCAndRun) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("halo_printed_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    const std::string source = folder / "program.c", program = folder / "program";
    std::FILE *file = std::fopen(source.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs(printed(with_all_objects()).c_str(), file);
    std::fclose(file);
    const std::string compile = std::string(SIMULATION_CC " -std=c11 -Wall -Wextra -Werror -I" SIMULATION_INCLUDE " ") + source + " -o " + program +
                                " " SIMULATION_LIBRARY " -Wl,-rpath," SIMULATION_LIBRARY_FOLDER " -pthread";
    EXPECT_EQ(std::system(compile.c_str()), 0) << source;
    EXPECT_EQ(std::system(("timeout 60 " + program).c_str()), 0) << source;
    if (!testing::Test::HasFailure()) std::filesystem::remove_all(folder);
}

} // namespace

} // namespace programs
