// SPDX-License-Identifier: BSD-3-Clause
// What is compiled and allocated once serves every mask and every exchange of the same shape: nothing is compiled again, and memory stays as it is.
#include <gtest/gtest.h>

#include <malloc.h>

#include <vector>

#include "ranks.h"

namespace conformance {

namespace {

constexpr int n_fields = 16;

struct Sixteen {
    halo_topology *topology = nullptr;
    std::vector<halo_field *> fields;

    explicit Sixteen(const Rank &rank) {
        halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
        blocks.n_dims = 1, blocks.n_blocks[0] = 4, blocks.n_cells[0] = 4, blocks.periodic[0] = 1;
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
        for (int f = 0; f < n_fields; ++f) {
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            const std::string name(1, static_cast<char>('a' + f));
            desc.name = name.c_str(), desc.ghost_low[0] = desc.ghost_high[0] = 1 + f % 2;
            fields.emplace_back();
            OK(halo_field_create(topology, &desc, &fields.back()));
            OK(halo_field_allocate(fields.back(), -1));
        }
    }
    ~Sixteen() {
        for (halo_field *&field : fields) OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    }
    halo_exchange *exchange() const {
        halo_exchange *made = nullptr;
        OK(halo_exchange_create(fields.data(), n_fields, nullptr, &made));
        return made;
    }
};

void run_once(halo_exchange *exchange, const halo_run *run) {
    OK(halo_exchange_start(exchange, run, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
}

int64_t tables(const halo_exchange *exchange) {
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats.tables_compiled;
}

// Of all threads. Between barriers, while no other rank does anything.
int64_t bytes_in_use(const Rank &rank) {
    OK(halo_context_barrier(rank.context));
    const auto used = static_cast<int64_t>(mallinfo2().uordblks);
    OK(halo_context_barrier(rank.context));
    return used;
}

constexpr int64_t noise = 65536; // of logs, texts and lists that have grown once

// The first `n` masks in order of their bits; a sixteenth of them are what the others are compared with.
void run_masks(int32_t n_ranks, uint32_t n) {
    run(n_ranks, { { "check", "no" } }, [&](Rank &rank) {
        const Sixteen sixteen(rank);
        halo_exchange *exchange = sixteen.exchange();
        run_once(exchange, nullptr);
        std::vector<int32_t> mask(n_fields);
        halo_run masked = HALO_RUN_INIT;
        masked.n_fields = n_fields, masked.field_mask = mask.data();
        const int64_t compiled = tables(exchange);
        int64_t used = 0;
        for (uint32_t bits = 0; bits < n; ++bits) {
            for (int f = 0; f < n_fields; ++f) mask[static_cast<size_t>(f)] = static_cast<int32_t>(bits >> f & 1u);
            run_once(exchange, &masked);
            if (bits == n / 16) used = bytes_in_use(rank);
        }
        if (tables(exchange) != compiled) stop("%lld tables were compiled for masks", static_cast<long long>(tables(exchange) - compiled));
        const int64_t more = bytes_in_use(rank) - used;
        if (more > noise) stop("masks have taken %lld bytes", static_cast<long long>(more));
        OK(halo_exchange_destroy(&exchange));
    });
}

TEST(Reuse, EveryMaskRunsOnTheTablesOfTheFirst) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run_masks(1, 1u << n_fields);
    run_masks(2, 1u << 12);
}

TEST(Reuse, AnExchangeMadeAgainCompilesNothing) {
    if (!threads()) GTEST_SKIP() << "as threads only";
    run(2, { { "check", "no" } }, [](Rank &rank) {
        const Sixteen sixteen(rank);
        int64_t used = 0;
        for (int again = 0; again < 10000; ++again) {
            halo_exchange *exchange = sixteen.exchange();
            run_once(exchange, nullptr);
            if (again > 0 && tables(exchange) != 0) stop("made again, it has compiled %lld tables", static_cast<long long>(tables(exchange)));
            OK(halo_exchange_destroy(&exchange));
            if (again == 5000) used = bytes_in_use(rank); // handles of destroyed objects are kept for a while, to tell their use
        }
        const int64_t more = bytes_in_use(rank) - used;
        if (more > noise) stop("5,000 exchanges have left %lld bytes", static_cast<long long>(more));
    });
}

} // namespace

} // namespace conformance
