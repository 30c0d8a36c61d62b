// SPDX-License-Identifier: BSD-3-Clause
// Work that a device accepts, and fails in when the call has returned: which call says so, what peers hear of it, and that the next run works.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>

#include "late/ring.h"

namespace {

using namespace conformance;
using late::Ring;
using late::RingExchange;
using late::RingField;

constexpr int32_t long_enough = 200000; // microseconds: the call has returned by then
constexpr std::initializer_list<const char *> whole_text{ "exchange ", " over u", "run ", "device late", "has failed, as ordered" };

void expect(halo_status status, halo_status wanted, const char *text, std::initializer_list<const char *> parts) {
    if (status != wanted) stop("status %d, not %d: %s", status, wanted, text);
    for (const char *part : parts)
        if (!std::strstr(text, part)) stop("'%s' is not in: %s", part, text);
}

halo_status run_once(halo_exchange *exchange, halo_stream stream) {
    const halo_status status = halo_exchange_start(exchange, nullptr, stream);
    return status == HALO_SUCCESS ? halo_exchange_finish(exchange, stream) : status;
}

// Accepted at once, after so many launches, and failing much later.
void fail_late(const RingField &u, int64_t after) {
    late_fail_work(u.device(), after);
    late_delay_launch(u.device(), after, long_enough);
}

// Packing, or copies within the rank, before finish is called. Each is a launch of its own: recorded together they fail together.
class BeforeFinish : public testing::TestWithParam<int64_t> {};

TEST_P(BeforeFinish, FinishSaysSo) {
    run(2, late::settings({ { "timeout", "20" }, { "device.graphs", "no" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        for (int turn = 0; turn < 3; ++turn) {
            u.write(turn, stream);
            if (rank.rank == 0) late_fail_work(u.device(), GetParam());
            halo_status status = halo_exchange_start(exchange, nullptr, stream);
            stream.synchronize();
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, stream);
            if (rank.rank == 0)
                expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), whole_text);
            else if (GetParam() == 0)
                expect(status, HALO_ERR_PEER, halo_context_error(rank.context), { "rank 0", " over u", "as ordered" });
            else
                OK(status); // it had its part
            for (int again = 0; again < 2; ++again) {
                u.write(turn + 10, stream);
                OK(run_once(exchange, stream));
                u.expect(turn + 10, stream, "after the failure");
            }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(DevicesFailLater, BeforeFinish, testing::Values(0, 1),
                         [](const auto &one) { return std::string(one.param == 0 ? "Packing" : "CopiesWithinTheRank"); });

// The next start fails in its place, on all ranks; on the stream of before, and on another. Behind copies within the rank unpacking follows; recorded
// together with packing they fail as that does.
class BehindFinish : public testing::TestWithParam<int64_t> {};

TEST_P(BehindFinish, TheNextStartSaysSo) {
    run(2, late::settings({ { "timeout", "20" }, { "device.graphs", "no" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream first(u.device()), second(u.device());
        for (int turn = 0; turn < 4; ++turn) {
            u.write(turn, first);
            first.synchronize();
            if (rank.rank == 0) fail_late(u, GetParam());
            OK(run_once(exchange, first));
            first.synchronize();
            const halo_status status = run_once(exchange, first);
            if (rank.rank == 0)
                expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), whole_text);
            else
                expect(status, HALO_ERR_PEER, halo_context_error(rank.context), { "rank 0", " over u", "as ordered" });
            first.synchronize();
            const late::Stream &next = turn % 2 == 0 ? first : second;
            u.write(turn + 10, next);
            OK(run_once(exchange, next));
            u.expect(turn + 10, next, "after the failure");
        }
    });
}

INSTANTIATE_TEST_SUITE_P(DevicesFailLater, BehindFinish, testing::Values(1, 2),
                         [](const auto &one) { return std::string(one.param == 1 ? "CopiesWithinTheRank" : "Unpacking"); });

// In the phases of a task list it is refine that ends a run.
TEST(DevicesFailLater, InPhases) {
    run(1, late::settings({ { "timeout", "20" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const RingExchange exchange({ u.handle() });
        const late::Stream stream(u.device());
        const auto unpacked = [&] {
            int32_t done = 0;
            OK(halo_exchange_post(exchange, nullptr));
            OK(halo_exchange_send(exchange, stream));
            while (!done) OK(halo_exchange_test(exchange, &done));
            OK(halo_exchange_unpack(exchange, stream));
        };
        u.write(1, stream);
        fail_late(u, 0); // copies within the rank
        unpacked();
        OK(halo_exchange_refine(exchange, stream));
        stream.synchronize();
        const halo_status status = halo_exchange_post(exchange, nullptr);
        expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), whole_text);
        u.write(2, stream);
        unpacked();
        OK(halo_exchange_refine(exchange, stream));
        u.expect(2, stream, "after the failure");
    });
}

// A run that fails by itself says nothing of its device.
TEST(DevicesFailLater, InARunThatHasFailedOtherwise) {
    run(1, late::settings({ { "timeout", "20" }, { "device.graphs", "no" } }), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u", 0, true);
        late::bind(u.handle(), 0, u.array(0).data(), HALO_MEMORY_DEVICE, 0);
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.arrival = [](void *, const halo_arrival *) -> halo_status { return HALO_ERR_ARGUMENT; };
        const RingExchange exchange({ u.handle() }, &desc);
        const late::Stream stream(u.device());
        u.array(0).write(ring.owned(0, 1), stream);
        stream.synchronize();
        fail_late(u, 1); // copies within the rank, behind a test
        OK(halo_exchange_start(exchange, nullptr, stream));
        halo_status status = halo_exchange_finish(exchange, stream);
        expect(status, HALO_ERR_ARGUMENT, halo_context_error(rank.context), {});
        stream.synchronize();
        status = halo_exchange_start(exchange, nullptr, stream);
        expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), whole_text);
    });
}

// No run follows: destroying the exchange says so, and destroys it.
TEST(DevicesFailLater, BeforeTheExchangeIsDestroyed) {
    run(1, late::settings(), [](Rank &rank) {
        const Ring ring(rank, 2);
        const RingField u(ring, "u");
        const late::Stream stream(u.device());
        halo_field *const field = u.handle();
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, nullptr, &exchange));
        u.write(1, stream);
        fail_late(u, 0);
        OK(run_once(exchange, stream));
        stream.synchronize();
        const halo_status status = halo_exchange_destroy(&exchange);
        expect(status, HALO_ERR_DEVICE, halo_last_error(), whole_text);
        expect(status, HALO_ERR_DEVICE, halo_context_error(rank.context), whole_text);
        if (exchange) stop("the exchange is still there");
        const RingExchange next({ u.handle() });
        u.write(2, stream);
        OK(run_once(next, stream));
        u.expect(2, stream, "after the failure");
    });
}

// The exchange is gone by then: destroying the context says so, and destroys it.
TEST(DevicesFailLater, WhenTheExchangeIsGone) {
    run_raw(1, [](halo_inproc *group, int32_t number) {
        halo_context *context = nullptr;
        OK(make_context(group, number, late::settings(), &context));
        {
            Rank rank{ context, number, 1 };
            const Ring ring(rank, 2);
            const RingField u(ring, "u");
            const late::Stream stream(u.device());
            u.write(1, stream);
            {
                const RingExchange exchange({ u.handle() });
                fail_late(u, 0);
                OK(run_once(exchange, stream));
            }
            stream.synchronize();
        }
        const halo_status status = halo_context_destroy(&context);
        expect(status, HALO_ERR_DEVICE, halo_last_error(), whole_text);
        if (context) stop("the context is still there");
    });
}

} // namespace
