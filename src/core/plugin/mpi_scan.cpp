// SPDX-License-Identifier: BSD-3-Clause
// What the process tells about MPI. Nothing here loads anything.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <link.h>

#include "plugin/mpi_choice.h"

namespace halo {

namespace {

// Symbols that the public header of an MPI makes part of its binary interface.
struct Family {
    const char *mpi;
    const char *symbol;
};
constexpr Family families[] = { { "openmpi", "ompi_mpi_comm_world" }, { "mpich", "MPIR_Dup_fn" } };

bool ask(void *object, const char *function) {
    int flag = 0;
    const auto call = reinterpret_cast<int (*)(int *)>(dlsym(object, function));
    return call && call(&flag) == 0 && flag != 0;
}

// Does this object define the function itself, not by a dependency?
bool defines(void *object, const char *function) {
    const void *symbol = dlsym(object, function);
    Dl_info info;
    void *holder = nullptr;
    link_map *own = nullptr;
    return symbol && dladdr1(symbol, &info, &holder, RTLD_DL_LINKMAP) && dlinfo(object, RTLD_DI_LINKMAP, &own) == 0 && holder == own;
}

// Profiling tools define MPI_Init too, but only an MPI defines PMPI_Init.
void look_in(const std::string &name, std::vector<LoadedMpi> &found) {
    void *object = dlopen(name.empty() ? nullptr : name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!object) return;
    const auto family = std::find_if(std::begin(families), std::end(families), [&](const Family &f) { return dlsym(object, f.symbol); });
    if (family != std::end(families) && defines(object, "PMPI_Init"))
        found.push_back(
            { family->mpi, name.empty() ? "the program itself" : name, ask(object, "PMPI_Initialized") && !ask(object, "PMPI_Finalized") });
    dlclose(object);
}

// Object of the global scope that is an MPI, by whatever name; else nothing.
void add_global(std::vector<std::string> &names) {
    Dl_info info;
    void *map = nullptr;
    const void *symbol = dlsym(RTLD_DEFAULT, "PMPI_Init");
    if (symbol && dladdr1(symbol, &info, &map, RTLD_DL_LINKMAP)) names.push_back(static_cast<const link_map *>(map)->l_name);
}

int collect_names(dl_phdr_info *info, size_t, void *names) {
    const char *slash = std::strrchr(info->dlpi_name, '/');
    if (slash && std::strncmp(slash + 1, "libmpi", 6) == 0) static_cast<std::vector<std::string> *>(names)->push_back(info->dlpi_name);
    return 0;
}

// An empty variable counts as none.
bool is_set(const char *variable) {
    const char *text = std::getenv(variable);
    return text && *text;
}

// A positive number in a variable; 0: not set, or something else.
int32_t count_in(const char *variable) {
    const char *text = std::getenv(variable);
    int32_t count = 0;
    if (text) std::from_chars(text, text + std::strlen(text), count);
    return std::max(count, 0);
}

} // namespace

bool started_by_pmix() { return is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK"); }

std::vector<LoadedMpi> loaded_mpis() {
    std::vector<std::string> names;
    add_global(names);
    dl_iterate_phdr(collect_names, &names);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<LoadedMpi> found;
    for (const std::string &name : names) look_in(name, found);
    return found;
}

std::vector<Launcher> launchers() {
    std::vector<Launcher> found;
    const auto add = [&](const char *variable, const char *mpi) {
        if (const int32_t n_ranks = count_in(variable)) found.push_back({ variable, mpi, n_ranks });
    };
    // Slurm speaks the same protocol as MPICH's launcher to every MPI; only the latter tells the number of ranks of the node.
    const bool slurm = is_set("SLURM_STEP_ID") && !is_set("MPI_LOCALNRANKS");
    add("OMPI_COMM_WORLD_SIZE", "openmpi");
    add("PMI_SIZE", slurm ? "" : "mpich");
    if (found.empty()) add("SLURM_STEP_NUM_TASKS", "");
    return found;
}

} // namespace halo
