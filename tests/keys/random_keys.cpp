// SPDX-License-Identifier: BSD-3-Clause
// Random key sets against the model: owners, numbering, and whole buffers after every kind of exchange.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

void compare(const char *what, uint64_t seed, int64_t wanted, int64_t got) {
    if (wanted != got)
        conformance::stop("seed %llu: %s: wanted %lld, got %lld", static_cast<unsigned long long>(seed), what, static_cast<long long>(wanted),
                          static_cast<long long>(got));
}

template <class T>
std::vector<T> listed(halo_status (*call)(const halo_topology *, T *, int64_t, int64_t *), const halo_topology *topology) {
    int64_t n = 0;
    OK(call(topology, nullptr, 0, &n));
    std::vector<T> list(static_cast<size_t>(n));
    if (n > 0) OK(call(topology, list.data(), n, &n));
    return list;
}

void check_sharers(const halo_topology *topology, uint32_t index, const KeyFacts &fact, uint64_t seed) {
    int32_t ranks[16];
    int64_t n = 0;
    OK(halo_topology_sharers(topology, index, ranks, 16, &n));
    const std::vector<int32_t> wanted = fact.ranks();
    compare("sharers", seed, static_cast<int64_t>(wanted.size()), n);
    if (!std::equal(wanted.begin(), wanted.end(), ranks)) conformance::stop("seed %llu: other sharers", static_cast<unsigned long long>(seed));
}

// It has a local index, but nobody owns or has what is there.
void check_ignored(const halo_topology *topology, int64_t index, const std::vector<int32_t> &owners, uint64_t seed) {
    compare("owner of an ignored entry", seed, -1, owners[static_cast<size_t>(index)]);
    int64_t n = -1;
    OK(halo_topology_sharers(topology, index, nullptr, 0, &n));
    compare("sharers of an ignored entry", seed, 0, n);
}

void check_topology(const Model &model, const halo_topology *topology, int32_t rank, uint64_t seed) {
    const std::vector<uint32_t> indices = listed<uint32_t>(halo_topology_local_indices, topology);
    const std::vector<int32_t> owners = listed<int32_t>(halo_topology_owners, topology);
    if (indices != model.local_indices(rank)) conformance::stop("seed %llu: other local indices", static_cast<unsigned long long>(seed));
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    OK(halo_topology_keys_report(topology, &report));
    int64_t below = 0, all = 0, unclaimed = 0, several = 0, unclaimed_here = 0, several_here = 0;
    for (int32_t r = 0; r < static_cast<int32_t>(model.ranks.size()); ++r) {
        below += r < rank ? model.n_owned(r) : 0;
        all += model.n_owned(r);
    }
    for (const auto &[key, fact] : model.facts) {
        const std::vector<int32_t> ranks = fact.ranks();
        const bool here = std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
        if (fact.owner < 0 && here)
            compare("an unclaimed key", seed, static_cast<int64_t>(key), static_cast<int64_t>(report.unclaimed[unclaimed_here++]));
        if (fact.several_claim && here)
            compare("a key claimed twice", seed, static_cast<int64_t>(key), static_cast<int64_t>(report.several_claim[several_here++]));
        unclaimed += fact.owner < 0;
        several += fact.several_claim;
    }
    compare("owned", seed, model.n_owned(rank), report.n_owned);
    compare("first global", seed, below, report.first_global);
    compare("all owned", seed, all, report.n_global);
    compare("points", seed, static_cast<int64_t>(owners.size()), report.n_points);
    compare("unclaimed", seed, unclaimed, report.n_unclaimed);
    compare("unclaimed here", seed, unclaimed_here, report.n_unclaimed_here);
    compare("several claim", seed, several, report.n_several_claim);
    compare("several claim here", seed, several_here, report.n_several_claim_here);
    compare("ghosts", seed, std::ssize(indices) - std::count(indices.begin(), indices.end(), HALO_NO_INDEX) - model.n_owned(rank), report.n_ghosts);
    const auto &entries = model.ranks[static_cast<size_t>(rank)];
    for (size_t i = 0; i < entries.size(); ++i) {
        if (indices[i] == HALO_NO_INDEX) {
            if (model.numbering == HALO_NUMBERING_AS_GIVEN) check_ignored(topology, static_cast<int64_t>(i), owners, seed);
            continue;
        }
        const KeyFacts &fact = model.facts.at(entries[i].key);
        compare("owner", seed, fact.owner, owners[indices[i]]);
        if (i % 7 == 0) check_sharers(topology, indices[i], fact, seed);
    }
}

struct Run {
    const Model &model;
    Rank &rank;
    uint64_t seed;
    int32_t kind;
    halo_op op;
    int32_t messages;
};

template <class T>
void fill(const Run &run, Storage<T> &storage, const std::vector<uint32_t> &indices) {
    for (size_t i = 0; i < indices.size(); ++i)
        for (int32_t c = 0; indices[i] != HALO_NO_INDEX && c < storage.n_components(); ++c)
            storage.at(indices[i], c) = value_of<T>(run.seed, run.rank.rank, static_cast<int64_t>(i), c);
}

