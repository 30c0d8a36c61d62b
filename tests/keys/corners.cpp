// SPDX-License-Identifier: BSD-3-Clause
// Cases that go wrong elsewhere, each by name, and what is refused.
#include <gtest/gtest.h>

#include <numeric>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

void wanted(bool good, const char *what, int line) {
    if (!good) conformance::stop("line %d: %s", line, what);
}
#define WANT(condition) wanted((condition), #condition, __LINE__)

// A topology from keys alone.
halo_topology *topology_of(Rank &rank, const std::vector<uint64_t> &keys, int32_t numbering = HALO_NUMBERING_AS_GIVEN) {
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(keys.size());
    desc.keys = keys.data();
    desc.numbering = numbering;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_keys(rank.context, &desc, &topology));
    return topology;
}

halo_keys_report report_of(const halo_topology *topology) {
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    OK(halo_topology_keys_report(topology, &report));
    return report;
}

using Doubles = conformance::OwnMemory<double>;

// Runs an exchange over one field of one component; values by local index.
void exchange(Rank &rank, halo_topology *topology, Doubles &values, int32_t kind, halo_op op = HALO_SUM) {
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &field_desc, &field));
    halo_binding binding = HALO_BINDING_INIT;
    conformance::place(binding, values.data());
    OK(halo_field_bind(field, rank.rank, &binding));
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.op = op;
    halo_exchange *made = nullptr;
    OK(halo_exchange_create(&field, 1, &desc, &made));
    conformance::upload(values.data(), values.size() * sizeof(double));
    OK(halo_exchange_start(made, nullptr, conformance::stream()));
    OK(halo_exchange_finish(made, conformance::finish_stream()));
    OK(halo_exchange_destroy(&made));
    conformance::download(values.data(), values.size() * sizeof(double));
    OK(halo_field_destroy(&field));
}

// 4 ranks own a quarter each of the 16^3 hexahedra of a cube: its nodes are counted once.
TEST(Corners, NodesOfACube) {
    if (!conformance::threads()) GTEST_SKIP() << "wants 4 ranks";
    conformance::run(4, {}, [](Rank &rank) {
        std::vector<uint64_t> nodes;
        const uint64_t x0 = rank.rank % 2 == 0 ? 0 : 8, y0 = rank.rank / 2 == 0 ? 0 : 8;
        for (uint64_t z = 0; z <= 16; ++z)
            for (uint64_t y = y0; y <= y0 + 8; ++y)
                for (uint64_t x = x0; x <= x0 + 8; ++x) nodes.push_back((z * 17 + y) * 17 + x);
        halo_topology *topology = topology_of(rank, nodes);
        WANT(report_of(topology).n_global == 4913);
        Doubles values(nodes.size(), 1);
        exchange(rank, topology, values, HALO_KIND_SHARED_REDUCE);
        for (size_t i = 0; i < nodes.size(); ++i) {
            const uint64_t x = nodes[i] % 17, y = nodes[i] / 17 % 17;
            WANT(values[i] == (x == 8 ? 2 : 1) * (y == 8 ? 2 : 1));
        }
        OK(halo_topology_destroy(&topology));
    });
}

// One key everywhere, the least and the greatest key, and a rank without any.
TEST(Corners, KeyOnEveryRank) {
    for (const int32_t n_ranks : conformance::rank_counts())
        conformance::run(n_ranks, {}, [](Rank &rank) {
            std::vector<uint64_t> keys{ UINT64_MAX, 0 };
            if (rank.rank == 1) keys = {};
            halo_topology *topology = topology_of(rank, keys);
            const int32_t have = rank.size > 1 ? rank.size - 1 : 1;
            WANT(report_of(topology).n_global == 2);
            Doubles values(keys.size(), 1.0 + rank.rank);
            exchange(rank, topology, values, HALO_KIND_SHARED_REDUCE, HALO_MAX);
            for (const double value : values) WANT(value == rank.size || (rank.size == 2 && value == 1));
            std::fill(values.begin(), values.end(), 1.0);
            exchange(rank, topology, values, HALO_KIND_SHARED_REDUCE);
            for (const double value : values) WANT(value == have);
            int32_t ranks[16];
            int64_t n = 0;
            if (!keys.empty()) OK(halo_topology_sharers(topology, 0, ranks, 16, &n));
            WANT(keys.empty() || n == have);
            OK(halo_topology_destroy(&topology));
        });
}

