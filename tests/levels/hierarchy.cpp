// SPDX-License-Identifier: BSD-3-Clause
// Exchanges between levels of boxes, cell by cell against the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "box_levels.h"
#include "placed.h"
#include "ranks.h"

namespace {

using namespace levels;
using conformance::Rank;
using conformance::stop;

constexpr double untouched = -1e30;

struct Case {
    uint64_t seed;
    BoxLevels::Shape shape;
    halo_type type = HALO_FLOAT64;
    int32_t n_components = 1;
    int32_t n_levels = 2;
    double fraction = 0; // with a newer field, unless negative
    bool by_phases = true;
    bool per_channel = false;
    int32_t centring = HALO_CENTRE_CELL; // of what is averaged
    int32_t faces = HALO_CENTRE_FACES;   // of fluxes

    explicit Case(uint64_t number) : seed(number) {
        Random random(number + 1000);
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        shape.n_dims = 1 + below(3);
        n_levels = 2 + below(2);
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            shape.periodic[d] = below(2);
            shape.low[d] = below(shape.n_dims == 3 ? 3 : 5);
            shape.high[d] = below(shape.n_dims == 3 ? 3 : 5);
        }
        shape.prolongation = below(3) == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD;
        type = below(4) == 0 ? HALO_COMPLEX64 : below(3) == 0 ? HALO_FLOAT32 : HALO_FLOAT64;
        n_components = 1 + below(2);
        const double fractions[] = { -1, -1, 0, 1, 0.25, 0.3 };
        fraction = fractions[below(6)];
        by_phases = below(2) == 0;
        per_channel = below(4) == 0;
        const int32_t centrings[] = { HALO_CENTRE_CELL,   HALO_CENTRE_NODE,   HALO_CENTRE_FACES, HALO_CENTRE_FACE_X,
                                      HALO_CENTRE_FACE_Y, HALO_CENTRE_FACE_Z, HALO_CENTRE_EDGES, HALO_CENTRE_EDGE_X };
        centring = centrings[below(shape.n_dims == 3 ? 8 : 3 + static_cast<uint64_t>(shape.n_dims))];
        faces = centrings[2 + below(1 + static_cast<uint64_t>(shape.n_dims))];
    }
    bool is_single() const { return type != HALO_FLOAT64; }
    bool has_newer() const { return fraction >= 0; }
    int32_t numbers() const { return type == HALO_COMPLEX64 ? 2 : 1; }
};

// A field on a level, with its storage by number: the halves of complex values are numbers of their own.
class LevelField {
public:
    LevelField(const Case &of, halo_topology *topology, const char *name, bool has_ghosts, int32_t centring = HALO_CENTRE_CELL) : of_(of) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.type = of.type, desc.name = name, desc.n_components = of.n_components, desc.centring = centring;
        for (size_t d = 0; d < 3 && has_ghosts; ++d) desc.ghost_low[d] = of.shape.low[d], desc.ghost_high[d] = of.shape.high[d];
        OK(halo_field_create(topology, &desc, &field));
        OK(halo_field_set_prolongation(field, of.shape.prolongation));
        OK(halo_field_allocate(field, -1));
    }
    ~LevelField() { halo_field_destroy(&field); }
    LevelField(const LevelField &) = delete;
    LevelField &operator=(const LevelField &) = delete;

    void store(int64_t gid, const Cell &cell, int32_t c, int32_t half, int32_t place, double value) {
        void *const at = address(gid, cell, c, half, place);
        if (of_.is_single())
            *static_cast<float *>(at) = static_cast<float>(value);
        else
            *static_cast<double *>(at) = value;
    }
    double load(int64_t gid, const Cell &cell, int32_t c, int32_t half, int32_t place) const {
        const void *const at = address(gid, cell, c, half, place);
        return of_.is_single() ? static_cast<double>(*static_cast<const float *>(at)) : *static_cast<const double *>(at);
    }

    halo_field *field = nullptr;

