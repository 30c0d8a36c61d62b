// SPDX-License-Identifier: BSD-3-Clause
// A forest of the model as the library has it, values of fields on it point by point, and the phases of a run.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "model.h"
#include "placed.h"
#include "ranks.h"

namespace levels {

using conformance::Rank;
using conformance::stop;

inline constexpr double untouched = -1e30;

inline std::vector<int64_t> parts_of(const halo_topology *topology) {
    const int64_t *gids = nullptr;
    int64_t n = 0;
    OK(halo_topology_local_parts(topology, &gids, &n));
    return { gids, gids + n };
}

class Forest {
public:
    Forest(const halo_forest_desc &desc, const Rank &rank) { OK(halo_topology_create_forest(rank.context, &desc, &topology_)); }
    Forest(const Model &model, const Rank &rank) : Forest(model.desc_of(rank.rank), rank) {}
    ~Forest() { halo_topology_destroy(&topology_); }
    Forest(const Forest &) = delete;
    Forest &operator=(const Forest &) = delete;

    halo_topology *topology() const { return topology_; }

private:
    halo_topology *topology_ = nullptr;
};

// The places of a field, each a sum of bits: between the cells of these directions.
inline std::vector<int32_t> places_of(int32_t centring, int32_t n_dims) {
    if (centring == HALO_CENTRE_EDGES && n_dims == 3) return { HALO_CENTRE_EDGE_X, HALO_CENTRE_EDGE_Y, HALO_CENTRE_EDGE_Z };
    if (centring == HALO_CENTRE_EDGES) return { HALO_CENTRE_EDGE_Z };
    if (centring != HALO_CENTRE_FACES) return { centring & ((1 << n_dims) - 1) };
    std::vector<int32_t> faces;
    for (int d = 0; d < n_dims; ++d) faces.push_back(1 << d);
    return faces;
}

// Are its places the same ones however directions are turned into each other?
inline bool is_whole(int32_t centring, int32_t n_dims) {
    const std::vector<int32_t> places = places_of(centring, n_dims);
    return places.size() > 1 || places[0] == HALO_CENTRE_CELL || places[0] == (1 << n_dims) - 1;
}

// Of faces, edges and nodes those that fields on the trees may have.
inline std::vector<int32_t> centrings_of(const Shape &shape) {
    std::vector<int32_t> all{ HALO_CENTRE_NODE, HALO_CENTRE_FACES, HALO_CENTRE_FACE_X };
    if (shape.n_dims > 1) all.insert(all.end(), { HALO_CENTRE_FACE_Y, HALO_CENTRE_EDGE_Z, HALO_CENTRE_EDGES });
    if (shape.n_dims > 2) all.insert(all.end(), { HALO_CENTRE_FACE_Z, HALO_CENTRE_EDGE_Y, HALO_CENTRE_EDGE_X });
    if (shape.turned) std::erase_if(all, [&](int32_t centring) { return !is_whole(centring, shape.n_dims); });
    return all;
}

// A field at random.
struct PointField {
    int32_t centring = HALO_CENTRE_NODE;
    int32_t prolongation = HALO_PROLONG_MINMOD;
    bool along = false; // HALO_VECTOR_ALONG
    halo_type type = HALO_FLOAT64;

