// SPDX-License-Identifier: BSD-3-Clause
// Signed ids as gather-scatter libraries take them: 0 takes no part, what a negative one has is not combined but gets the result. In every order of
// combination, against a plain model; of a list and of its edits.
#include <gtest/gtest.h>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

using Ids = std::vector<int64_t>;

// Mostly small ones, each of which comes with both signs on one rank and another.
std::vector<Ids> random_ids(Random &random, int32_t n_ranks) {
    std::vector<Ids> ids(static_cast<size_t>(n_ranks));
    const int64_t most = pick(random, 1, 12);
    for (Ids &of_rank : ids)
        for (int64_t n = pick(random, 0, 20); n > 0; --n) of_rank.push_back(pick(random, -most, most));
    return ids;
}

int64_t value_at(uint64_t seed, size_t rank, size_t position) {
    return value_of<int64_t>(seed, static_cast<int32_t>(rank), static_cast<int64_t>(position), 0);
}

// What all entries of this rank hold afterwards. An id that nobody gives is nobody's.
std::vector<int64_t> wanted(uint64_t seed, const std::vector<Ids> &ids, size_t rank, halo_op op) {
    std::map<int64_t, int64_t> results;
    for (size_t r = 0; r < ids.size(); ++r)
        for (size_t i = 0; i < ids[r].size(); ++i) {
            if (ids[r][i] <= 0) continue;
            const auto [known, is_first] = results.try_emplace(ids[r][i], value_at(seed, r, i));
            if (!is_first) known->second = combined(known->second, value_at(seed, r, i), op);
        }
    std::vector<int64_t> values;
    for (size_t i = 0; i < ids[rank].size(); ++i) {
        const auto result = results.find(std::abs(ids[rank][i]));
        values.push_back(result == results.end() ? value_at(seed, rank, i) : result->second);
    }
    return values;
}

struct Lists {
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags;

    explicit Lists(const Ids &ids) {
        for (const int64_t id : ids) {
            keys.push_back(static_cast<uint64_t>(std::abs(id)));
            flags.push_back(id == 0 ? HALO_KEY_IGNORE : id < 0 ? HALO_KEY_READ_ONLY : 0);
        }
    }
};

void check(Rank &rank, uint64_t seed, const std::vector<Ids> &ids, halo_topology *topology, Random &random) {
    const auto here = static_cast<size_t>(rank.rank);
    const auto n = static_cast<int64_t>(ids[here].size());
    Storage<int64_t> storage(topology, "u", 1, n, 2, rank.rank);
    halo_field *field = storage.field();
    for (const int32_t order : { HALO_COMBINE_BY_RANK, HALO_COMBINE_BY_GID, HALO_COMBINE_CANONICAL }) {
        if (order == HALO_COMBINE_BY_RANK && conformance::skips("HALO_COMBINE_BY_RANK: only on the host")) continue;
        if (order == HALO_COMBINE_CANONICAL && conformance::skips("HALO_COMBINE_CANONICAL: only on the host")) continue;
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_SHARED_REDUCE, desc.op = any_op<int64_t>(random), desc.combine_order = order;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, &desc, &exchange));
        for (int64_t i = 0; i < n; ++i) storage.at(i, 0) = value_at(seed, here, static_cast<size_t>(i));
        storage.upload();
        OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
        OK(halo_exchange_finish(exchange, conformance::finish_stream()));
        OK(halo_exchange_destroy(&exchange));
        storage.download();
        const std::vector<int64_t> values = wanted(seed, ids, here, desc.op);
        for (int64_t i = 0; i < n; ++i)
            if (storage.at(i, 0) != values[static_cast<size_t>(i)])
                conformance::stop("seed %llu, order %d, op %d: entry %lld of id %lld holds %lld instead of %lld",
                                  static_cast<unsigned long long>(seed), order, desc.op, static_cast<long long>(i),
                                  static_cast<long long>(ids[here][static_cast<size_t>(i)]), static_cast<long long>(storage.at(i, 0)),
                                  static_cast<long long>(values[static_cast<size_t>(i)]));
    }
}

