// SPDX-License-Identifier: BSD-3-Clause
// Values added to any entities of random meshes, and fetched from them: in the right order, by messages to those concerned alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "made.h"
#include "ranks.h"

namespace {

using namespace mesh;
using conformance::Rank;

// What each rank names: entities of all, some of them several times; some ranks name nothing.
std::vector<std::vector<uint64_t>> random_targets(const ModelSet &set, int32_t n_ranks, Random &random) {
    std::vector<uint64_t> there;
    for (const auto &[key, entity] : set.entities)
        if (entity.owner >= 0) there.push_back(key);
    std::vector<std::vector<uint64_t>> named(static_cast<size_t>(n_ranks));
    for (std::vector<uint64_t> &of_rank : named)
        for (int64_t n = there.empty() ? 0 : std::max<int64_t>(0, pick(random, -5, 25)); n > 0; --n)
            of_rank.push_back(there[static_cast<size_t>(pick(random, 0, std::min<int64_t>(std::ssize(there), 30) - 1))]);
    return named;
}

// Of sizes that make the order of a sum show.
double value_at(uint64_t key, size_t place, int32_t run) {
    return std::ldexp(1.0 + static_cast<double>(key % 97), static_cast<int>((key + 7 * place + static_cast<size_t>(run)) % 60));
}

double combined(double into, double value, halo_op op) {
    return op == HALO_SUM ? into + value : op == HALO_MIN ? std::min(into, value) : std::max(into, value);
}

class Targets {
public:
    Targets(Rank &rank, halo_mesh *made, size_t set, const Local &local, const std::vector<std::vector<uint64_t>> &named)
        : rank_(rank),
          local_(local),
          named_(named),
          own(static_cast<size_t>(local.known.n) + 1, -1.0),
          values(mine().size() + 1) {
        OK(halo_mesh_target_topology(made, static_cast<int32_t>(set), mine().data(), std::ssize(mine()), &topology_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        OK(halo_field_create(topology_, &desc, &field_));
        bind(2 * rank.rank, own.data());
        bind(2 * rank.rank + 1, values.data());
    }
    ~Targets() {
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }
    Targets(const Targets &) = delete;
    Targets &operator=(const Targets &) = delete;

    // Two runs by each operation: what has been found is used again.
    void check_added(Seed seed);
    void check_fetched(Seed seed);

private:
    const std::vector<uint64_t> &mine() const { return named_[static_cast<size_t>(rank_.rank)]; }
    void bind(int64_t gid, double *data) {
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = data;
        OK(halo_field_bind(field_, gid, &binding));
    }
    halo_exchange *exchange_of(int32_t kind) {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = kind;
        halo_exchange *made = nullptr;
        OK(halo_exchange_create(&field_, 1, &desc, &made));
        return made;
    }
    void check_peers(Seed seed, const halo_exchange *made) const;
    void check_sums(Seed seed, halo_op op, int32_t run) const;

    Rank &rank_;
    const Local &local_;
    const std::vector<std::vector<uint64_t>> &named_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;

public:
    std::vector<double> own, values; // ghosts of the mesh lie behind own entities, and are left alone
};

// Owners of what this rank names, and ranks that name what it owns.
void Targets::check_peers(Seed seed, const halo_exchange *made) const {
    std::set<int32_t> wanted, got;
    for (const uint64_t key : mine())
        for (int64_t i = 0; i < local_.known.n; ++i)
            if (local_.known.keys[i] == key && i >= local_.known.n_owned) wanted.insert(local_.known.owners[i]);
    for (int32_t other = 0; other < rank_.size; ++other)
        for (const uint64_t key : named_[static_cast<size_t>(other)]) {
            const auto found = local_.index.find(key);
            if (other != rank_.rank && found != local_.index.end() && found->second < local_.known.n_owned) wanted.insert(other);
        }
    std::vector<halo_peer_row> rows(static_cast<size_t>(rank_.size));
    int64_t n = 0;
    OK(halo_exchange_peers(made, sizeof(halo_peer_row), rows.data(), rank_.size, &n));
    for (int64_t i = 0; i < n; ++i) got.insert(rows[static_cast<size_t>(i)].rank);
    for (const uint64_t key : mine())
        if (!local_.index.contains(key)) return; // its owner is not known here
    if (got != wanted) stop("seed %llu: %zu peers instead of %zu", seed, got.size(), wanted.size());
}

void Targets::check_sums(Seed seed, halo_op op, int32_t run) const {
    for (int64_t i = 0; i < local_.known.n; ++i) {
        const uint64_t key = local_.known.keys[i];
        double wanted = i < local_.known.n_owned ? value_at(key, 50, run) : -1;
        for (const std::vector<uint64_t> &of_rank : named_)
            for (size_t place = 0; i < local_.known.n_owned && place < of_rank.size(); ++place)
                if (of_rank[place] == key) wanted = combined(wanted, value_at(key, place, run), op);
        if (own[static_cast<size_t>(i)] != wanted)
            stop("seed %llu: run %d, op %d: %g instead of %g at %lld", seed, run, op, own[static_cast<size_t>(i)], wanted, static_cast<long long>(i));
    }
}

void Targets::check_added(Seed seed) {
    halo_exchange *adding = exchange_of(HALO_KIND_REVERSE);
    check_peers(seed, adding);
    for (const halo_op op : { HALO_SUM, HALO_MIN, HALO_MAX })
        for (int32_t run = 0; run < 2; ++run) {
            for (int64_t i = 0; i < local_.known.n_owned; ++i) own[static_cast<size_t>(i)] = value_at(local_.known.keys[i], 50, run);
            for (size_t place = 0; place < mine().size(); ++place) values[place] = value_at(mine()[place], place, run);
            halo_run how = HALO_RUN_INIT;
            how.op = op;
            OK(halo_exchange_start(adding, &how, HALO_STREAM_NONE));
            OK(halo_exchange_finish(adding, HALO_STREAM_NONE));
            check_sums(seed, op, run);
        }
    OK(halo_exchange_destroy(&adding));
}

void Targets::check_fetched(Seed seed) {
    halo_exchange *fetching = exchange_of(HALO_KIND_GHOSTS);
    for (int64_t i = 0; i < local_.known.n_owned; ++i) own[static_cast<size_t>(i)] = value_at(local_.known.keys[i], 50, 0);
    std::ranges::fill(values, -2.0);
    OK(halo_exchange_start(fetching, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(fetching, HALO_STREAM_NONE));
    for (size_t place = 0; place < mine().size(); ++place)
        if (values[place] != value_at(mine()[place], 50, 0)) stop("seed %llu: value %zu that was fetched", seed, place);
    if (values.back() != -2) stop("seed %llu: more is fetched than was named", seed);
    OK(halo_exchange_destroy(&fetching));
}

void check(Rank &rank, uint64_t seed) {
    Random random(seed);
    const Model model = random_model(random, rank.size);
    const Brought brought(model, rank.rank, seed);
    halo_mesh *made = nullptr;
    OK(halo_mesh_create(rank.context, &brought.desc, &made));
    for (size_t s = 0; s < model.sets.size(); ++s) {
        const Local local(made, s);
        const std::vector<std::vector<uint64_t>> named = random_targets(model.sets[s], rank.size, random);
        Targets targets(rank, made, s, local, named);
        targets.check_added(seed);
        targets.check_fetched(seed);
    }
    OK(halo_mesh_destroy(&made));
}

class MeshTargets : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, MeshTargets, testing::ValuesIn(conformance::rank_counts()));

TEST_P(MeshTargets, AddedInOrder) {
    const auto n_cases = static_cast<uint64_t>(conformance::number_from("MESH_CASES", 25));
    const auto first = static_cast<uint64_t>(conformance::number_from("MESH_SEED", 1));
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + n_cases; ++seed) check(rank, seed);
    });
}

