// SPDX-License-Identifier: BSD-3-Clause
// A rank without memory gives up its context: it goes on, and the others hear who it was, also where memory fails once more.
#include <gtest/gtest.h>

#include <new>
#include <optional>

#include "comm/collective.h"
#include "comm/collective_stream.h"
#include "heap_calls.h"
#include "two_contexts.h"

namespace halo {
namespace {

constexpr int64_t most_calls = 100; // of the heap, by what is tried here

// How a barrier of rank 0 ends, which none of these ranks comes to. None: memory failed.
std::optional<Error> end_of_barrier(const TwoContexts &ranks) {
    try {
        const CollectiveCall call(ranks.context(), "barrier", 1);
        barrier(ranks.context());
    } catch (const Error &error) {
        return error;
    } catch (const std::bad_alloc &) {
        return {};
    }
    ADD_FAILURE() << "the barrier has ended";
    return {};
}

TEST(GivenUp, AContextIsWhereMemoryFailsAgain) {
    for (int64_t failing = 1; failing < most_calls; ++failing) {
        const TwoContexts ranks;
        const int64_t before = heap_calls();
        let_heap_call_fail(failing);
        ranks.contexts[1]->collectives().give_up();
        const bool failed = heap_calls() - before >= failing;
        let_heap_call_fail(0);
        if (!failed) return;
    }
    ADD_FAILURE() << "takes more memory than it should";
}

TEST(GivenUp, AContextIsNamedWhereMemoryFailsHereToo) {
    bool has_failed = false;
    for (int64_t failing = 1; failing < most_calls; ++failing) {
        const TwoContexts ranks;
        ranks.contexts[1]->collectives().give_up();
        const int64_t before = heap_calls();
        let_heap_call_fail(failing);
        std::optional<Error> ended = end_of_barrier(ranks);
        const bool failed = heap_calls() - before >= failing;
        let_heap_call_fail(0);
        if (!ended) ended = end_of_barrier(ranks);
        has_failed = has_failed || failed;
        ASSERT_TRUE(ended);
        EXPECT_EQ(ended->status(), HALO_ERR_PEER) << failing << ": " << ended->text();
        EXPECT_NE(ended->text().find("rank 1 has ended the collectives of this context"), std::string::npos) << failing << ": " << ended->text();
        if (!failed) break;
    }
    EXPECT_TRUE(has_failed);
}

} // namespace
} // namespace halo
