// SPDX-License-Identifier: BSD-3-Clause
#include "library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "report.h"

namespace halo::mpi {

using transport::report;

namespace {

#if defined(OPEN_MPI)
constexpr const char *launcher_variables[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK" };
#else
constexpr const char *launcher_variables[] = { "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS" };
#endif

// Larger than the bound of any MPI: the bound of this mpi.h need not be that of the library which fills the text in.
constexpr size_t version_capacity = 16384;

std::string version_text() {
    std::string text(version_capacity, '\0');
    int length = 0;
    if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown MPI";
    text.resize(static_cast<size_t>(length));
    size_t end = text.find_first_of(",\n\0", 0, 3);
    if (end != std::string::npos) text.resize(end);
    for (char &c : text) {
        if (c == '\t') c = ' ';
    }
    return text;
}

// Not after a failure: a rank that leaves without finalising makes the launcher end the others, which would wait for it forever.
void finalize_at_exit(int exit_status, void *) {
    if (exit_status == EXIT_SUCCESS && !finalized()) MPI_Finalize();
}

} // namespace

std::string library_text() {
    Dl_info info{};
    const char *path = "unknown file";
    if (dladdr(reinterpret_cast<void *>(&MPI_Init_thread), &info) != 0 && info.dli_fname != nullptr) path = info.dli_fname;
    return version_text() + " (" + path + ")";
}

bool bound_to_own_library() {
    bool is_open_mpi = version_text().find("Open MPI") != std::string::npos;
#if defined(OPEN_MPI)
    return is_open_mpi;
#else
    return !is_open_mpi;
#endif
}

bool launched(const char *&variable) {
    for (const char *name : launcher_variables) {
        variable = name;
        if (const char *text = std::getenv(name); text != nullptr && *text != '\0') return true;
    }
    variable = launcher_variables[0];
    return false;
}

bool initialized() {
    int flag = 0;
    return MPI_Initialized(&flag) == MPI_SUCCESS && flag != 0;
}

bool finalized() {
    int flag = 0;
    return MPI_Finalized(&flag) == MPI_SUCCESS && flag != 0;
}

halo_status ensure_initialized(const halo_host *host, bool has_communicator) {
    if (!bound_to_own_library()) {
        return report(host, HALO_ERR_PLUGIN, "module %s got the functions of another MPI, %s: two MPIs in one process", HALO_MPI_MODULE,
                      library_text().c_str());
    }
    if (finalized()) return report(host, HALO_ERR_PLUGIN, "MPI is finalised already: %s", library_text().c_str());
    if (initialized()) return HALO_SUCCESS;
    if (has_communicator) {
        return report(host, HALO_ERR_PLUGIN, "a communicator was given, but the MPI of module %s is not initialised: a second MPI, %s, was loaded",
                      HALO_MPI_MODULE, library_text().c_str());
    }
    int provided = 0;
    int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    if (code != MPI_SUCCESS) return report(host, HALO_ERR_TRANSPORT, "MPI_Init_thread failed with %d: %s", code, library_text().c_str());
    on_exit(finalize_at_exit, nullptr);
    return HALO_SUCCESS;
}

halo_status failure(const halo_host *host, const char *call, int code) {
    char text[MPI_MAX_ERROR_STRING + 1] = "no text";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return report(host, HALO_ERR_TRANSPORT, "%s: %s", call, text);
}

} // namespace halo::mpi