class GatherScatter : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, GatherScatter, testing::ValuesIn(conformance::rank_counts()));

TEST_P(GatherScatter, SignedIds) {
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 40);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        const auto here = static_cast<size_t>(rank.rank);
        for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) {
            Random random(seed);
            conformance::begin_case(seed);
            std::vector<Ids> ids = random_ids(random, rank.size);
            Lists lists(ids[here]);
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.owner_rule = static_cast<int32_t>(pick(random, HALO_OWNER_LOWEST_RANK, HALO_OWNER_WEIGHT));
            desc.numbering = HALO_NUMBERING_AS_GIVEN, desc.editable = 1;
            desc.n_keys = std::ssize(lists.keys), desc.keys = lists.keys.data(), desc.flags = lists.flags.data();
            halo_topology *topology = nullptr, *edited = nullptr;
            OK(halo_topology_create_keys(rank.context, &desc, &topology));
            check(rank, seed, ids, topology, random);

            const std::vector<Ids> more = random_ids(random, rank.size); // instead of the first entry
            halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
            constexpr int64_t first_entry = 0;
            for (size_t r = 0; r < ids.size(); ++r) {
                if (r == here) edit.n_remove = ids[r].empty() ? 0 : 1;
                if (!ids[r].empty()) ids[r].erase(ids[r].begin());
                ids[r].insert(ids[r].end(), more[r].begin(), more[r].end());
            }
            Lists added(more[here]);
            edit.remove = &first_entry, edit.n_add = std::ssize(added.keys), edit.add = added.keys.data(), edit.flags = added.flags.data();
            OK(halo_topology_edit_keys(topology, &edit, &edited));
            check(rank, seed, ids, edited, random);
            OK(halo_topology_destroy(&topology));
            OK(halo_topology_destroy(&edited));
        }
    });
}

// +5 and -5 on one rank, +5 on the others: the one that only receives is neither combined nor the rank's own point.
TEST_P(GatherScatter, BothSignsOnARank) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const uint64_t keys[3] = { 5, 5, 5 };
        const int32_t flags[3] = { HALO_KEY_READ_ONLY, 0, HALO_KEY_READ_ONLY };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 3, desc.keys = keys, desc.flags = flags, desc.numbering = HALO_NUMBERING_AS_GIVEN;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        halo_keys_report report = HALO_KEYS_REPORT_INIT;
        OK(halo_topology_keys_report(topology, &report));
        if (report.n_owned != (rank.rank == 0 ? 1 : 0) || report.n_global != 1 || report.n_ghosts != 3 - report.n_owned)
            conformance::stop("%lld owned, %lld ghosts", static_cast<long long>(report.n_owned), static_cast<long long>(report.n_ghosts));
        uint8_t owned[3] = { 9, 9, 9 };
        int64_t n = 0;
        {
            Storage<double> storage(topology, "u", 1, 3, 2, rank.rank);
            OK(halo_field_owner_mask(storage.field(), rank.rank, owned, 3, &n));
            for (int64_t i = 0; i < 3; ++i) storage.at(i, 0) = i == 1 ? 10 : 1;
            halo_field *field = storage.field();
            halo_exchange_desc reverse = HALO_EXCHANGE_DESC_INIT;
            reverse.kind = HALO_KIND_REVERSE, reverse.op = HALO_SUM;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &reverse, &exchange));
            storage.upload();
            OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
            OK(halo_exchange_finish(exchange, conformance::finish_stream()));
            OK(halo_exchange_destroy(&exchange));
            storage.download();
            const double sum = rank.rank == 0 ? 10.0 * rank.size : 10.0;
            if (storage.at(0, 0) != 1 || storage.at(1, 0) != sum || storage.at(2, 0) != 1) conformance::stop("the sum is %g", storage.at(1, 0));
        }
        if (owned[0] != 0 || owned[1] != (rank.rank == 0 ? 1 : 0) || owned[2] != 0) conformance::stop("another entry is owned");
        OK(halo_topology_destroy(&topology));
    });
}

} // namespace
