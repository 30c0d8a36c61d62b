// SPDX-License-Identifier: BSD-3-Clause
// Random star forests and key sets against PetscSF: the same arrays must come out. usage, under PETSc's MPI: petsc_oracle [cases] [first seed]
#include <petscsf.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "oracle.h"

namespace {

#define PETSC(call) ((call) == 0 ? void() : stop(#call, "failed"))

using Random = std::mt19937_64;
int64_t pick(Random &random, int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

// Whole numbers, so that sums are exact in any order.
std::vector<double> values_of(int64_t n) {
    Random random(present_seed * 64 + static_cast<uint64_t>(rank_of_process));
    std::vector<double> values(static_cast<size_t>(n));
    for (double &value : values) value = static_cast<double>(pick(random, -1000, 1000));
    return values;
}

std::vector<double> exchanged(halo_topology *topology, std::vector<double> values, int32_t kind, halo_op op) {
    const halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    halo_field *field = nullptr;
    HALO(halo_field_create(topology, &field_desc, &field));
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = values.data();
    HALO(halo_field_bind(field, rank_of_process, &binding));
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.op = op;
    desc.source_stable = static_cast<int32_t>(present_seed % 2);
    halo_exchange *exchange = nullptr;
    HALO(halo_exchange_create(&field, 1, &desc, &exchange));
    HALO(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    HALO(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    HALO(halo_exchange_destroy(&exchange));
    HALO(halo_field_destroy(&field));
    return values;
}

void compare(halo_topology *topology, PetscSF forest, int64_t n_points) {
    const std::vector<double> given = values_of(n_points);
    std::vector<double> theirs = given;
    PETSC(PetscSFBcastBegin(forest, MPI_DOUBLE, given.data(), theirs.data(), MPI_REPLACE));
    PETSC(PetscSFBcastEnd(forest, MPI_DOUBLE, given.data(), theirs.data(), MPI_REPLACE));
    if (exchanged(topology, given, HALO_KIND_GHOSTS, HALO_SUM) != theirs) stop("forward", "other values than PetscSF's");
    constexpr halo_op ops[] = { HALO_SUM, HALO_MIN, HALO_MAX, HALO_PROD };
    const MPI_Op their_ops[] = { MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD };
    for (int o = 0; o < 4; ++o) {
        theirs = given;
        PETSC(PetscSFReduceBegin(forest, MPI_DOUBLE, given.data(), theirs.data(), their_ops[o]));
        PETSC(PetscSFReduceEnd(forest, MPI_DOUBLE, given.data(), theirs.data(), their_ops[o]));
        const std::vector<double> mine = exchanged(topology, given, HALO_KIND_REVERSE, ops[o]);
        for (size_t i = 0; i < mine.size(); ++i) // products leave what is exact
            if (mine[i] != theirs[i] && !(o == 3 && std::abs(mine[i] - theirs[i]) <= 1e-12 * std::abs(mine[i])))
                stop("reverse", "other values than PetscSF's");
    }
}

// Into zeros: sums over each root's leaves of f(value).
template <class F>
std::vector<double> summed(PetscSF forest, std::vector<double> values, F &&f) {
    std::vector<double> sums(values.size(), 0);
    for (double &value : values) value = f(value);
    PETSC(PetscSFReduceBegin(forest, MPI_DOUBLE, values.data(), sums.data(), MPI_SUM));
    PETSC(PetscSFReduceEnd(forest, MPI_DOUBLE, values.data(), sums.data(), MPI_SUM));
    return sums;
}

// PetscSF adds the leaves of a root in no order that it tells. All of them bring the same here, so that each root's leaves get the same values, if
// not one by one.
void compare_fetch(halo_topology *topology, PetscSF forest, int64_t n_points) {
    const std::vector<double> given = exchanged(topology, values_of(n_points), HALO_KIND_GHOSTS, HALO_SUM);
    std::vector<double> roots = given, theirs = given;
    PETSC(PetscSFFetchAndOpBegin(forest, MPI_DOUBLE, roots.data(), given.data(), theirs.data(), MPI_SUM));
    PETSC(PetscSFFetchAndOpEnd(forest, MPI_DOUBLE, roots.data(), given.data(), theirs.data(), MPI_SUM));
    const std::vector<double> mine = exchanged(topology, given, HALO_KIND_FETCH, HALO_SUM);
    std::vector<bool> is_leaf(given.size(), false);
    PetscInt n_leaves = 0;
    const PetscInt *leaves = nullptr;
    PETSC(PetscSFGetGraph(forest, nullptr, &n_leaves, &leaves, nullptr));
    for (PetscInt i = 0; i < n_leaves; ++i) is_leaf[static_cast<size_t>(leaves ? leaves[i] : i)] = true;
    for (size_t i = 0; i < given.size(); ++i)
        if (!is_leaf[i] && mine[i] != roots[i]) stop("fetch", "other roots than PetscSF's");
    const auto same = [](double value) { return value; };
    const auto square = [](double value) { return value * value; };
    if (summed(forest, mine, same) != summed(forest, theirs, same) || summed(forest, mine, square) != summed(forest, theirs, square))
        stop("fetch", "other leaves than PetscSF's");
}

void star_case(halo_context *context, Random &random) {
    std::vector<int64_t> n_roots(static_cast<size_t>(n_ranks));
    for (int64_t &n : n_roots) n = pick(random, 0, 2) == 0 ? 0 : pick(random, 1, 200);
    n_roots[static_cast<size_t>(pick(random, 0, n_ranks - 1))] = 50;
    Random mine(random() + static_cast<uint64_t>(rank_of_process));
    const int64_t own = n_roots[static_cast<size_t>(rank_of_process)], n_leaves = pick(mine, 0, 300), n_points = own + n_leaves;
    std::vector<int32_t> ranks;
    std::vector<uint32_t> indices;
    std::vector<PetscSFNode> nodes;
    std::vector<PetscInt> leaves;
    while (static_cast<int64_t>(ranks.size()) < n_leaves) {
        const auto rank = static_cast<int32_t>(pick(mine, 0, n_ranks - 1));
        if (n_roots[static_cast<size_t>(rank)] == 0) continue;
        const int64_t index = pick(mine, 0, n_roots[static_cast<size_t>(rank)] - 1);
        leaves.push_back(static_cast<PetscInt>(own + static_cast<int64_t>(ranks.size())));
        ranks.push_back(rank);
        indices.push_back(static_cast<uint32_t>(index));
        nodes.push_back({ rank, static_cast<PetscInt>(index) });
    }
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = n_points;
    desc.n_leaves = n_leaves;
    desc.ranks = ranks.data();
    desc.indices = indices.data();
    halo_topology *topology = nullptr;
    HALO(halo_topology_create_star(context, &desc, &topology));
    PetscSF forest = nullptr;
    PETSC(PetscSFCreate(PETSC_COMM_WORLD, &forest));
    PETSC(PetscSFSetGraph(forest, static_cast<PetscInt>(n_points), static_cast<PetscInt>(n_leaves), leaves.data(), PETSC_COPY_VALUES, nodes.data(),
                          PETSC_COPY_VALUES));
    compare(topology, forest, n_points);
    compare_fetch(topology, forest, n_points);
    PETSC(PetscSFDestroy(&forest));
    HALO(halo_topology_destroy(&topology));
}

// PetscSF matches ids by a layout, and the highest rank wins: here, the one of greatest weight.
void keys_case(halo_context *context, Random &random) {
    const int64_t n_keys = pick(random, 1, 400);
    Random mine(random() + static_cast<uint64_t>(rank_of_process));
    std::set<uint64_t> chosen;
    for (int64_t n = pick(mine, 0, n_keys); n > 0; --n) chosen.insert(static_cast<uint64_t>(pick(mine, 0, n_keys - 1)));
    std::vector<uint64_t> keys(chosen.begin(), chosen.end());
    std::shuffle(keys.begin(), keys.end(), mine);
    const auto n = static_cast<int64_t>(keys.size());
    const std::vector<int64_t> weights(keys.size(), rank_of_process);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = n;
    desc.keys = keys.data();
    desc.owner_rule = HALO_OWNER_WEIGHT;
    desc.weights = weights.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *topology = nullptr;
    HALO(halo_topology_create_keys(context, &desc, &topology));

    const std::vector<PetscInt> indices(keys.begin(), keys.end());
    const auto n_indices = static_cast<PetscInt>(n);
    PetscLayout layout = nullptr;
    PETSC(PetscLayoutCreate(PETSC_COMM_WORLD, &layout));
    PETSC(PetscLayoutSetSize(layout, static_cast<PetscInt>(n_keys)));
    PETSC(PetscLayoutSetUp(layout));
    PetscSF matched = nullptr, forest = nullptr;
    PETSC(PetscSFCreateByMatchingIndices(layout, n_indices, indices.data(), nullptr, 0, n_indices, indices.data(), nullptr, 0, nullptr, &matched));
    const PetscInt *leaves = nullptr;
    const PetscSFNode *roots = nullptr;
    PetscInt n_roots = 0, n_leaves = 0;
    PETSC(PetscSFGetGraph(matched, &n_roots, &n_leaves, &leaves, &roots));
    std::vector<int32_t> owners(keys.size());
    int64_t n_owners = 0;
    HALO(halo_topology_owners(topology, owners.data(), n, &n_owners));
    std::vector<PetscInt> other_leaves; // without those that are their own roots
    std::vector<PetscSFNode> other_roots;
    for (PetscInt i = 0; i < n_leaves; ++i) {
        const PetscInt leaf = leaves ? leaves[i] : i;
        if (owners[static_cast<size_t>(leaf)] != roots[i].rank) stop("owners", "other than PetscSF's");
        if (roots[i].rank == rank_of_process && roots[i].index == leaf) continue;
        other_leaves.push_back(leaf);
        other_roots.push_back(roots[i]);
    }
    PETSC(PetscSFCreate(PETSC_COMM_WORLD, &forest));
    PETSC(PetscSFSetGraph(forest, n_indices, static_cast<PetscInt>(other_leaves.size()), other_leaves.data(), PETSC_COPY_VALUES, other_roots.data(),
                          PETSC_COPY_VALUES));
    compare(topology, forest, n);
    compare_fetch(topology, forest, n);
    PETSC(PetscSFDestroy(&forest));
    PETSC(PetscSFDestroy(&matched));
    PETSC(PetscLayoutDestroy(&layout));
    HALO(halo_topology_destroy(&topology));
}

} // namespace

int main(int argc, char **argv) {
    const int64_t n_cases = argc > 1 ? std::atoll(argv[1]) : 200;
    const int64_t first = argc > 2 ? std::atoll(argv[2]) : 1;
    PETSC(PetscInitializeNoArguments());
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_process);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    halo_context *context = nullptr;
    HALO(halo_context_create(nullptr, &context));
    for (int64_t i = 0; i < n_cases; ++i) {
        present_seed = static_cast<uint64_t>(first + i);
        Random random(present_seed);
        star_case(context, random);
        keys_case(context, random);
    }
    HALO(halo_context_destroy(&context));
    PETSC(PetscFinalize());
    if (rank_of_process == 0) std::printf("%lld star forests and as many key sets equal PetscSF's\n", static_cast<long long>(n_cases));
}
