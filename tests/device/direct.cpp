// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that the device of one rank writes into the memory of another's: in one process, and with --processes or --ranks between several.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "direct.h"
#include "forked_tests.h"

namespace {

using namespace late;

void run_in_order(const Rank &rank, const RingExchange &exchange, const RingField &field, double shift) {
    field.write(shift, nullptr);
    start_in_order(rank, exchange);
    OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
    field.expect(shift, nullptr, "a run");
    OK(halo_context_barrier(rank.context));
}

void know_each_other(const Rank &rank, const RingExchange &exchange, const RingField &field) {
    for (int n = 0; n < n_known; ++n) run_in_order(rank, exchange, field, 1000 + n);
}

TEST(Direct, GhostsAreWrittenByThePeersDevice) {
    for (const char *path : { "direct", "put", "auto" })
        run(2, direct(path), [&](Rank &rank) {
            const Ring ring(rank, n_blocks);
            const RingField field(ring, "u");
            const RingExchange exchange({ field.handle() });
            know_each_other(rank, exchange, field);
            const int64_t before = landed(exchange);
            for (int n = 0; n < 10; ++n) run_in_order(rank, exchange, field, n);
            if (rank.rank != 0 && landed(exchange) != before + 10)
                stop("%s: %lld runs of 10", path, static_cast<long long>(landed(exchange) - before));
            if (rank.rank != 0) expect_described(rank, exchange, "from storage to storage, on a device");
            if (late_count(field.device()).host_waits > 10 * (n_known + 10)) stop("the host waits for a device"); // but in the tests' copies
        });
}

// What goes there is put on behind what is recorded.
TEST(Direct, BesideLaunchesThatAreRecorded) {
    Settings recorded = direct();
    recorded.emplace_back("device.graphs", "yes");
    run(2, recorded, [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField field(ring, "u");
        const RingExchange exchange({ field.handle() });
        know_each_other(rank, exchange, field);
        const late_counts counts = late_count(field.device());
        const int64_t before = landed(exchange);
        for (int n = 0; n < 10; ++n) run_in_order(rank, exchange, field, n);
        if (rank.rank != 0 && landed(exchange) != before + 10) stop("%lld runs of 10", static_cast<long long>(landed(exchange) - before));
        if (late_count(field.device()).replays < counts.replays + 10) stop("launches are not recorded");
    });
}

TEST(Direct, NotWithAnotherPath) {
    for (const char *path : { "message", "slot", "get" })
        run(2, direct(path), [&](Rank &rank) {
            const Ring ring(rank, n_blocks);
            const RingField field(ring, "u");
            const RingExchange exchange({ field.handle() });
            know_each_other(rank, exchange, field);
            run_in_order(rank, exchange, field, 1);
            if (landed(exchange) != 0) stop("by path %s", path);
        });
}

// The stream takes its time.
void dawdle(halo_device *device, halo_stream stream) {
    constexpr int32_t microseconds = 3000;
    late_delay_launch(device, 0, microseconds);
    succeed(halo_device_late.ops->ranges_run(device, nullptr, 0, stream), "ranges_run", __FILE__, __LINE__);
}

// The stream still reads ghosts when the next run starts, and writes owned cells when it has: neither waits for anything.
TEST(Direct, StreamsKeepTheOrder) {
    constexpr int n_runs = 40;
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, 1);
        const RingField field(ring, "u");
        const RingExchange exchange({ field.handle() });
        know_each_other(rank, exchange, field);
        const int64_t before = landed(exchange);
        const late::Stream stream(field.device());
        const late::Array<double> &values = field.array(0);
        std::deque<late::Array<double>> seen;
        for (int n = 0; n < n_runs; ++n) seen.emplace_back(rank.context, Ring::size);
        const std::vector<double> other = ring.owned(ring.first_gid(), -1000);
        for (int n = 0; n < n_runs; ++n) {
            values.write_part(ring.owned(ring.first_gid(), n), Ring::ghosts, Ring::n_cells, stream);
            start_in_order(rank, exchange, nullptr, stream);
            values.write_part(other, Ring::ghosts, Ring::n_cells, stream);
            OK(halo_exchange_finish(exchange, stream));
            dawdle(field.device(), stream);
            seen[static_cast<size_t>(n)].copy_from(values, stream); // then the next run starts, and ghosts are written again
        }
        for (int n = 0; n < n_runs; ++n) {
            std::vector<double> wanted = ring.filled(ring.first_gid(), n);
            std::copy_n(other.begin() + Ring::ghosts, Ring::n_cells, wanted.begin() + Ring::ghosts);
            if (seen[static_cast<size_t>(n)].read(stream) != wanted) stop("rank %d has seen other ghosts in run %d", rank.rank, n);
        }
        if (rank.rank == 1 && landed(exchange) == before) stop("nothing was put");
    });
}