// One rank touches all, the others one each; every owner's first point follows the ones of the ranks below.
TEST(Corners, RankThatTouchesAll) {
    for (const int32_t n_ranks : conformance::rank_counts())
        conformance::run(n_ranks, { { "discovery", "consensus" } }, [](Rank &rank) {
            std::vector<uint64_t> keys(static_cast<size_t>(rank.size));
            std::iota(keys.begin(), keys.end(), uint64_t{ 0 });
            std::vector<int32_t> owners(keys.size());
            std::iota(owners.begin(), owners.end(), 0);
            if (rank.rank != 0) {
                keys = { static_cast<uint64_t>(rank.rank) };
                owners = { rank.rank };
            }
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.n_keys = static_cast<int64_t>(keys.size());
            desc.keys = keys.data();
            desc.owners = owners.data();
            halo_topology *topology = nullptr;
            OK(halo_topology_create_keys(rank.context, &desc, &topology));
            WANT(report_of(topology).n_owned == 1 && report_of(topology).first_global == rank.rank);
            Doubles values(keys.size(), rank.rank);
            exchange(rank, topology, values, HALO_KIND_GHOSTS);
            for (size_t i = 0; i < values.size(); ++i) WANT(values[i] == static_cast<double>(keys[i]));
            OK(halo_topology_destroy(&topology));
        });
}

// A chain of cells, periodic: its only part is its own neighbour.
TEST(Corners, PeriodicWithItself) {
    conformance::run(conformance::threads() ? 1 : 0, {}, [](Rank &rank) {
        if (rank.size > 1) return;
        halo_topology *topology = topology_of(rank, { 7, 8, 9, 10, 10, 7 });
        Doubles values{ 1, 2, 3, 4, -1, -1 };
        exchange(rank, topology, values, HALO_KIND_GHOSTS);
        WANT((values == Doubles{ 1, 2, 3, 4, 4, 1 }));
        exchange(rank, topology, values, HALO_KIND_REVERSE);
        WANT((values == Doubles{ 2, 2, 3, 8, 4, 1 }));
        OK(halo_topology_destroy(&topology));
    });
}

// Ghosts in the order of their owners are received as runs: no list, no copy per point.
TEST(Corners, WhatNobodyOwnsStays) {
    for (const int32_t n_ranks : conformance::rank_counts())
        conformance::run(n_ranks, {}, [](Rank &rank) {
            const uint64_t keys[2] = { 5, 1000 + static_cast<uint64_t>(rank.rank) };
            const int32_t flags[2] = { HALO_KEY_WANT, 0 };
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.n_keys = 2;
            desc.keys = keys;
            desc.flags = flags;
            halo_topology *topology = nullptr;
            OK(halo_topology_create_keys(rank.context, &desc, &topology));
            const halo_keys_report report = report_of(topology);
            WANT(report.n_unclaimed == 1 && report.n_unclaimed_here == 1 && report.unclaimed[0] == 5);
            WANT(report.n_points == 2 && report.n_owned == 1);
            Doubles values{ 1, -7 };
            exchange(rank, topology, values, HALO_KIND_GHOSTS);
            WANT((values == Doubles{ 1, -7 }));
            OK(halo_topology_destroy(&topology));
        });
}

