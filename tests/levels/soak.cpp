// SPDX-License-Identifier: BSD-3-Clause
// Remesh after remesh: what is there, and how long an exchange takes, are after many as after few, and a linear function goes over all lists of
// blocks unchanged. Each cycle leads from one list, by random ones, and back to it by the same, so that cycles can be compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "kept.h"
#include "linear.h"
#include "stored.h"

namespace {

using namespace levels;

constexpr int32_t finest = 3;   // level
constexpr int64_t n_out = 4;    // lists away from the first; as many remeshes lead back
constexpr int64_t n_timed = 20; // exchanges after each cycle, of which the fastest counts
constexpr int64_t most_cycles_more = 40;
constexpr double slower = 3;           // what noise may do to the fastest
constexpr int64_t more_bytes = 262144; // of the heap: lists that grow once

Shape shape_of_soak() {
    Shape shape;
    shape.n_dims = 2, shape.n_cells = 8, shape.n_trees = 2, shape.n_roots = { 2, 2, 1 };
    shape.periodic[1] = true, shape.turned = true, shape.deepest = 2;
    return shape;
}

std::vector<halo_leaf> leaves_of(const Model &model) {
    const halo_forest_desc &desc = model.desc();
    return { desc.leaves, desc.leaves + desc.n_leaves };
}

std::vector<halo_leaf> adapted(const Model &model, uint64_t seed) {
    Random random(seed);
    std::vector<int32_t> marks;
    for (const Block &block : model.blocks()) {
        const uint64_t drawn = random() % 4;
        marks.push_back(drawn == 0 && block.level < finest ? HALO_MARK_REFINE : drawn == 1 ? HALO_MARK_KEEP : HALO_MARK_COARSEN);
    }
    int64_t n = 0;
    OK(halo_forest_adapt(&model.desc(), marks.data(), sizeof(halo_leaf), nullptr, nullptr, 0, &n));
    std::vector<halo_leaf> leaves(static_cast<size_t>(n));
    OK(halo_forest_adapt(&model.desc(), marks.data(), sizeof(halo_leaf), leaves.data(), nullptr, n, &n));
    return leaves;
}

// A field of a linear function.
class Values {
public:
    Values(const Model &model, halo_topology *topology, int32_t number, int32_t centring, int32_t n_ghosts)
        : model_(model),
          number_(number),
          function_(model.shape(), finest, number),
          values_(topology, model.shape(), desc(number == 0 ? "u" : "flux", centring, n_ghosts), HALO_PROLONG_MINMOD) {
        values_.for_each([&](const At &at) { values_.store(at, untouched); });
    }
    halo_field *field() const { return values_.field(); }

    void fill_owned() {
        values_.for_each([&](const At &at) {
            if (at.is_owned) values_.store(at, value(at, level_of(at.gid), model_.shape().n_cells));
        });
    }
    // Of the field and, between the phases of a run, of the coarse values beside it.
    void fill_outside() {
        values_.for_each([&](const At &at) {
            if (!at.is_owned && !is_inside(at)) values_.store(at, value(at, level_of(at.gid), model_.shape().n_cells));
        });
    }
    void fill_outside(const halo_exchange *exchange) const {
        values_.fill_coarse_boundaries(exchange, number_, [&](const At &at) { return value(at, level_of(at.gid) - 1, model_.shape().n_cells / 2); });
    }
    void check(bool ghosts) const {
        values_.for_each([&](const At &at) {
            const double wanted = value(at, level_of(at.gid), model_.shape().n_cells);
            if ((ghosts || at.is_owned) && values_.load(at) != wanted)
                stop("field %d: part %lld (level %d), %s (%lld, %lld) is %.17g, wanted %.17g", number_, static_cast<long long>(at.gid),
                     level_of(at.gid), at.is_owned ? "own point" : "ghost", static_cast<long long>(at.point[0]), static_cast<long long>(at.point[1]),
                     values_.load(at), wanted);
        });
    }

private:
    halo_field_desc desc(const char *name, int32_t centring, int32_t n_ghosts) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.centring = centring;
        for (int d = 0; d < model_.shape().n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = n_ghosts;
        return desc;
    }
    int32_t level_of(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    int32_t place_in_space(const At &at) const { return model_.centring_in_space(at.gid, values_.places()[at.place]); }
    bool is_inside(const At &at) const {
        const Place point = model_.in_space(at.gid, at.point, model_.shape().n_cells, values_.places()[at.place]);
        return function_.is_inside(level_of(at.gid), point, place_in_space(at));
    }
    double value(const At &at, int32_t level, int64_t n_cells) const {
        return function_.at(level, model_.in_space(at.gid, at.point, n_cells, values_.places()[at.place]), place_in_space(at), place_in_space(at));
    }

    const Model &model_;
    int32_t number_;
    Linear function_;
    Stored values_;
};

// A list of blocks on ranks, fields of cells and of faces on it, and the exchange of their ghosts.
class Mesh {
public:
    Mesh(const Model &roots, const std::vector<halo_leaf> &leaves, uint64_t seed, const Rank &rank)
        : model_(roots, leaves, seed, rank.size, seed % 2 == 1),
          forest_(model_, rank),
          cells_(model_, forest_.topology(), 0, HALO_CENTRE_CELL, 2),
          faces_(model_, forest_.topology(), 1, HALO_CENTRE_FACES, 1) {
        halo_field *fields[] = { cells_.field(), faces_.field() };
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.shared = HALO_SHARED_OWNER;
        OK(halo_exchange_create(fields, 2, &how, &exchange_));
        faces_.fill_owned();
    }
    ~Mesh() { halo_exchange_destroy(&exchange_); }
    Mesh(const Mesh &) = delete;
    Mesh &operator=(const Mesh &) = delete;

