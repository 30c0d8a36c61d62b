// SPDX-License-Identifier: BSD-3-Clause
// Linear functions on random forests of two to four levels: with limited slopes every ghost inside the domain, and every point that blocks share, has
// the function's very value, whatever the centring.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "linear.h"
#include "stored.h"

namespace {

using namespace levels;

struct LinearCase {
    Shape shape;
    uint64_t number = 0, seed = 0;
    int32_t n_components = 1;
    int32_t n_ghosts = 1;
    int32_t shared = HALO_SHARED_KEEP;
    bool along = false; // HALO_VECTOR_ALONG
    bool per_channel = false;

    explicit LinearCase(uint64_t of) : number(of) {
        Random random(of + 4000);
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        shape.n_dims = 1 + static_cast<int32_t>(of % 3);
        const bool is_3d = shape.n_dims == 3;
        shape.n_trees = 2 + below(is_3d ? 1 : 2);
        shape.n_cells = 4 + 2 * below(!is_3d ? 3 : n_levels() < 4 ? 2 : 1);
        shape.turned = below(2) == 0, shape.distributed = below(2) == 0;
        shape.n_roots[0] = 2; // enough for blocks of all levels
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            if (d > 0) shape.n_roots[d] = 1 + below(is_3d ? 1 : 2);
            shape.periodic[d] = below(4) == 0;
        }
        n_components = 1 + below(2);
        n_ghosts = 1 + below(static_cast<uint64_t>(shape.n_cells / 2 - 1));
        shared = HALO_SHARED_KEEP + below(2);
        along = below(2) == 0, per_channel = below(4) == 0;
        shape.deepest = n_levels() - 1;
        for (seed = of; n_levels_of(Model(shape, seed, 1)) != n_levels(); seed += 1000)
            if (seed > 1000000) stop("case %llu: no forest has %d levels", static_cast<unsigned long long>(of), n_levels());
    }
    int32_t n_levels() const { return 2 + static_cast<int32_t>(number / 3 % 3); }

private:
    static int32_t n_levels_of(const Model &model) {
        std::set<int32_t> found;
        for (const Block &block : model.blocks()) found.insert(block.level);
        return static_cast<int32_t>(found.size());
    }
};

// All that a forest can have whose joins turn its trees so. Where it has many blocks, values in one direction alone are among those in all.
std::vector<int32_t> centrings_of(const halo_forest_desc &forest, bool has_many_blocks) {
    std::vector<int32_t> all{ HALO_CENTRE_CELL, HALO_CENTRE_FACES };
    if (forest.n_dims > 1) all.push_back(HALO_CENTRE_EDGES);
    for (int32_t bits = has_many_blocks ? (1 << forest.n_dims) - 1 : 1; bits < 1 << forest.n_dims; ++bits) {
        bool keeps = true;
        for (int32_t i = 0; i < forest.n_joins; ++i) {
            int32_t there = 0;
            for (int32_t d = 0; d < 3; ++d) there |= (bits >> d & 1) << forest.joins[i].axis[d];
            keeps = keeps && there == bits;
        }
        const bool is_node = bits == (1 << forest.n_dims) - 1;
        if (keeps) all.push_back(is_node ? HALO_CENTRE_NODE : bits);
    }
    return all;
}

// A field, which is the number-th of its exchange.
class LinearField {
public:
    LinearField(const LinearCase &of, const Model &model, halo_topology *topology, int32_t centring, int32_t number)
        : of_(of),
          model_(model),
          centring_(centring),
          number_(number),
          function_(of.shape, of.shape.deepest, 2 * number),
          values_(topology, of.shape, desc(("u" + std::to_string(number)).c_str()), HALO_PROLONG_MINMOD) {}
    halo_field *field() const { return values_.field(); }

    void fill() {
        values_.for_each([&](const At &at) { values_.store(at, at.is_owned ? value(at, level_of(at.gid), of_.shape.n_cells) : untouched); });
    }
    void fill_outside(const halo_exchange *exchange) const {
        values_.fill_coarse_boundaries(exchange, number_, [&](const At &at) { return value(at, level_of(at.gid) - 1, of_.shape.n_cells / 2); });
    }
    void check() const {
        values_.for_each([&](const At &at) {
            const int32_t place = values_.places()[at.place];
            const Place point = model_.in_space(at.gid, at.point, of_.shape.n_cells, place);
            const bool is_inside = function_.is_inside(level_of(at.gid), point, model_.centring_in_space(at.gid, place));
            const double wanted = is_inside ? value(at, level_of(at.gid), of_.shape.n_cells) : untouched;
            if (values_.load(at) != wanted)
                stop("case %llu: centring %d, part %lld (level %d), %s (%lld, %lld, %lld) at place %d, component %d is %.17g, wanted %.17g",
                     static_cast<unsigned long long>(of_.number), centring_, static_cast<long long>(at.gid), level_of(at.gid),
                     at.is_owned ? "own point" : "ghost", static_cast<long long>(at.point[0]), static_cast<long long>(at.point[1]),
                     static_cast<long long>(at.point[2]), place, at.component, values_.load(at), wanted);
        });
    }

private:
    halo_field_desc desc(const char *name) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.centring = centring_, desc.n_components = of_.n_components;
        desc.vector = is_along() ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
        for (int d = 0; d < of_.shape.n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = of_.n_ghosts;
        return desc;
    }
    bool is_along() const { return of_.along && (centring_ == HALO_CENTRE_FACES || (centring_ == HALO_CENTRE_EDGES && of_.shape.n_dims == 3)); }
    int32_t level_of(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    // Of points that are counted so many to a block. Each place in space has a function of its own if the values of a place are those of a direction.
    double value(const At &at, int32_t level, int64_t n_cells) const {
        const int32_t place = values_.places()[at.place], in_space = model_.centring_in_space(at.gid, place);
        const double value = function_.at(level, model_.in_space(at.gid, at.point, n_cells, place), in_space, 8 * in_space + at.component);
        return is_along() ? sign_of(model_, at.gid, in_space) * value : value;
    }

    const LinearCase &of_;
    const Model &model_;
    int32_t centring_;
    int32_t number_;
    Linear function_;
    Stored values_;
};

void check_case(const LinearCase &of, const Rank &rank) {
    const Model model(of.shape, of.seed, rank.size);
    const Forest forest(model, rank);
    std::vector<std::unique_ptr<LinearField>> fields;
    std::vector<halo_field *> handles;
    for (const int32_t centring : centrings_of(model.desc(), of.shape.n_dims == 3 && of.n_levels() == 4)) {
        fields.push_back(std::make_unique<LinearField>(of, model, forest.topology(), centring, static_cast<int32_t>(fields.size())));
        handles.push_back(fields.back()->field());
    }
    halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
    how.shared = of.shared;
    how.messages = of.per_channel ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AUTO;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &how, &exchange));
    for (const auto &field : fields) field->fill();
    run_by_phases(exchange, HALO_RUN_INIT, [&] {
        for (const auto &field : fields) field->fill_outside(exchange);
    });
    for (const auto &field : fields) field->check();
    OK(halo_exchange_destroy(&exchange));
}

class LevelsLinear : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, LevelsLinear, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(LevelsLinear, FunctionsStayAsTheyAre) {
    const auto n_cases = static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40) / 2);
    for (uint64_t number = 0; number < n_cases; ++number) {
        const LinearCase of(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) { check_case(of, rank); });
        if (HasFailure()) return;
    }
}

} // namespace