// Storage changes with each run, and so does what peers are told.
TEST(Direct, SetsTakeTurns) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts, desc.n_sets = 2;
        halo_field *field = nullptr;
        OK(halo_field_create(ring.topology(), &desc, &field));
        std::deque<late::Array<double>> arrays; // of each set, those of the blocks
        for (int32_t set = 0; set < 2; ++set)
            for (int64_t b = 0; b < n_blocks; ++b) {
                arrays.emplace_back(rank.context, Ring::size);
                late::bind(field, ring.first_gid() + b, arrays.back().data(), HALO_MEMORY_DEVICE, 0, set);
            }
        {
            const RingExchange exchange({ field });
            for (int32_t n = 0; n < 20; ++n) {
                const int32_t set = n % 2;
                const auto array = [&](int64_t b) -> late::Array<double> & { return arrays[static_cast<size_t>(set * n_blocks + b)]; };
                for (int64_t b = 0; b < n_blocks; ++b) array(b).write(ring.owned(ring.first_gid() + b, n), nullptr);
                halo_run run = HALO_RUN_INIT;
                run.n_fields = 1, run.sets = &set;
                start_in_order(rank, exchange, &run);
                OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
                for (int64_t b = 0; b < n_blocks; ++b)
                    if (array(b).read(nullptr) != ring.filled(ring.first_gid() + b, n)) stop("run %d: a block differs", n);
                OK(halo_context_barrier(rank.context));
            }
            if (rank.rank == 1 && landed(exchange) < 10) stop("%lld runs were put", static_cast<long long>(landed(exchange)));
        }
        OK(halo_field_destroy(&field));
    });
}

// Nothing is open in a run that has values on the host too, or in part on another device. Then ghosts are as before, which the stream still reads.
TEST(Direct, AfterARunWithStorageElsewhere) {
    enum Set : int32_t { here, on_host, on_another };
    struct Field {
        explicit Field(const Ring &ring, const char *name)
            : handle(made(ring, name)),
              array(ring.rank().context, Ring::size),
              other(ring.rank().context, Ring::size, 1) {
            late::bind(handle, ring.first_gid(), array.data(), HALO_MEMORY_DEVICE, 0, here);
            late::bind(handle, ring.first_gid(), host.data(), HALO_MEMORY_HOST, 0, on_host);
            late::bind(handle, ring.first_gid(), other.data(), HALO_MEMORY_DEVICE, 1, on_another);
        }
        static halo_field *made(const Ring &ring, const char *name) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = name, desc.n_sets = 3;
            desc.ghost_low[0] = desc.ghost_high[0] = Ring::ghosts;
            halo_field *field = nullptr;
            OK(halo_field_create(ring.topology(), &desc, &field));
            return field;
        }
        halo_field *handle;
        late::Array<double> array, other;
        std::vector<double> host = std::vector<double>(Ring::size);
    };
    constexpr int n_runs = 12;
    for (const bool is_mixed : { true, false })
        run(2, direct(), [&](Rank &rank) {
            const Ring ring(rank, 1);
            Field u(ring, "u"), v(ring, "v");
            {
                const RingExchange exchange({ u.handle, v.handle });
                const auto run_over = [&](std::array<int32_t, 2> sets, int32_t depth) {
                    halo_run run = HALO_RUN_INIT;
                    run.n_fields = 2, run.sets = sets.data(), run.depth = depth;
                    start_in_order(rank, exchange, &run);
                    OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
                };
                std::deque<late::Array<double>> seen;
                for (int n = 0; n < n_runs; ++n) seen.emplace_back(rank.context, Ring::size);
                for (int n = 0; n < n_runs; ++n) {
                    u.array.write_part(ring.owned(ring.first_gid(), n), Ring::ghosts, Ring::n_cells, nullptr);
                    run_over({ here, here }, 0);
                    OK(halo_context_barrier(rank.context));
                    if (is_mixed)
                        run_over({ here, on_host }, 0);
                    else
                        run_over({ on_another, on_another }, 1);
                    if (rank.rank == 0) dawdle(u.array.device(), nullptr);
                    seen[static_cast<size_t>(n)].copy_from(u.array, nullptr);
                    OK(halo_context_barrier(rank.context));
                }
                for (int n = 0; n < n_runs; ++n)
                    if (seen[static_cast<size_t>(n)].read(nullptr) != ring.filled(ring.first_gid(), n))
                        stop("%s: rank %d has seen other ghosts in run %d", is_mixed ? "mixed" : "in part", rank.rank, n);
                if (rank.rank == 1 && landed(exchange) == 0) stop("nothing was put");
            }
            for (halo_field *field : { u.handle, v.handle }) OK(halo_field_destroy(&field));
        });
}