// Entities that no rank has: all hear of one, and what is asked next works.
TEST_P(MeshTargets, Refused) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const bool last = rank.rank == rank.size - 1;
        const halo_status elsewhere = last ? HALO_ERR_ARGUMENT : HALO_ERR_PEER;
        const uint64_t node = static_cast<uint64_t>(rank.rank), first_and_none[2] = { 0, 4711 };
        halo_mesh_set set = HALO_MESH_SET_INIT;
        set.name = "nodes", set.n = 1, set.keys = &node;
        halo_mesh_desc desc = HALO_MESH_DESC_INIT;
        desc.n_sets = 1, desc.sets = &set;
        halo_mesh *made = nullptr;
        halo_topology *topology = nullptr;
        OK(halo_mesh_create(rank.context, &desc, &made));
        const auto refused = [&](int32_t number, const uint64_t *keys, int64_t n, halo_status wanted, const std::string &text) {
            const halo_status got = halo_mesh_target_topology(made, number, keys, n, &topology);
            if (got != wanted || topology || !std::strstr(halo_last_error(), text.c_str()))
                stop("status %d instead of %d, '%s' in: %s", got, wanted, text.c_str(), halo_last_error());
        };
        refused(0, first_and_none, last ? 2 : 1, elsewhere,
                "rank " + std::to_string(rank.size - 1) + " names entity 4711, which is none of set nodes");
        refused(0, last ? nullptr : first_and_none, 1, elsewhere, "mesh targets: 1 keys at address");
        refused(0, first_and_none, last ? -1 : 1, elsewhere, "mesh targets: -1 keys");
        refused(1, first_and_none, 1, HALO_ERR_ARGUMENT, "set 1; there are 1");
        if (rank.size > 1) refused(last ? 1 : 0, first_and_none, 1, HALO_ERR_MISMATCH, "set");
        OK(halo_mesh_target_topology(made, 0, first_and_none, last ? 0 : 1, &topology));
        OK(halo_mesh_destroy(&made));
        OK(halo_topology_destroy(&topology));
    });
}

} // namespace