private:
    void *address(int64_t gid, const Cell &cell, int32_t c, int32_t half, int32_t place) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field, gid, &layout));
        OK(halo_field_data(field, gid, 0, &data));
        const int64_t at = layout.first_owned + cell[0] * layout.stride[0] + cell[1] * layout.stride[1] + cell[2] * layout.stride[2] +
                           c * layout.component_stride + place * layout.place_stride;
        return static_cast<char *>(data) + (at * of_.numbers() + half) * (of_.is_single() ? 4 : 8);
    }
    const Case &of_;
};

// All levels, and what goes between them.
class World {
public:
    World(const Case &of, const Rank &rank) : of_(of), rank_(rank), model_(of.shape, of.seed, of.n_levels, rank.size) {
        for (int32_t l = 0; l < of.n_levels; ++l) {
            const halo_boxes_desc desc = model_.desc(l);
            topologies_.push_back(nullptr);
            OK(halo_topology_create_boxes(rank.context, &desc, &topologies_.back()));
        }
    }
    ~World() {
        for (halo_topology *&topology : topologies_) halo_topology_destroy(&topology);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    void fill_and_check(int32_t level, int32_t what);
    void average_and_check(int32_t level, int32_t what, int32_t centring);
    void check_level_boxes(int32_t level);

private:
    static int32_t key(int32_t c, int32_t half) { return 2 * c + half; }
    // Of level 10 + l: its values at a later time.
    double later(int32_t level, int64_t gid, const Cell &cell, int32_t key) const { return BoxLevels::value(level + 10, gid, cell, key, 0); }
    double sent(int32_t level, int64_t gid, const Cell &cell, int32_t key) const {
        const double old = BoxLevels::value(level, gid, cell, key, 0);
        if (!of_.has_newer() || of_.fraction == 0) return old;
        const double now = later(level, gid, cell, key);
        if (of_.fraction == 1) return now;
        if (!of_.is_single()) return (1 - of_.fraction) * old + of_.fraction * now;
        const auto part = static_cast<float>(of_.fraction);
        return static_cast<double>((1 - part) * static_cast<float>(old) + part * static_cast<float>(now));
    }
    template <class Visit>
    void for_each_local(int32_t level, Visit &&visit) const {
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(topologies_[static_cast<size_t>(level)], &gids, &n));
        for (int64_t i = 0; i < n; ++i) visit(gids[i], model_.level(level).boxes[static_cast<size_t>(gids[i])]);
    }
    template <class Visit>
    void for_each_number(Visit &&visit) const {
        for (int32_t c = 0; c < of_.n_components; ++c)
            for (int32_t half = 0; half < of_.numbers(); ++half) visit(c, half);
    }
    halo_box with_ghosts(halo_box box) const {
        for (size_t d = 0; d < 3; ++d) box.low[d] -= of_.shape.low[d], box.high[d] += of_.shape.high[d];
        return box;
    }
    static bool has(const halo_box &box, const Cell &cell) {
        bool all = true;
        for (size_t d = 0; d < 3; ++d) all = all && cell[d] >= box.low[d] && cell[d] < box.high[d];
        return all;
    }
    // Where a point lies in the domain, the image that is shifted farthest up first.
    template <class Visit>
    void for_each_image(int32_t level, const Cell &point, Visit &&visit) const {
        const halo_box &domain = model_.level(level).domain;
        Cell step{}, n{};
        for (size_t d = 0; d < 3; ++d) step[d] = domain.high[d] - domain.low[d], n[d] = of_.shape.periodic[d] ? 1 : 0;
        for (int64_t z = -n[2]; z <= n[2]; ++z)
            for (int64_t y = -n[1]; y <= n[1]; ++y)
                for (int64_t x = -n[0]; x <= n[0]; ++x) visit(Cell{ point[0] + x * step[0], point[1] + y * step[1], point[2] + z * step[2] });
    }
    // By a box of the next finer level?
    bool is_covered(int32_t level, const Cell &cell) const {
        const std::optional<Cell> there = model_.inside(level, cell);
        const Cell &ratio = model_.ratio();
        return there && model_.owner(level + 1, { (*there)[0] * ratio[0], (*there)[1] * ratio[1], (*there)[2] * ratio[2] }).has_value();
    }
    // Does a face lie between a covered cell and another one?
    bool is_on_border(int32_t level, const Cell &face, int32_t centring) const {
        Cell below = face;
        for (size_t d = 0; d < 3; ++d) below[d] -= centring >> d & 1;
        return model_.inside(level, face) && model_.inside(level, below) && is_covered(level, face) != is_covered(level, below);
    }
    static Cell from(const halo_box &box, const Cell &cell) { return { cell[0] - box.low[0], cell[1] - box.low[1], cell[2] - box.low[2] }; }
    static int64_t layers_out(const halo_box &box, const Cell &cell) {
        int64_t out = 0;
        for (size_t d = 0; d < 3; ++d) out = std::max({ out, box.low[d] - cell[d], cell[d] - box.high[d] + 1 });
        return out;
    }
    void run(halo_exchange *exchange, int32_t level, int32_t fine_place, const halo_run &how);
    void fill_outside(halo_exchange *exchange, int32_t level, int32_t fine_place);
    std::optional<double> wanted(int32_t level, int64_t gid, const halo_box &box, const Cell &cell, int32_t key, int32_t what, bool &known) const;

