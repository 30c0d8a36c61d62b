// SPDX-License-Identifier: BSD-3-Clause
// Fields of nodes, faces and edges on random forests: ghosts and the points that several blocks have, against the definitions.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include "stored.h"

namespace {

using namespace levels;

// ---- the model

// A point of a centring lies between the cells p - 1 and p of the directions whose bit is set, else in cell p. Of its copies one is the owner's.
class Truth {
public:
    struct Value {
        double value = 0;
        bool is_inside = false;     // else it lies outside the domain, and is none
        bool reads_outside = false; // made from what has been filled in there
    };

    Truth(const Model &model, int32_t centring, int32_t prolongation) : model_(model), centring_(centring), prolongation_(prolongation) {}

    // Of a point of a block, also among its ghosts, as it is at the block's level.
    Value value(int64_t gid, const Place &point, int32_t c) const {
        const int32_t level = model_.blocks()[static_cast<size_t>(gid)].level;
        const Place at = model_.in_space(gid, point, n_cells());
        const Around around = look_around(level, at);
        if (!around.is_inside) return {};
        if (around.is_finer || around.owner.gid >= 0) return { known(around, level, at, c), true, false };
        return prolongated(level, at, c);
    }
    // Is the block's copy of its own point the owner's?
    bool owns(int64_t gid, const Place &point) const {
        const Around around = look_around(model_.blocks()[static_cast<size_t>(gid)].level, model_.in_space(gid, point, n_cells()));
        return !around.is_finer && around.owner.gid == gid && around.owner.point == point;
    }

private:
    struct Copy {
        int64_t gid = -1;
        Place point{}; // in the block
    };
    // What the cells around a point are at its level.
    struct Around {
        bool is_inside = false;
        bool is_finer = false;
        Copy owner; // among the leaves of that level
    };

    int64_t n_cells() const { return model_.shape().n_cells; }
    int32_t directions() const { return (1 << model_.shape().n_dims) - 1; }

    // Each sum of some of the bits.
    template <class Visit>
    static void for_each_sum(int32_t bits, Visit &&visit) {
        for (int32_t sum = 0; sum < 8; ++sum)
            if ((sum & ~bits) == 0) visit(sum);
    }
    bool comes_before(const Copy &copy, const Copy &other) const {
        if (copy.gid != other.gid) return model_.comes_before(copy.gid, other.gid);
        return std::tie(copy.point[2], copy.point[1], copy.point[0]) < std::tie(other.point[2], other.point[1], other.point[0]);
    }
    Around look_around(int32_t level, const Place &point) const {
        Around found;
        for_each_sum(centring_, [&](int32_t below) {
            Place cell = point;
            for (size_t d = 0; d < 3; ++d) cell[d] -= below >> d & 1;
            if (!model_.wrap(level, cell)) return;
            found.is_inside = true;
            const Model::Is is = model_.what(level, cell);
            found.is_finer = found.is_finer || is == Model::Is::finer;
            if (is != Model::Is::leaf) return;
            Copy copy{ model_.leaf_with(level, cell), {} };
            const Place first = model_.in_space(copy.gid, {}, n_cells());
            for (size_t d = 0; d < 3; ++d) copy.point[d] = cell[d] - first[d] + (below >> d & 1);
            if (found.owner.gid < 0 || comes_before(copy, found.owner)) found.owner = copy;
        });
        return found;
    }
    // Around it is a leaf of this level or a finer one.
    double known(const Around &around, int32_t level, const Place &point, int32_t c) const {
        if (!around.is_finer && around.owner.gid < 0) stop("model: blocks that touch differ by two levels");
        if (!around.is_finer) return model_.copy(around.owner.gid, around.owner.point, c, centring_);
        double sum = 0;
        int n = 0;
        for_each_sum(directions() & ~centring_, [&](int32_t above) {
            Place part = point;
            for (size_t d = 0; d < 3; ++d) part[d] = 2 * point[d] + (above >> d & 1);
            sum += known(look_around(level + 1, part), level + 1, part, c);
            ++n;
        });
        return sum / n;
    }
    // Of a level whose points are used to make those of the next.
    double coarse(int32_t level, const Place &point, int32_t c, bool &reads_outside) const {
        const Around around = look_around(level, point);
        if (around.is_inside) return known(around, level, point, c);
        reads_outside = true;
        return model_.outside(level, point, c, centring_);
    }
    // Mean of the coarse points on both sides, where it lies between two; in cells the coarse value and a quarter of its slope.
    Value prolongated(int32_t level, const Place &point, int32_t c) const {
        Value made{ 0, true, false };
        int32_t odd = 0;
        Place lowest{};
        for (size_t d = 0; d < 3; ++d) {
            odd |= static_cast<int32_t>(point[d] & 1) << d;
            lowest[d] = floor_half(point[d]);
        }
        int n = 0;
        for_each_sum(odd & centring_, [&](int32_t above) {
            Place centre = lowest;
            for (size_t d = 0; d < 3; ++d) centre[d] += above >> d & 1;
            const double middle = coarse(level - 1, centre, c, made.reads_outside);
            made.value += middle;
            for (size_t d = 0; d < 3 && prolongation_ == HALO_PROLONG_MINMOD; ++d) {
                if (((directions() & ~centring_) >> d & 1) == 0) continue;
                Place low = centre, high = centre;
                --low[d], ++high[d];
                const double below = middle - coarse(level - 1, low, c, made.reads_outside);
                const double slope = minmod(below, coarse(level - 1, high, c, made.reads_outside) - middle);
                made.value += ((odd >> d & 1) != 0 ? 0.25 : -0.25) * slope;
            }
            ++n;
        });
        made.value /= n;
        return made;
    }

