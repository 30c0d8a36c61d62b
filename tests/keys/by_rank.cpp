// SPDX-License-Identifier: BSD-3-Clause
// HALO_COMBINE_BY_RANK on random sets of keys against the model; what it sends; and what is refused.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

halo_exchange_desc by_rank(halo_op op) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_SHARED_REDUCE, desc.op = op, desc.combine_order = HALO_COMBINE_BY_RANK;
    return desc;
}

// The copies of each rank by position, then these: the owner's first.
template <class T>
T summed(uint64_t seed, halo_op op, const KeyFacts &fact, const Copy &copy, int32_t component) {
    const auto value = [&](const Copy &of) { return value_of<T>(seed, of.rank, of.position, component); };
    const Copy *primary = fact.primary();
    if (!primary) return value(copy);
    std::map<int32_t, T> of_rank;
    for (const Copy &one : fact.copies) {
        if (!(one == *primary) && !fact.contributes(one)) continue;
        const auto [known, is_first] = of_rank.try_emplace(one.rank, value(one));
        if (!is_first) known->second = combined(known->second, value(one), op);
    }
    T result = of_rank.at(primary->rank);
    for (const auto &[rank, sum] : of_rank)
        if (rank != primary->rank) result = combined(result, sum, op);
    return result;
}

template <class T>
struct Summed {
    const Model &model;
    int32_t rank;
    halo_topology *topology;
    std::vector<uint32_t> indices;
    std::unique_ptr<Storage<T>> storage;

    Summed(const Model &of, const Rank &here, const char *name, Random &random)
        : model(of),
          rank(here.rank),
          topology(of.make(here.context, here.rank)),
          indices(of.local_indices(here.rank)) {
        halo_keys_report report = HALO_KEYS_REPORT_INIT;
        OK(halo_topology_keys_report(topology, &report));
        const auto n_components = static_cast<int32_t>(pick(random, 1, 3));
        storage = std::make_unique<Storage<T>>(topology, name, n_components, report.n_points, static_cast<int>(pick(random, 0, 2)), rank);
    }
    ~Summed() {
        storage.reset();
        halo_topology_destroy(&topology);
    }
    void fill(uint64_t seed) {
        for (size_t i = 0; i < indices.size(); ++i)
            for (int32_t c = 0; indices[i] != HALO_NO_INDEX && c < storage->n_components(); ++c)
                storage->at(indices[i], c) = value_of<T>(seed, rank, static_cast<int64_t>(i), c);
    }
    // Components [first, end) are combined, the others as filled; nothing else has been written.
    void require(uint64_t seed, halo_op op, int32_t first, int32_t end) {
        Values<T> wanted(storage->values().size(), T{ 99 });
        const auto &entries = model.ranks[static_cast<size_t>(rank)];
        for (size_t i = 0; i < indices.size(); ++i)
            for (int32_t c = 0; indices[i] != HALO_NO_INDEX && c < storage->n_components(); ++c) {
                const Copy copy{ rank, static_cast<int64_t>(i) };
                storage->at(wanted, indices[i], c) =
                    c < first || c >= end ? value_of<T>(seed, rank, copy.position, c) : summed<T>(seed, op, model.facts.at(entries[i].key), copy, c);
            }
        if (std::memcmp(wanted.data(), storage->values().data(), wanted.size() * sizeof(T)) != 0)
            conformance::stop("seed %llu, op %d, components %d to %d: wrong values", static_cast<unsigned long long>(seed), op, first, end);
    }
};

template <class T>
void run_seed(Rank &rank, uint64_t seed) {
    Random random(seed);
    const Model first = random_model(random, rank.size), second = random_model(random, rank.size);
    Summed<T> u(first, rank, "u", random), v(second, rank, "v", random);
    halo_field *fields[2] = { u.storage->field(), v.storage->field() };
    halo_op op = any_op<T>(random);
    halo_exchange_desc desc = by_rank(op);
    desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields, 2, &desc, &exchange));
    const int32_t only_second[2] = { 0, 1 };
    for (int turn = 0; turn < 4; ++turn) {
        halo_run run = HALO_RUN_INIT;
        if (turn > 0) run.op = op = any_op<T>(random);
        run.n_components = turn == 1 ? 1 : 0;
        if (turn == 2) run.n_fields = 2, run.field_mask = only_second;
        u.fill(seed), v.fill(seed + 1);
        if (turn % 2 == 0) {
            OK(halo_exchange_start(exchange, &run, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        } else {
            OK(halo_exchange_post(exchange, &run));
            halo_status status = HALO_BUSY;
            while (status == HALO_BUSY) status = halo_exchange_send(exchange, HALO_STREAM_NONE);
            OK(status);
            for (int32_t done = 0; !done;) OK(halo_exchange_test(exchange, &done));
            OK(halo_exchange_unpack(exchange, HALO_STREAM_NONE));
            OK(halo_exchange_refine(exchange, HALO_STREAM_NONE));
        }
        const int32_t end = turn == 1 ? 1 : 9;
        u.require(seed, op, 0, turn == 2 ? 0 : end);
        v.require(seed + 1, op, 0, end);
    }
    OK(halo_exchange_destroy(&exchange));
}

class ByRank : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, ByRank, testing::ValuesIn(conformance::rank_counts()));