    const Case &of_;
    const Rank &rank_;
    BoxLevels model_;
    std::vector<halo_topology *> topologies_;
};

void World::fill_outside(halo_exchange *exchange, int32_t level, int32_t fine_place) {
    for_each_local(level, [&](int64_t gid, const halo_box &box) {
        void *data = nullptr;
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_exchange_coarse_data(exchange, fine_place, gid, &data, &layout));
        int64_t n = 0;
        OK(halo_exchange_coarse_boundaries(exchange, fine_place, gid, sizeof(halo_boundary), nullptr, 0, &n));
        std::vector<halo_boundary> sides(static_cast<size_t>(n));
        if (n > 0) OK(halo_exchange_coarse_boundaries(exchange, fine_place, gid, sizeof(halo_boundary), sides.data(), n, &n));
        const Cell origin = model_.coarse(low_of(box));
        for (const halo_boundary &side : sides)
            for_each_cell(side.ghosts, [&](const Cell &cell) {
                const Cell there{ origin[0] + cell[0], origin[1] + cell[1], origin[2] + cell[2] };
                if (model_.inside(level - 1, there)) stop("a boundary has a cell that lies inside the domain");
                for_each_number([&](int32_t c, int32_t half) {
                    const int64_t at = (layout.first_owned + cell[0] * layout.stride[0] + cell[1] * layout.stride[1] + cell[2] * layout.stride[2] +
                                        c * layout.component_stride) *
                                           of_.numbers() +
                                       half;
                    const double value = BoxLevels::outside(level - 1, there, key(c, half));
                    if (of_.is_single())
                        static_cast<float *>(data)[at] = static_cast<float>(value);
                    else
                        static_cast<double *>(data)[at] = value;
                });
            });
    });
}