    const Model &model_;
    int32_t centring_;
    int32_t prolongation_;
};

// ---- random cases

struct FieldCase {
    int32_t centring = HALO_CENTRE_NODE;
    std::array<int32_t, 3> low{}, high{};
    int32_t prolongation = HALO_PROLONG_MINMOD;
    halo_type type = HALO_FLOAT64;

    // Ghosts that come in pairs stay so in narrower runs.
    bool has_pairs(int32_t n_dims) const {
        bool pairs = prolongation == HALO_PROLONG_MINMOD;
        for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d)
            for (const int32_t width : { low[d], high[d] }) pairs = pairs && width > 0 && width % 2 == 0;
        return pairs;
    }
};

std::vector<int32_t> centrings_of(int32_t n_dims) {
    std::vector<int32_t> all{ HALO_CENTRE_NODE, HALO_CENTRE_FACES, HALO_CENTRE_FACE_X };
    if (n_dims > 1) all.insert(all.end(), { HALO_CENTRE_FACE_Y, HALO_CENTRE_EDGE_Z, HALO_CENTRE_EDGES });
    if (n_dims > 2) all.insert(all.end(), { HALO_CENTRE_FACE_Z, HALO_CENTRE_EDGE_Y, HALO_CENTRE_EDGE_X });
    return all;
}

// One or two fields in one exchange, of which the second may be one of cells.
struct PointCase {
    Shape shape;
    uint64_t seed = 0;
    std::vector<FieldCase> fields;
    int32_t n_components = 1;
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t shared = HALO_SHARED_KEEP;
    int32_t depth = 0; // of a narrowed run
    bool per_channel = false;
    bool by_phases = true; // else physical borders have ghosts that nobody fills

    explicit PointCase(uint64_t number) : seed(number) {
        Random random(number);
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        shape.n_dims = 1 + below(3);
        const bool is_3d = shape.n_dims == 3;
        shape.n_trees = 1 + below(is_3d ? 2 : 3);
        shape.n_cells = 2 + 2 * below(is_3d ? 3 : 5);
        int64_t n_roots = shape.n_trees;
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            n_roots *= shape.n_roots[d] = 1 + below(is_3d ? 2 : 3);
            shape.periodic[d] = below(2) == 0;
        }
        shape.deepest = below(5) == 0 ? 0 : 1 + below(is_3d ? n_roots > 4 ? 1 : 2 : 3);
        shape.distributed = below(2) == 0;
        n_components = 1 + below(2);
        stencil = below(3) == 0 ? HALO_STENCIL_FACES + below(2) : HALO_STENCIL_FULL;
        shared = HALO_SHARED_KEEP + below(3);
        per_channel = below(4) == 0;
        by_phases = below(2) == 0;
        const int32_t n_fields = 1 + below(2);
        for (int32_t f = 0; f < n_fields; ++f) {
            std::vector<int32_t> centrings = centrings_of(shape.n_dims);
            if (f > 0) centrings.insert(centrings.end(), 3, HALO_CENTRE_CELL);
            FieldCase field;
            field.centring = centrings[static_cast<size_t>(below(centrings.size()))];
            field.prolongation = below(3) == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD;
            field.type = below(3) == 0 ? HALO_FLOAT32 : HALO_FLOAT64;
            const int64_t widest = shape.deepest == 0 ? shape.n_cells - 1 : shape.n_cells / 2 - 1;
            const auto most = static_cast<uint64_t>(std::min<int64_t>(widest, is_3d ? 3 : 5));
            const bool even = below(3) == 0 && most >= 2;
            for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d)
                for (int32_t *width : { &field.low[d], &field.high[d] }) *width = even ? 2 * (1 + below(most / 2)) : below(most + 1);
            fields.push_back(field);
        }
        const bool has_pairs = std::ranges::any_of(fields, [&](const FieldCase &field) { return field.has_pairs(shape.n_dims); });
        depth = has_pairs ? 2 : 1 + below(2);
    }
};

