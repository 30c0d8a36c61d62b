// SPDX-License-Identifier: BSD-3-Clause
// A magnetic field on faces that changes by the circulation of an electric one on edges (constrained transport): where blocks agree on the latter,
// they go on agreeing on the former, between levels by area, and its divergence stays zero but for rounding.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "stored.h"

namespace {

using namespace levels;

constexpr int64_t n_cells = 4;
constexpr int32_t n_steps = 20;
constexpr double time_step = 0.125, rounding = 1e-10; // values are below 1000

Shape shape_of(uint64_t number) {
    Random random(number + 9000);
    const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
    Shape shape;
    shape.n_dims = 2 + static_cast<int32_t>(number % 2), shape.n_cells = n_cells;
    shape.n_trees = 2, shape.turned = below(2) == 0, shape.distributed = below(2) == 0;
    shape.deepest = shape.n_dims == 3 ? 1 + below(2) : 2;
    for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) shape.periodic[d] = below(2) == 0;
    return shape;
}

// All blocks get the owner's values of the points that they share.
class Agreement {
public:
    explicit Agreement(const Stored &values) {
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.shared = HALO_SHARED_ONLY;
        halo_field *field = values.field();
        OK(halo_exchange_create(&field, 1, &how, &exchange_));
    }
    ~Agreement() { halo_exchange_destroy(&exchange_); }
    Agreement(const Agreement &) = delete;
    Agreement &operator=(const Agreement &) = delete;

    void run() {
        OK(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
    }

private:
    halo_exchange *exchange_ = nullptr;
};

class Fields {
public:
    Fields(const Model &model, const Rank &rank)
        : model_(model),
          forest_(model, rank),
          electric_(forest_.topology(), model.shape(), desc("electric", HALO_CENTRE_EDGES), HALO_PROLONG_MINMOD),
          magnetic_(forest_.topology(), model.shape(), desc("magnetic", HALO_CENTRE_FACES), HALO_PROLONG_MINMOD),
          agreed_(forest_.topology(), model.shape(), desc("agreed", HALO_CENTRE_FACES), HALO_PROLONG_MINMOD),
          on_edges_(electric_),
          on_faces_(agreed_) {
        magnetic_.for_each([&](const At &at) { magnetic_.store(at, 0); });
    }
    // Each block has its own values at first.
    void step(int32_t number, bool agree) {
        electric_.for_each([&](const At &at) {
            electric_.store(at, model_.copy(at.gid, at.point, number, electric_.places()[at.place]) / 512); // of a block alone
        });
        if (agree) on_edges_.run();
        magnetic_.for_each([&](const At &at) { magnetic_.store(at, magnetic_.load(at) - change(at)); });
    }
    // How far blocks are from what the owners of faces have, or coarser ones from the mean.
    double disagreement() {
        agreed_.for_each([&](const At &at) { agreed_.store(at, magnetic_.load(at)); });
        on_faces_.run();
        double most = 0;
        agreed_.for_each([&](const At &at) { most = std::max(most, std::abs(agreed_.load(at) - magnetic_.load(at))); });
        return most;
    }
    double divergence() const {
        double most = 0;
        magnetic_.for_each([&](const At &at) {
            if (at.place > 0 || at.point[0] == n_cells) return;
            double sum = 0;
            for (size_t d = 0; d < static_cast<size_t>(n_dims()); ++d) {
                At face = at;
                face.place = d;
                sum -= magnetic_.load(face);
                ++face.point[d];
                sum += magnetic_.load(face);
            }
            most = std::max(most, std::abs(sum));
        });
        return most;
    }

private:
    int32_t n_dims() const { return model_.shape().n_dims; }
    halo_field_desc desc(const char *name, int32_t centring) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        const bool lies_along = centring == HALO_CENTRE_FACES || n_dims() == 3; // in two dimensions the electric field stands on the plane
        desc.name = name, desc.centring = centring, desc.vector = lies_along ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
        return desc;
    }
    // -1 where a block's index space is a mirror image of space.
    int32_t handedness(int64_t gid) const {
        std::array<int32_t, 3> axis{};
        int32_t hand = 1;
        for (size_t d = 0; d < 3; ++d) {
            axis[d] = std::countr_zero(static_cast<uint32_t>(model_.centring_in_space(gid, 1 << d)));
            hand *= model_.sign_along(gid, axis[d]);
            for (size_t e = 0; e < d; ++e) hand *= axis[e] > axis[d] ? -1 : 1;
        }
        return hand;
    }
    // By a step of one along a direction, of the electric field along another.
    double difference(const At &face, size_t of, size_t along) const {
        if (n_dims() == 2 && of != 2) return 0;
        At edge = face;
        edge.place = n_dims() == 3 ? of : 0;
        ++edge.point[along];
        const double above = electric_.load(edge);
        --edge.point[along];
        return above - electric_.load(edge);
    }
    double change(const At &face) const {
        const size_t d = face.place, a = (d + 1) % 3, b = (d + 2) % 3;
        const int32_t level = model_.blocks()[static_cast<size_t>(face.gid)].level;
        return time_step * handedness(face.gid) * std::ldexp(difference(face, b, a) - difference(face, a, b), level);
    }

    const Model &model_;
    Forest forest_;
    Stored electric_, magnetic_, agreed_;
    Agreement on_edges_, on_faces_;
};

double greatest(const Rank &rank, double value) {
    OK(halo_context_allreduce(rank.context, &value, &value, 1, HALO_FLOAT64, HALO_MAX));
    return value;
}

class LevelsDivergence : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, LevelsDivergence, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(LevelsDivergence, StaysZeroWhereBlocksAgreeOnEdges) {
    const auto n_cases = static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40) / 4);
    for (uint64_t number = 0; number < n_cases; ++number) {
        const Shape shape = shape_of(number);
        uint64_t seed = number;
        while (!Model(shape, seed, 1).has_levels()) seed += 1000;
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model model(shape, seed, rank.size);
            Fields fields(model, rank);
            for (int32_t step = 0; step < n_steps; ++step) fields.step(step, true);
            const double apart = greatest(rank, fields.disagreement()), divergence = greatest(rank, fields.divergence());
            if (apart > rounding || divergence > rounding)
                stop("case %llu: blocks are %g apart, the divergence is %g", static_cast<unsigned long long>(number), apart, divergence);
            fields.step(n_steps, false);
            if (greatest(rank, fields.disagreement()) < 0.01)
                stop("case %llu: blocks agree on faces, though not on edges", static_cast<unsigned long long>(number));
        });
        if (HasFailure()) return;
    }
}

} // namespace