void World::run(halo_exchange *exchange, int32_t level, int32_t fine_place, const halo_run &how) {
    if (!of_.by_phases) {
        OK(halo_exchange_start(exchange, &how, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        return;
    }
    OK(halo_exchange_post(exchange, &how));
    halo_status sent = HALO_BUSY;
    while ((sent = halo_exchange_send(exchange, HALO_STREAM_NONE)) == HALO_BUSY) {}
    OK(sent);
    for (int32_t done = 0; done == 0;) OK(halo_exchange_test(exchange, &done));
    OK(halo_exchange_unpack(exchange, HALO_STREAM_NONE));
    fill_outside(exchange, level, fine_place);
    OK(halo_exchange_refine(exchange, HALO_STREAM_NONE));
}

// What a cell of a part must hold after a run; none: what it held.
std::optional<double> World::wanted(int32_t level, int64_t gid, const halo_box &box, const Cell &cell, int32_t key, int32_t what, bool &known) const {
    const std::optional<Cell> there = model_.inside(level, cell);
    if (!there) return std::nullopt;
    if (what == HALO_LEVELS_GHOSTS) {
        if (has(box, cell)) return BoxLevels::value(level, gid, cell, key, 0);
        if (const std::optional<int64_t> owner = model_.owner(level, *there)) return BoxLevels::value(level, *owner, *there, key, 0);
    }
    const BoxLevels::CoarseValue coarse = [&](int64_t of, const Cell &at) { return sent(level - 1, of, at, key); };
    if (!of_.is_single()) {
        double value = 0;
        known = model_.made(level, cell, key, coarse, value) || of_.by_phases;
        return value;
    }
    float value = 0;
    known = model_.made(level, cell, key, coarse, value) || of_.by_phases;
    return value;
}

void World::fill_and_check(int32_t level, int32_t what) {
    halo_topology *const coarser = topologies_[static_cast<size_t>(level) - 1], *const finer = topologies_[static_cast<size_t>(level)];
    LevelField coarse(of_, coarser, "u", false), newer(of_, coarser, "later u", true), fine(of_, finer, "u", true);
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
    desc.what = what, desc.messages = of_.per_channel ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AUTO;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create_levels(&coarse.field, of_.has_newer() ? &newer.field : nullptr, &fine.field, 1, &desc, &exchange));
    if (of_.has_newer()) OK(halo_exchange_set_fraction(exchange, of_.fraction));
    for (int again = 0; again < 3; ++again) {
        halo_run how = HALO_RUN_INIT;
        if (again == 2) how.first_component = of_.n_components - 1, how.n_components = 1, how.depth = 1;
        for_each_local(level - 1, [&](int64_t gid, const halo_box &box) {
            for_each_cell(box, [&](const Cell &cell) {
                for_each_number([&](int32_t c, int32_t half) {
                    coarse.store(gid, from(box, cell), c, half, 0, BoxLevels::value(level - 1, gid, cell, key(c, half), 0));
                    newer.store(gid, from(box, cell), c, half, 0, later(level - 1, gid, cell, key(c, half)));
                });
            });
        });
        for_each_local(level, [&](int64_t gid, const halo_box &box) {
            for_each_cell(with_ghosts(box), [&](const Cell &cell) {
                for_each_number([&](int32_t c, int32_t half) {
                    fine.store(gid, from(box, cell), c, half, 0, has(box, cell) ? BoxLevels::value(level, gid, cell, key(c, half), 0) : untouched);
                });
            });
        });
        run(exchange, level, of_.has_newer() ? 2 : 1, how);
        for_each_local(level, [&](int64_t gid, const halo_box &box) {
            for_each_cell(with_ghosts(box), [&](const Cell &cell) {
                for_each_number([&](int32_t c, int32_t half) {
                    bool known = true;
                    std::optional<double> right;
                    if (c >= how.first_component && (how.depth == 0 || layers_out(box, cell) <= how.depth))
                        right = wanted(level, gid, box, cell, key(c, half), what, known);
                    if (!right) right = has(box, cell) ? BoxLevels::value(level, gid, cell, key(c, half), 0) : untouched;
                    const double is = fine.load(gid, from(box, cell), c, half, 0);
                    if (of_.is_single()) right = static_cast<double>(static_cast<float>(*right));
                    if (known && is != *right)
                        stop("case %llu, rank %d, run %d, what %d: level %d, part %lld, cell (%lld, %lld, %lld), component %d is %.17g, wanted %.17g",
                             static_cast<unsigned long long>(of_.seed), rank_.rank, again, what, level, static_cast<long long>(gid),
                             static_cast<long long>(cell[0]), static_cast<long long>(cell[1]), static_cast<long long>(cell[2]), c, is, *right);
                });
            });
        });
    }
    OK(halo_exchange_destroy(&exchange));
}

// Points of a box in one centring.
halo_box points_of(halo_box box, int32_t centring) {
    for (size_t d = 0; d < 3; ++d) box.high[d] += centring >> d & 1;
    return box;
}

std::vector<int32_t> places_of(int32_t centring, int32_t n_dims) {
    if (centring == HALO_CENTRE_EDGES) return { 6, 5, 3 };
    if (centring == HALO_CENTRE_FACES)
        return n_dims == 1 ? std::vector<int32_t>{ 1 } : n_dims == 2 ? std::vector<int32_t>{ 1, 2 } : std::vector<int32_t>{ 1, 2, 4 };
    return { centring & ((1 << n_dims) - 1) };
}

void World::average_and_check(int32_t level, int32_t what, int32_t centring_of_all) {
    halo_topology *const coarser = topologies_[static_cast<size_t>(level) - 1], *const finer = topologies_[static_cast<size_t>(level)];
    LevelField coarse(of_, coarser, "u", true, centring_of_all), fine(of_, finer, "u", true, centring_of_all);
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
    desc.what = what;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create_levels(&coarse.field, nullptr, &fine.field, 1, &desc, &exchange));
    const std::vector<int32_t> places = places_of(centring_of_all, of_.shape.n_dims);
    const auto each = [&](int32_t at, auto &&visit) {
        for_each_local(at, [&](int64_t gid, const halo_box &box) {
            for (size_t p = 0; p < places.size(); ++p)
                for_each_cell(points_of(with_ghosts(box), places[p]), [&](const Cell &cell) {
                    for_each_number([&](int32_t c, int32_t half) { visit(gid, box, static_cast<int32_t>(p), cell, c, half); });
                });
        });
    };
    const auto value = [&](int32_t at, int64_t gid, const halo_box &box, int32_t p, const Cell &cell, int32_t c, int32_t half) {
        return has(points_of(box, places[static_cast<size_t>(p)]), cell) ? BoxLevels::value(at, gid, cell, key(c, half), p) : untouched;
    };
    for (int again = 0; again < 2; ++again) {
        each(level - 1, [&](int64_t gid, const halo_box &box, int32_t p, const Cell &cell, int32_t c, int32_t half) {
            coarse.store(gid, from(box, cell), c, half, p, value(level - 1, gid, box, p, cell, c, half));
        });
        each(level, [&](int64_t gid, const halo_box &box, int32_t p, const Cell &cell, int32_t c, int32_t half) {
            fine.store(gid, from(box, cell), c, half, p, value(level, gid, box, p, cell, c, half));
        });
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        each(level - 1, [&](int64_t gid, const halo_box &box, int32_t p, const Cell &cell, int32_t c, int32_t half) {
            const int32_t centring = places[static_cast<size_t>(p)];
            double right = value(level - 1, gid, box, p, cell, c, half);
            const BoxLevel &below = model_.level(level);
            // Images of the coarse point: the finer level's first box that has one counts, with its image shifted farthest up.
            std::optional<std::pair<int64_t, Cell>> from_box;
            const bool is_taken = what == HALO_LEVELS_AVERAGE || is_on_border(level - 1, cell, centring);
            for (int64_t of = 0; is_taken && of < static_cast<int64_t>(below.boxes.size()) && !from_box && has(points_of(box, centring), cell); ++of)
                for_each_image(level - 1, cell, [&](const Cell &image) {
                    halo_box covered = below.boxes[static_cast<size_t>(of)];
                    for (size_t d = 0; d < 3; ++d) covered.low[d] /= model_.ratio()[d], covered.high[d] /= model_.ratio()[d];
                    if (!from_box && has(points_of(covered, centring), image)) from_box = { of, image };
                });
            if (from_box) {
                const Cell &ratio = model_.ratio();
                const auto mean = [&](auto zero) {
                    using Real = decltype(zero);
                    int64_t n = 0;
                    Cell count;
                    for (size_t d = 0; d < 3; ++d) count[d] = centring >> d & 1 ? 1 : ratio[d];
                    Real all = 0;
                    for (int64_t z = 0; z < count[2]; ++z) {
                        Real plane = 0;
                        for (int64_t y = 0; y < count[1]; ++y) {
                            Real row = 0;
                            for (int64_t x = 0; x < count[0]; ++x, ++n) {
                                const Cell &at = from_box->second;
                                const Cell fine_point{ at[0] * ratio[0] + x, at[1] * ratio[1] + y, at[2] * ratio[2] + z };
                                const Real one = static_cast<Real>(BoxLevels::value(level, from_box->first, fine_point, key(c, half), p));
                                row = x == 0 ? one : row + one;
                            }
                            plane = y == 0 ? row : plane + row;
                        }
                        all = z == 0 ? plane : all + plane;
                    }
                    return static_cast<double>(all / static_cast<Real>(n));
                };
                right = of_.is_single() ? mean(0.0F) : mean(0.0);
            }
            if (of_.is_single()) right = static_cast<double>(static_cast<float>(right));
            const double is = coarse.load(gid, from(box, cell), c, half, p);
            if (is != right)
                stop("case %llu, rank %d, run %d, what %d: level %d, part %lld, place %d, point (%lld, %lld, %lld), component %d is %.17g, "
                     "wanted %.17g",
                     static_cast<unsigned long long>(of_.seed), rank_.rank, again, what, level - 1, static_cast<long long>(gid), p,
                     static_cast<long long>(cell[0]), static_cast<long long>(cell[1]), static_cast<long long>(cell[2]), c, is, right);
        });
    }
    OK(halo_exchange_destroy(&exchange));
}

