// SPDX-License-Identifier: BSD-3-Clause
// Contributions that the device of one rank writes into memory of another's, which combines them: in one process, and with --processes or --ranks
// between several.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

#include "direct.h"

namespace {

using namespace late;

void sum_in_order(const Rank &rank, const RingExchange &exchange, const RingField &field, double shift) {
    field.write_with_ghosts(shift, nullptr);
    start_in_order(rank, exchange);
    OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
    field.expect_sums(shift, nullptr, "sums");
    OK(halo_context_barrier(rank.context));
}

// What a device combines is written beside its field, as a message would have it.
TEST(Direct, ContributionsAreWrittenByThePeersDevice) {
    for (const bool stable : { false, true })
        run(2, direct(), [&](Rank &rank) {
            const Ring ring(rank, n_blocks);
            const RingField field(ring, "u");
            const halo_exchange_desc desc = sums(stable);
            const RingExchange exchange({ field.handle() }, &desc);
            for (int n = 0; n < n_known; ++n) sum_in_order(rank, exchange, field, 1000 + n);
            const int64_t before = landed(exchange);
            for (int n = 0; n < 10; ++n) sum_in_order(rank, exchange, field, n);
            if (rank.rank != 0 && landed(exchange) != before + 10) stop("%lld runs of 10", static_cast<long long>(landed(exchange) - before));
            if (rank.rank != 0) expect_described(rank, exchange, "from storage to storage, on a device");
        });
}

// Who writes waits for the stream that still combines what the run before has brought; contributions may change when start has returned.
TEST(Direct, ContributionsKeepTheOrderOfStreams) {
    constexpr int n_runs = 40;
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField field(ring, "u");
        const halo_exchange_desc desc = sums();
        const RingExchange exchange({ field.handle() }, &desc);
        for (int n = 0; n < n_known; ++n) sum_in_order(rank, exchange, field, 1000 + n);
        const int64_t before = landed(exchange);
        const late::Stream stream(field.device());
        const late::Array<double> &values = field.array(0);
        std::deque<late::Array<double>> seen;
        for (int n = 0; n < n_runs; ++n) seen.emplace_back(rank.context, Ring::size);
        for (int n = 0; n < n_runs; ++n) {
            field.write_with_ghosts(n, stream);
            start_in_order(rank, exchange, nullptr, stream, n % 2);
            const std::vector<double> others(Ring::size, -1000);
            values.write_part(others, 0, Ring::ghosts, stream);
            values.write_part(others, Ring::ghosts + Ring::n_cells, Ring::ghosts, stream);
            if (n % 3 == 0) late_delay_launch(field.device(), 0, 3000); // what combines
            OK(halo_exchange_finish(exchange, stream));
            seen[static_cast<size_t>(n)].copy_from(values, stream);
        }
        for (int n = 0; n < n_runs; ++n) {
            std::vector<double> wanted = ring.filled(ring.first_gid(), n);
            for (size_t i = 0; i < Ring::ghosts; ++i) {
                wanted[Ring::ghosts + i] *= 2, wanted[Ring::n_cells + i] *= 2;
                wanted[i] = wanted[Ring::ghosts + Ring::n_cells + i] = -1000;
            }
            if (seen[static_cast<size_t>(n)].read(stream) != wanted) stop("rank %d has other sums in run %d", rank.rank, n);
        }
        if (landed(exchange) == before) stop("nothing was put");
    });
}

// Fewer components: the memory is for as many.
TEST(Direct, ContributionsOfNarrowedRuns) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField u(ring, "u"), v(ring, "v");
        const halo_exchange_desc desc = sums();
        const RingExchange exchange({ u.handle(), v.handle() }, &desc);
        int64_t before = 0;
        for (int n = 0; n < 12; ++n) {
            if (n == n_known) before = landed(exchange);
            const std::array<int32_t, 2> mask = { n % 3 != 1, n % 3 != 2 };
            halo_run some = HALO_RUN_INIT;
            some.n_fields = 2, some.field_mask = mask.data();
            u.write_with_ghosts(n, nullptr), v.write_with_ghosts(n + 500, nullptr);
            start_in_order(rank, exchange, &some);
            OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
            if (mask[0]) u.expect_sums(n, nullptr, "u");
            if (mask[1]) v.expect_sums(n + 500, nullptr, "v");
            OK(halo_context_barrier(rank.context));
        }
        if (rank.rank != 0 && landed(exchange) != before + 8) stop("%lld runs of 8", static_cast<long long>(landed(exchange) - before));
    });
}

