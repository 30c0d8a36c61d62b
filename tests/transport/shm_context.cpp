// SPDX-License-Identifier: BSD-3-Clause
// `shm_context [GoogleTest options]`: the library over shared memory alone, as forked processes without an MPI.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "forked.h"
#include "halo.h"
#include "level_objects.h"

namespace {

using transport_tests::failure_of;
using transport_tests::run_forked;

int complain(const char *what, halo_status status) {
    std::fprintf(stderr, "%s: status %d: %s\n", what, status, halo_last_error());
    return 1;
}

halo_status make_context(const halo_bootstrap &bootstrap, const char *shared_memory, halo_context **context) {
    const halo_setting settings[] = { { "transport", "shm" }, { "shared_memory", shared_memory }, { "timeout", "60s" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = 3;
    return halo_context_create_over(&bootstrap, &options, context);
}

int use(const halo_bootstrap &bootstrap, const char *shared_memory) {
    halo_context *context = nullptr;
    halo_status status = make_context(bootstrap, shared_memory, &context);
    if (status != HALO_SUCCESS) return complain("context", status);
    char text[4096];
    size_t needed = 0;
    if (halo_info(context, HALO_INFO_MODULES, text, sizeof text, &needed) != HALO_SUCCESS || std::strstr(text, "shm") == nullptr)
        return std::fprintf(stderr, "no shm in: %s\n", text), 1;
    if (bootstrap.n_ranks > 1) {
        mpi_levels::Objects objects(context);
        for (int round = 0; round < 20; ++round) objects.use(); // compares values; ends the program where they differ
        objects.destroy();
    }
    int64_t sum = bootstrap.rank;
    status = halo_context_allreduce(context, &sum, &sum, 1, HALO_INT64, HALO_SUM);
    if (status != HALO_SUCCESS || sum != bootstrap.n_ranks * (bootstrap.n_ranks - 1) / 2) return complain("sum", status);
    status = halo_context_destroy(&context);
    return status == HALO_SUCCESS ? 0 : complain("destroy", status);
}

class ShmContext : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, ShmContext, testing::Values(1, 2, 4), testing::PrintToStringParamName());

TEST_P(ShmContext, CarriesAllThatTheLibrarySends) {
    for (const char *shared_memory : { "no", "yes" }) {
        const auto body = [&](const halo_bootstrap &bootstrap) { return use(bootstrap, shared_memory); };
        for (const int status : run_forked(GetParam(), body)) EXPECT_EQ(failure_of(status), "") << "shared_memory = " << shared_memory;
    }
}

// Well before the timeout.
TEST(ShmContextEnds, ARankThatDiesIsNamed) {
    const auto body = [](const halo_bootstrap &bootstrap) {
        halo_context *context = nullptr;
        halo_status status = make_context(bootstrap, "no", &context);
        if (status != HALO_SUCCESS) return complain("context", status);
        int64_t sum = 1;
        status = halo_context_allreduce(context, &sum, &sum, 1, HALO_INT64, HALO_SUM);
        if (status != HALO_SUCCESS) return complain("sum", status);
        if (bootstrap.rank == 1) raise(SIGKILL);
        while (status == HALO_SUCCESS) status = halo_context_allreduce(context, &sum, &sum, 1, HALO_INT64, HALO_SUM);
        if (std::string(halo_last_error()).find("rank 1") == std::string::npos) return complain("no word of rank 1", status);
        if (status != HALO_ERR_TRANSPORT && status != HALO_ERR_PEER) return complain("another status", status);
        halo_context_destroy(&context);
        return 0;
    };
    const std::vector<int> statuses = run_forked(2, body, 30);
    EXPECT_EQ(failure_of(statuses[0]), "");
    EXPECT_TRUE(WIFSIGNALED(statuses[1])) << failure_of(statuses[1]);
}

} // namespace
