// SPDX-License-Identifier: BSD-3-Clause
#include "device_memory.h"

#include <mpi.h>

#include <algorithm>

#include "library.h"

namespace halo::mpi {

namespace {

struct Known {
    const char *device;
    const char *kind;          // in the key mpi_memory_alloc_kinds, of MPI 4.1
    const char *extensions[2]; // of Open MPI and MPICH
};
constexpr Known known[] = { { "cuda", "cuda", { "MPIX_Query_cuda_support", nullptr } },
                            { "hip", "rocm", { "MPIX_Query_rocm_support", "MPIX_Query_hip_support" } } };

constexpr const char *kinds_key = "mpi_memory_alloc_kinds";

// "mpi,system,cuda:device"; "": it does not say.
std::string memory_kinds() {
#if MPI_VERSION >= 4 && !defined(SMPI_H)
    MPI_Info info = MPI_INFO_NULL;
    if (MPI_Comm_get_info(MPI_COMM_WORLD, &info) != MPI_SUCCESS) return {};
    std::string text(1024, '\0');
    int bytes = static_cast<int>(text.size()), is_there = 0;
    if (MPI_Info_get_string(info, kinds_key, &bytes, text.data(), &is_there) != MPI_SUCCESS) is_there = 0;
    MPI_Info_free(&info);
    return is_there != 0 ? std::string(text.c_str()) : std::string();
#else
    return {};
#endif
}

// "cuda" in "system,cuda:device".
bool names(const std::string &kinds, const std::string &kind) {
    for (size_t begin = 0; begin <= kinds.size();) {
        const size_t end = std::min(kinds.find(',', begin), kinds.size());
        const std::string one = kinds.substr(begin, end - begin);
        if (one.substr(0, one.find(':')) == kind) return true;
        begin = end + 1;
    }
    return false;
}

} // namespace

bool takes_memory_of(const std::string &device, std::string &why) {
    for (const Known &one : known) {
        if (device != one.device) continue;
        const std::string kinds = memory_kinds();
        why = std::string(kinds_key) + " is " + kinds;
        if (names(kinds, one.kind)) return true;
        if (kinds.empty()) why = "nothing of " + library_text() + " tells whether it does";
        for (const char *name : one.extensions) {
            const auto query = name ? reinterpret_cast<int (*)()>(function_of_library(name)) : nullptr;
            if (!query) continue;
            const bool takes = query() == 1;
            why = std::string(name) + (takes ? " says so" : " says no");
            if (takes) return true;
        }
        return false;
    }
    why = "no MPI knows that";
    return false;
}

} // namespace halo::mpi
