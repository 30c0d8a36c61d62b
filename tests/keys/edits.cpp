// SPDX-License-Identifier: BSD-3-Clause
// Random edits of random lists of keys: always the topology that the changed lists would give.
#include <gtest/gtest.h>

#include <set>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

// All that can be asked of a topology.
struct Facts {
    std::vector<uint32_t> indices;
    std::vector<int32_t> owners;
    std::vector<uint64_t> keys;
    std::vector<std::vector<int32_t>> sharers;
    std::vector<int32_t> peers;
    std::vector<uint64_t> unclaimed, several_claim;
    std::vector<int64_t> counts;
    std::vector<std::vector<int64_t>> values; // of an exchange of each kind
    bool operator==(const Facts &) const = default;
};

template <class T, class Ask>
std::vector<T> listed(Ask &&ask) {
    int64_t n = 0;
    OK(ask(nullptr, 0, &n));
    std::vector<T> list(static_cast<size_t>(n));
    if (n > 0) OK(ask(list.data(), n, &n));
    return list;
}

// Ghosts hold what came, or what they had.
std::vector<int64_t> exchanged(halo_topology *topology, const std::vector<uint64_t> &keys, int32_t kind, int32_t rank) {
    Storage<int64_t> storage(topology, "u", 1, static_cast<int64_t>(keys.size()), 2, rank);
    for (uint32_t i = 0; i < keys.size(); ++i) storage.at(i, 0) = static_cast<int64_t>(keys[i] * 7 + i + 1000 * static_cast<uint64_t>(rank));
    halo_field *field = storage.field();
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &desc, &exchange));
    storage.upload();
    OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
    OK(halo_exchange_finish(exchange, conformance::finish_stream()));
    OK(halo_exchange_destroy(&exchange));
    storage.download();
    return { storage.values().begin(), storage.values().end() };
}

Facts facts_of(halo_topology *topology, int32_t rank) {
    Facts facts;
    const auto all = [&](auto function) { return [=](auto... rest) { return function(topology, rest...); }; };
    facts.indices = listed<uint32_t>(all(halo_topology_local_indices));
    facts.owners = listed<int32_t>(all(halo_topology_owners));
    facts.keys = listed<uint64_t>(all(halo_topology_point_keys));
    facts.peers = listed<int32_t>(all(halo_topology_peers));
    for (int64_t i = 0; i < std::ssize(facts.owners); ++i)
        facts.sharers.push_back(listed<int32_t>([&](auto... rest) { return halo_topology_sharers(topology, i, rest...); }));
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    OK(halo_topology_keys_report(topology, &report));
    facts.unclaimed.assign(report.unclaimed, report.unclaimed + report.n_unclaimed_here);
    facts.several_claim.assign(report.several_claim, report.several_claim + report.n_several_claim_here);
    facts.counts = { report.n_points, report.n_owned,     report.n_ghosts,       report.first_global,
                     report.n_global, report.n_unclaimed, report.n_several_claim };
    for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE })
        facts.values.push_back(exchanged(topology, facts.keys, kind, rank));
    return facts;
}

int32_t any_flags(Random &random) {
    constexpr int32_t some[] = { 0, 0, 0, 0, HALO_KEY_CLAIM, HALO_KEY_READ_ONLY, HALO_KEY_IGNORE, HALO_KEY_WANT };
    return some[pick(random, 0, 7)];
}

// Says of each key who owns it, which need not be a rank that has it.
void give_owners(Random &random, Model &model) {
    for (const auto &entries : model.ranks)
        for (const Entry &entry : entries)
            if (!model.given.contains(entry.key)) model.given[entry.key] = static_cast<int32_t>(pick(random, 0, std::ssize(model.ranks) - 1));
}

// Some keys get other owners.
std::set<uint64_t> move_owners(Random &random, Model &model) {
    std::set<uint64_t> moved;
    for (auto &[key, owner] : model.given)
        if (pick(random, 0, 7) == 0) {
            owner = static_cast<int32_t>(pick(random, 0, std::ssize(model.ranks) - 1));
            moved.insert(key);
        }
    return moved;
}