template <class T>
void check(const Run &run, Storage<T> &storage, const std::vector<uint32_t> &indices) {
    Values<T> wanted(storage.values().size(), T{ 99 });
    const auto &entries = run.model.ranks[static_cast<size_t>(run.rank.rank)];
    for (size_t i = 0; i < indices.size(); ++i)
        for (int32_t c = 0; indices[i] != HALO_NO_INDEX && c < storage.n_components(); ++c)
            storage.at(wanted, indices[i], c) =
                expected<T>(run.seed, run.kind, run.op, run.model.facts.at(entries[i].key), { run.rank.rank, static_cast<int64_t>(i) }, c);
    if (std::memcmp(wanted.data(), storage.values().data(), wanted.size() * sizeof(T)) != 0)
        conformance::stop("seed %llu: kind %d, op %d: wrong values", static_cast<unsigned long long>(run.seed), run.kind, run.op);
}

// Two fields of one type on two topologies, in one exchange.
template <class T>
void run_exchange(Run run, halo_topology *const topologies[2], const std::vector<uint32_t> indices[2], const Model *const models[2]) {
    Random random(run.seed + static_cast<uint64_t>(run.kind));
    run.op = any_op<T>(random);
    std::vector<std::unique_ptr<Storage<T>>> storages;
    for (int t = 0; t < 2; ++t) {
        halo_keys_report report = HALO_KEYS_REPORT_INIT;
        OK(halo_topology_keys_report(topologies[t], &report));
        const auto n_components = static_cast<int32_t>(pick(random, 1, 4));
        const auto layout = static_cast<int>((run.rank.rank + pick(random, 0, 2)) % 3);
        storages.push_back(std::make_unique<Storage<T>>(topologies[t], t == 0 ? "u" : "v", n_components, report.n_points, layout, run.rank.rank));
        fill<T>(run, *storages.back(), indices[t]);
    }
    halo_field *fields[2] = { storages[0]->field(), storages[1]->field() };
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = run.kind;
    desc.op = run.op;
    desc.messages = run.messages;
    desc.source_stable = static_cast<int32_t>(run.seed % 2);
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields, 2, &desc, &exchange));
    constexpr int64_t n_runs = 4; // ranks get to know each other's storage in the first
    for (int64_t i = 0; i < n_runs; ++i) {
        for (int t = 0; t < 2; ++t) fill<T>(run, *storages[t], indices[t]);
        for (const auto &storage : storages) storage->upload();
        halo_run how = HALO_RUN_INIT; // every other run by an operation of its own
        if (i % 2 == 1 && run.kind != HALO_KIND_GHOSTS) how.op = any_op<T>(random);
        OK(halo_exchange_start(exchange, &how, conformance::stream()));
        OK(halo_exchange_finish(exchange, conformance::finish_stream()));
        for (const auto &storage : storages) storage->download();
        for (int t = 0; t < 2; ++t)
            check<T>({ *models[t], run.rank, run.seed, run.kind, how.op != 0 ? how.op : run.op, run.messages }, *storages[t], indices[t]);
    }
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    if (run.messages == HALO_MESSAGES_AGGREGATE && run.kind == HALO_KIND_GHOSTS && stats.messages_sent > (n_runs + 1) * stats.n_peers)
        conformance::stop("seed %llu: %lld messages to %d peers in %lld runs", static_cast<unsigned long long>(run.seed),
                          static_cast<long long>(stats.messages_sent), stats.n_peers, static_cast<long long>(n_runs));
    OK(halo_exchange_destroy(&exchange));
}

void run_seed(Rank &rank, uint64_t seed) {
    Random random(seed);
    conformance::begin_case(seed);
    const Model first = random_model(random, rank.size), second = random_model(random, rank.size);
    const Model *models[2] = { &first, &second };
    halo_topology *topologies[2] = {};
    std::vector<uint32_t> indices[2];
    for (int t = 0; t < 2; ++t) {
        topologies[t] = models[t]->make(rank.context, rank.rank);
        check_topology(*models[t], topologies[t], rank.rank, seed);
        indices[t] = listed<uint32_t>(halo_topology_local_indices, topologies[t]);
    }
    for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE }) {
        const auto messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
        const Run run{ first, rank, seed, kind, HALO_SUM, messages };
        switch (pick(random, 0, 9)) {
        case 0: run_exchange<double>(run, topologies, indices, models); break;
        case 1: run_exchange<float>(run, topologies, indices, models); break;
        case 2: run_exchange<int32_t>(run, topologies, indices, models); break;
        case 3: run_exchange<int8_t>(run, topologies, indices, models); break;
        case 4: run_exchange<int16_t>(run, topologies, indices, models); break;
        case 5: run_exchange<uint8_t>(run, topologies, indices, models); break;
        case 6: run_exchange<uint16_t>(run, topologies, indices, models); break;
        case 7: run_exchange<uint32_t>(run, topologies, indices, models); break;
        case 8: run_exchange<uint64_t>(run, topologies, indices, models); break;
        default: run_exchange<int64_t>(run, topologies, indices, models); break;
        }
    }
    for (halo_topology *&topology : topologies) OK(halo_topology_destroy(&topology));
}

class RandomKeys : public testing::TestWithParam<std::tuple<int32_t, const char *>> {};

TEST_P(RandomKeys, AsTheModel) {
    const auto &[n_ranks, discovery] = GetParam();
    const int64_t n_cases = conformance::number_from("KEYS_CASES", n_ranks > 4 ? 25 : 50);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(n_ranks, { { "discovery", discovery } }, [&](Rank &rank) {
        for (int64_t i = 0; i < n_cases; ++i) run_seed(rank, first + static_cast<uint64_t>(i));
    });
}
INSTANTIATE_TEST_SUITE_P(Ranks, RandomKeys,
                         testing::Combine(testing::ValuesIn(conformance::rank_counts()), testing::Values("alltoall", "reduce_scatter", "consensus")));

} // namespace
