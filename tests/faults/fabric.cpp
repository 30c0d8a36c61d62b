// SPDX-License-Identifier: BSD-3-Clause
// Several transports in one context: the wrapper carries messages to the ranks that it reaches, the in-process transport the rest.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>

#include "level_objects.h"
#include "solver.h"
#include "wrapped.h"

namespace conformance {

namespace {

const Settings besides{ { "transport.besides", " wrap " }, { "shared_memory", "no" } };

// As run; each rank's wrapper reaches what `reach` says.
void run_mixed(int32_t n_ranks, const std::function<int32_t(int32_t rank)> &reach,
               const std::function<void(halo_inproc *group, int32_t rank)> &body) {
    choose_wrapper();
    halo_inproc_group *inner = wrapper().group_create(n_ranks);
    run_raw(n_ranks, [&](halo_inproc *group, int32_t rank) {
        wrapper().seat(inner, rank);
        wrapper().reach(reach(rank));
        body(group, rank);
    });
    if (!testing::Test::HasFailure()) {
        EXPECT_EQ(wrapper().group_destroy(inner), HALO_SUCCESS);
    }
}

// Everything that sends, and values that come from every other rank.
void use(halo_context *context, int32_t rank, int32_t n_ranks) {
    mpi_levels::Objects objects(context);
    for (int round = 0; round < 3; ++round) objects.use();
    objects.destroy();
    int64_t sum = rank;
    OK(halo_context_allreduce(context, &sum, &sum, 1, HALO_INT64, HALO_SUM));
    EXPECT_EQ(sum, n_ranks * (n_ranks - 1) / 2);
    Rank self{ context, rank, n_ranks };
    SolverShape shape;
    shape.n_blocks = 2 * n_ranks;
    Solver solver(self, shape);
    for (int round = 0; round < 3; ++round) solver.run();
    solver.destroy();
}

class Transports : public testing::TestWithParam<int32_t> {};

TEST_P(Transports, EachPeerIsReachedByTheTransportThatDoes) {
    constexpr int32_t n_ranks = 4;
    run_mixed(
        n_ranks, [](int32_t) { return GetParam(); },
        [](halo_inproc *group, int32_t rank) {
            halo_context *context = nullptr;
            OK(make_context(group, rank, besides, &context));
            const wrap_counts before = wrapper().counts();
            use(context, rank, n_ranks);
            EXPECT_EQ(wrapper().counts().sends > before.sends, GetParam() != WRAP_REACHES_NONE);
            char text[2048];
            size_t needed = 0;
            OK(halo_info(context, HALO_INFO_MODULES, text, sizeof text, &needed));
            const char *const wanted[] = { "wrap to 0 ranks, inproc to 3 ranks", "wrap to 2 ranks, inproc to 1 ranks",
                                           "wrap to 3 ranks, inproc to 0 ranks" };
            EXPECT_NE(std::string(text).find(wanted[GetParam()]), std::string::npos) << text;
            const auto expect_route = [&](const std::string &route) { EXPECT_NE(std::string(text).find(route + "\n"), std::string::npos) << text; };
            const char *const others[] = { " 1 to 3", " 0, 2 to 3", " 0 to 1, 3", " 0 to 2" };
            const char *const odd[] = { " 1, 3", " 0, 2", " 1, 3", " 0, 2" };
            const char *const even[] = { " 2", " 3", " 0", " 1" };
            const bool all = GetParam() == WRAP_REACHES_ALL, half = GetParam() == WRAP_REACHES_ODD;
            expect_route(std::string("  wrap, which reaches them first: ranks") + (half ? odd[rank] : all ? others[rank] : " none"));
            expect_route(std::string("  inproc, which takes the rest: ranks") + (half ? even[rank] : all ? " none" : others[rank]));
            OK(halo_context_destroy(&context));
        });
}

INSTANTIATE_TEST_SUITE_P(Reach, Transports, testing::Values(WRAP_REACHES_NONE, WRAP_REACHES_ODD, WRAP_REACHES_ALL));

// The line of a text that begins so.
std::string line_of(const std::string &text, const std::string &begin) {
    const size_t at = text.find("\n" + begin);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

// Of a list in `transport` the last name takes the rest, and what is told of each peer says so. On a ring of three one peer is at an odd distance.
TEST(Fabric, AListSaysWhatReachesWhomAndWhy) {
    constexpr int32_t n_ranks = 3;
    run_mixed(
        n_ranks, [](int32_t) { return WRAP_REACHES_ODD; },
        [](halo_inproc *group, int32_t rank) {
            Rank self{ nullptr, rank, n_ranks };
            OK(make_context(group, rank, { { "transport", "wrap,auto" }, { "shared_memory", "no" } }, &self.context));
            char text[2048];
            OK(halo_info(self.context, HALO_INFO_MODULES, text, sizeof text, nullptr));
            EXPECT_NE(std::string(text).find("    why: transport = wrap,auto from call; for tests\n"), std::string::npos) << text;
            SolverShape shape;
            shape.n_blocks = n_ranks;
            shape.periodic = true;
            Solver solver(self, shape);
            solver.run();
            const std::string described = description_of(solver.exchange);
            for (int32_t peer = 0; peer < n_ranks; ++peer) {
                if (peer == rank) continue;
                const bool odd = (peer + rank) % 2 != 0;
                const std::string way = odd ? "; messages over wrap, which reaches it first" : "; messages over inproc, which takes the rest";
                EXPECT_TRUE(line_of(described, text_of("  to rank %d: ", peer)).ends_with(way)) << described;
            }
            solver.destroy();
            OK(halo_context_destroy(&self.context));
        });
}

TEST(Fabric, ListsThatDifferAreNamed) {
    run_mixed(
        2, [](int32_t) { return WRAP_REACHES_ALL; },
        [](halo_inproc *group, int32_t rank) {
            halo_context *context = nullptr;
            const Settings settings{ { "transport", rank == 0 ? "wrap,auto" : "auto" }, { "shared_memory", "no" } };
            expect_failure(make_context(group, rank, settings, &context), HALO_ERR_MISMATCH,
                           { "setting transport.besides", "wrap", "rank 0", "rank 1" });
        });
}

TEST(Fabric, RanksThatReachEachOtherOneWayAloneAreRefused) {
    run_mixed(
        3, [](int32_t rank) { return rank == 1 ? WRAP_REACHES_NONE : WRAP_REACHES_ALL; },
        [](halo_inproc *group, int32_t rank) {
            halo_context *context = nullptr;
            expect_failure(make_context(group, rank, besides, &context), HALO_ERR_MISMATCH,
                           { "transport.besides", "two ranks differ in which transport" });
        });
}

TEST(Fabric, NamesThatAreNotModulesAreRefused) {
    struct Case {
        const char *list;
        halo_status status;
        const char *text;
    };
    const Case cases[] = {
        { ",", HALO_ERR_CONFIG, "a name is empty" },
        { "wrap,", HALO_ERR_CONFIG, "a name is empty" },
        { ",wrap", HALO_ERR_CONFIG, "a name is empty" },
        { "wrap,,wrap", HALO_ERR_CONFIG, "a name is empty" },
        { "nobody", HALO_ERR_PLUGIN, "nobody" },
        { "wrap, ", HALO_ERR_CONFIG, "a name is empty" },
        { " , wrap", HALO_ERR_CONFIG, "a name is empty" },
        { "nobody ", HALO_ERR_PLUGIN, "'nobody'" },
        { "mpi_mpich", HALO_ERR_CONFIG, "an MPI reaches all ranks" },
    };
    for (const int32_t n_ranks : { 1, 2 })
        for (const Case &one : cases)
            run_mixed(
                n_ranks, [](int32_t) { return WRAP_REACHES_ALL; },
                [&](halo_inproc *group, int32_t rank) {
                    halo_context *context = nullptr;
                    const Settings settings{ { "transport.besides", one.list } };
                    expect_failure(make_context(group, rank, settings, &context), one.status, { one.text });
                });
}

TEST(Fabric, WhoCannotAddATransportIsNamedOnAllRanks) {
    choose_wrapper();
    halo_inproc_group *groups[] = { wrapper().group_create(2), wrapper().group_create(2) };
    run_raw(2, [&](halo_inproc *group, int32_t rank) {
        wrapper().seat(groups[rank], 0); // which rank 1 is not
        wrapper().reach(WRAP_REACHES_ALL);
        halo_context *context = nullptr;
        expect_failure(make_context(group, rank, besides, &context), rank == 0 ? HALO_ERR_PEER : HALO_ERR_PLUGIN,
                       { "transport wrap has this rank as 0 of 2, transport inproc as 1 of 2" });
    });
    for (halo_inproc_group *group : groups) EXPECT_EQ(wrapper().group_destroy(group), HALO_SUCCESS);
}

// The wrapper is not ready for more of them at first.
TEST(Fabric, LanesAreThoseThatAllTransportsHave) {
    run_mixed(
        2, [](int32_t) { return WRAP_REACHES_ALL; },
        [](halo_inproc *group, int32_t rank) {
            Rank self{ nullptr, rank, 2 };
            OK(make_context(group, rank, besides, &self.context));
            halo_channel *channel = add_channel(self, 0, 1, 0);
            halo_group_desc desc = HALO_GROUP_DESC_INIT;
            desc.messages = HALO_MESSAGES_PER_CHANNEL;
            halo_group *made = nullptr;
            OK(halo_context_barrier(self.context));
            if (rank == 1) {
                wrap_faults faults{};
                faults.no_lanes = 1;
                wrapper().set_faults(&faults);
                OK(halo_context_set(self.context, "timeout", "200ms"));
                expect_failure(halo_group_create(self.context, &channel, 1, &desc, &made), HALO_TIMEOUT, { "lanes" });
                faults.no_lanes = 0;
                wrapper().set_faults(&faults);
                OK(halo_context_set(self.context, "timeout", "none"));
            }
            OK(halo_group_create(self.context, &channel, 1, &desc, &made));
            OK(halo_context_barrier(self.context));
            OK(halo_group_destroy(&made));
            OK(halo_channel_destroy(&channel));
            OK(halo_context_destroy(&self.context));
        });
}

} // namespace

} // namespace conformance
