// SPDX-License-Identifier: BSD-3-Clause
// Two ranks whose lists differ in one direction alone: no words tell them apart, and each finds the other's edges.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "solver.h"

namespace conformance {

namespace {

// Rank 0 sends two points of each field and rank 1 expects one; what goes back is as it should be.
struct OtherLists {
    halo_topology *topology = nullptr;
    std::vector<halo_field *> fields;
    halo_exchange *exchange = nullptr;

    OtherLists(halo_context *context, int32_t rank, size_t n_fields, const halo_exchange_desc *policy) : fields(n_fields) {
        const int32_t peer = 1 - rank;
        const int64_t sent[] = { 0, rank == 0 ? 2 : 1 }, received[] = { 0, 1 };
        const uint32_t own[] = { 0, 1 }, ghosts[] = { 2 };
        halo_lists_desc lists = HALO_LISTS_DESC_INIT;
        lists.n_points = 3, lists.n_peers = 1, lists.peers = &peer;
        lists.send_offsets = sent, lists.send = own, lists.receive_offsets = received, lists.receive = ghosts;
        OK(halo_topology_create_lists(context, &lists, &topology));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        for (size_t i = 0; i < n_fields; ++i) {
            std::string name = "u";
            name += std::to_string(i);
            desc.name = name.c_str();
            OK(halo_field_create(topology, &desc, &fields[i]));
            OK(halo_field_allocate(fields[i], -1));
        }
        OK(halo_exchange_create(fields.data(), static_cast<int32_t>(n_fields), policy, &exchange));
    }
    void start() const { OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE)); }
    void expect_named() const {
        expect_failure(halo_exchange_finish(exchange, HALO_STREAM_NONE), HALO_ERR_MISMATCH,
                       { "the plans of rank", "0 -> 1, field u0", "16 bytes", "8 bytes" });
    }
    // As long as this rank finds something to do.
    void look() const {
        constexpr int looks = 200;
        for (int32_t look = 0, done = 0; look < looks; ++look) OK(halo_exchange_test(exchange, &done));
    }
    void destroy() {
        OK(halo_exchange_destroy(&exchange));
        for (halo_field *&field : fields) OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    }
};

class OneWay : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Messages, OneWay, testing::Values(HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));

// Rank 0 gets what it expects, and does not take it for a run.
TEST_P(OneWay, ListsThatDifferAreNamedOnBothRanks) {
    run(2, {}, [&](const Rank &rank) {
        halo_exchange_desc policy = HALO_EXCHANGE_DESC_INIT;
        policy.messages = GetParam();
        OtherLists lists(rank.context, rank.rank, 1, &policy);
        lists.start();
        lists.expect_named();
        lists.destroy();
    });
}

// Rank 0 gives the run up and goes when it has said which edges it has, of which there are more than a transport keeps on its own.
TEST(Lists, ThatDifferAreNamedThoughThePeerThatTellsOfThemGoes) {
    constexpr size_t n_fields = 40;
    std::atomic<int> step = 0;
    const auto wait_for_step = [&](int number) {
        while (step < number) std::this_thread::yield();
    };
    run_raw(2, [&](halo_inproc *group, int32_t rank) {
        halo_context *context = nullptr;
        OK(make_context(group, rank, { { "timeout", "5s" }, { "wait.ask_after", "0" } }, &context));
        OtherLists lists(context, rank, n_fields, nullptr);
        if (rank == 0) {
            lists.start();
            step = 1;
            wait_for_step(2);
            lists.look();
            OK(halo_exchange_abandon(lists.exchange));
            lists.destroy();
            step = 3;
        } else {
            wait_for_step(1);
            lists.start();
            lists.look();
            step = 2;
            wait_for_step(3);
            std::this_thread::sleep_for(std::chrono::milliseconds(50)); // rank 0's context goes meanwhile
            lists.expect_named();
            lists.destroy();
        }
        OK(halo_context_destroy(&context));
    });
}

} // namespace

} // namespace conformance