// ---- the library

// A field of a case on a rank, and what its points are. Each field has components of its own in the model.
class Points {
public:
    Points(const PointCase &of, size_t number, const Model &model, halo_topology *topology)
        : of_(of),
          number_(number),
          model_(model),
          values_(topology, of.shape, desc(("u" + std::to_string(number)).c_str()), field().prolongation) {
        for (const int32_t place : values_.places()) truth_.emplace_back(model, place, field().prolongation);
        values_.for_each([&](const At &at) { wanted_.push_back(truth_[at.place].value(at.gid, at.point, component(at))); });
    }
    halo_field *handle() const { return values_.field(); }

    void fill() {
        values_.for_each([&](const At &at) { values_.store(at, at.is_owned ? copy(at) : untouched); });
    }
    // Of own points those may change once start has returned that are not among what is received.
    template <class Value>
    void set_sent(Value &&value) {
        values_.for_each([&](const At &at) {
            if (at.is_owned && (of_.shared == HALO_SHARED_KEEP || truth_[at.place].owns(at.gid, at.point))) values_.store(at, value(at));
        });
    }
    void spoil() {
        set_sent([](const At &) { return 1e20; });
    }
    void restore() {
        set_sent([&](const At &at) { return copy(at); });
    }
    void fill_outside(const halo_exchange *exchange) const {
        values_.fill_coarse_boundaries(exchange, static_cast<int32_t>(number_), [&](const At &at) {
            return model_.outside(level(at.gid) - 1, model_.in_space(at.gid, at.point, of_.shape.n_cells / 2), component(at),
                                  values_.places()[at.place]);
        });
    }
    // Borders that nobody has filled may have changed what is made from them: that is not looked at.
    void check(int32_t first_component, int32_t n_components, int32_t depth) const {
        const int32_t end = n_components > 0 ? first_component + n_components : of_.n_components;
        size_t i = 0;
        values_.for_each([&](const At &at) {
            const Truth::Value &truth = wanted_[i++];
            const bool in_run = at.component >= first_component && at.component < end;
            const bool received = in_run && truth.is_inside && (at.is_owned ? of_.shared != HALO_SHARED_KEEP : is_filled(at, depth));
            if (received && truth.reads_outside && !of_.by_phases) return;
            expect(at, received ? truth.value : at.is_owned ? copy(at) : untouched);
        });
    }
    void check_owners() const {
        std::vector<uint8_t> mask, wanted;
        for (const int64_t gid : values_.gids()) {
            const std::vector<uint8_t> one = mask_of(gid);
            mask.insert(mask.end(), one.begin(), one.end());
        }
        values_.for_each([&](const At &at) {
            if (!at.is_owned || at.component > 0) return;
            wanted.push_back(truth_[at.place].owns(at.gid, at.point) ? 1 : 0);
            if (wanted.size() > mask.size() || mask[wanted.size() - 1] != wanted.back())
                stop("case %llu: field %zu, part %lld, point (%lld, %lld, %lld) of centring %d: another owner", number_of_case(), number_,
                     static_cast<long long>(at.gid), static_cast<long long>(at.point[0]), static_cast<long long>(at.point[1]),
                     static_cast<long long>(at.point[2]), values_.places()[at.place]);
        });
        if (mask.size() != wanted.size())
            stop("case %llu: field %zu: masks of %zu points, not %zu", number_of_case(), number_, mask.size(), wanted.size());
    }

private:
    const FieldCase &field() const { return of_.fields[number_]; }
    unsigned long long number_of_case() const { return of_.seed; }
    halo_field_desc desc(const char *name) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.type = field().type, desc.n_components = of_.n_components, desc.centring = field().centring;
        std::copy(field().low.begin(), field().low.end(), desc.ghost_low);
        std::copy(field().high.begin(), field().high.end(), desc.ghost_high);
        return desc;
    }
    int32_t level(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    int32_t component(const At &at) const { return at.component + 8 * static_cast<int32_t>(number_); }
    double copy(const At &at) const { return model_.copy(at.gid, at.point, component(at), values_.places()[at.place]); }
    bool is_filled(const At &ghost, int32_t depth) const { return of_.shared != HALO_SHARED_ONLY && values_.is_reached(ghost, of_.stencil, depth); }
    std::vector<uint8_t> mask_of(int64_t gid) const {
        int64_t n = 0;
        OK(halo_field_owner_mask(handle(), gid, nullptr, 0, &n));
        std::vector<uint8_t> mask(static_cast<size_t>(n));
        OK(halo_field_owner_mask(handle(), gid, mask.data(), n, &n));
        return mask;
    }
    void expect(const At &at, double wanted) const {
        const double is = values_.load(at);
        if (is != values_.rounded(wanted))
            stop("case %llu, shared %d: field %zu, part %lld (level %d), %s (%lld, %lld, %lld) of centring %d, component %d is %.17g, wanted %.17g",
                 number_of_case(), of_.shared, number_, static_cast<long long>(at.gid), level(at.gid), at.is_owned ? "own point" : "ghost",
                 static_cast<long long>(at.point[0]), static_cast<long long>(at.point[1]), static_cast<long long>(at.point[2]),
                 values_.places()[at.place], at.component, is, wanted);
    }

    const PointCase &of_;
    size_t number_;
    const Model &model_;
    Stored values_;
    std::vector<Truth> truth_;         // of each place
    std::vector<Truth::Value> wanted_; // of each value
};

