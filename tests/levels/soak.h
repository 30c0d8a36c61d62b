// SPDX-License-Identifier: BSD-3-Clause
// Remesh after remesh: a linear function goes over all lists of blocks unchanged. Each cycle leads from one list, by random ones, and back to it by
// the same, so that cycles can be compared.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "linear.h"
#include "stored.h"

namespace levels {

constexpr int32_t finest = 3; // level
constexpr int64_t n_out = 4;  // lists away from the first; as many remeshes lead back

inline Shape shape_of_soak() {
    Shape shape;
    shape.n_dims = 2, shape.n_cells = 8, shape.n_trees = 2, shape.n_roots = { 2, 2, 1 };
    shape.periodic[1] = true, shape.turned = true, shape.deepest = 2;
    return shape;
}

// Of a first list that has several levels.
inline uint64_t seed_of_soak() {
    uint64_t seed = 0;
    while (!Model(shape_of_soak(), seed, 1).has_levels()) ++seed;
    return seed;
}

inline std::vector<halo_leaf> leaves_of(const Model &model) {
    const halo_forest_desc &desc = model.desc();
    return { desc.leaves, desc.leaves + desc.n_leaves };
}

inline std::vector<halo_leaf> adapted_to_finest(const Model &model, uint64_t seed) {
    Random random(seed);
    std::vector<int32_t> marks;
    for (const Block &block : model.blocks()) {
        const uint64_t drawn = random() % 4;
        marks.push_back(drawn == 0 && block.level < finest ? HALO_MARK_REFINE : drawn == 1 ? HALO_MARK_KEEP : HALO_MARK_COARSEN);
    }
    return adapted(model, marks);
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

    void exchange_ghosts(const std::function<void()> &wait) {
        const auto fill = [&] {
            if (model_.has_levels()) cells_.fill_outside(exchange_), faces_.fill_outside(exchange_);
        };
        run_by_phases(exchange_, HALO_RUN_INIT, fill, wait);
        cells_.fill_outside(), faces_.fill_outside();
        cells_.check(true), faces_.check(true);
    }
    halo_exchange *exchange() const { return exchange_; }

private:
    Model model_;
    Forest forest_;
    Values cells_, faces_;
    halo_exchange *exchange_ = nullptr;
};

class Soak {
public:
    // `wait`: as in run_by_phases.
    explicit Soak(
        const Rank &rank, std::function<void()> wait = [] {})
        : rank_(rank),
          wait_(std::move(wait)),
          home_(shape_of_soak(), seed_of_soak(), 1),
          mesh_(std::make_unique<Mesh>(home_, leaves_of(home_), 0, rank)) {
        mesh_->cells().fill_owned();
    }
    const Mesh &mesh() const { return *mesh_; } // the first list's
    // A cycle.
    void go_round(int64_t number) {
        const auto seed = static_cast<uint64_t>(number * 2 * n_out);
        std::vector<std::vector<halo_leaf>> lists{ leaves_of(home_) };
        for (int64_t i = 0; i < n_out; ++i) {
            lists.push_back(adapted_to_finest(mesh_->model(), seed + static_cast<uint64_t>(i)));
            remesh(lists.back(), seed + static_cast<uint64_t>(i));
        }
        for (int64_t i = n_out - 1; i >= 0; --i) remesh(lists[static_cast<size_t>(i)], i == 0 ? 0 : seed + static_cast<uint64_t>(n_out + i));
        mesh_->exchange_ghosts(wait_);
    }

private:
    void remesh(const std::vector<halo_leaf> &leaves, uint64_t placement) {
        auto next = std::make_unique<Mesh>(home_, leaves, placement, rank_);
        mesh_->exchange_ghosts(wait_);
        halo_field *source = mesh_->cells().field(), *destination = next->cells().field();
        halo_exchange *move = nullptr;
        OK(halo_exchange_create_transfer(&source, &destination, 1, nullptr, &move));
        OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(move, HALO_STREAM_NONE));
        OK(halo_exchange_destroy(&move));
        next->cells().check(false);
        mesh_ = std::move(next);
    }

    const Rank &rank_;
    std::function<void()> wait_;
    Model home_;
    std::unique_ptr<Mesh> mesh_;
};

} // namespace levels