void World::check_level_boxes(int32_t level) {
    LevelField field(of_, topologies_[static_cast<size_t>(level)], "u", true);
    const bool has_finer = level + 1 < of_.n_levels;
    for_each_local(level, [&](int64_t gid, const halo_box &box) {
        int64_t n = 0;
        const halo_topology *const finer = has_finer ? topologies_[static_cast<size_t>(level) + 1] : nullptr;
        OK(halo_field_level_boxes(field.field, finer, gid, sizeof(halo_level_box), nullptr, 0, &n));
        std::vector<halo_level_box> rows(static_cast<size_t>(n));
        OK(halo_field_level_boxes(field.field, finer, gid, sizeof(halo_level_box), rows.data(), n, &n));
        std::map<Cell, int32_t> is;
        int32_t last = HALO_LEVEL_UNCOVERED;
        for (const halo_level_box &row : rows) {
            if (row.kind < last) stop("rows are not in order");
            last = row.kind;
            for_each_cell(row.cells, [&](const Cell &cell) {
                if (!is.emplace(cell, row.kind).second) stop("a cell is in two rows");
            });
        }
        const auto covered = [&](const Cell &cell) { return has_finer && is_covered(level, cell); };
        const auto right = [&](const Cell &cell) {
            if (has(box, cell)) {
                if (covered(cell)) return HALO_LEVEL_COVERED;
                for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims); ++d)
                    for (const int64_t step : { -1, 1 }) {
                        Cell other = cell;
                        other[d] += step;
                        if (covered(other)) return HALO_LEVEL_BESIDE;
                    }
                return HALO_LEVEL_UNCOVERED;
            }
            const std::optional<Cell> there = model_.inside(level, cell);
            return !there ? HALO_LEVEL_OUTSIDE : model_.owner(level, *there) ? HALO_LEVEL_SAME : HALO_LEVEL_COARSER;
        };
        for_each_cell(with_ghosts(box), [&](const Cell &cell) {
            const auto found = is.find(from(box, cell));
            if (found == is.end() || found->second != right(cell))
                stop("case %llu: level %d, part %lld, cell (%lld, %lld, %lld) is %d, wanted %d", static_cast<unsigned long long>(of_.seed), level,
                     static_cast<long long>(gid), static_cast<long long>(cell[0]), static_cast<long long>(cell[1]), static_cast<long long>(cell[2]),
                     found == is.end() ? -1 : found->second, right(cell));
            is.erase(found);
        });
        if (!is.empty()) stop("there are rows beyond the part's ghosts");
    });
}

class BoxHierarchies : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, BoxHierarchies, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(BoxHierarchies, AreWhatTheModelSays) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        const Case of(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            World world(of, rank);
            for (int32_t level = 1; level < of.n_levels; ++level) {
                world.fill_and_check(level, HALO_LEVELS_GHOSTS);
                world.fill_and_check(level, HALO_LEVELS_WHOLE);
                world.average_and_check(level, HALO_LEVELS_AVERAGE, of.centring);
                world.average_and_check(level, HALO_LEVELS_FLUXES, of.faces);
            }
            for (int32_t level = 0; level < of.n_levels; ++level) world.check_level_boxes(level);
        });
        if (HasFailure()) return;
    }
}

} // namespace
