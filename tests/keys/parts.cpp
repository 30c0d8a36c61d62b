// SPDX-License-Identifier: BSD-3-Clause
// Several parts on a rank: what comes out is what the same parts give when each lies on a rank of its own.
#include <gtest/gtest.h>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

// A model in which parts are the ranks, and how many of them lie on the ranks below each.
struct Dealt {
    Model model;
    std::vector<int64_t> first; // of each rank, and the end

    int64_t n_parts(int32_t rank) const { return first[static_cast<size_t>(rank) + 1] - first[static_cast<size_t>(rank)]; }
    int64_t most() const {
        int64_t most = 0;
        for (size_t r = 0; r + 1 < first.size(); ++r) most = std::max(most, first[r + 1] - first[r]);
        return most;
    }
    int32_t rank_of(int64_t part) const { return static_cast<int32_t>(std::upper_bound(first.begin(), first.end(), part) - first.begin() - 1); }
    // Of a part's entry; null: it is ignored.
    const KeyFacts *facts_of(int64_t part, int64_t position) const {
        const Entry &entry = model.ranks[static_cast<size_t>(part)][static_cast<size_t>(position)];
        return entry.flags & HALO_KEY_IGNORE ? nullptr : &model.facts.at(entry.key);
    }
    int64_t gid(int64_t part) const { return rank_of(part) * most() + part - first[static_cast<size_t>(rank_of(part))]; }
};

Dealt random_parts(Random &random, int32_t n_ranks) {
    Dealt dealt;
    const int64_t n_parts = pick(random, 1, 9);
    dealt.model = random_model(random, static_cast<int32_t>(n_parts));
    dealt.model.known_owners = false;
    for (int32_t r = 0; r < n_ranks; ++r) dealt.first.push_back(r == 0 ? 0 : pick(random, 0, n_parts));
    dealt.first.push_back(n_parts);
    std::sort(dealt.first.begin(), dealt.first.end());
    return dealt;
}

halo_topology *make(Rank &rank, const Dealt &dealt) {
    std::vector<uint64_t> keys;
    std::vector<int32_t> flags;
    std::vector<int64_t> weights, offsets{ 0 };
    for (int64_t part = dealt.first[static_cast<size_t>(rank.rank)]; part < dealt.first[static_cast<size_t>(rank.rank) + 1]; ++part) {
        for (const Entry &entry : dealt.model.ranks[static_cast<size_t>(part)]) {
            keys.push_back(entry.key);
            flags.push_back(entry.flags);
            weights.push_back(entry.weight);
        }
        offsets.push_back(static_cast<int64_t>(keys.size()));
    }
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(keys.size());
    desc.keys = keys.data();
    desc.owner_rule = dealt.model.rule;
    desc.directory = dealt.model.directory;
    desc.flags = flags.data();
    desc.weights = weights.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    desc.n_parts = static_cast<int32_t>(dealt.n_parts(rank.rank));
    desc.part_offsets = offsets.data();
    halo_topology *topology = nullptr;
    OK(halo_topology_create_keys(rank.context, &desc, &topology));
    return topology;
}

constexpr int32_t n_components = 2;

// Storage of the parts of this rank: components apart.
struct Parts {
    std::vector<conformance::OwnMemory<double>> values;

    Parts(const Dealt &dealt, int32_t rank, uint64_t seed, halo_field *field) {
        for (int64_t part = dealt.first[static_cast<size_t>(rank)]; part < dealt.first[static_cast<size_t>(rank) + 1]; ++part) {
            const auto n = static_cast<int64_t>(dealt.model.ranks[static_cast<size_t>(part)].size());
            conformance::OwnMemory<double> of_part;
            for (int32_t c = 0; c < n_components; ++c)
                for (int64_t i = 0; i < n; ++i) of_part.push_back(value_of<double>(seed, static_cast<int32_t>(part), i, c));
            halo_binding binding = HALO_BINDING_INIT;
            of_part.push_back(99);
            values.push_back(std::move(of_part));
            conformance::place(binding, values.back().data());
            OK(halo_field_bind(field, dealt.gid(part), &binding));
            conformance::upload(values.back().data(), values.back().size() * sizeof(double));
        }
    }
    // What copies have contributed is no longer needed. Twice: as it was.
    void negate_copies(const Dealt &dealt, int32_t rank) {
        conformance::Copies copies;
        for (size_t p = 0; p < values.size(); ++p) {
            const auto part = static_cast<int32_t>(dealt.first[static_cast<size_t>(rank)] + static_cast<int64_t>(p));
            const auto &entries = dealt.model.ranks[static_cast<size_t>(part)];
            for (size_t i = 0; i < entries.size(); ++i) {
                const KeyFacts *fact = dealt.facts_of(part, static_cast<int64_t>(i));
                for (size_t c = 0; fact && fact->contributes({ part, static_cast<int64_t>(i) }) && c < n_components; ++c)
                    copies.up(&(values[p][c * entries.size() + i] *= -1), sizeof(double));
            }
        }
        copies.go();
    }
    void download() {
        conformance::Copies copies;
        for (auto &of_part : values) copies.down(of_part.data(), of_part.size() * sizeof(double));
        copies.go();
    }
    bool right(const Dealt &dealt, int32_t rank, uint64_t seed, int32_t kind, halo_op op) const {
        for (size_t p = 0; p < values.size(); ++p) {
            const int64_t part = dealt.first[static_cast<size_t>(rank)] + static_cast<int64_t>(p);
            const auto n = static_cast<int64_t>(dealt.model.ranks[static_cast<size_t>(part)].size());
            std::vector<double> wanted;
            for (int32_t c = 0; c < n_components; ++c)
                for (int64_t i = 0; i < n; ++i) {
                    const KeyFacts *fact = dealt.facts_of(part, i);
                    const Copy copy{ static_cast<int32_t>(part), i };
                    wanted.push_back(fact ? expected<double>(seed, kind, op, *fact, copy, c) : value_of<double>(seed, copy.rank, i, c));
                }
            wanted.push_back(99);
            if (std::memcmp(wanted.data(), values[p].data(), wanted.size() * sizeof(double)) != 0) return false;
        }
        return true;
    }
};