// All fields of a case, and their exchange.
class PointRun {
public:
    PointRun(const PointCase &of, const Model &model, const Rank &rank) : of_(of), model_(model), forest_(model, rank) {
        std::vector<halo_field *> handles;
        for (size_t number = 0; number < of.fields.size(); ++number) {
            fields_.push_back(std::make_unique<Points>(of, number, model, forest_.topology()));
            handles.push_back(fields_.back()->handle());
        }
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.stencil = of.stencil, how.shared = of.shared;
        how.messages = of.per_channel ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AUTO;
        OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &how, &exchange_));
    }
    ~PointRun() { halo_exchange_destroy(&exchange_); }
    PointRun(const PointRun &) = delete;
    PointRun &operator=(const PointRun &) = delete;

    void check_owners() const {
        for (const auto &field : fields_) field->check_owners();
    }
    void check(int32_t first_component, int32_t n_components, int32_t depth) {
        for (const auto &field : fields_) field->fill();
        exchange(first_component, n_components, depth);
        for (const auto &field : fields_) field->check(first_component, n_components, depth);
    }

private:
    void exchange(int32_t first_component, int32_t n_components, int32_t depth) {
        halo_run run = HALO_RUN_INIT;
        run.first_component = first_component, run.n_components = n_components, run.depth = depth;
        if (of_.by_phases) return run_by_phases(exchange_, run, [&] { fill_outside(); });
        OK(halo_exchange_start(exchange_, &run, HALO_STREAM_NONE));
        for (const auto &field : fields_) field->spoil();
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
        for (const auto &field : fields_) field->restore();
    }
    void fill_outside() const {
        if (!model_.has_levels() || of_.shared == HALO_SHARED_ONLY) return; // nothing is made of coarse points
        for (const auto &field : fields_) field->fill_outside(exchange_);
    }

    const PointCase &of_;
    const Model &model_;
    Forest forest_;
    std::vector<std::unique_ptr<Points>> fields_;
    halo_exchange *exchange_ = nullptr;
};

class LevelsPoints : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, LevelsPoints, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(LevelsPoints, AreWhatTheModelSays) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        const PointCase of(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model model(of.shape, of.seed, rank.size);
            PointRun run(of, model, rank);
            run.check_owners();
            for (int again = 0; again < 2; ++again) run.check(0, 0, 0);
            run.check(of.n_components - 1, 1, of.depth);
        });
        if (HasFailure()) return;
    }
}