    PointField(Random &random, int32_t n_dims, const std::vector<int32_t> &centrings) {
        centring = centrings[random() % centrings.size()];
        const bool can_lie_along = centring == HALO_CENTRE_FACES || (centring == HALO_CENTRE_EDGES && n_dims == 3);
        along = can_lie_along && random() % 2 == 0;
        prolongation = random() % 3 == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD;
        type = random() % 3 == 0 ? HALO_FLOAT32 : HALO_FLOAT64;
    }
};

inline std::vector<halo_leaf> adapted(const Model &model, const std::vector<int32_t> &marks) {
    int64_t n = 0;
    OK(halo_forest_adapt(&model.desc(), marks.data(), sizeof(halo_leaf), nullptr, nullptr, 0, &n));
    std::vector<halo_leaf> leaves(static_cast<size_t>(n));
    OK(halo_forest_adapt(&model.desc(), marks.data(), sizeof(halo_leaf), leaves.data(), nullptr, n, &n));
    return leaves;
}

// The leaves after some have been refined, others coarsened.
inline std::vector<halo_leaf> adapted(const Model &model, uint64_t seed) {
    Random random(seed);
    std::vector<int32_t> marks;
    for (size_t gid = 0; gid < model.blocks().size(); ++gid)
        marks.push_back(random() % 4 == 0 ? HALO_MARK_REFINE : random() % 2 == 0 ? HALO_MARK_COARSEN : HALO_MARK_KEEP);
    return adapted(model, marks);
}

// A value of a field.
struct At {
    size_t part; // of this rank
    int64_t gid;
    size_t place;
    Place point; // in the part
    int32_t component;
    bool is_owned;
};

// A field, and its storage on this rank.
class Stored {
public:
    // `before`: of another list, whose storage it has where blocks stay.
    Stored(halo_topology *topology, const Shape &shape, const halo_field_desc &desc, int32_t prolongation, const halo_field *before = nullptr)
        : shape_(shape),
          desc_(desc),
          places_(places_of(desc.centring, shape.n_dims)) {
        OK(halo_field_create(topology, &desc, &field_));
        OK(halo_field_set_prolongation(field_, prolongation));
        OK(before ? halo_field_allocate_from(field_, before) : halo_field_allocate(field_, -1));
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topology, &gids, &n));
        gids_.assign(gids, gids + n);
        for (const int64_t gid : gids_) {
            Part part;
            OK(halo_field_layout(field_, gid, &part.layout));
            OK(halo_field_data(field_, gid, 0, &part.data));
            parts_.push_back(part);
        }
    }
    ~Stored() { halo_field_destroy(&field_); }
    Stored(const Stored &) = delete;
    Stored &operator=(const Stored &) = delete;

    halo_field *field() const { return field_; }
    const std::vector<int64_t> &gids() const { return gids_; }
    const std::vector<int32_t> &places() const { return places_; }

    // All values of this rank's parts: part by part, place by place, x fastest.
    template <class Visit>
    void for_each(Visit &&visit) const {
        for (size_t part = 0; part < parts_.size(); ++part)
            for (size_t place = 0; place < places_.size(); ++place)
                for (int32_t c = 0; c < desc_.n_components; ++c)
                    for (int64_t z = -desc_.ghost_low[2]; z < end(place, 2) + desc_.ghost_high[2]; ++z)
                        for (int64_t y = -desc_.ghost_low[1]; y < end(place, 1) + desc_.ghost_high[1]; ++y)
                            for (int64_t x = -desc_.ghost_low[0]; x < end(place, 0) + desc_.ghost_high[0]; ++x) {
                                const bool owned = x >= 0 && x < end(place, 0) && y >= 0 && y < end(place, 1) && z >= 0 && z < end(place, 2);
                                visit(At{ part, gids_[part], place, { x, y, z }, c, owned });
                            }
    }
    double load(const At &at) const {
        const Part &part = parts_[at.part];
        const int64_t offset = offset_of(part.layout, at);
        if (!is_single()) return static_cast<const double *>(part.data)[offset];
        const float *values = static_cast<const float *>(part.data) + offset * numbers();
        for (int32_t i = 1; i < numbers(); ++i)
            if (values[i] != values[0]) stop("part %lld: the halves of a complex value differ", static_cast<long long>(at.gid));
        return static_cast<double>(values[0]);
    }
    void store(const At &at, double value) { write(parts_[at.part], at, value); }
    double rounded(double value) const { return is_single() ? static_cast<double>(static_cast<float>(value)) : value; }

    // Does a run fill this ghost, if something lies there?
    bool is_reached(const At &at, int32_t stencil, int32_t depth) const {
        int distance = 0;
        for (size_t d = 0; d < 3; ++d) {
            const int64_t n = end(at.place, d);
            const int64_t out = at.point[d] < 0 ? -at.point[d] : at.point[d] >= n ? at.point[d] - n + 1 : 0;
            distance += out > 0 ? 1 : 0;
            if (depth > 0 && out > depth) return false;
        }
        return distance <= (stencil == HALO_STENCIL_FACES ? 1 : stencil == HALO_STENCIL_EDGES ? 2 : 3);
    }
    // Coarse points outside the domain beside the `number`-th field of an exchange, which is this one.
    template <class Value>
    void fill_coarse_boundaries(const halo_exchange *exchange, int32_t number, Value &&value) const {
        for (size_t i = 0; i < parts_.size(); ++i) {
            Part coarse;
            OK(halo_exchange_coarse_data(exchange, number, gids_[i], &coarse.data, &coarse.layout));
            int64_t n = 0;
            OK(halo_exchange_coarse_boundaries(exchange, number, gids_[i], sizeof(halo_boundary), nullptr, 0, &n));
            std::vector<halo_boundary> sides(static_cast<size_t>(n));
            OK(halo_exchange_coarse_boundaries(exchange, number, gids_[i], sizeof(halo_boundary), sides.data(), n, &n));
            for (const halo_boundary &side : sides)
                for (int64_t z = side.ghosts.low[2]; z < side.ghosts.high[2]; ++z)
                    for (int64_t y = side.ghosts.low[1]; y < side.ghosts.high[1]; ++y)
                        for (int64_t x = side.ghosts.low[0]; x < side.ghosts.high[0]; ++x)
                            for (int32_t c = 0; c < desc_.n_components; ++c) {
                                const At at{ i, gids_[i], static_cast<size_t>(side.place), { x, y, z }, c, false };
                                write(coarse, at, value(at));
                            }
        }
    }