// Changes each rank's list, and makes this rank's edit of it.
halo_topology *edit(Random &random, Model &model, Rank &rank, const halo_topology *topology) {
    const int64_t range = pick(random, 1, 100);
    const std::set<uint64_t> moved = move_owners(random, model);
    halo_topology *edited = nullptr;
    for (int32_t r = 0; r < rank.size; ++r) {
        std::vector<Entry> &entries = model.ranks[static_cast<size_t>(r)];
        std::vector<int64_t> remove;
        const int64_t odds = pick(random, 1, 6);
        std::vector<Entry> kept, again;
        for (int64_t i = 0; i < static_cast<int64_t>(entries.size()); ++i) {
            const Entry &entry = entries[static_cast<size_t>(i)];
            const bool goes = pick(random, 0, odds) == 0, moves = moved.contains(entry.key);
            if (goes || moves) remove.push_back(i);
            if (!goes) (moves ? again : kept).push_back(entry);
        }
        std::shuffle(remove.begin(), remove.end(), random);
        std::vector<uint64_t> add;
        std::vector<int32_t> owners;
        std::vector<int32_t> flags;
        std::vector<int64_t> weights;
        for (const Entry &entry : again) {
            add.push_back(entry.key);
            flags.push_back(entry.flags);
            weights.push_back(entry.weight);
            kept.push_back(entry);
        }
        for (int64_t n = pick(random, 0, 2) == 0 ? 0 : pick(random, 0, 12); n > 0; --n) {
            const uint64_t known =
                model.facts.empty() ? 3 : std::next(model.facts.begin(), pick(random, 0, static_cast<int64_t>(model.facts.size()) - 1))->first;
            add.push_back(pick(random, 0, 1) == 0 ? known : pick(random, 0, 9) == 0 ? UINT64_MAX : static_cast<uint64_t>(pick(random, 0, range)));
            flags.push_back(any_flags(random));
            weights.push_back(pick(random, -3, 3));
            kept.push_back({ add.back(), flags.back(), weights.back() });
        }
        entries = kept;
        if (model.known_owners) give_owners(random, model);
        if (r != rank.rank) continue;
        for (const uint64_t key : add)
            if (model.known_owners) owners.push_back(model.given.at(key));
        halo_keys_edit desc = HALO_KEYS_EDIT_INIT;
        desc.owners = owners.empty() ? nullptr : owners.data();
        desc.n_remove = static_cast<int64_t>(remove.size());
        desc.remove = remove.data();
        desc.n_add = static_cast<int64_t>(add.size());
        desc.add = add.data();
        desc.flags = flags.data();
        desc.weights = weights.data();
        OK(halo_topology_edit_keys(topology, &desc, &edited));
    }
    model.find_facts();
    return edited;
}

class Edits : public testing::TestWithParam<std::tuple<int32_t, const char *>> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Edits, testing::Combine(testing::ValuesIn(conformance::rank_counts()), testing::Values("alltoall", "consensus")));

TEST_P(Edits, AsARebuild) {
    const auto &[n_ranks, discovery] = GetParam();
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 25);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(n_ranks, { { "discovery", discovery } }, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) {
            Random random(seed);
            Model model = random_model(random, rank.size);
            model.known_owners = pick(random, 0, 2) == 0;
            model.editable = true;
            if (model.known_owners) model.first_are_mine = false, give_owners(random, model);
            halo_topology *present = model.make(rank.context, rank.rank);
            model.first_are_mine = false; // edits say by flags what is claimed
            for (int step = 0; step < 4; ++step) {
                halo_topology *edited = edit(random, model, rank, present), *rebuilt = model.make(rank.context, rank.rank);
                if (!(facts_of(edited, rank.rank) == facts_of(rebuilt, rank.rank)))
                    conformance::stop("seed %llu, edit %d: other than a rebuild", static_cast<unsigned long long>(seed), step);
                OK(halo_topology_destroy(&present));
                OK(halo_topology_destroy(&rebuilt));
                present = edited;
            }
            OK(halo_topology_destroy(&present));
        }
    });
}