// ---- by hand

// Two roots of 4 by 4 cells beside each other. The left one is refined: its parts stand in the list behind the right one, last on the curve first.
constexpr int64_t right = 0, upper_right = 1, upper_left = 2, lower_right = 3, lower_left = 4;

std::vector<halo_leaf> leaves_by_hand() {
    return { { 0, 0, { 1, 0, 0 } }, { 0, 1, { 1, 1, 0 } }, { 0, 1, { 0, 1, 0 } }, { 0, 1, { 1, 0, 0 } }, { 0, 1, { 0, 0, 0 } } };
}

// Tells whose it is.
double copy_by_hand(int64_t gid, int64_t x, int64_t y) { return static_cast<double>(1000 * gid + 10 * y + x); }

struct Row {
    int64_t gid, x, y;
    double value;
};

constexpr Row ghosts_by_hand[] = {
    { right, -1, 1, 3022 }, // of nodes in finer blocks
    { right, -1, 2, 3042 }, // that two of them have: the first on the curve
    { right, -1, -1, untouched },
    { right, 5, 1, untouched },
    { lower_right, 2, 5, 1012 },
    { lower_right, 4, 5, 1014 }, // a coarser block has that side of it, too
    { lower_left, 5, 5, 1011 },
    { lower_left, 5, 2, 3021 },
    { lower_left, 4, 5, 2014 },
    { lower_left, -1, 0, untouched },
    { upper_right, -1, -1, 4033 },
    { lower_right, 5, 0, (3004 + 1) / 2. }, // between two coarse nodes
    { lower_right, 5, 2, (3024 + 11) / 2. },
    { lower_right, 5, 1, (3004 + 1 + 3024 + 11) / 4. }, // amid four
    { lower_right, 5, 5, (3044 + 21 + 1024 + 31) / 4. },
    { upper_right, 5, -1, (3024 + 11 + 3044 + 21) / 4. },
};

constexpr Row owned_by_hand[] = {
    { right, 0, 0, 3004 },       { right, 0, 1, 3024 },       { right, 0, 2, 3044 },       { right, 0, 3, 1024 },       { right, 0, 4, 1044 },
    { right, 1, 2, 21 },         { lower_right, 0, 0, 4004 }, { lower_right, 0, 4, 4044 }, { lower_right, 4, 4, 3044 }, { lower_right, 4, 1, 3014 },
    { upper_right, 0, 0, 4044 }, { upper_right, 0, 1, 2014 }, { upper_right, 1, 0, 3041 }, { upper_right, 4, 0, 3044 }, { upper_left, 2, 0, 4042 },
    { upper_left, 4, 1, 2014 },  { lower_left, 4, 4, 4044 },
};

void expect_rows(const Stored &values, std::span<const Row> rows) {
    values.for_each([&](const At &at) {
        for (const Row &row : rows)
            if (row.gid == at.gid && row.x == at.point[0] && row.y == at.point[1] && values.load(at) != row.value)
                stop("part %lld, node (%lld, %lld) is %.17g, wanted %.17g", static_cast<long long>(at.gid), static_cast<long long>(row.x),
                     static_cast<long long>(row.y), values.load(at), row.value);
    });
}

halo_field_desc nodes(int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.centring = HALO_CENTRE_NODE;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return desc;
}

Shape shape_by_hand() {
    Shape shape;
    shape.n_dims = 2, shape.n_cells = 4, shape.n_roots = { 2, 1, 1 }, shape.deepest = 0;
    return shape;
}

void exchange_by_hand(Stored &values, int32_t shared) {
    values.for_each([&](const At &at) { values.store(at, at.is_owned ? copy_by_hand(at.gid, at.point[0], at.point[1]) : untouched); });
    halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
    how.shared = shared;
    halo_field *field = values.field();
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &how, &exchange));
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    OK(halo_exchange_destroy(&exchange));
    if (shared != HALO_SHARED_ONLY) expect_rows(values, ghosts_by_hand);
    if (shared != HALO_SHARED_KEEP) expect_rows(values, owned_by_hand);
    values.for_each([&](const At &at) {
        const double before = at.is_owned ? copy_by_hand(at.gid, at.point[0], at.point[1]) : untouched;
        const bool stays = shared == (at.is_owned ? HALO_SHARED_KEEP : HALO_SHARED_ONLY);
        if (stays && values.load(at) != before) stop("shared %d: part %lld was changed", shared, static_cast<long long>(at.gid));
    });
}