private:
    struct Part {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
    };
    // Of a component: complex ones have two numbers.
    int32_t numbers() const { return desc_.type == HALO_COMPLEX64 ? 2 : 1; }
    bool is_single() const { return desc_.type != HALO_FLOAT64; }
    int64_t end(size_t place, size_t d) const { return d < static_cast<size_t>(shape_.n_dims) ? shape_.n_cells + (places_[place] >> d & 1) : 1; }
    static int64_t offset_of(const halo_layout &layout, const At &at) {
        return layout.first_owned + at.point[0] * layout.stride[0] + at.point[1] * layout.stride[1] + at.point[2] * layout.stride[2] +
               at.component * layout.component_stride + static_cast<int64_t>(at.place) * layout.place_stride;
    }
    void write(const Part &part, const At &at, double value) const {
        const int64_t offset = offset_of(part.layout, at);
        if (is_single())
            for (int32_t i = 0; i < numbers(); ++i) static_cast<float *>(part.data)[offset * numbers() + i] = static_cast<float>(value);
        else
            static_cast<double *>(part.data)[offset] = value;
    }

    const Shape shape_;
    const halo_field_desc desc_;
    const std::vector<int32_t> places_;
    halo_field *field_ = nullptr;
    std::vector<int64_t> gids_;
    std::vector<Part> parts_;
};

// A run by its phases; `fill` fills what lies outside the domain. `wait`: before another look at what is not done yet.
template <class Fill>
void run_by_phases(
    halo_exchange *exchange, const halo_run &run, Fill &&fill, const std::function<void()> &wait = [] {}) {
    OK(halo_exchange_post(exchange, &run));
    halo_status sent = HALO_BUSY;
    while ((sent = halo_exchange_send(exchange, HALO_STREAM_NONE)) == HALO_BUSY) wait();
    OK(sent);
    for (int32_t done = 0; done == 0; wait()) OK(halo_exchange_test(exchange, &done));
    OK(halo_exchange_unpack(exchange, HALO_STREAM_NONE));
    fill();
    OK(halo_exchange_refine(exchange, HALO_STREAM_NONE));
}

} // namespace levels
