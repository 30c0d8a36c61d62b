// SPDX-License-Identifier: BSD-3-Clause
// A field on a forest of the model, and the exchange of its ghosts.
#pragma once

#include <algorithm>

#include "stored.h"

namespace levels {

struct Case {
    Shape shape;
    uint64_t seed = 0;
    int32_t n_components = 1;
    std::array<int32_t, 3> low{}, high{};
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t prolongation = HALO_PROLONG_MINMOD;
    halo_type type = HALO_FLOAT64;
    bool per_channel = false;
    bool by_phases = true; // else physical borders have ghosts that nobody fills

    explicit Case(uint64_t number) : seed(number) {
        Random random(number);
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        shape.n_dims = 1 + below(3);
        shape.n_trees = 1 + below(shape.n_dims == 3 ? 2 : 3);
        shape.n_cells = shape.n_dims == 3 ? 4 + 4 * below(2) : 4 + 2 * below(4);
        shape.deepest = 1 + below(shape.n_dims == 3 ? 2 : 3);
        shape.turned = below(2) == 0;
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            shape.n_roots[d] = 1 + below(shape.n_dims == 3 ? 2 : 3);
            shape.periodic[d] = below(2) == 0;
        }
        prolongation = below(3) == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD;
        stencil = below(3) == 0 ? HALO_STENCIL_FACES + below(2) : HALO_STENCIL_FULL;
        type = below(4) == 0 ? HALO_COMPLEX64 : below(3) == 0 ? HALO_FLOAT32 : HALO_FLOAT64;
        n_components = 1 + below(3);
        const int64_t widest = prolongation == HALO_PROLONG_MINMOD ? 2 * (shape.n_cells / 2 - 1) : shape.n_cells;
        const auto most = static_cast<uint64_t>(std::min<int64_t>({ widest, shape.n_cells / 2, 4 }));
        const bool even = below(2) == 0 && most >= 2;
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            low[d] = even ? 2 * (1 + below(most / 2)) : below(most + 1);
            high[d] = even ? 2 * (1 + below(most / 2)) : below(most + 1);
            if (even && below(4) == 0) low[d] = 0; // whole pairs, but none to make anything from
        }
        per_channel = below(4) == 0;
        by_phases = below(2) == 0;
        shape.distributed = below(2) == 0;
    }
    halo_field_desc desc() const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = type, desc.name = "u", desc.n_components = n_components;
        std::copy(low.begin(), low.end(), desc.ghost_low);
        std::copy(high.begin(), high.end(), desc.ghost_high);
        return desc;
    }
};

class Filled {
public:
    Filled(const Case &of, const Model &model, const Rank &rank)
        : of_(of),
          model_(model),
          rank_(rank),
          forest_(model, rank),
          values_(forest_.topology(), of.shape, of.desc(), of.prolongation) {
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.stencil = of.stencil;
        how.messages = of.per_channel ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AUTO;
        halo_field *field = values_.field();
        OK(halo_exchange_create(&field, 1, &how, &exchange_));
    }
    ~Filled() { halo_exchange_destroy(&exchange_); }
    Filled(const Filled &) = delete;
    Filled &operator=(const Filled &) = delete;

    void fill() {
        values_.for_each([&](const At &at) { values_.store(at, at.is_owned ? owned(at) : untouched); });
    }
    void exchange(int32_t first_component, int32_t n_components, int32_t depth) {
        halo_run run = HALO_RUN_INIT;
        run.first_component = first_component, run.n_components = n_components, run.depth = depth;
        if (of_.by_phases) return run_by_phases(exchange_, run, [&] { fill_outside(); });
        OK(halo_exchange_start(exchange_, &run, HALO_STREAM_NONE));
        spoil_owned();
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        fill_owned();
    }
    // Ghosts outside the domain, and those of no stencil, get what the model says.
    void fill_all_ghosts() {
        values_.for_each([&](const At &at) {
            if (!at.is_owned) values_.store(at, model_.around(level(at.gid), in_space(at), at.component, of_.prolongation));
        });
    }
    // Borders that nobody has filled may have changed what lies near them: that is not looked at.
    void check(int32_t first_component, int32_t n_components, int32_t depth) const {
        const int32_t end = n_components > 0 ? first_component + n_components : of_.n_components;
        values_.for_each([&](const At &at) {
            const Place place = in_space(at);
            const double is = values_.load(at);
            double wanted = owned(at);
            if (!at.is_owned) {
                const bool filled = at.component >= first_component && at.component < end && values_.is_reached(at, of_.stencil, depth);
                const std::optional<double> ghost = filled ? model_.ghost(level(at.gid), place, at.component, of_.prolongation) : std::nullopt;
                if (filled && !of_.by_phases && near_outside(level(at.gid), place)) return;
                wanted = ghost ? *ghost : untouched;
            }
            if (is != values_.rounded(wanted))
                stop("case %llu, rank %d: part %lld (level %d), cell (%lld, %lld, %lld), component %d is %.17g, wanted %.17g",
                     static_cast<unsigned long long>(of_.seed), rank_.rank, static_cast<long long>(at.gid), level(at.gid),
                     static_cast<long long>(at.point[0]), static_cast<long long>(at.point[1]), static_cast<long long>(at.point[2]), at.component, is,
                     wanted);
        });
    }
    halo_field *field() const { return values_.field(); }

private:
    int32_t level(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    Place in_space(const At &at) const { return model_.in_space(at.gid, at.point, of_.shape.n_cells); }
    double owned(const At &at) const { return model_.owned(level(at.gid), in_space(at), at.component); }
    // Is there a cell outside the domain that a ghost may have been made from?
    bool near_outside(int32_t level, const Place &place) const {
        bool near = false;
        for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims); ++d) {
            const int64_t end = (d == 0 ? of_.shape.n_trees : 1) * of_.shape.n_roots[d] * of_.shape.n_cells << level;
            near = near || (!of_.shape.periodic[d] && (place[d] < 2 || place[d] >= end - 2));
        }
        return near;
    }
    // Owned values may change once start has returned.
    void spoil_owned() {
        values_.for_each([&](const At &at) {
            if (at.is_owned) values_.store(at, 1e20);
        });
    }
    void fill_owned() {
        values_.for_each([&](const At &at) {
            if (at.is_owned) values_.store(at, owned(at));
        });
    }
    void fill_outside() {
        if (!model_.has_levels()) return;
        values_.fill_coarse_boundaries(exchange_, 0, [&](const At &at) {
            return model_.outside(level(at.gid) - 1, model_.in_space(at.gid, at.point, of_.shape.n_cells / 2), at.component);
        });
    }

    const Case &of_;
    const Model &model_;
    const Rank &rank_;
    Forest forest_;
    Stored values_;
    halo_exchange *exchange_ = nullptr;
};

} // namespace levels