TEST_P(ByRank, AsTheModel) {
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 40);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) {
            switch (seed % 4) {
            case 0: run_seed<double>(rank, seed); break;
            case 1: run_seed<int32_t>(rank, seed); break;
            case 2: run_seed<uint8_t>(rank, seed); break;
            default: run_seed<float>(rank, seed); break;
            }
        }
    });
}

// Key 7 seven times on each rank, key 8 once.
struct Heap {
    halo_topology *topology = nullptr;
    std::unique_ptr<Storage<double>> storage;
    halo_field *field = nullptr;

    explicit Heap(Rank &rank) {
        const std::vector<uint64_t> list{ 7, 7, 7, 8, 7, 7, 7, 7 };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = std::ssize(list), desc.keys = list.data(), desc.numbering = HALO_NUMBERING_AS_GIVEN;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        storage = std::make_unique<Storage<double>>(topology, "u", 1, std::ssize(list), 2, rank.rank);
        field = storage->field();
    }
    ~Heap() {
        storage.reset();
        halo_topology_destroy(&topology);
    }
    void refuse(const halo_exchange_desc &desc, const char *text) {
        halo_exchange *exchange = nullptr;
        if (halo_exchange_create(&field, 1, &desc, &exchange) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), text))
            conformance::stop("'%s' is not in: %s", text, halo_last_error());
    }
};

TEST_P(ByRank, APointIsSentOnce) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        Heap heap(rank);
        const halo_exchange_desc desc = by_rank(HALO_SUM);
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&heap.field, 1, &desc, &exchange));
        for (int64_t i = 0; i < 8; ++i) heap.storage->at(i, 0) = static_cast<double>(i + 1);
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        for (int64_t i = 0; i < 8; ++i) // nothing is written before it is finished
            if (heap.storage->at(i, 0) != static_cast<double>(i + 1)) conformance::stop("start has written to point %lld", static_cast<long long>(i));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        for (int64_t i = 0; i < 8; ++i)
            if (heap.storage->at(i, 0) != (i == 3 ? 4.0 : 32.0) * rank.size)
                conformance::stop("point %lld has %g", static_cast<long long>(i), heap.storage->at(i, 0));
        int64_t n = 0;
        OK(halo_exchange_peers(exchange, sizeof(halo_peer_row), nullptr, 0, &n));
        std::vector<halo_peer_row> rows(static_cast<size_t>(n));
        OK(halo_exchange_peers(exchange, sizeof(halo_peer_row), rows.data(), n, &n));
        if (n != rank.size - 1) conformance::stop("%lld peers", static_cast<long long>(n));
        for (const halo_peer_row &row : rows)
            if (row.bytes_sent != 16) conformance::stop("%lld bytes to rank %d", static_cast<long long>(row.bytes_sent), row.rank);
        OK(halo_exchange_destroy(&exchange));
    });
}

// A run that is refused on one rank is told to the others, and the next one works.
TEST_P(ByRank, ARefusedRunIsTold) {
    conformance::run(GetParam(), { { "timeout", "20s" } }, [](Rank &rank) {
        Heap heap(rank);
        const halo_exchange_desc desc = by_rank(HALO_MAX);
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&heap.field, 1, &desc, &exchange));
        void *const nowhere = nullptr;
        for (int turn = 0; turn < 6; ++turn) {
            halo_run run = HALO_RUN_INIT;
            if (turn == 1) run.first_component = 4;
            if (turn == 3) run.data = &nowhere, run.n_data = 1;
            const bool fails = rank.rank == 0 && turn % 2 == 1 && turn < 4;
            for (int64_t i = 0; i < 8; ++i) heap.storage->at(i, 0) = static_cast<double>(rank.rank);
            halo_status status = halo_exchange_start(exchange, rank.rank == 0 ? &run : nullptr, HALO_STREAM_NONE);
            if (status == HALO_SUCCESS) status = halo_exchange_finish(exchange, HALO_STREAM_NONE);
            const bool told = turn % 2 == 1 && turn < 4;
            const halo_status wanted = !told ? HALO_SUCCESS : !fails ? HALO_ERR_PEER : turn == 1 ? HALO_ERR_ARGUMENT : HALO_ERR_UNBOUND;
            if (status != wanted) conformance::stop("turn %d: %s: %s", turn, halo_status_name(status), halo_last_error());
            const double left = told ? rank.rank : rank.size - 1;
            for (int64_t i = 0; i < 8; ++i)
                if (heap.storage->at(i, 0) != left) conformance::stop("turn %d: %g", turn, heap.storage->at(i, 0));
        }
        OK(halo_exchange_destroy(&exchange));
    });
}

TEST(ByRankRefused, WhatItIsNotFor) {
    conformance::run(1, {}, [](Rank &rank) {
        Heap heap(rank);
        halo_exchange_desc desc = by_rank(HALO_SUM);
        desc.kind = HALO_KIND_REVERSE;
        heap.refuse(desc, "HALO_COMBINE_BY_RANK is an order of HALO_KIND_SHARED_REDUCE over all edges, not of kind 1, edges 0");
        desc = by_rank(HALO_USER);
        heap.refuse(desc, "HALO_COMBINE_BY_RANK combines by the library's operations");
        desc = by_rank(HALO_SUM);
        const uint32_t section = 2;
        desc.sections = &section;
        heap.refuse(desc, "sections 0x2 of field u: HALO_COMBINE_BY_RANK is of all points");
        desc = by_rank(HALO_LAND + 100);
        heap.refuse(desc, "op 106");
    });
}

} // namespace