TEST(Direct, ADeviceThatFailsToWriteContributions) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField field(ring, "u");
        const halo_exchange_desc desc = sums();
        const RingExchange exchange({ field.handle() }, &desc);
        for (int n = 0; n < n_known; ++n) sum_in_order(rank, exchange, field, 1000 + n);
        expect_writes_after_failures(
            rank, exchange, field.device(), [&](int n) { field.write_with_ghosts(n, nullptr); },
            [&](int n) { sum_in_order(rank, exchange, field, 100 + n); });
    });
}

// Whichever comes first.
TEST(Direct, ContributionsOnTheHostToo) {
    for (const bool begins_on_host : { true, false })
        run(2, direct(), [&](Rank &rank) {
            const Ring ring(rank, 1);
            halo_field_desc of_field = HALO_FIELD_DESC_INIT;
            of_field.ghost_low[0] = of_field.ghost_high[0] = Ring::ghosts, of_field.n_sets = 2;
            halo_field *field = nullptr;
            OK(halo_field_create(ring.topology(), &of_field, &field));
            const late::Array<double> array(rank.context, Ring::size);
            void *shared = nullptr;
            OK(halo_memory_allocate(rank.context, HALO_MEMORY_SHARED, Ring::size * sizeof(double), &shared));
            auto *const host = static_cast<double *>(shared);
            late::bind(field, ring.first_gid(), array.data(), HALO_MEMORY_DEVICE, 0, 0);
            late::bind(field, ring.first_gid(), host, HALO_MEMORY_SHARED, 0, 1);
            std::vector<double> wanted;
            const auto sum = [&](const RingExchange &exchange, int32_t set, double shift) {
                const std::vector<double> values = ring.filled(ring.first_gid(), shift);
                wanted = values;
                for (size_t i = 0; i < Ring::ghosts; ++i) wanted[Ring::ghosts + i] *= 2, wanted[Ring::n_cells + i] *= 2;
                if (set == 0)
                    array.write(values, nullptr);
                else
                    std::ranges::copy(values, host);
                halo_run run = HALO_RUN_INIT;
                run.n_fields = 1, run.sets = &set;
                start_in_order(rank, exchange, &run);
                OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
                const std::vector<double> is = set == 0 ? array.read(nullptr) : std::vector<double>(host, host + Ring::size);
                if (is != wanted) stop("set %d: other sums", set);
                OK(halo_context_barrier(rank.context));
            };
            {
                const halo_exchange_desc desc = sums(true);
                const RingExchange exchange({ field }, &desc);
                for (int n = 0; n < n_known; ++n) sum(exchange, begins_on_host ? 1 : 0, n);
                for (int n = 0; n < 20; ++n) sum(exchange, n % 2, 100 + n);
                if (landed(exchange) == 0 && rank.rank == 1) stop("nothing went from storage to storage");
            }
            OK(halo_field_destroy(&field));
            OK(halo_memory_release(rank.context, &shared));
        });
}

// They are refused, and nobody has written more than there is room for.
TEST(Direct, ContributionsOfRunsThatDiffer) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField u(ring, "u"), v(ring, "v");
        const halo_exchange_desc desc = sums();
        const RingExchange exchange({ u.handle(), v.handle() }, &desc);
        v.write_with_ghosts(0, nullptr);
        for (int n = 0; n < n_known; ++n) sum_in_order(rank, exchange, u, 1000 + n);
        for (int n = 0; n < 4; ++n) {
            const std::array<int32_t, 2> mask = { 1, rank.rank };
            halo_run some = HALO_RUN_INIT;
            some.n_fields = 2, some.field_mask = mask.data();
            const int64_t before = landed(exchange);
            start_in_order(rank, exchange, &some);
            if (halo_exchange_finish(exchange, HALO_STREAM_DEFAULT) == HALO_SUCCESS) stop("runs that differ have worked");
            if (landed(exchange) != before) stop("what is more than the other's run was put");
            OK(halo_context_barrier(rank.context));
            sum_in_order(rank, exchange, u, n);
        }
    });
}

