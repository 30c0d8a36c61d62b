// SPDX-License-Identifier: BSD-3-Clause
// A field on a forest of the model, and the exchange of its ghosts.
#pragma once

#include <algorithm>
#include <cmath>

#include "model.h"
#include "placed.h"
#include "ranks.h"

namespace levels {

using conformance::Rank;
using conformance::stop;

inline constexpr double untouched = -1e30;

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
    // Values of a component: complex ones have two numbers.
    int32_t numbers() const { return type == HALO_COMPLEX64 ? 2 : 1; }
    bool is_single() const { return type != HALO_FLOAT64; }
};

class Filled {
public:
    Filled(const Case &of, const Model &model, const Rank &rank) : of_(of), model_(model), rank_(rank) {
        const halo_forest_desc forest = model.desc_of(rank.rank);
        OK(halo_topology_create_forest(rank.context, &forest, &topology_));
        OK(halo_topology_local_parts(topology_, &gids_, &n_parts_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = of.type, desc.name = "u", desc.n_components = of.n_components;
        std::copy(of.low.begin(), of.low.end(), desc.ghost_low);
        std::copy(of.high.begin(), of.high.end(), desc.ghost_high);
        OK(halo_field_create(topology_, &desc, &field_));
        OK(halo_field_set_prolongation(field_, of.prolongation));
        OK(halo_field_allocate(field_, -1));
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.stencil = of.stencil;
        how.messages = of.per_channel ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AUTO;
        OK(halo_exchange_create(&field_, 1, &how, &exchange_));
    }
    ~Filled() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }
    Filled(const Filled &) = delete;
    Filled &operator=(const Filled &) = delete;

    void fill() {
        for_each_cell([&](int64_t gid, const Place &cell, int32_t c, bool is_owned) {
            store(gid, cell, c, is_owned ? model_.owned(level(gid), in_space(gid, cell), c) : untouched);
        });
    }
    void exchange(int32_t first_component, int32_t n_components, int32_t depth) {
        halo_run run = HALO_RUN_INIT;
        run.first_component = first_component, run.n_components = n_components, run.depth = depth;
        if (!of_.by_phases) {
            OK(halo_exchange_start(exchange_, &run, HALO_STREAM_NONE));
            spoil_owned();
            OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
            fill_owned();
            return;
        }
        OK(halo_exchange_post(exchange_, &run));
        halo_status sent = HALO_BUSY;
        while ((sent = halo_exchange_send(exchange_, HALO_STREAM_NONE)) == HALO_BUSY) {}
        OK(sent);
        for (int32_t done = 0; done == 0;) OK(halo_exchange_test(exchange_, &done));
        OK(halo_exchange_unpack(exchange_, HALO_STREAM_NONE));
        fill_outside();
        OK(halo_exchange_refine(exchange_, HALO_STREAM_NONE));
    }
    // Ghosts outside the domain, and those of no stencil, get what the model says.
    void fill_all_ghosts() {
        for_each_cell([&](int64_t gid, const Place &cell, int32_t c, bool is_owned) {
            if (!is_owned) store(gid, cell, c, model_.around(level(gid), in_space(gid, cell), c, of_.prolongation));
        });
    }
    // Borders that nobody has filled may have changed what lies near them: that is not looked at.
    void check(int32_t first_component, int32_t n_components, int32_t depth) const {
        const int32_t end = n_components > 0 ? first_component + n_components : of_.n_components;
        for_each_cell([&](int64_t gid, const Place &cell, int32_t c, bool is_owned) {
            const Place place = in_space(gid, cell);
            const double is = load(gid, cell, c);
            double wanted = model_.owned(level(gid), place, c);
            if (!is_owned) {
                const bool filled = c >= first_component && c < end && is_reached(cell, depth);
                const std::optional<double> ghost = filled ? model_.ghost(level(gid), place, c, of_.prolongation) : std::nullopt;
                if (filled && !of_.by_phases && near_outside(level(gid), place)) return;
                wanted = ghost ? *ghost : untouched;
            }
            if (is != rounded(wanted))
                stop("case %llu, rank %d: part %lld (level %d), cell (%lld, %lld, %lld), component %d is %.17g, wanted %.17g",
                     static_cast<unsigned long long>(of_.seed), rank_.rank, static_cast<long long>(gid), level(gid), static_cast<long long>(cell[0]),
                     static_cast<long long>(cell[1]), static_cast<long long>(cell[2]), c, is, wanted);
        });
    }
    halo_topology *topology() const { return topology_; }
    halo_field *field() const { return field_; }

private:
    int32_t level(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    Place in_space(int64_t gid, const Place &cell) const { return model_.in_space(gid, cell, of_.shape.n_cells); }
    double rounded(double value) const { return of_.is_single() ? static_cast<double>(static_cast<float>(value)) : value; }
    // Is there a cell outside the domain that a ghost may have been made from?
    bool near_outside(int32_t level, const Place &place) const {
        bool near = false;
        for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims); ++d) {
            const int64_t end = (d == 0 ? of_.shape.n_trees : 1) * of_.shape.n_roots[d] * of_.shape.n_cells << level;
            near = near || (!of_.shape.periodic[d] && (place[d] < 2 || place[d] >= end - 2));
        }
        return near;
    }
    bool is_reached(const Place &cell, int32_t depth) const {
        int distance = 0;
        for (size_t d = 0; d < 3; ++d) {
            const int64_t n = d < static_cast<size_t>(of_.shape.n_dims) ? of_.shape.n_cells : 1;
            const int64_t out = cell[d] < 0 ? -cell[d] : cell[d] >= n ? cell[d] - n + 1 : 0;
            distance += out > 0 ? 1 : 0;
            if (depth > 0 && out > depth) return false;
        }
        return distance <= (of_.stencil == HALO_STENCIL_FACES ? 1 : of_.stencil == HALO_STENCIL_EDGES ? 2 : 3);
    }
    template <class Visit>
    void for_each_cell(Visit &&visit) const {
        const auto end = [&](size_t d) { return d < static_cast<size_t>(of_.shape.n_dims) ? of_.shape.n_cells : 1; };
        for (int64_t part = 0; part < n_parts_; ++part)
            for (int32_t c = 0; c < of_.n_components; ++c)
                for (int64_t z = -of_.low[2]; z < end(2) + of_.high[2]; ++z)
                    for (int64_t y = -of_.low[1]; y < end(1) + of_.high[1]; ++y)
                        for (int64_t x = -of_.low[0]; x < end(0) + of_.high[0]; ++x) {
                            const bool owned = x >= 0 && x < end(0) && y >= 0 && y < end(1) && z >= 0 && z < end(2);
                            visit(gids_[part], Place{ x, y, z }, c, owned);
                        }
    }
    void write(void *data, const halo_layout &layout, const Place &cell, int32_t c, double value) const {
        const int64_t at =
            layout.first_owned + cell[0] * layout.stride[0] + cell[1] * layout.stride[1] + cell[2] * layout.stride[2] + c * layout.component_stride;
        if (of_.is_single())
            for (int32_t i = 0; i < of_.numbers(); ++i) static_cast<float *>(data)[at * of_.numbers() + i] = static_cast<float>(value);
        else
            static_cast<double *>(data)[at] = value;
    }
    halo_layout layout_of(int64_t gid) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field_, gid, &layout));
        return layout;
    }
    void *data_of(int64_t gid) const {
        void *data = nullptr;
        OK(halo_field_data(field_, gid, 0, &data));
        return data;
    }
    void store(int64_t gid, const Place &cell, int32_t c, double value) { write(data_of(gid), layout_of(gid), cell, c, value); }
    double load(int64_t gid, const Place &cell, int32_t c) const {
        const halo_layout layout = layout_of(gid);
        const int64_t at =
            layout.first_owned + cell[0] * layout.stride[0] + cell[1] * layout.stride[1] + cell[2] * layout.stride[2] + c * layout.component_stride;
        if (!of_.is_single()) return static_cast<const double *>(data_of(gid))[at];
        const float *values = static_cast<const float *>(data_of(gid)) + at * of_.numbers();
        for (int32_t i = 1; i < of_.numbers(); ++i)
            if (values[i] != values[0]) stop("part %lld: the halves of a complex value differ", static_cast<long long>(gid));
        return static_cast<double>(values[0]);
    }
    // Owned values may change once start has returned.
    void spoil_owned() {
        for_each_cell([&](int64_t gid, const Place &cell, int32_t c, bool is_owned) {
            if (is_owned) store(gid, cell, c, 1e20);
        });
    }
    void fill_owned() {
        for_each_cell([&](int64_t gid, const Place &cell, int32_t c, bool is_owned) {
            if (is_owned) store(gid, cell, c, model_.owned(level(gid), in_space(gid, cell), c));
        });
    }
    void fill_outside() {
        if (!model_.has_levels()) return;
        for (int64_t part = 0; part < n_parts_; ++part) {
            const int64_t gid = gids_[part];
            void *data = nullptr;
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_exchange_coarse_data(exchange_, 0, gid, &data, &layout));
            int64_t n = 0;
            OK(halo_exchange_coarse_boundaries(exchange_, 0, gid, sizeof(halo_boundary), nullptr, 0, &n));
            std::vector<halo_boundary> sides(static_cast<size_t>(n));
            OK(halo_exchange_coarse_boundaries(exchange_, 0, gid, sizeof(halo_boundary), sides.data(), n, &n));
            for (const halo_boundary &side : sides)
                for (int64_t z = side.ghosts.low[2]; z < side.ghosts.high[2]; ++z)
                    for (int64_t y = side.ghosts.low[1]; y < side.ghosts.high[1]; ++y)
                        for (int64_t x = side.ghosts.low[0]; x < side.ghosts.high[0]; ++x)
                            for (int32_t c = 0; c < of_.n_components; ++c) {
                                const Place place = model_.in_space(gid, { x, y, z }, of_.shape.n_cells / 2);
                                write(data, layout, { x, y, z }, c, model_.outside(level(gid) - 1, place, c));
                            }
        }
    }

    const Case &of_;
    const Model &model_;
    const Rank &rank_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
    const int64_t *gids_ = nullptr;
    int64_t n_parts_ = 0;
};

} // namespace levels
