// SPDX-License-Identifier: BSD-3-Clause
// Contexts of ranks that a launcher with PMIx has started, in a process without MPI.
//
// usage: started_rank contexts N      one after the other, and two at once
//        started_rank refused RANK    that rank names a transport that is not there; then all make another context
//        started_rank late RANK       that rank comes after the time limit of the others, which try again
//        started_rank fails RANK      that rank ends with status 5 while the others wait for it
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "halo.h"

namespace {

int this_rank() { return std::atoi(std::getenv("PMIX_RANK")); }

int wrong(const char *what, const char *text) {
    std::fprintf(stderr, "rank %d: %s: %s\n", this_rank(), what, text);
    return EXIT_FAILURE;
}

halo_status create(halo_context **context, const char *key = nullptr, const char *value = nullptr) {
    const halo_setting setting = { key, value };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &setting;
    options.n_settings = key ? 1 : 0;
    return halo_context_create(&options, context);
}

int use(halo_context *context) {
    int32_t rank = -1, n_ranks = 0;
    if (halo_context_rank(context, &rank, &n_ranks) != HALO_SUCCESS || rank != this_rank()) return wrong("its rank", std::to_string(rank).c_str());
    for (int64_t round = 0; round < 20; ++round) {
        int64_t sum = round + rank;
        if (halo_context_allreduce(context, &sum, &sum, 1, HALO_INT64, HALO_SUM) != HALO_SUCCESS) return wrong("a sum", halo_context_error(context));
        if (sum != n_ranks * round + n_ranks * (n_ranks - 1) / 2) return wrong("a sum", std::to_string(sum).c_str());
    }
    return EXIT_SUCCESS;
}

int make_and_use() {
    halo_context *context = nullptr;
    if (create(&context) != HALO_SUCCESS) return wrong("no context", halo_last_error());
    const int result = use(context);
    return halo_context_destroy(&context) == HALO_SUCCESS ? result : wrong("destroy", halo_last_error());
}

int expect(halo_status status, halo_status wanted, const char *text) {
    if (status != wanted) return wrong(halo_status_name(status), halo_last_error());
    return std::strstr(halo_last_error(), text) ? EXIT_SUCCESS : wrong("another text", halo_last_error());
}

int contexts(int n) {
    for (int i = 0; i < n; ++i)
        if (make_and_use() != EXIT_SUCCESS) return EXIT_FAILURE;
    halo_context *two[2] = { nullptr, nullptr };
    for (halo_context *&one : two)
        if (create(&one) != HALO_SUCCESS) return wrong("no context", halo_last_error());
    for (halo_context *&one : two)
        if (use(one) != EXIT_SUCCESS || halo_context_destroy(&one) != HALO_SUCCESS) return wrong("two at once", halo_last_error());
    return EXIT_SUCCESS;
}

int refused(int rank) {
    halo_context *context = nullptr;
    const bool is_that = this_rank() == rank;
    const halo_status status = create(&context, is_that ? "transport" : nullptr, "pigeon");
    const std::string first_cause =
        "bootstrap pmix: another rank has given it up; first cause, on rank " + std::to_string(rank) + ": HALO_ERR_PLUGIN: transport 'pigeon'";
    if (expect(status, is_that ? HALO_ERR_PLUGIN : HALO_ERR_PEER, is_that ? "transport 'pigeon'" : first_cause.c_str()) != EXIT_SUCCESS)
        return EXIT_FAILURE;
    return make_and_use();
}

int late(int rank) {
    if (this_rank() == rank) {
        std::this_thread::sleep_for(std::chrono::seconds(2));
        return make_and_use();
    }
    halo_context *context = nullptr;
    const halo_status status = create(&context, "timeout", "0.3s");
    return expect(status, HALO_TIMEOUT, ": not all ranks have come") != EXIT_SUCCESS ? EXIT_FAILURE : make_and_use();
}

int fails(int rank) {
    constexpr int status = 5;
    if (this_rank() != rank) return make_and_use();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::_Exit(status);
}

// The loader's list of what is in this process.
bool has_mpi() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("/libmpi") != std::string::npos) return true;
    return false;
}

} // namespace

int main(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? std::atoi(argv[2]) : 0;
    const int result = what == "contexts" ? contexts(number) : what == "refused" ? refused(number) : what == "late" ? late(number) : fails(number);
    if (result == EXIT_SUCCESS && has_mpi()) return wrong("an MPI", "it is in this process");
    if (result == EXIT_SUCCESS) std::printf("good\n");
    return result;
}