void check_gids(const Dealt &dealt, Rank &rank, const halo_topology *topology) {
    const int64_t *gids = nullptr;
    int64_t n = 0;
    OK(halo_topology_local_parts(topology, &gids, &n));
    std::vector<int64_t> wanted;
    for (int64_t part = 0; part < static_cast<int64_t>(dealt.model.ranks.size()); ++part) {
        halo_part known = HALO_PART_INIT;
        OK(halo_topology_part(topology, dealt.gid(part), &known));
        if (known.rank != dealt.rank_of(part)) conformance::stop("part %lld lies on rank %d", static_cast<long long>(part), known.rank);
        if (known.rank == rank.rank) wanted.push_back(dealt.gid(part));
    }
    if (std::vector<int64_t>(gids, gids + n) != wanted) conformance::stop("other local parts");
}

void check_report(const Dealt &dealt, int32_t rank, const halo_topology *topology) {
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    OK(halo_topology_keys_report(topology, &report));
    int64_t n_owned = 0, n_unclaimed = 0, n_several_claim = 0;
    for (const auto &[key, fact] : dealt.model.facts) {
        n_owned += fact.owner >= 0 && dealt.rank_of(fact.owner) == rank;
        n_unclaimed += fact.owner < 0;
        n_several_claim += fact.several_claim;
    }
    const int64_t got[] = { report.n_owned, report.n_unclaimed, report.n_several_claim }, wanted[] = { n_owned, n_unclaimed, n_several_claim };
    for (size_t i = 0; i < 3; ++i)
        if (got[i] != wanted[i])
            conformance::stop("figure %zu of the report: %lld instead of %lld", i, static_cast<long long>(got[i]), static_cast<long long>(wanted[i]));
}

class PartsOfARank : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, PartsOfARank, testing::ValuesIn(conformance::rank_counts()));

constexpr struct {
    int32_t kind, source_stable;
} ways[] = { { HALO_KIND_GHOSTS, 0 },        { HALO_KIND_REVERSE, 0 }, { HALO_KIND_REVERSE, 1 },
             { HALO_KIND_SHARED_REDUCE, 1 }, { HALO_KIND_FETCH, 0 },   { HALO_KIND_FETCH, 1 } };

TEST_P(PartsOfARank, AsOnRanksOfTheirOwn) {
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 50);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) {
            Random random(seed);
            conformance::begin_case(seed);
            const Dealt dealt = random_parts(random, rank.size);
            halo_topology *topology = make(rank, dealt);
            check_gids(dealt, rank, topology);
            check_report(dealt, rank.rank, topology);
            for (const auto [kind, source_stable] : ways) {
                if (kind == HALO_KIND_FETCH && conformance::skips("HALO_KIND_FETCH: only on the host")) continue;
                halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
                field_desc.n_components = n_components;
                halo_field *field = nullptr;
                OK(halo_field_create(topology, &field_desc, &field));
                Parts parts(dealt, rank.rank, seed, field);
                halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
                desc.kind = kind;
                desc.op = any_op<double>(random);
                desc.messages = static_cast<int32_t>(pick(random, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL));
                desc.source_stable = source_stable;
                halo_exchange *exchange = nullptr;
                OK(halo_exchange_create(&field, 1, &desc, &exchange));
                OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
                if ((kind == HALO_KIND_REVERSE || kind == HALO_KIND_FETCH) && !desc.source_stable) parts.negate_copies(dealt, rank.rank);
                OK(halo_exchange_finish(exchange, conformance::finish_stream()));
                parts.download();
                if (kind == HALO_KIND_REVERSE && !desc.source_stable) parts.negate_copies(dealt, rank.rank); // a fetch has filled them
                OK(halo_exchange_destroy(&exchange));
                OK(halo_field_destroy(&field));
                if (!parts.right(dealt, rank.rank, seed, kind, desc.op))
                    conformance::stop("seed %llu: kind %d, op %d: wrong values", static_cast<unsigned long long>(seed), kind, desc.op);
            }
            OK(halo_topology_destroy(&topology));
        }
    });
}

TEST_P(PartsOfARank, Refused) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const uint64_t keys[2] = { 1, 2 };
        const int64_t beyond[3] = { 0, 1, 3 }, whole[2] = { 0, 2 };
        const auto refused = [&](const halo_keys_desc &desc, const char *text) {
            halo_topology *topology = nullptr;
            const halo_status got = halo_topology_create_keys(rank.context, &desc, &topology);
            if (got != HALO_ERR_ARGUMENT && got != HALO_ERR_PEER) conformance::stop("status %d: %s", got, halo_last_error());
            if (got == HALO_ERR_ARGUMENT && !std::strstr(halo_last_error(), text)) conformance::stop("'%s' is not in: %s", text, halo_last_error());
        };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 2;
        desc.keys = keys;
        desc.n_parts = 2;
        desc.part_offsets = beyond;
        refused(desc, "want HALO_NUMBERING_AS_GIVEN");
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        refused(desc, "from 0 to 3; they must ascend from 0 to 2");
        desc.part_offsets = nullptr;
        refused(desc, "2 parts, offsets at address");
        desc.part_offsets = whole;
        desc.n_parts = rank.rank == 0 ? 1 : 0;
        if (rank.size > 1) refused(desc, "2 keys in no part");
    });
}

} // namespace
