// SPDX-License-Identifier: BSD-3-Clause
// Which MPI this process lives with, and so which MPI module may be opened: what is loaded decides, then the launcher, then the setting "mpi".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halo {

// An MPI library in this process.
struct LoadedMpi {
    std::string mpi;          // "openmpi", "mpich"
    std::string path;
    bool initialised = false; // MPI_Init was called, MPI_Finalize not
};

// What started this process. n_ranks 0: nothing did.
struct Launcher {
    std::string variable; // by which it was recognised
    std::string mpi;      // empty: the launcher serves any MPI
    int32_t n_ranks = 0;
};

struct MpiFacts {
    std::vector<LoadedMpi> loaded;
    Launcher launcher;
};

// Look at the process: global symbols, loaded objects (also those that only a plugin can see), environment.
MpiFacts look_for_mpi();

struct MpiChoice {
    std::string mpi;            // "openmpi", "mpich"; empty: none
    bool ranks = false;         // do ranks come from MPI: initialised, or a launcher of several?
    int32_t launcher_ranks = 0; // 0: no launcher
    std::string why;

    std::string module() const { return mpi.empty() ? "" : "mpi_" + mpi; } // transport name
};

// `setting` is the value of "mpi"; `communicator_mpi` names the MPI of a communicator that the caller gave, else nullptr.
// HALO_ERR_PLUGIN: two MPIs are loaded, or the communicator's MPI is not the loaded one.
MpiChoice choose_mpi(const MpiFacts &facts, const std::string &setting, const char *communicator_mpi);

} // namespace halo