    const Model &model() const { return model_; }
    Values &cells() { return cells_; }

    void exchange_ghosts() {
        run_by_phases(exchange_, HALO_RUN_INIT, [&] {
            if (model_.has_levels()) cells_.fill_outside(exchange_), faces_.fill_outside(exchange_);
        });
        cells_.fill_outside(), faces_.fill_outside();
        cells_.check(true), faces_.check(true);
    }
    // Seconds of the fastest of some.
    double time_exchange(const Rank &rank) {
        double fastest = 1e30;
        for (int64_t i = 0; i < n_timed; ++i) {
            OK(halo_context_barrier(rank.context));
            const auto begin = std::chrono::steady_clock::now();
            OK(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
            fastest = std::min(fastest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        }
        return fastest;
    }

private:
    Model model_;
    Forest forest_;
    Values cells_, faces_;
    halo_exchange *exchange_ = nullptr;
};

std::unique_ptr<Mesh> remesh(Mesh &from, const Model &roots, const std::vector<halo_leaf> &leaves, uint64_t seed, const Rank &rank) {
    auto to = std::make_unique<Mesh>(roots, leaves, seed, rank);
    from.exchange_ghosts();
    halo_field *source = from.cells().field(), *destination = to->cells().field();
    halo_exchange *move = nullptr;
    OK(halo_exchange_create_transfer(&source, &destination, 1, nullptr, &move));
    OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(move, HALO_STREAM_NONE));
    OK(halo_exchange_destroy(&move));
    to->cells().check(false);
    return to;
}

// What is there after a cycle.
struct Sample {
    int64_t pool_bytes = 0, peak_bytes = 0, heap_bytes = 0;
    double seconds = 0; // of an exchange
};

Sample sample(const Rank &rank, Mesh &mesh) {
    Sample taken;
    taken.seconds = mesh.time_exchange(rank);
    OK(halo_context_barrier(rank.context));
    OK(halo_context_trim(rank.context)); // other lists have had buffers of other sizes
    taken.heap_bytes = conformance::kept_between_cycles(rank).bytes;
    halo_pool_stats pool = HALO_POOL_STATS_INIT;
    OK(halo_context_pool_stats(rank.context, HALO_MEMORY_HOST, &pool));
    taken.pool_bytes = pool.in_use_bytes, taken.peak_bytes = pool.peak_bytes;
    return taken;
}

// The first cycle may make what stays; of the others the first half is compared with the second.
class History {
public:
    void add(const Sample &sample) { samples_.push_back(sample); }
    int64_t size() const { return std::ssize(samples_); }
    bool has_become_slow() const { return after(&Sample::seconds, least) > slower * before(&Sample::seconds, least); }
    void expect_flat(const Rank &rank) const {
        const int64_t pool = before(&Sample::pool_bytes, most), pool_after = after(&Sample::pool_bytes, most);
        const int64_t peak = before(&Sample::peak_bytes, most), peak_after = after(&Sample::peak_bytes, most);
        const int64_t heap = before(&Sample::heap_bytes, most), heap_after = after(&Sample::heap_bytes, most);
        const double seconds = before(&Sample::seconds, least), seconds_after = after(&Sample::seconds, least);
        if (conformance::prints(rank))
            std::printf(
                "%lld remeshes: pools have %lld bytes, then %lld (at most %lld, then %lld), the heap %lld, then %lld; an exchange takes %.1f us, "
                "then %.1f us\n",
                static_cast<long long>(2 * n_out * size()), static_cast<long long>(pool), static_cast<long long>(pool_after),
                static_cast<long long>(peak), static_cast<long long>(peak_after), static_cast<long long>(heap), static_cast<long long>(heap_after),
                1e6 * seconds, 1e6 * seconds_after);
        // Messages take a second buffer when a peer is late.
        if (rank.size == 1 ? pool_after != pool : pool_after > pool + pool / 4 + more_bytes)
            stop("pools had %lld bytes in use, now %lld", static_cast<long long>(pool), static_cast<long long>(pool_after));
        if (heap_after > heap + more_bytes + (rank.size == 1 ? 0 : heap / 4))
            stop("the heap had %lld bytes in use, now %lld", static_cast<long long>(heap), static_cast<long long>(heap_after));
        if (has_become_slow()) stop("an exchange took %g us, now %g us", 1e6 * seconds, 1e6 * seconds_after);
    }

private:
    static constexpr auto least = [](auto a, auto b) { return std::min(a, b); };
    static constexpr auto most = [](auto a, auto b) { return std::max(a, b); };
    template <class T, class Choose>
    T chosen(T Sample::*figure, int64_t first, int64_t end, Choose &&choose) const {
        T one = samples_[static_cast<size_t>(first)].*figure;
        for (int64_t i = first; i < end; ++i) one = choose(one, samples_[static_cast<size_t>(i)].*figure);
        return one;
    }
    template <class T, class Choose>
    T before(T Sample::*figure, Choose &&choose) const {
        return chosen(figure, 1, size() / 2, choose);
    }
    template <class T, class Choose>
    T after(T Sample::*figure, Choose &&choose) const {
        return chosen(figure, size() / 2, size(), choose);
    }