// A chain of many keys in which two neighbours move one key: the others hear nothing.
TEST(Edit, TouchesWhomItConcerns) {
    if (!conformance::threads()) GTEST_SKIP() << "wants 8 ranks";
    conformance::run(8, { { "discovery", "consensus" } }, [](Rank &rank) {
        std::vector<uint64_t> keys;
        for (uint64_t i = 0; i <= 1000; ++i) keys.push_back(1000 * static_cast<uint64_t>(rank.rank) + i);
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = static_cast<int64_t>(keys.size());
        desc.keys = keys.data();
        desc.editable = 1;
        halo_topology *topology = nullptr, *edited = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        const uint64_t added = 3999;
        halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
        edit.n_add = rank.rank == 4 ? 1 : 0;
        edit.add = &added;
        OK(halo_topology_edit_keys(topology, &edit, &edited));
        halo_keys_report whole = HALO_KEYS_REPORT_INIT, report = HALO_KEYS_REPORT_INIT;
        OK(halo_topology_keys_report(topology, &whole));
        OK(halo_topology_keys_report(edited, &report));
        if (report.n_ghosts != whole.n_ghosts + (rank.rank == 4 ? 1 : 0)) conformance::stop("%lld ghosts", static_cast<long long>(report.n_ghosts));
        if (report.bytes_sent > 200) conformance::stop("%lld bytes for one key", static_cast<long long>(report.bytes_sent));
        OK(halo_topology_destroy(&topology));
        OK(halo_topology_destroy(&edited));
    });
}

TEST_P(Edits, Refused) {
    const auto &[n_ranks, discovery] = GetParam();
    conformance::run(n_ranks, { { "discovery", discovery } }, [](Rank &rank) {
        const uint64_t key = 4;
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 1;
        desc.keys = &key;
        halo_topology *fixed = nullptr, *topology = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &fixed));
        desc.editable = 1;
        OK(halo_topology_create_keys(rank.context, &desc, &topology));
        const auto refused = [&](halo_status status, const halo_topology *from, const halo_keys_edit &edit, const char *text) {
            halo_topology *edited = nullptr;
            const halo_status got = halo_topology_edit_keys(from, &edit, &edited);
            if (got != status || edited) conformance::stop("status %d instead of %d: %s", got, status, halo_last_error());
            if (!std::strstr(halo_last_error(), text)) conformance::stop("'%s' is not in: %s", text, halo_last_error());
        };
        const int64_t outside[1] = { 1 }, twice[2] = { 0, 0 };
        const int32_t flags[1] = { 512 };
        halo_keys_edit bad = HALO_KEYS_EDIT_INIT;
        refused(HALO_ERR_STATE, fixed, bad, "editable");
        bad.n_remove = 1;
        bad.remove = outside;
        refused(HALO_ERR_BOUNDS, topology, bad, "position 1");
        bad.n_remove = 2;
        bad.remove = twice;
        refused(HALO_ERR_LIMIT, topology, bad, "n_remove 2 exceeds 1");
        bad = halo_keys_edit HALO_KEYS_EDIT_INIT;
        bad.n_add = 1;
        bad.add = &key;
        bad.flags = flags;
        refused(HALO_ERR_ARGUMENT, topology, bad, "flags 512 of key 4");
        const int32_t owner = 0, nobody[1] = { -1 };
        bad.flags = nullptr;
        bad.owners = &owner;
        refused(HALO_ERR_ARGUMENT, topology, bad, "owners of added keys are given");
        desc.owners = &owner;
        halo_topology *known = nullptr;
        OK(halo_topology_create_keys(rank.context, &desc, &known));
        bad.owners = nullptr;
        refused(HALO_ERR_ARGUMENT, known, bad, "owners of added keys are missing");
        bad.owners = nobody;
        refused(HALO_ERR_ARGUMENT, known, bad, "owner -1 of key 4");
        OK(halo_topology_destroy(&known));
        OK(halo_topology_destroy(&fixed));
        OK(halo_topology_destroy(&topology));
    });
}

} // namespace
