// SPDX-License-Identifier: BSD-3-Clause
// Fields of nodes, faces and edges on random forests: ghosts and the points that several blocks have, against the definitions.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "truth.h"

namespace {

using namespace levels;

// ---- random cases

struct FieldCase : PointField {
    std::array<int32_t, 3> low{}, high{};

    // Ghosts that come in pairs stay so in narrower runs.
    bool has_pairs(int32_t n_dims) const {
        bool pairs = prolongation == HALO_PROLONG_MINMOD;
        for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d)
            for (const int32_t width : { low[d], high[d] }) pairs = pairs && width > 0 && width % 2 == 0;
        return pairs;
    }
};

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
        shape.turned = below(2) == 0;
        shape.n_trees = shape.turned ? 2 + below(is_3d ? 1 : 2) : 1 + below(is_3d ? 2 : 3);
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
            std::vector<int32_t> centrings = centrings_of(shape);
            if (f > 0) centrings.insert(centrings.end(), 3, HALO_CENTRE_CELL);
            FieldCase field{ PointField(random, shape.n_dims, centrings) };
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
        for (const int32_t place : values_.places()) truth_.emplace(place, Truth(model, place, field().prolongation, field().along));
        values_.for_each([&](const At &at) { wanted_.push_back(truth(at).value(at.gid, at.point, component(at))); });
    }
    halo_field *handle() const { return values_.field(); }

    void fill() {
        values_.for_each([&](const At &at) { values_.store(at, at.is_owned ? copy(at) : untouched); });
    }
    // Of own points those may change once start has returned that are not among what is received.
    template <class Value>
    void set_sent(Value &&value) {
        values_.for_each([&](const At &at) {
            if (at.is_owned && (of_.shared == HALO_SHARED_KEEP || truth(at).owns(at.gid, at.point))) values_.store(at, value(at));
        });
    }
    void spoil() {
        set_sent([](const At &) { return 1e20; });
    }
    void restore() {
        set_sent([&](const At &at) { return copy(at); });
    }
    void fill_outside(const halo_exchange *exchange) const {
        values_.fill_coarse_boundaries(exchange, static_cast<int32_t>(number_),
                                       [&](const At &at) { return truth(at).outside(at.gid, at.point, component(at)); });
    }
    // Borders that nobody has filled may have changed what is made from them: that is not looked at.
    void check(int32_t first_component, int32_t n_components, int32_t depth) const {
        const int32_t end = n_components > 0 ? first_component + n_components : of_.n_components;
        size_t i = 0;
        values_.for_each([&](const At &at) {
            const Truth::Value &wanted = wanted_[i++];
            const bool in_run = at.component >= first_component && at.component < end;
            const bool received = in_run && wanted.is_inside && (at.is_owned ? of_.shared != HALO_SHARED_KEEP : is_filled(at, depth));
            if (received && wanted.reads_outside && !of_.by_phases) return;
            expect(at, received ? wanted.value : at.is_owned ? copy(at) : untouched);
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
            wanted.push_back(truth(at).owns(at.gid, at.point) ? 1 : 0);
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
        desc.vector = field().along ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
        std::copy(field().low.begin(), field().low.end(), desc.ghost_low);
        std::copy(field().high.begin(), field().high.end(), desc.ghost_high);
        return desc;
    }
    int32_t level(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    int32_t component(const At &at) const { return at.component + 8 * static_cast<int32_t>(number_); }
    const Truth &truth(const At &at) const { return truth_.at(model_.centring_in_space(at.gid, values_.places()[at.place])); }
    double copy(const At &at) const { return truth(at).copy(at.gid, at.point, component(at)); }
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
    std::map<int32_t, Truth> truth_;   // by places in space, which are the field's, if not each in the part's own place
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

    int64_t messages() const {
        halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(exchange_, &stats));
        return stats.messages_sent;
    }
    int64_t n_peers() const {
        int64_t n = 0;
        OK(halo_exchange_peers(exchange_, sizeof(halo_peer_row), nullptr, 0, &n));
        return n;
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
        conformance::run(GetParam(), { { "wait.ask_after", "0" } }, [&](Rank &rank) {
            const Model model(of.shape, of.seed, rank.size);
            PointRun run(of, model, rank);
            run.check_owners();
            run.check(0, 0, 0); // says hello besides
            const int64_t before = run.messages();
            run.check(0, 0, 0);
            if (!of.per_channel && run.messages() - before != run.n_peers())
                stop("case %llu: %lld messages to %lld peers", static_cast<unsigned long long>(number),
                     static_cast<long long>(run.messages() - before), static_cast<long long>(run.n_peers()));
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

// ---- by hand, on trees that are turned against each other

// Two trees of one block of 2 cells per direction. Upwards along x one leaves the left one, and comes into the other from above along y.
constexpr int64_t left_tree = 0, turned_tree = 1;

struct TurnedRow {
    int64_t gid;
    size_t place;
    Place at;
    size_t from_place; // of the other block
    Place from;
    bool turns; // upwards there is downwards here
};

constexpr TurnedRow turned_faces[] = {
    { left_tree, 0, { 3, 0, 0 }, 1, { 0, 1, 0 }, true },    { left_tree, 0, { 3, 1, 0 }, 1, { 1, 1, 0 }, true },
    { left_tree, 1, { 2, 0, 0 }, 0, { 0, 1, 0 }, false },   { left_tree, 1, { 2, 1, 0 }, 0, { 1, 1, 0 }, false },
    { left_tree, 1, { 2, 2, 0 }, 0, { 2, 1, 0 }, false },   { turned_tree, 1, { 0, 3, 0 }, 0, { 1, 0, 0 }, true },
    { turned_tree, 1, { 1, 3, 0 }, 0, { 1, 1, 0 }, true },  { turned_tree, 0, { 0, 2, 0 }, 1, { 1, 0, 0 }, false },
    { turned_tree, 0, { 1, 2, 0 }, 1, { 1, 1, 0 }, false }, { turned_tree, 0, { 2, 2, 0 }, 1, { 1, 2, 0 }, false },
    { turned_tree, 1, { 0, 2, 0 }, 0, { 2, 0, 0 }, true }, // both have them: the left one comes first
    { turned_tree, 1, { 1, 2, 0 }, 0, { 2, 1, 0 }, true },
};

constexpr TurnedRow turned_edges[] = {
    { left_tree, 0, { 2, 0, 0 }, 1, { 0, 1, 0 }, true },    { left_tree, 0, { 2, 2, 1 }, 1, { 2, 1, 1 }, true },
    { left_tree, 1, { 3, 1, 2 }, 0, { 1, 1, 2 }, false },   { left_tree, 2, { 3, 2, 0 }, 2, { 2, 1, 0 }, false },
    { turned_tree, 1, { 0, 2, 1 }, 0, { 1, 0, 1 }, true },  { turned_tree, 0, { 1, 3, 2 }, 1, { 1, 1, 2 }, false },
    { turned_tree, 2, { 0, 3, 1 }, 2, { 1, 0, 1 }, false }, { turned_tree, 0, { 0, 2, 1 }, 1, { 2, 0, 1 }, false }, // that both have
    { turned_tree, 2, { 1, 2, 0 }, 2, { 2, 1, 0 }, false },
};

double copy_turned(int64_t gid, size_t place, const Place &at) {
    return static_cast<double>(1 + 1000 * gid + 100 * static_cast<int64_t>(place) + 16 * at[2] + 4 * at[1] + at[0]);
}

void exchange_turned(Stored &values, bool along, int32_t shared, std::span<const TurnedRow> rows) {
    values.for_each([&](const At &at) { values.store(at, at.is_owned ? copy_turned(at.gid, at.place, at.point) : untouched); });
    halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
    how.shared = shared;
    halo_field *field = values.field();
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &how, &exchange));
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    OK(halo_exchange_destroy(&exchange));
    values.for_each([&](const At &at) {
        for (const TurnedRow &row : rows) {
            if (row.gid != at.gid || row.place != at.place || row.at != at.point) continue;
            const double there = copy_turned(1 - row.gid, row.from_place, row.from);
            const bool stays = shared == (at.is_owned ? HALO_SHARED_KEEP : HALO_SHARED_ONLY);
            const double before = at.is_owned ? copy_turned(at.gid, at.place, at.point) : untouched;
            const double wanted = stays ? before : along && row.turns ? -there : there;
            if (values.load(at) != wanted)
                stop("shared %d, along %d: part %lld, place %zu, point (%lld, %lld, %lld) is %.17g, wanted %.17g", shared, along ? 1 : 0,
                     static_cast<long long>(at.gid), at.place, static_cast<long long>(at.point[0]), static_cast<long long>(at.point[1]),
                     static_cast<long long>(at.point[2]), values.load(at), wanted);
        }
    });
}

void exchange_turned(int32_t n_dims, int32_t centring, std::span<const TurnedRow> rows) {
    conformance::run(2, {}, [&](Rank &rank) {
        const halo_tree trees[] = { HALO_TREE_INIT, HALO_TREE_INIT };
        const halo_tree_join join = { left_tree, 1, turned_tree, 0, { 1, 0, 2 }, { -1, 1, 1 } };
        const halo_leaf leaves[] = { { left_tree, 0, { 0, 0, 0 } }, { turned_tree, 0, { 0, 0, 0 } } };
        halo_forest_desc forest_desc = HALO_FOREST_DESC_INIT;
        forest_desc.n_dims = n_dims, forest_desc.trees = trees, forest_desc.n_trees = 2, forest_desc.joins = &join, forest_desc.n_joins = 1;
        forest_desc.leaves = leaves, forest_desc.n_leaves = 2;
        Shape shape;
        shape.n_dims = n_dims, shape.n_cells = 2;
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u", desc.centring = centring;
        for (int d = 0; d < n_dims; ++d) forest_desc.n_cells[d] = shape.n_cells, desc.ghost_low[d] = desc.ghost_high[d] = 1;
        const Forest forest(forest_desc, rank);
        for (const int32_t vector : { HALO_VECTOR_NONE, HALO_VECTOR_ALONG }) {
            desc.vector = vector;
            Stored values(forest.topology(), shape, desc, HALO_PROLONG_MINMOD);
            for (const int32_t shared : { HALO_SHARED_KEEP, HALO_SHARED_OWNER, HALO_SHARED_ONLY })
                exchange_turned(values, vector == HALO_VECTOR_ALONG, shared, rows);
        }
    });
}

TEST(LevelsTurned, FacesAreThoseOfOtherDirections) { exchange_turned(2, HALO_CENTRE_FACES, turned_faces); }
TEST(LevelsTurned, EdgesAreThoseOfOtherDirections) { exchange_turned(3, HALO_CENTRE_EDGES, turned_edges); }

// ---- what is refused

void refuse(const Stored &values, const halo_exchange_desc &how, const char *text) {
    halo_field *field = values.field();
    halo_exchange *exchange = nullptr;
    if (halo_exchange_create(&field, 1, &how, &exchange) != HALO_ERR_ARGUMENT)
        stop("kind %d, shared %d was not refused: %s", how.kind, how.shared, text);
    if (!std::strstr(halo_last_error(), text)) stop("\"%s\" is not in \"%s\"", text, halo_last_error());
}

void refuse_ghosts(const Stored &values, const char *text,
                   const std::vector<int32_t> &ways = { HALO_SHARED_KEEP, HALO_SHARED_OWNER, HALO_SHARED_ONLY }) {
    for (const int32_t shared : ways) {
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.shared = shared;
        refuse(values, how, text);
    }
}

void refuse_widths(const Rank &rank, const Model &model, int32_t n_ghosts, const char *text) {
    const Forest forest(model, rank);
    refuse_ghosts(Stored(forest.topology(), model.shape(), nodes(n_ghosts), HALO_PROLONG_MINMOD), text, { HALO_SHARED_KEEP, HALO_SHARED_OWNER });
}

// Are faces of one direction those of another in some other tree?
bool is_turned(const halo_forest_desc &forest, int32_t centring) {
    for (int32_t i = 0; i < forest.n_joins; ++i) {
        int32_t there = 0;
        for (int32_t d = 0; d < 3; ++d) there |= (centring >> d & 1) << forest.joins[i].axis[d];
        if (there != centring) return true;
    }
    return false;
}

void refuse_some_directions(const Rank &rank, const Model &model) {
    const Forest forest(model, rank);
    for (int32_t centring = 1; centring < 1 << model.shape().n_dims; ++centring) {
        if (!is_turned(model.desc(), centring)) continue;
        halo_field_desc desc = nodes(1);
        desc.centring = centring;
        const Stored values(forest.topology(), model.shape(), desc, HALO_PROLONG_MINMOD);
        refuse_ghosts(values, "all faces, or all edges");
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.kind = HALO_KIND_FLUXES;
        refuse(values, how, "all faces, or all edges");
    }
}

TEST(LevelsSomeDirectionsAreRefused, OnTreesTurnedAgainstEachOther) {
    for (const int32_t n_dims : { 2, 3 })
        for (const int32_t deepest : { 0, 1 })
            conformance::run(2, {}, [&](Rank &rank) {
                Shape shape = shape_by_hand();
                shape.n_dims = n_dims, shape.n_trees = 2, shape.turned = true, shape.deepest = deepest;
                for (uint64_t seed = 0;; ++seed) {
                    const Model model(shape, seed, rank.size);
                    if (is_turned(model.desc(), HALO_CENTRE_FACE_X) && model.has_levels() == (deepest > 0))
                        return refuse_some_directions(rank, model);
                }
            });
}

TEST(LevelsNodesAreRefused, WhereBlocksThatTouchByACornerMayDifferByTwoLevels) {
    conformance::run(2, {}, [](Rank &rank) {
        const Model roots(shape_by_hand(), 0, rank.size);
        const Model model(roots, leaves_by_hand(), 0, rank.size);
        halo_forest_desc forest = model.desc();
        forest.balance = HALO_BALANCE_FACES;
        const Forest unbalanced(forest, rank);
        refuse_ghosts(Stored(unbalanced.topology(), model.shape(), nodes(1), HALO_PROLONG_MINMOD), "HALO_BALANCE_FULL");
    });
}

// Between levels there may be a layer less than half a block has, else one less than a block.
TEST(LevelsNodesAreRefused, WithTooManyGhosts) {
    conformance::run(2, {}, [](Rank &rank) {
        const Model roots(shape_by_hand(), 0, rank.size);
        const Model model(roots, leaves_by_hand(), 0, rank.size);
        refuse_widths(rank, model, 2, "have at most 1");
        refuse_widths(rank, roots, 4, "have at most 3");
    });
}

} // namespace
