// SPDX-License-Identifier: BSD-3-Clause
// Which MPI a process lives with.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect_failure.h"
#include "plugin/mpi_choice.h"
#include "plugin/registry.h"

namespace halo {
namespace {

const LoadedMpi openmpi = { "openmpi", "/lib/libmpi.so.40", true };
const LoadedMpi mpich = { "mpich", "/lib/libmpich.so.12", true };
const Launcher by_openmpi = { "OMPI_COMM_WORLD_SIZE", "openmpi", 4 };
const Launcher by_mpich = { "PMI_SIZE", "mpich", 4 };
const LoadedMpi abi = { "abi", "/opt/lib/libmpi_abi.so.1", true, "mpich" };
const Launcher with_abi = { "PMI_SIZE", "mpich", 4, "/opt/lib/libmpi_abi.so.1" };
const Launcher by_slurm = { "SLURM_STEP_NUM_TASKS", "", 4 };

LoadedMpi not_initialised(LoadedMpi mpi) {
    mpi.initialised = false;
    return mpi;
}

TEST(MpiChoice, NothingThere) {
    const MpiChoice choice = choose_mpi({ {}, {} }, "auto", nullptr);
    EXPECT_EQ(choice.mpi, "");
    EXPECT_EQ(choice.module(), "");
    EXPECT_FALSE(choice.ranks);
    EXPECT_EQ(choice.launcher_ranks, 0);
}

TEST(MpiChoice, ARendezvousLeavesItAside) {
    EXPECT_EQ(mpi_left_aside({}), "");
    EXPECT_EQ(mpi_left_aside({ { not_initialised(openmpi) }, { { "PMI_SIZE", "mpich", 1 } } }), "");
    EXPECT_EQ(mpi_left_aside({ { openmpi }, { { "PMI_SIZE", "mpich", 4 } } }),
              "; left aside: this process has loaded Open MPI (/lib/libmpi.so.40), initialised; left aside: a launcher of MPICH started 4 ranks "
              "(PMI_SIZE)");
}

TEST(MpiChoice, LoadedDecides) {
    const MpiChoice choice = choose_mpi({ { mpich }, {} }, "auto", nullptr);
    EXPECT_EQ(choice.module(), "mpi_mpich");
    EXPECT_TRUE(choice.ranks);
    EXPECT_NE(choice.why.find("/lib/libmpich.so.12"), std::string::npos);
    EXPECT_FALSE(choose_mpi({ { not_initialised(mpich) }, {} }, "auto", nullptr).ranks);
    const MpiChoice launched = choose_mpi({ { not_initialised(openmpi) }, { by_openmpi } }, "auto", nullptr);
    EXPECT_TRUE(launched.ranks);
    EXPECT_EQ(launched.launcher_ranks, 4);
}

TEST(MpiChoice, LauncherThenSetting) {
    const MpiChoice launched = choose_mpi({ {}, { by_mpich } }, "auto", nullptr);
    EXPECT_EQ(launched.mpi, "mpich");
    EXPECT_TRUE(launched.ranks);
    const MpiChoice any = choose_mpi({ {}, { by_slurm } }, "auto", nullptr);
    EXPECT_EQ(any.mpi, "");
    EXPECT_TRUE(any.ranks);
    EXPECT_EQ(choose_mpi({ {}, { by_slurm } }, "openmpi", nullptr).mpi, "openmpi");
    const MpiChoice alone = choose_mpi({ {}, {} }, "openmpi", nullptr);
    EXPECT_EQ(alone.mpi, "openmpi");
    EXPECT_FALSE(alone.ranks);
}

TEST(MpiChoice, NestedLaunchers) {
    EXPECT_EQ(choose_mpi({ { mpich }, { by_openmpi, by_mpich } }, "auto", nullptr).launcher_ranks, 4);
    EXPECT_EQ(choose_mpi({ { mpich }, { { "OMPI_COMM_WORLD_SIZE", "openmpi", 2 }, by_slurm } }, "auto", nullptr).launcher_ranks, 4);
    Launcher single = by_openmpi;
    single.n_ranks = 1;
    EXPECT_FALSE(choose_mpi({ { not_initialised(mpich) }, { single } }, "auto", nullptr).ranks);
}

TEST(MpiChoice, Contradictions) {
    expect_failure(HALO_ERR_PLUGIN, { "two MPI", "/lib/libmpi.so.40", "/lib/libmpich.so.12" }, [] {
        choose_mpi({ { openmpi, mpich }, {} }, "auto", nullptr);
    });
    expect_failure(HALO_ERR_PLUGIN, { "MPICH started 4 ranks", "loaded Open MPI (/lib/libmpi.so.40)", "4 separate copies" }, [] {
        choose_mpi({ { openmpi }, { by_mpich } }, "auto", nullptr);
    });
    expect_failure(HALO_ERR_PLUGIN, { "mpi = mpich", "/lib/libmpi.so.40" }, [] { choose_mpi({ { openmpi }, {} }, "mpich", nullptr); });
    expect_failure(HALO_ERR_PLUGIN, { "mpi = mpich", "OMPI_COMM_WORLD_SIZE" }, [] { choose_mpi({ {}, { by_openmpi } }, "mpich", nullptr); });
}

TEST(MpiChoice, Communicators) {
    const MpiChoice choice = choose_mpi({ { openmpi }, { by_mpich } }, "auto", "openmpi");
    EXPECT_EQ(choice.module(), "mpi_openmpi");
    EXPECT_TRUE(choice.ranks);
    expect_failure(HALO_ERR_PLUGIN, { "communicator of MPICH", "loaded Open MPI (/lib/libmpi.so.40)" }, [] {
        choose_mpi({ { openmpi }, {} }, "auto", "mpich");
    });
    expect_failure(HALO_ERR_PLUGIN, { "communicator of MPICH", "no MPI library" }, [] { choose_mpi({ {}, {} }, "auto", "mpich"); });
    expect_failure(HALO_ERR_PLUGIN, { "Open MPI is not initialised" }, [] { choose_mpi({ { not_initialised(openmpi) }, {} }, "auto", "openmpi"); });
    expect_failure(HALO_ERR_ARGUMENT, { "'lam'" }, [] { choose_mpi({ { openmpi }, {} }, "auto", "lam"); });
}

TEST(MpiChoice, TheStandardAbiThatTheProgramBrings) {
    EXPECT_EQ(choose_mpi({ { abi }, {} }, "auto", nullptr).module(), "mpi_abi");
    const MpiChoice launched = choose_mpi({ { abi }, { by_openmpi, by_mpich } }, "auto", nullptr);
    EXPECT_EQ(launched.module(), "mpi_abi");
    EXPECT_EQ(launched.launcher_ranks, 4);
    EXPECT_FALSE(launched.allows("mpi_mpich"));
    expect_failure(HALO_ERR_PLUGIN,
                   { "Open MPI started 4 ranks", "loaded MPICH with the standard ABI (/opt/lib/libmpi_abi.so.1)", "4 separate copies" }, [] {
                       choose_mpi({ { abi }, { by_openmpi } }, "auto", nullptr);
                   });
    expect_failure(HALO_ERR_PLUGIN, { "mpi = mpich", "with the standard ABI" }, [] { choose_mpi({ { abi }, {} }, "mpich", nullptr); });
    EXPECT_EQ(choose_mpi({ { abi }, {} }, "auto", "abi").module(), "mpi_abi");
    expect_failure(HALO_ERR_PLUGIN, { "communicator of MPICH", "with the standard ABI" }, [] { choose_mpi({ { abi }, {} }, "auto", "mpich"); });
    expect_failure(HALO_ERR_PLUGIN, { "communicator of the standard MPI ABI", "loaded MPICH (/lib/libmpich.so.12)" }, [] {
        choose_mpi({ { mpich }, {} }, "auto", "abi");
    });
}

TEST(MpiChoice, TheStandardAbiThatTheLauncherBrings) {
    const MpiChoice choice = choose_mpi({ {}, { with_abi } }, "auto", nullptr);
    EXPECT_EQ(choice.module(), "mpi_abi");
    EXPECT_TRUE(choice.ranks);
    EXPECT_EQ(choice.launcher_ranks, 4);
    EXPECT_NE(choice.why.find("brings /opt/lib/libmpi_abi.so.1"), std::string::npos) << choice.why;
    EXPECT_TRUE(choice.allows("mpi_abi"));
    EXPECT_TRUE(choice.allows("mpi_mpich"));
    EXPECT_FALSE(choice.allows("mpi_openmpi"));
    const MpiChoice asked = choose_mpi({ {}, { with_abi } }, "mpich", nullptr);
    EXPECT_EQ(asked.module(), "mpi_mpich");
    EXPECT_FALSE(asked.allows("mpi_abi"));
    expect_failure(HALO_ERR_PLUGIN, { "mpi = openmpi", "brings" }, [] { choose_mpi({ {}, { with_abi } }, "openmpi", nullptr); });
    EXPECT_EQ(choose_mpi({ { mpich }, { with_abi } }, "auto", nullptr).module(), "mpi_mpich"); // the program's own goes first
    // A launcher that brings none serves a library that is found otherwise.
    EXPECT_EQ(choose_mpi({ {}, { by_mpich } }, "auto", nullptr).module(), "mpi_mpich");
    EXPECT_EQ(choose_mpi({ {}, { by_mpich } }, "abi", nullptr).module(), "mpi_abi");
}

TEST(MpiScan, Launchers) {
    for (const char *variable : { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS" })
        unsetenv(variable);
    EXPECT_TRUE(launchers().empty());
    const auto show = [] {
        std::string text;
        for (const Launcher &launcher : launchers()) text += launcher.variable + " " + launcher.mpi + " " + std::to_string(launcher.n_ranks) + "; ";
        return text;
    };
    setenv("SLURM_STEP_NUM_TASKS", "8", 1);
    EXPECT_EQ(show(), "SLURM_STEP_NUM_TASKS  8; ");
    setenv("SLURM_STEP_ID", "0", 1);
    setenv("PMI_SIZE", "6", 1);
    EXPECT_EQ(show(), "PMI_SIZE  6; ");
    setenv("MPI_LOCALNRANKS", "6", 1);
    EXPECT_EQ(show(), "PMI_SIZE mpich 6; ");
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    EXPECT_EQ(show(), "OMPI_COMM_WORLD_SIZE openmpi 3; PMI_SIZE mpich 6; ");
    setenv("OMPI_COMM_WORLD_SIZE", "three", 1);
    setenv("PMI_SIZE", "-3", 1);
    unsetenv("SLURM_STEP_NUM_TASKS");
    EXPECT_EQ(show(), "");
    setenv("PMI_SIZE", "3rd", 1);
    EXPECT_EQ(show(), "");
}

TEST(MpiScan, TheStandardAbi) {
    const auto look_at = [](const std::string &name) {
        void *library = dlopen((HALO_TEST_MODULES "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        const std::vector<LoadedMpi> found = loaded_mpis();
        if (library) dlclose(library);
        return found.size() == 1 ? found[0].mpi + " " + found[0].implementation : std::to_string(found.size()) + " found";
    };
    EXPECT_EQ(look_at("libmpi_like_abi.so"), "abi mpich");
    EXPECT_EQ(look_at("libmpi_like_abi_openmpi.so"), "abi openmpi");
    EXPECT_EQ(look_at("libmpi_like_later_mpich.so"), "mpich ");
}

// In a process of its own: a library that was loaded for all to see stays.
template <class Body>
void in_own_process(const Body &body) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) body(), std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

// As a module brings one that wants MPICH under another name than the program.
void look_at_two_of_one_interface() {
    void *programs = dlopen(HALO_TEST_MODULES "/libmpi_like_mpich.so", RTLD_NOW | RTLD_GLOBAL);
    void *modules = dlopen(HALO_TEST_MODULES "/libmpi_like_later_mpich.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(programs && modules) << dlerror();
    auto found = loaded_mpis();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].path.find("libmpi_like_mpich.so"), std::string::npos);
    *static_cast<int *>(dlsym(modules, "fake_mpi_initialised")) = 1;
    EXPECT_EQ(loaded_mpis().size(), 2u); // somebody does
}

TEST(MpiScan, ASecondLibraryThatNobodyCalls) { in_own_process(look_at_two_of_one_interface); }

TEST(MpiScan, AModuleThatBringsASecondMpi) {
    void *programs = dlopen(HALO_TEST_MODULES "/libmpi_like_mpich.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(programs) << dlerror();
    const Plugin plugin = Registry::instance().find(PluginKind::transport, "mpi_second", { HALO_TEST_MODULES });
    EXPECT_FALSE(plugin.opened());
    for (const char *part : { "brings a second MPI", "libmpi_second.so, beside", "libmpi_like_mpich.so" })
        EXPECT_NE(plugin.problem.find(part), std::string::npos) << plugin.problem;
    EXPECT_EQ(loaded_mpis().size(), 1u); // it was closed again
    dlclose(programs);
}

// Loads libraries that look like MPIs out of sight of the global scope, as an interpreter does.
TEST(MpiScan, LoadedLibraries) {
    const size_t before = loaded_mpis().size();
    EXPECT_EQ(before, 0u);
    void *first = dlopen(HALO_TEST_MODULES "/libmpi_like_mpich.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(first) << dlerror();
    auto found = loaded_mpis();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].mpi, "mpich");
    EXPECT_NE(found[0].path.find("libmpi_like_mpich.so"), std::string::npos);
    EXPECT_FALSE(found[0].initialised);
    *static_cast<int *>(dlsym(first, "fake_mpi_initialised")) = 1;
    EXPECT_TRUE(loaded_mpis().at(0).initialised);
    void *second = dlopen(HALO_TEST_MODULES "/libmpi_like_openmpi.so", RTLD_NOW | RTLD_GLOBAL);
    ASSERT_TRUE(second) << dlerror();
    expect_failure(HALO_ERR_PLUGIN, { "two MPI", "libmpi_like_mpich.so", "libmpi_like_openmpi.so" }, [] {
        choose_mpi({ loaded_mpis(), {} }, "auto", nullptr);
    });
    dlclose(first);
    found = loaded_mpis();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].mpi, "openmpi");
    dlclose(second);
}

// A folder as an MPI is installed into, with a shell in place of its launcher.
class Installed {
public:
    Installed() : root_(std::filesystem::temp_directory_path() / ("halo_mpi_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(root_ / "bin");
        std::filesystem::create_directories(root_ / "lib");
        std::filesystem::copy_file(std::filesystem::canonical("/bin/sh"), launcher());
    }
    ~Installed() { std::filesystem::remove_all(root_); }
    Installed(const Installed &) = delete;
    Installed &operator=(const Installed &) = delete;

    std::filesystem::path launcher() const { return root_ / "bin/hydra_pmi_proxy"; }
    std::string library() const { return (std::filesystem::canonical(root_ / "lib") / "libmpi_abi.so.1").string(); }
    void add_library() const { std::ofstream(root_ / "lib/libmpi_abi.so.1") << "no library\n"; }

    // What a rank says, which a shell has started that the launcher has started: this program, with the test that asks.
    std::string ask_rank(const std::string &size) const {
        const std::string rank = std::filesystem::read_symlink("/proc/self/exe").string() + " --gtest_filter=MpiScan.WhatTheLauncherBrings";
        const std::string command = size + "=2 HALO_TEST_RANK=1 " + launcher().string() + " -c '/bin/sh -c \"" + rank + "; exit\"; exit'";
        std::string text;
        std::FILE *output = popen(command.c_str(), "r");
        for (int c = 0; output && (c = std::fgetc(output)) != EOF;) text += static_cast<char>(c);
        if (output) pclose(output);
        return text;
    }

private:
    std::filesystem::path root_;
};

void speak_as_rank() {
    for (const Launcher &launcher : launchers()) std::printf("%s brings [%s]\n", launcher.mpi.c_str(), launcher.abi_library.c_str());
    std::printf("loading: [%s]\n", load_abi_library().c_str());
}

TEST(MpiScan, WhatTheLauncherBrings) {
    if (std::getenv("HALO_TEST_RANK")) return speak_as_rank();
    for (const char *variable : { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS" }) unsetenv(variable);
    const Installed mpi;
    EXPECT_EQ(abi_library_beside(mpi.launcher().string()), "");
    EXPECT_EQ(abi_library_beside(""), "");
    std::string said = mpi.ask_rank("PMI_SIZE");
    EXPECT_NE(said.find("mpich brings []\nloading: []"), std::string::npos) << said;
    mpi.add_library();
    EXPECT_EQ(abi_library_beside(mpi.launcher().string()), mpi.library());
    said = mpi.ask_rank("PMI_SIZE");
    EXPECT_NE(said.find("mpich brings [" + mpi.library() + "]"), std::string::npos) << said;
    EXPECT_NE(said.find("loading: [" + mpi.library() + ": "), std::string::npos) << said; // the loader's reason
    said = mpi.ask_rank("OMPI_COMM_WORLD_SIZE");                                          // of which this is no launcher
    EXPECT_NE(said.find("openmpi brings []"), std::string::npos) << said;
}

} // namespace
} // namespace halo