// What cannot be reached goes by message, on whichever side that is found.
TEST(Direct, MemoryThatCannotBeReached) {
    for (const bool is_opened : { false, true })
        run(2, direct(), [&](Rank &rank) {
            const Ring ring(rank, n_blocks);
            const RingField field(ring, "u");
            const RingExchange exchange({ field.handle() });
            (is_opened ? late_fail_opening : late_fail_export)(field.device(), 0);
            know_each_other(rank, exchange, field);
            for (int n = 0; n < 30; ++n) run_in_order(rank, exchange, field, n);
            if (landed(exchange) != 0) stop("rank %d has put values into memory that is out of its reach", rank.rank);
        });
}

// A program may have its own.
TEST(Direct, MemoryOfTheProgram) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, 1);
        halo_field *field = late::make_field(ring);
        halo_device *const device = RingField(ring, "other").device();
        void *data = nullptr;
        conformance::succeed(halo_device_late.ops->allocate(device, HALO_MEMORY_DEVICE, Ring::size * sizeof(double), &data), "allocate", __FILE__,
                             __LINE__);
        late::bind(field, ring.first_gid(), data, HALO_MEMORY_DEVICE, 0);
        {
            const RingExchange exchange({ field });
            for (int n = 0; n < 30; ++n) {
                start_in_order(rank, exchange);
                OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
                OK(halo_context_barrier(rank.context));
            }
            if (landed(exchange) != 0) stop("values were put into memory of the program");
            expect_described(rank, exchange, "has not been open to this rank");
        }
        {
            const halo_exchange_desc desc = sums(); // into the library's
            const RingExchange exchange({ field }, &desc);
            for (int n = 0; n < n_known + 1; ++n) {
                start_in_order(rank, exchange);
                OK(halo_exchange_finish(exchange, HALO_STREAM_DEFAULT));
                OK(halo_context_barrier(rank.context));
            }
            if (rank.rank != 0 && landed(exchange) == 0) stop("contributions were not put");
        }
        OK(halo_field_destroy(&field));
        late_stream_synchronize(device, nullptr);
        halo_device_late.ops->release(device, HALO_MEMORY_DEVICE, data, Ring::size * sizeof(double));
    });
}

TEST(Direct, ADeviceThatFails) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField field(ring, "u");
        const RingExchange exchange({ field.handle() });
        know_each_other(rank, exchange, field);
        expect_writes_after_failures(
            rank, exchange, field.device(), [&](int n) { field.write(n, nullptr); }, [&](int n) { run_in_order(rank, exchange, field, 100 + n); });
    });
}

// Each waits for the other's device, whose rank says that it is done: not for as long as for one that says nothing, a second.
TEST(Direct, RunsThatAreGivenUpWhileDevicesWriteForEachOther) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField u(ring, "u"), v(ring, "v");
        const RingExchange of_u({ u.handle() }), of_v({ v.handle() });
        know_each_other(rank, of_u, u);
        know_each_other(rank, of_v, v);
        if (rank.rank == 1) late_delay_launch(u.device(), 0, long_enough);
        start_in_order(rank, of_u, nullptr, HALO_STREAM_DEFAULT, 0);
        start_in_order(rank, of_v, nullptr, HALO_STREAM_DEFAULT, 1); // rank 0 writes behind what rank 1 has put on
        OK(halo_context_barrier(rank.context));
        const auto begin = std::chrono::steady_clock::now();
        OK(halo_exchange_abandon(rank.rank == 0 ? of_u : of_v));
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(950));
        OK(halo_exchange_abandon(rank.rank == 0 ? of_v : of_u));
        for (const RingField *field : { &u, &v })
            for (int64_t b = 0; b < n_blocks; ++b) late::bind(field->handle(), ring.first_gid() + b, field->array(b).data(), HALO_MEMORY_DEVICE, 0);
        OK(halo_context_barrier(rank.context));
    });
}

