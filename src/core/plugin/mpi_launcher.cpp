// SPDX-License-Identifier: BSD-3-Clause
// Who started this process, and which library for the standard ABI lies with the launcher.
#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/error.h"
#include "plugin/mpi_choice.h"

namespace halo {

namespace {

// An empty variable counts as none.
bool is_set(const char *variable) {
    const char *text = std::getenv(variable);
    return text && *text;
}

// Programs that are the parents of ranks.
struct Starter {
    const char *program;
    const char *mpi;
};
constexpr Starter starters[] = { { "hydra_pmi_proxy", "mpich" }, { "mpiexec.gforker", "mpich" }, { "prterun", "openmpi" }, { "prted", "openmpi" } };

// 0: it has none that this process may see.
long parent_of(long process) {
    char stat[512] = "";
    long parent = 0;
    const std::string name = format("/proc/%ld/stat", process);
    std::FILE *file = std::fopen(name.c_str(), "re");
    if (!file) return 0;
    stat[std::fread(stat, 1, sizeof stat - 1, file)] = '\0';
    std::fclose(file);
    const char *end_of_name = std::strrchr(stat, ')'); // which may have blanks and brackets in it
    return end_of_name && std::sscanf(end_of_name, ") %*c %ld", &parent) == 1 ? parent : 0;
}

std::string program_of(long process) {
    char path[PATH_MAX];
    const ssize_t length = readlink(format("/proc/%ld/exe", process).c_str(), path, sizeof path);
    return length > 0 ? std::string(path, static_cast<size_t>(length)) : std::string();
}

// The nearest ancestor that starts ranks of this MPI; shells and the like may be between. Empty: none is seen, or this process has rights that its
// ancestors may lack.
std::string starter_of(const std::string &mpi) {
    if (getauxval(AT_SECURE) != 0) return {};
    for (long process = getppid(); process > 0; process = parent_of(process)) {
        std::string program = program_of(process);
        const std::string file = program.substr(program.rfind('/') + 1);
        if (std::any_of(std::begin(starters), std::end(starters), [&](const Starter &s) { return file == s.program && mpi == s.mpi; }))
            return program;
    }
    return {};
}

} // namespace

int32_t number_in(const char *variable) {
    const char *const text = std::getenv(variable);
    int32_t number = -1;
    if (!text) return -1;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
    return error == std::errc() && *end == '\0' ? std::max(number, -1) : -1;
}

bool started_by_pmix() { return is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK"); }

std::vector<Launcher> launchers() {
    std::vector<Launcher> found;
    const auto add = [&](const char *variable, const char *mpi) {
        if (const int32_t n_ranks = number_in(variable); n_ranks > 0)
            found.push_back({ variable, mpi, n_ranks, abi_library_beside(starter_of(mpi)) });
    };
    // Slurm speaks the same protocol as MPICH's launcher to every MPI; only the latter tells the number of ranks of the node.
    const bool slurm = is_set("SLURM_STEP_ID") && !is_set("MPI_LOCALNRANKS");
    add("OMPI_COMM_WORLD_SIZE", "openmpi");
    add("PMI_SIZE", slurm ? "" : "mpich");
    if (found.empty()) add("SLURM_STEP_NUM_TASKS", "");
    return found;
}

std::string abi_library_beside(const std::string &program) {
    const std::string folder = program.substr(0, program.rfind('/') + 1);
    char library[PATH_MAX];
    for (const char *libraries : { "../lib/", "../lib64/" })
        if (!folder.empty() && realpath((folder + libraries + "libmpi_abi.so.1").c_str(), library)) return library;
    return {};
}

std::string load_abi_library() {
    if (!loaded_mpis().empty()) return {};
    for (const Launcher &launcher : launchers()) {
        if (launcher.abi_library.empty()) continue;
        const char *error = dlopen(launcher.abi_library.c_str(), RTLD_NOW | RTLD_LOCAL) ? nullptr : dlerror();
        return error ? error : "";
    }
    return {};
}

} // namespace halo
