// SPDX-License-Identifier: BSD-3-Clause
// Contexts over ranks that are given: descriptions that are wrong, an allgather that fails, settings of a rendezvous that do not fit.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "halo.h"

namespace {

halo_bootstrap of(int32_t rank, int32_t n_ranks) {
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    bootstrap.rank = rank;
    bootstrap.n_ranks = n_ranks;
    bootstrap.allgather = [](void *, const void *, size_t, void *) { return HALO_ERR_PEER; };
    return bootstrap;
}

void refused(const halo_bootstrap *bootstrap, halo_status wanted, const char *text, const halo_context_options *options = nullptr) {
    halo_context *context = nullptr;
    EXPECT_EQ(halo_context_create_over(bootstrap, options, &context), wanted) << halo_last_error();
    EXPECT_NE(std::strstr(halo_last_error(), text), nullptr) << halo_last_error();
    EXPECT_EQ(context, nullptr);
}

TEST(Bootstraps, WrongOnesAreRefused) {
    refused(nullptr, HALO_ERR_ARGUMENT, "bootstrap");
    for (const auto &[rank, n_ranks] : { std::pair{ -1, 2 }, { 2, 2 }, { 0, 0 }, { 0, -3 } }) {
        const halo_bootstrap outside = of(rank, n_ranks);
        refused(&outside, HALO_ERR_ARGUMENT, ("bootstrap: rank " + std::to_string(rank) + " of " + std::to_string(n_ranks)).c_str());
    }
    halo_bootstrap without = of(0, 2);
    without.allgather = nullptr;
    refused(&without, HALO_ERR_ARGUMENT, "bootstrap: allgather is NULL, of 2 ranks");
    halo_bootstrap small = of(0, 1);
    small.struct_size = 4;
    refused(&small, HALO_ERR_VERSION, "halo_bootstrap");
    halo_bootstrap other = of(0, 1);
    other.struct_version = 99;
    refused(&other, HALO_ERR_VERSION, "halo_bootstrap");
    const halo_bootstrap good = of(0, 1);
    EXPECT_EQ(halo_context_create_over(&good, nullptr, nullptr), HALO_ERR_ARGUMENT);
}

TEST(Bootstraps, OneRankNeedsNoAllgather) {
    halo_bootstrap alone = of(0, 1);
    alone.allgather = nullptr;
    halo_context *context = nullptr;
    ASSERT_EQ(halo_context_create_over(&alone, nullptr, &context), HALO_SUCCESS) << halo_last_error();
    int32_t rank = -1, n_ranks = 0;
    EXPECT_EQ(halo_context_rank(context, &rank, &n_ranks), HALO_SUCCESS);
    EXPECT_EQ(rank, 0);
    EXPECT_EQ(n_ranks, 1);
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
}

TEST(Bootstraps, ATransportThatNeedsMoreIsRefused) {
    const halo_setting setting{ "transport", "inproc" };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = &setting;
    options.n_settings = 1;
    const halo_bootstrap two = of(0, 2);
    refused(&two, HALO_ERR_PLUGIN, "transport = inproc, but rank 0 of 2 by a bootstrap, and it needs more to open than a bootstrap", &options);
}

// With a transport for it, its status comes back; else what is missing.
TEST(Bootstraps, AnAllgatherThatFails) {
    const halo_bootstrap fails = of(1, 2);
    halo_context *context = nullptr;
    const halo_status status = halo_context_create_over(&fails, nullptr, &context);
    EXPECT_EQ(context, nullptr);
    EXPECT_TRUE(status == HALO_ERR_PEER || status == HALO_ERR_PLUGIN) << halo_status_name(status);
    const char *const text = status == HALO_ERR_PEER ? "allgather" : "no transport can connect the ranks: rank 1 of 2 by a bootstrap";
    EXPECT_NE(std::strstr(halo_last_error(), text), nullptr) << halo_last_error();
}

TEST(Bootstraps, AnotherRankTakesAnotherTransport) {
    halo_bootstrap differs = of(0, 2);
    differs.allgather = [](void *, const void *mine, size_t bytes, void *all) {
        auto *const slots = static_cast<char *>(all);
        std::memcpy(slots, mine, bytes);
        std::memset(slots + bytes, 0, bytes);
        std::strcpy(slots + bytes, "pigeon");
        return HALO_SUCCESS;
    };
    halo_context *context = nullptr;
    const halo_status status = halo_context_create_over(&differs, nullptr, &context);
    EXPECT_EQ(context, nullptr);
    if (status == HALO_ERR_PLUGIN) GTEST_SKIP() << halo_last_error(); // no transport for it
    EXPECT_EQ(status, HALO_ERR_MISMATCH);
    EXPECT_NE(std::strstr(halo_last_error(), " on rank 0 and to pigeon on rank 1: "), nullptr) << halo_last_error();
}

TEST(Bootstraps, SettingsOfARendezvous) {
    halo_setting settings[] = { { "rendezvous", "127.0.0.1:1" }, { "rendezvous.rank", "2" }, { "rendezvous.ranks", "2" }, { "timeout", "100ms" } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = 4;
    const auto expect = [&](halo_status wanted, const char *text) {
        halo_context *context = nullptr;
        EXPECT_EQ(halo_context_create(&options, &context), wanted) << halo_last_error();
        EXPECT_NE(std::strstr(halo_last_error(), text), nullptr) << halo_last_error();
        EXPECT_EQ(context, nullptr);
    };
    expect(HALO_ERR_CONFIG, "setting rendezvous = 127.0.0.1:1, but rendezvous.rank = 2 and rendezvous.ranks = 2");
    settings[1].value = "1";
    expect(HALO_TIMEOUT, "rendezvous 127.0.0.1:1 cannot be reached: Connection refused");
    settings[0].value = "127.0.0.1";
    expect(HALO_ERR_CONFIG, "setting rendezvous = '127.0.0.1': host:port is wanted");
    const halo_bootstrap alone = of(0, 1); // whoever gives ranks means those
    halo_context *context = nullptr;
    ASSERT_EQ(halo_context_create_over(&alone, &options, &context), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
}

} // namespace
