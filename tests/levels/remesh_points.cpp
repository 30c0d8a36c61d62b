// SPDX-License-Identifier: BSD-3-Clause
// Nodes, faces and edges of one list of blocks to those of another. What blocks had as fine is not made anew of coarser points.
#include <gtest/gtest.h>

#include <map>

#include "truth.h"

namespace {

using namespace levels;

struct MoveCase {
    uint64_t seed;
    Random random;
    Shape shape;
    PointField field;
    int32_t n_components;
    bool distributed; // is the second list?

    explicit MoveCase(uint64_t number)
        : seed(number),
          random(number),
          shape(shape_of(random)),
          field(random, shape.n_dims, centrings_of(shape)),
          n_components(static_cast<int32_t>(1 + random() % 2)),
          distributed(random() % 2 == 0) {}

    halo_field_desc desc(int32_t ghosts) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u", desc.type = field.type, desc.n_components = n_components, desc.centring = field.centring;
        desc.vector = field.along ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
        for (int d = 0; d < shape.n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
        return desc;
    }

private:
    static Shape shape_of(Random &random) {
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        Shape shape;
        shape.n_dims = 1 + below(3);
        const bool is_3d = shape.n_dims == 3;
        shape.turned = below(2) == 0;
        shape.n_trees = shape.turned ? 2 + below(is_3d ? 1 : 2) : 1 + below(is_3d ? 2 : 3);
        shape.n_cells = 2 + 2 * below(is_3d ? 2 : 4);
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            shape.n_roots[d] = 1 + below(is_3d ? 1 : 3);
            shape.periodic[d] = below(2) == 0;
        }
        shape.deepest = below(is_3d ? 2 : 3);
        shape.distributed = below(2) == 0;
        return shape;
    }
};

// Values of a case on a list of blocks.
class OnBlocks {
public:
    OnBlocks(const MoveCase &of, const Model &model, const Rank &rank, int32_t ghosts)
        : of_(of),
          model_(model),
          forest_(model, rank),
          values_(forest_.topology(), of.shape, of.desc(ghosts), of.field.prolongation) {}

    halo_field *handle() const { return values_.field(); }
    // All that blocks have, ghosts and what lies outside the domain too.
    void fill() {
        values_.for_each([&](const At &at) { values_.store(at, truth(model_, at).filled(at.gid, at.point, at.component)); });
    }
    void clear() {
        values_.for_each([&](const At &at) { values_.store(at, untouched); });
    }
    void check(const Model &before) const {
        values_.for_each([&](const At &at) {
            const Truth in_space = truth(before, at);
            const int32_t level = model_.blocks()[static_cast<size_t>(at.gid)].level, part_centring = values_.places()[at.place];
            const Model::Is was = before.what(level, model_.in_space(at.gid, {}, of_.shape.n_cells));
            const Place place = model_.in_space(at.gid, at.point, of_.shape.n_cells, part_centring);
            const double wanted = values_.rounded(in_space.sign(model_, at.gid) * in_space.moved(level, place, was, at.component));
            const double is = values_.load(at);
            if (is != wanted)
                stop("case %llu: part %lld (level %d), point (%lld, %lld, %lld) of centring %d, component %d is %.17g, wanted %.17g",
                     static_cast<unsigned long long>(of_.seed), static_cast<long long>(at.gid), level, static_cast<long long>(at.point[0]),
                     static_cast<long long>(at.point[1]), static_cast<long long>(at.point[2]), part_centring, at.component, is, wanted);
        });
    }

private:
    Truth truth(const Model &values, const At &at) const {
        return { values, model_.centring_in_space(at.gid, values_.places()[at.place]), of_.field.prolongation, of_.field.along };
    }

    const MoveCase &of_;
    const Model &model_;
    Forest forest_;
    Stored values_;
};

class RemeshPoints : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, RemeshPoints, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(RemeshPoints, AreWhatTheModelSays) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        const MoveCase of(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model before(of.shape, of.seed, rank.size);
            const Model after(before, adapted(before, number), number, rank.size, of.distributed);
            OnBlocks source(of, before, rank, 1), target(of, after, rank, 0);
            halo_field *from = source.handle(), *to = target.handle();
            halo_exchange *move = nullptr;
            OK(halo_exchange_create_transfer(&from, &to, 1, nullptr, &move));
            source.fill();
            for (int again = 0; again < 2; ++again) {
                target.clear();
                OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(move, HALO_STREAM_NONE));
                target.check(before);
            }
            OK(halo_exchange_destroy(&move));
        });
        if (HasFailure()) return;
    }
}

} // namespace