// The first keys are this rank's, the others wanted: as where the owners are given.
TEST(Corners, TheFirstAreMine) {
    for (const int32_t n_ranks : conformance::rank_counts())
        conformance::run(n_ranks, {}, [](Rank &rank) {
            const bool has_none = rank.rank == 1; // neither its own, nor wanted
            const auto key = [](int32_t owner, int32_t i) { return static_cast<uint64_t>(owner) * 1000 + static_cast<uint64_t>(i); };
            std::vector<uint64_t> keys;
            std::vector<int32_t> owners;
            const auto add = [&](int32_t owner, int32_t i) {
                if (has_none || owner == 1) return;
                keys.push_back(key(owner, i));
                owners.push_back(owner);
            };
            for (int32_t i = 9; i >= 0; --i) add(rank.rank, i);
            const int64_t n_mine = std::ssize(keys);
            for (int32_t other = rank.size - 1; other >= 0; --other)
                for (int32_t i = other == rank.rank ? 10 : 0; i < 10; i += 3) add(other, i), add(other, 0); // wanted keys come several times
            add(rank.rank, 4);                                                                              // so does one of its own
            for (const int32_t numbering : { HALO_NUMBERING_BY_OWNER, HALO_NUMBERING_BY_KEY, HALO_NUMBERING_AS_GIVEN }) {
                halo_keys_desc desc = HALO_KEYS_DESC_INIT;
                desc.numbering = numbering;
                desc.n_keys = std::ssize(keys);
                desc.keys = keys.data();
                desc.owners = owners.data();
                halo_topology *topologies[2] = {};
                OK(halo_topology_create_keys(rank.context, &desc, &topologies[0]));
                desc.owners = nullptr;
                desc.n_mine = n_mine;
                OK(halo_topology_create_keys(rank.context, &desc, &topologies[1]));
                std::vector<uint32_t> indices[2];
                Doubles values[2];
                for (int t = 0; t < 2; ++t) {
                    const halo_keys_report report = report_of(topologies[t]);
                    WANT(report.n_owned == n_mine && report.n_unclaimed == 0 && report.n_several_claim == 0);
                    indices[t].resize(keys.size());
                    int64_t n = 0;
                    OK(halo_topology_local_indices(topologies[t], indices[t].data(), std::ssize(keys), &n));
                    values[t].assign(keys.size(), -1);
                    for (size_t i = 0; i < keys.size(); ++i)
                        values[t][indices[t][i]] = owners[i] == rank.rank ? 1.0 / (1.0 + static_cast<double>(keys[i])) : 0.1 * (1 + rank.rank);
                    for (const int32_t kind : { HALO_KIND_REVERSE, HALO_KIND_GHOSTS, HALO_KIND_SHARED_REDUCE })
                        exchange(rank, topologies[t], values[t], kind);
                }
                WANT(indices[0] == indices[1]);
                WANT(values[0].size() == values[1].size());
                if (!keys.empty()) WANT(std::memcmp(values[0].data(), values[1].data(), keys.size() * sizeof(double)) == 0);
                for (halo_topology *&topology : topologies) OK(halo_topology_destroy(&topology));
            }
        });
}

// Two ranks take a key for their own, and one is wanted that nobody has: both are told, and the lower rank owns the first.
TEST(Corners, MineOfTwoAndOfNobody) {
    for (const int32_t n_ranks : conformance::rank_counts())
        conformance::run(n_ranks, {}, [](Rank &rank) {
            const uint64_t keys[3] = { 7, 100 + static_cast<uint64_t>(rank.rank), 8 };
            halo_keys_desc desc = HALO_KEYS_DESC_INIT;
            desc.n_keys = 3;
            desc.keys = keys;
            desc.n_mine = 2;
            halo_topology *topology = nullptr;
            OK(halo_topology_create_keys(rank.context, &desc, &topology));
            const halo_keys_report report = report_of(topology);
            WANT(report.n_owned == (rank.rank == 0 ? 2 : 1) && report.n_global == rank.size + 1);
            WANT(report.n_unclaimed == 1 && report.n_unclaimed_here == 1 && report.unclaimed[0] == 8);
            WANT(report.n_several_claim == (rank.size > 1 ? 1 : 0) && report.n_several_claim_here == report.n_several_claim);
            OK(halo_topology_destroy(&topology));
            desc.n_mine = 0; // none, which is not the same as not used
            OK(halo_topology_create_keys(rank.context, &desc, &topology));
            WANT(report_of(topology).n_global == 0 && report_of(topology).n_unclaimed == rank.size + 2);
            OK(halo_topology_destroy(&topology));
        });
}

