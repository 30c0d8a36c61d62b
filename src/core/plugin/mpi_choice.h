// SPDX-License-Identifier: BSD-3-Clause
// Which MPI this process lives with, and so which MPI module may be opened: what is loaded decides, then the launcher, then the setting "mpi".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halo {

// The transport for the standard ABI.
inline constexpr const char *abi_module = "mpi_abi";

// An MPI library in this process.
struct LoadedMpi {
    std::string mpi; // the binary interface that it has: "openmpi", "mpich", or "abi", the standard one
    std::string path;
    bool initialised = false;        // MPI_Init was called, MPI_Finalize not
    std::string implementation = {}; // behind "abi": "openmpi" or "mpich", whose launcher it wants; empty: `mpi`
};

// Something that started this process among others.
struct Launcher {
    std::string variable; // by which it was recognised
    std::string mpi;      // empty: it serves any MPI
    int32_t n_ranks = 0;
    std::string abi_library = {}; // libmpi_abi of the launcher's own installation; empty: none, or there is no module for it
};

struct MpiFacts {
    std::vector<LoadedMpi> loaded;
    std::vector<Launcher> launchers; // one may run inside the other
};

// The MPI libraries of the process: in the global scope, and in objects that were loaded out of its sight.
std::vector<LoadedMpi> loaded_mpis();

// Launchers as the environment shows them.
std::vector<Launcher> launchers();

// libmpi_abi of the installation that a program belongs to; empty: it has none.
std::string abi_library_beside(const std::string &program);

// Loads the library that a launcher has brought, unless the process has an MPI: the module for the standard ABI, opened after it, gets it by its
// name. Returns what is wrong.
std::string load_abi_library();

// A number of 0 or more that a launcher has put into a variable; -1: it is not set, or is something else.
int32_t number_in(const char *variable);

// Has a server of PMIx started this process?
bool started_by_pmix();

struct MpiChoice {
    std::string mpi;            // "openmpi", "mpich", "abi"; empty: none
    bool ranks = false;         // do ranks come from MPI: initialised, or a launcher of several?
    int32_t launcher_ranks = 0; // 0: no launcher
    std::string why;
    std::string otherwise = {}; // what the launcher serves as well, for who asks for it by name

    std::string module() const { return mpi.empty() ? "" : "mpi_" + mpi; } // transport name
    // May this module of an MPI be opened, as far as is known?
    bool allows(const std::string &name) const { return mpi.empty() || name == module() || (!otherwise.empty() && name == "mpi_" + otherwise); }
};

// `setting` is the value of "mpi"; `communicator_mpi` names the MPI of a communicator that the caller gave, else nullptr.
// HALO_ERR_PLUGIN: two MPIs are loaded; the loaded one is not that of the communicator, of the launcher of several ranks, or of the setting.
MpiChoice choose_mpi(const MpiFacts &facts, const std::string &setting, const char *communicator_mpi);

// What of it is left aside where ranks come by a rendezvous: "", or "; left aside: ...".
std::string mpi_left_aside(const MpiFacts &facts);

} // namespace halo