// The exchange is gone before its device has combined what it has got.
TEST(Direct, ContributionsAreKeptUntilTheyAreCombined) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField field(ring, "u");
        const late::Stream another(field.device());
        std::deque<late::Array<double>> others;
        {
            const halo_exchange_desc desc = sums();
            const RingExchange exchange({ field.handle() }, &desc);
            for (int n = 0; n < n_known; ++n) sum_in_order(rank, exchange, field, 1000 + n);
            field.write_with_ghosts(1, nullptr);
            start_in_order(rank, exchange);
            late_delay_launch(field.device(), 0, long_enough);
            OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
            if (rank.rank == 1 && landed(exchange) == 0) stop("nothing was put");
        }
        const std::vector<double> zeros(4 * Ring::ghosts, 0);
        for (int n = 0; n < 8; ++n) others.emplace_back(rank.context, zeros.size()).write(zeros, another);
        another.synchronize();
        field.expect_sums(1, nullptr, "sums of an exchange that is gone");
        OK(halo_context_barrier(rank.context));
    });
}

// Rank 0 has given up its run, and its exchange is gone; the device of rank 1 writes later what that was to combine.
TEST(Direct, MemoryForContributionsIsKeptWhileAPeerWritesThere) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField field(ring, "u");
        std::deque<late::Array<double>> others;
        {
            const halo_exchange_desc desc = sums();
            const RingExchange exchange({ field.handle() }, &desc);
            for (int n = 0; n < n_known; ++n) sum_in_order(rank, exchange, field, 1000 + n);
            field.write_with_ghosts(1, nullptr);
            if (rank.rank == 1) late_delay_launch(field.device(), 0, 10 * long_enough);
            start_in_order(rank, exchange);
            OK(halo_context_barrier(rank.context));
            if (rank.rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1500)); // and says nothing: rank 0 waits for a second
            OK(halo_exchange_abandon(exchange));
        }
        const std::vector<double> zeros(4 * Ring::ghosts, 0);
        for (int n = 0; n < 8; ++n) others.emplace_back(rank.context, zeros.size()).write(zeros, nullptr);
        OK(halo_context_barrier(rank.context));
        std::this_thread::sleep_for(std::chrono::microseconds(5 * long_enough));
        for (const late::Array<double> &other : others)
            if (other.read(nullptr) != zeros) stop("rank %d: what is another's was written", rank.rank);
        OK(halo_context_barrier(rank.context));
    });
}

// As many as DIRECT_EXCHANGES says.
TEST(Direct, NothingIsLeftOfManySums) {
    const int64_t n_exchanges = number_from("DIRECT_EXCHANGES", 100);
    run(2, direct(), [&](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField field(ring, "u");
        const halo_exchange_desc desc = sums();
        late_counts after_some{};
        for (int64_t n = 0; n < n_exchanges; ++n) {
            const RingExchange exchange({ field.handle() }, &desc);
            for (int run = 0; run < 3; ++run) sum_in_order(rank, exchange, field, static_cast<double>(n + run));
            if (rank.rank == 1 && landed(exchange) == 0) stop("exchange %lld: nothing was put", static_cast<long long>(n));
            const late_counts counts = late_count(field.device());
            if (n == 10) after_some = counts;
            if (n > 10 && (counts.opened != after_some.opened || counts.exported != after_some.exported || counts.bytes != after_some.bytes))
                stop("after %lld exchanges %lld bytes, %lld exported, %lld opened", static_cast<long long>(n), static_cast<long long>(counts.bytes),
                     static_cast<long long>(counts.exported), static_cast<long long>(counts.opened));
        }
    });
}

} // namespace