    std::vector<Sample> samples_;
};

// One cycle; the mesh is the first list's before and after.
void go_round(std::unique_ptr<Mesh> &mesh, const Model &home, int64_t cycle, const Rank &rank) {
    const auto seed = static_cast<uint64_t>(cycle * 2 * n_out);
    std::vector<std::vector<halo_leaf>> lists{ leaves_of(home) };
    for (int64_t i = 0; i < n_out; ++i) {
        lists.push_back(adapted(mesh->model(), seed + static_cast<uint64_t>(i)));
        mesh = remesh(*mesh, home, lists.back(), seed + static_cast<uint64_t>(i), rank);
    }
    for (int64_t i = n_out - 1; i >= 0; --i) {
        const uint64_t placement = i == 0 ? 0 : seed + static_cast<uint64_t>(n_out + i);
        mesh = remesh(*mesh, home, lists[static_cast<size_t>(i)], placement, rank);
    }
    mesh->exchange_ghosts();
}

bool is_slow_anywhere(const Rank &rank, const History &history) {
    int64_t n_slow = history.has_become_slow() ? 1 : 0;
    OK(halo_context_allreduce(rank.context, &n_slow, &n_slow, 1, HALO_INT64, HALO_SUM));
    return n_slow > 0;
}

// What has become slow stays so; what other programs have slowed down does not.
void soak(const Rank &rank, int64_t n_cycles) {
    Shape shape = shape_of_soak();
    uint64_t seed = 0;
    while (!Model(shape, seed, 1).has_levels()) ++seed;
    const Model home(shape, seed, 1);
    auto mesh = std::make_unique<Mesh>(home, leaves_of(home), 0, rank);
    mesh->cells().fill_owned();
    History history;
    for (int64_t cycle = 0; cycle < n_cycles || (cycle < n_cycles + most_cycles_more && is_slow_anywhere(rank, history)); ++cycle) {
        go_round(mesh, home, cycle, rank);
        history.add(sample(rank, *mesh));
    }
    history.expect_flat(rank);
}

TEST(RemeshSoak, LeavesNothingBehind) {
    const int64_t n_cycles = std::max<int64_t>(conformance::number_from("REMESHES", 64) / (2 * n_out), 4);
    for (const int32_t n_ranks : { 1, 3 }) {
        conformance::run(n_ranks, {}, [&](Rank &rank) { soak(rank, n_cycles); });
        if (HasFailure() || !conformance::threads()) return; // processes are as many as there are
    }
}

} // namespace
