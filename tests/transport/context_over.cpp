// SPDX-License-Identifier: BSD-3-Clause
// `transport_context_over --ranks=N [--fails=VARIABLE] [--unasked=all|none] [--files=no] [--on-one=SETTING=VALUE] [--refused=TEXT]`: contexts over
// the bootstrap of forked processes, by the transport that HALO_TRANSPORT names. With a variable that makes rank 1 fail when it is set to "nothing",
// all ranks must fail, and name it. `unasked`: how many other ranks shm must reach beside it; `files=no`, `on-one`: rank 1 can make no file, or has
// another setting; `refused`: for which all ranks are, with this text.
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
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

struct Wanted {
    std::string fails, unasked, files, on_one, refused;
};

void make_one_differ(const Wanted &wanted) {
    if (!wanted.fails.empty()) setenv(wanted.fails.c_str(), "nothing", 1);
    if (const size_t is = wanted.on_one.find('='); is != std::string::npos)
        setenv(wanted.on_one.substr(0, is).c_str(), wanted.on_one.c_str() + is + 1, 1);
    if (wanted.files != "no") return;
    signal(SIGXFSZ, SIG_IGN);
    const rlimit none{ 0, 0 };
    setrlimit(RLIMIT_FSIZE, &none);
}

int check_unasked(halo_context *context, const halo_bootstrap &bootstrap, const std::string &wanted) {
    char text[4096];
    if (halo_info(context, HALO_INFO_MODULES, text, sizeof text, nullptr) != HALO_SUCCESS) return fail(bootstrap.rank, "info", halo_last_error());
    const bool has = std::string(text).find("transport shm to " + std::to_string(bootstrap.n_ranks - 1) + " ranks, ") == 0;
    const bool has_not = std::string(text).find("shm to ") == std::string::npos;
    return (wanted == "all" ? has : has_not) ? 0 : fail(bootstrap.rank, "transports", text);
}

int run(const halo_bootstrap &bootstrap, const Wanted &wanted) {
    if (bootstrap.rank == 1) make_one_differ(wanted);
    halo_context *context = nullptr;
    const halo_status status = halo_context_create_over(&bootstrap, nullptr, &context);
    const std::string text = halo_last_error();
    if (!wanted.fails.empty())
        return status != HALO_SUCCESS && text.find("rank 1") != std::string::npos ? 0 : fail(bootstrap.rank, "no failure of rank 1", text.c_str());
    if (!wanted.refused.empty())
        return status == HALO_ERR_MISMATCH && text.find(wanted.refused) != std::string::npos ? 0 : fail(bootstrap.rank, "not refused", text.c_str());
    if (status != HALO_SUCCESS) return fail(bootstrap.rank, "no context", text.c_str());
    const int transports = wanted.unasked.empty() ? 0 : check_unasked(context, bootstrap, wanted.unasked);
    const int result = use(context, bootstrap);
    const bool destroyed = halo_context_destroy(&context) == HALO_SUCCESS;
    return destroyed ? transports + result : fail(bootstrap.rank, "destroy", halo_last_error());
}

std::string option(int argc, char **argv, const std::string &name) {
    for (int i = 1; i < argc; ++i)
        if (const std::string given = argv[i]; given.starts_with("--" + name + "=")) return given.substr(name.size() + 3);
    return {};
}

} // namespace

int main(int argc, char **argv) {
    const Wanted wanted{ option(argc, argv, "fails"), option(argc, argv, "unasked"), option(argc, argv, "files"), option(argc, argv, "on-one"),
                         option(argc, argv, "refused") };
    return transport_tests::launch_forked(transport_tests::ranks_wanted(argc, argv),
                                          [&](const halo_bootstrap &bootstrap) { return run(bootstrap, wanted); });
}