TEST(Corners, Refused) {
    for (const int32_t n_ranks : conformance::rank_counts())
        conformance::run(n_ranks, {}, [](Rank &rank) {
            const uint64_t key = 42;
            const int32_t bad_owner = rank.size, bad_flags = 64;
            const auto refused = [&](halo_status status, halo_keys_desc desc, const char *text) {
                halo_topology *topology = nullptr;
                const halo_status got = halo_topology_create_keys(rank.context, &desc, &topology);
                WANT(got == status);
                WANT(topology == nullptr);
                if (!std::strstr(halo_last_error(), text)) conformance::stop("'%s' is not in: %s", text, halo_last_error());
            };
            halo_keys_desc good = HALO_KEYS_DESC_INIT;
            good.n_keys = 1;
            good.keys = &key;
            halo_keys_desc bad = good;
            bad.owners = &bad_owner;
            refused(HALO_ERR_ARGUMENT, bad, "key 42");
            bad = good;
            bad.flags = &bad_flags;
            refused(HALO_ERR_ARGUMENT, bad, "flags 64 of key 42");
            bad = good;
            bad.owner_rule = 9;
            refused(HALO_ERR_ARGUMENT, bad, "owner_rule 9");
            bad = good;
            bad.keys = nullptr;
            refused(HALO_ERR_ARGUMENT, bad, "1 keys");
            const int32_t claim = HALO_KEY_CLAIM, here = 0;
            bad = good;
            for (const int64_t n_mine : { -2, 2 }) {
                bad.n_mine = n_mine;
                refused(HALO_ERR_ARGUMENT, bad, "of 1 keys; it must be -1 (not used) or 0 to all of them");
            }
            bad.n_mine = 1;
            bad.owners = &here;
            refused(HALO_ERR_ARGUMENT, bad, "n_mine says who owns each key");
            bad.owners = nullptr;
            bad.owner_rule = HALO_OWNER_SPREAD;
            refused(HALO_ERR_ARGUMENT, bad, "n_mine says who owns each key");
            bad.owner_rule = HALO_OWNER_CLAIM;
            bad.flags = &claim;
            refused(HALO_ERR_ARGUMENT, bad, "flags 1 of key 42 at position 0 claim or want it");
            if (rank.size == 1) return;
            bad = good;
            if (rank.rank == rank.size - 1) bad.numbering = -1;
            if (rank.rank == rank.size - 1)
                refused(HALO_ERR_ARGUMENT, bad, "numbering -1");
            else
                refused(HALO_ERR_PEER, bad, "has refused its description; first cause, on rank ");
            bad = good;
            bad.owner_rule = rank.rank == 0 ? HALO_OWNER_SPREAD : HALO_OWNER_WEIGHT;
            refused(HALO_ERR_MISMATCH, bad, "keys must agree on all ranks: owner rule: spread on rank 0, weight on rank 1");
            bad = good;
            bad.directory = rank.rank == 0 ? HALO_DIRECTORY_HASH : HALO_DIRECTORY_RANGE;
            refused(HALO_ERR_MISMATCH, bad, "keys must agree on all ranks: directory: hash on rank 0, range on rank 1");
            const int32_t owner = 0;
            bad = good;
            if (rank.rank == 0) bad.owners = &owner;
            refused(HALO_ERR_MISMATCH, bad, "keys must agree on all ranks: owners: given on rank 0, not given on rank 1");
            bad = good;
            bad.editable = rank.rank == 0;
            refused(HALO_ERR_MISMATCH, bad, "keys must agree on all ranks: editable: yes on rank 0, no on rank 1");
            bad = good;
            if (rank.rank == 0) bad.n_mine = 0;
            refused(HALO_ERR_MISMATCH, bad, "keys must agree on all ranks: first keys: each rank's own on rank 0, as all others on rank 1");
        });
}

} // namespace
