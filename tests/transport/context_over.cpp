// SPDX-License-Identifier: BSD-3-Clause
// `transport_context_over --ranks=N [--fails=VARIABLE]`: contexts over the bootstrap of forked processes, by the transport that HALO_TRANSPORT names.
// With a variable that makes rank 1 fail when it is set to "nothing", all ranks must fail, and name it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "forked.h"
#include "halo.h"

namespace {

int fail(int32_t rank, const char *what, const char *text) {
    std::fprintf(stderr, "rank %d: %s: %s\n", rank, what, text);
    return 1;
}

int use(halo_context *context, const halo_bootstrap &bootstrap) {
    int32_t rank = -1, n_ranks = 0;
    if (halo_context_rank(context, &rank, &n_ranks) != HALO_SUCCESS || rank != bootstrap.rank || n_ranks != bootstrap.n_ranks)
        return fail(bootstrap.rank, "wrong rank", std::to_string(rank).c_str());
    for (int64_t round = 0; round < 100; ++round) {
        const int64_t mine = round + rank;
        int64_t sum = 0;
        if (halo_context_allreduce(context, &mine, &sum, 1, HALO_INT64, HALO_SUM) != HALO_SUCCESS)
            return fail(rank, "allreduce", halo_context_error(context));
        if (sum != n_ranks * round + n_ranks * (n_ranks - 1) / 2) return fail(rank, "wrong sum", std::to_string(sum).c_str());
    }
    if (halo_context_barrier(context) != HALO_SUCCESS) return fail(rank, "barrier", halo_context_error(context));
    return 0;
}

int run(const halo_bootstrap &bootstrap, const char *fails) {
    if (fails != nullptr && bootstrap.rank == 1) setenv(fails, "nothing", 1);
    halo_context *context = nullptr;
    const halo_status status = halo_context_create_over(&bootstrap, nullptr, &context);
    const std::string text = halo_last_error();
    if (fails != nullptr)
        return status != HALO_SUCCESS && text.find("rank 1") != std::string::npos ? 0 : fail(bootstrap.rank, "no failure of rank 1", text.c_str());
    if (status != HALO_SUCCESS) return fail(bootstrap.rank, "no context", text.c_str());
    const int result = use(context, bootstrap);
    return halo_context_destroy(&context) == HALO_SUCCESS ? result : fail(bootstrap.rank, "destroy", halo_last_error());
}

} // namespace

int main(int argc, char **argv) {
    const char option[] = "--fails=";
    const char *fails = nullptr;
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], option, sizeof option - 1) == 0) fails = argv[i] + sizeof option - 1;
    return transport_tests::launch_forked(transport_tests::ranks_wanted(argc, argv),
                                          [&](const halo_bootstrap &bootstrap) { return run(bootstrap, fails); });
}
