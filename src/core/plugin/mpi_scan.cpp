// SPDX-License-Identifier: BSD-3-Clause
// Which MPIs the process has loaded. Nothing here loads anything.
#include <algorithm>
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

// The standard ABI has no symbols of its own: it is told by a function, which libraries of other interfaces may have as well.
bool has_standard_abi(void *object) {
    int major = 0, minor = 0;
    const auto version = reinterpret_cast<int (*)(int *, int *)>(dlsym(object, "PMPI_Abi_get_version"));
    return version && version(&major, &minor) == 0 && major > 0;
}

// Who made the library; those that are not Open MPI's are started as MPICH's is.
std::string implementation_of(void *object) {
    char text[16384] = ""; // twice the most that the ABI has
    int length = 0;
    const auto version = reinterpret_cast<int (*)(char *, int *)>(dlsym(object, "PMPI_Get_library_version"));
    return version && version(text, &length) == 0 && std::strstr(text, "Open MPI") ? "openmpi" : "mpich";
}

bool answers_yes(void *object, const char *function) {
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

std::string shown(const std::string &name) { return name.empty() ? "the program itself" : name; }

// Profiling tools define MPI_Init too, but only an MPI defines PMPI_Init.
void look_in(const std::string &name, std::vector<LoadedMpi> &found) {
    void *object = dlopen(name.empty() ? nullptr : name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!object) return;
    const bool abi = has_standard_abi(object); // asked first: behind it may be a library that has the symbols of a family
    const auto family = std::find_if(std::begin(families), std::end(families), [&](const Family &f) { return dlsym(object, f.symbol); });
    if ((abi || family != std::end(families)) && defines(object, "PMPI_Init"))
        found.push_back({ abi ? "abi" : family->mpi, shown(name), answers_yes(object, "PMPI_Initialized") && !answers_yes(object, "PMPI_Finalized"),
                          abi ? implementation_of(object) : "" });
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

// A module may have brought its own library of the interface that the program has by another name. All calls of it go to the global scope's, none to
// its own, which is as good as not there.
void drop_unused(std::vector<LoadedMpi> &found, const std::string &global) {
    const auto used = std::find_if(found.begin(), found.end(), [&](const LoadedMpi &loaded) { return loaded.path == shown(global); });
    if (used == found.end()) return;
    const LoadedMpi own = *used;
    std::erase_if(found, [&](const LoadedMpi &loaded) { return loaded.path != own.path && loaded.mpi == own.mpi && !loaded.initialised; });
}

} // namespace

std::vector<LoadedMpi> loaded_mpis() {
    std::vector<std::string> names;
    add_global(names);
    const std::vector<std::string> global = names;
    dl_iterate_phdr(collect_names, &names);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<LoadedMpi> found;
    for (const std::string &name : names) look_in(name, found);
    if (!global.empty()) drop_unused(found, global.front());
    return found;
}

} // namespace halo