// Rank 1 writes ghosts of rank 0, and makes no call for a while. A start of rank 0 that is refused for that begins nothing.
TEST(Direct, AStartThatIsBusy) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        const RingField field(ring, "u");
        const RingExchange given_up({ field.handle() }), next({ field.handle() });
        know_each_other(rank, given_up, field);
        if (rank.rank == 1) late_delay_launch(field.device(), 0, long_enough);
        start_in_order(rank, given_up);
        OK(halo_context_barrier(rank.context));
        if (rank.rank == 1) std::this_thread::sleep_for(std::chrono::seconds(3));
        OK(halo_exchange_abandon(given_up));
        if (rank.rank == 0) {
            EXPECT_EQ(halo_exchange_start(next, nullptr, HALO_STREAM_DEFAULT), HALO_BUSY);
            for (int n = 0; n < 10000 && halo_exchange_start(next, nullptr, HALO_STREAM_DEFAULT) == HALO_BUSY; ++n)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } else
            OK(halo_exchange_start(next, nullptr, HALO_STREAM_DEFAULT));
        OK(halo_exchange_finish(next, HALO_STREAM_DEFAULT));
        field.expect(1000 + n_known - 1, nullptr, "a run that was busy at first");
        OK(halo_context_barrier(rank.context));
    });
}

// Memory that goes while a peer has it open is kept for whoever wants as much, and is his alone then.
TEST(Direct, MemoryThatGoesWhileItIsOpen) {
    run(2, direct(), [](Rank &rank) {
        const Ring ring(rank, n_blocks);
        halo_device *device = nullptr;
        int64_t allocations = 0;
        for (int n = 0; n < 5; ++n) {
            const RingField field(ring, "u");
            device = field.device();
            const RingExchange exchange({ field.handle() });
            know_each_other(rank, exchange, field);
            if (landed(exchange) == 0 && rank.rank == 1) stop("nothing was put");
            if (n == 1) allocations = late_count(device).allocations;
            if (n > 1 && late_count(device).allocations != allocations) stop("memory is not used again");
            OK(halo_context_barrier(rank.context));
        }
        OK(halo_context_trim(rank.context));
        OK(halo_context_barrier(rank.context));
        const late_counts counts = late_count(device);
        if (counts.freed_open != 0) stop("%lld allocations were freed while a peer had them open", static_cast<long long>(counts.freed_open));
        if (counts.opened > n_blocks) stop("%lld are open of %lld", static_cast<long long>(counts.opened), static_cast<long long>(n_blocks));
    });
}

// As many as DIRECT_EXCHANGES says.
TEST(Direct, NothingIsLeftOfManyExchanges) {
    const int64_t n_exchanges = number_from("DIRECT_EXCHANGES", 100);
    run(2, direct(), [&](Rank &rank) {
        const Ring ring(rank, n_blocks);
        late_counts after_some{};
        int64_t n_landed = 0;
        for (int64_t n = 0; n < n_exchanges; ++n) {
            const RingField field(ring, "u");
            const RingExchange exchange({ field.handle() });
            for (int run = 0; run < 3; ++run) run_in_order(rank, exchange, field, static_cast<double>(n + run));
            n_landed += landed(exchange);
            const late_counts counts = late_count(field.device());
            if (n == 10) after_some = counts;
            if (counts.events > 2 || (n > 10 && (counts.opened != after_some.opened || counts.exported != after_some.exported)))
                stop("after %lld exchanges %lld events, %lld exported, %lld opened", static_cast<long long>(n), static_cast<long long>(counts.events),
                     static_cast<long long>(counts.exported), static_cast<long long>(counts.opened));
        }
        if (rank.rank == 1 && n_landed < n_exchanges) stop("%lld runs were put", static_cast<long long>(n_landed));
    });
}

} // namespace

int main(int argc, char **argv) {
    return run_tests(argc, argv, [](int failed) { return failed; });
}
