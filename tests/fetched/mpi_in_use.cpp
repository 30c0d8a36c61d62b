// SPDX-License-Identifier: BSD-3-Clause
// `mpi_in_use MODULE FOLDER RANKS`: two contexts one after the other over all RANKS that a launcher has started. The module must be that one, and the
// only MPI in the process one that lies in FOLDER, by what the system says of the files that are mapped.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <halo.h>

namespace {

[[noreturn]] void stop(const std::string &text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    std::exit(1);
}

void need(halo_status status) {
    if (status != HALO_SUCCESS) stop(halo_last_error());
}

// Files of this process whose names begin so.
std::set<std::string> mapped(const std::string &begin) {
    std::set<std::string> files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const size_t path = line.find('/');
        if (path != std::string::npos && line.compare(line.rfind('/') + 1, begin.size(), begin) == 0) files.insert(line.substr(path));
    }
    return files;
}

std::string joined(const std::set<std::string> &files) {
    std::string text;
    for (const std::string &file : files) text += " " + file;
    return text;
}

void use_context(int n_ranks) {
    halo_context *context = nullptr;
    need(halo_context_create(nullptr, &context));
    int32_t rank = 0, size = 0;
    need(halo_context_rank(context, &rank, &size));
    int64_t sum = rank + 1;
    need(halo_context_allreduce(context, &sum, &sum, 1, HALO_INT64, HALO_SUM));
    if (size != n_ranks || sum != int64_t{ size } * (size + 1) / 2)
        stop("there are " + std::to_string(size) + " ranks, and the sum is " + std::to_string(sum));
    need(halo_context_destroy(&context));
}

void check_files(const std::string &module, const std::filesystem::path &folder) {
    const std::set<std::string> modules = mapped("libhalo_transport_mpi_"), libraries = mapped("libmpi");
    if (modules.size() != 1 || modules.begin()->find("/libhalo_transport_" + module + ".so") == std::string::npos)
        stop("modules of MPIs:" + joined(modules) + "; wanted: " + module);
    const std::string wanted = std::filesystem::canonical(folder).string() + "/";
    if (libraries.size() != 1 || libraries.begin()->compare(0, wanted.size(), wanted) != 0)
        stop("libraries of MPIs:" + joined(libraries) + "; wanted: one in " + wanted);
    std::printf("%s over %s\n", module.c_str(), libraries.begin()->c_str());
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const int n_ranks = std::atoi(argv[3]);
    use_context(n_ranks);
    check_files(argv[1], argv[2]);
    use_context(n_ranks);
    check_files(argv[1], argv[2]);
    return 0;
}
