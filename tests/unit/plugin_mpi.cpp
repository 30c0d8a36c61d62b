// SPDX-License-Identifier: BSD-3-Clause
// Which MPI a process lives with.
#include <cstdlib>

#include <dlfcn.h>

#include "expect_failure.h"
#include "plugin/mpi_choice.h"

namespace halo {
namespace {

const LoadedMpi openmpi = { "openmpi", "/lib/libmpi.so.40", true };
const LoadedMpi mpich = { "mpich", "/lib/libmpich.so.12", true };
const Launcher by_openmpi = { "OMPI_COMM_WORLD_SIZE", "openmpi", 4 };
const Launcher by_mpich = { "PMI_SIZE", "mpich", 4 };
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

} // namespace
} // namespace halo