TEST(LevelsNodes, AroundTwoLevels) {
    conformance::run(2, {}, [](Rank &rank) {
        const Model roots(shape_by_hand(), 0, rank.size);
        const Model model(roots, leaves_by_hand(), 0, rank.size);
        const Forest forest(model, rank);
        Stored values(forest.topology(), model.shape(), nodes(1), HALO_PROLONG_MINMOD);
        for (const int32_t shared : { HALO_SHARED_KEEP, HALO_SHARED_OWNER, HALO_SHARED_ONLY }) exchange_by_hand(values, shared);
        constexpr int64_t n_owned[] = { 20, 16, 20, 20, 25 };
        for (const int64_t gid : values.gids()) {
            std::array<uint8_t, 25> mask{};
            int64_t n = 0;
            OK(halo_field_owner_mask(values.field(), gid, mask.data(), std::ssize(mask), &n));
            if (n != std::ssize(mask) || std::ranges::count(mask, 1) != n_owned[gid])
                stop("part %lld owns %lld of %lld nodes", static_cast<long long>(gid), static_cast<long long>(std::ranges::count(mask, 1)),
                     static_cast<long long>(n));
        }
    });
}

// ---- what is refused

void refuse_nodes(const Rank &rank, const Model &model, const halo_forest_desc &desc, const char *text, int32_t n_ghosts = 1) {
    const Forest forest(desc, rank);
    const Stored values(forest.topology(), model.shape(), nodes(n_ghosts), HALO_PROLONG_MINMOD);
    for (const int32_t shared : { HALO_SHARED_KEEP, HALO_SHARED_OWNER, HALO_SHARED_ONLY }) {
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.shared = shared;
        halo_field *field = values.field();
        halo_exchange *exchange = nullptr;
        if (halo_exchange_create(&field, 1, &how, &exchange) != HALO_ERR_ARGUMENT) stop("shared %d was not refused: %s", shared, text);
        if (!std::strstr(halo_last_error(), text)) stop("\"%s\" is not in \"%s\"", text, halo_last_error());
    }
}

bool is_turned(const halo_forest_desc &forest) {
    bool turned = false;
    for (int32_t i = 0; i < forest.n_joins; ++i)
        for (int32_t d = 0; d < forest.n_dims; ++d) turned = turned || forest.joins[i].axis[d] != d || forest.joins[i].sign[d] != 1;
    return turned;
}

TEST(LevelsNodesAreRefused, OnTreesTurnedAgainstEachOther) {
    for (const int32_t deepest : { 0, 1 })
        conformance::run(2, {}, [&](Rank &rank) {
            Shape shape = shape_by_hand();
            shape.n_trees = 3, shape.turned = true, shape.deepest = deepest;
            for (uint64_t seed = 0;; ++seed) {
                const Model model(shape, seed, rank.size);
                if (!is_turned(model.desc()) || model.has_levels() != (deepest > 0)) continue;
                return refuse_nodes(rank, model, model.desc(), "turned");
            }
        });
}

TEST(LevelsNodesAreRefused, WhereBlocksThatTouchByACornerMayDifferByTwoLevels) {
    conformance::run(2, {}, [](Rank &rank) {
        const Model roots(shape_by_hand(), 0, rank.size);
        const Model model(roots, leaves_by_hand(), 0, rank.size);
        halo_forest_desc forest = model.desc();
        forest.balance = HALO_BALANCE_FACES;
        refuse_nodes(rank, model, forest, "HALO_BALANCE_FULL");
    });
}

// Between levels there may be a layer less than half a block has, else one less than a block.
TEST(LevelsNodesAreRefused, WithTooManyGhosts) {
    conformance::run(2, {}, [](Rank &rank) {
        const Model roots(shape_by_hand(), 0, rank.size);
        const Model model(roots, leaves_by_hand(), 0, rank.size);
        refuse_nodes(rank, model, model.desc(), "have at most 1", 2);
        refuse_nodes(rank, roots, roots.desc(), "have at most 3", 4);
    });
}

} // namespace
