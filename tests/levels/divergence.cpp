// SPDX-License-Identifier: BSD-3-Clause
// A magnetic field on faces, as constrained transport has it: its divergence stays where it was, nowhere, while blocks are refined and coarsened, in
// ghosts behind blocks of any level, and with an electric field on edges that all blocks agree on.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "truth.h"

namespace {

using namespace levels;

constexpr double tolerance = 1e-11; // of differences of values of some tens

struct Transport {
    uint64_t seed;
    Shape shape;

    explicit Transport(uint64_t number) : seed(number) {
        Random random(number);
        const auto below = [&](uint64_t n) { return static_cast<int32_t>(random() % n); };
        shape.n_dims = 2 + below(2);
        const bool is_3d = shape.n_dims == 3;
        shape.turned = below(2) == 0;
        shape.n_trees = 2;
        shape.n_cells = 6 + 2 * below(2);
        for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
            shape.n_roots[d] = 1 + below(is_3d ? 1 : 2);
            shape.periodic[d] = true;
        }
        shape.deepest = 1 + below(is_3d ? 1 : 2);
        shape.distributed = below(2) == 0;
    }
};

// The curl of a smooth field whose integrals along edges are known: of any face and cell the fluxes add up.
class Curl {
public:
    explicit Curl(const Shape &shape) : shape_(shape) {}

    // Through a face of a level below cell `at` in direction d, upwards in space, per area.
    double through(int32_t level, const Place &at, size_t d) const {
        const size_t e = (d + 1) % 3, g = (d + 2) % 3;
        const double scale = std::pow(2., level * (shape_.n_dims - 1));
        if (shape_.n_dims == 3) return scale * (difference(level, at, g, e) - difference(level, at, e, g));
        return scale * (d == 0 ? difference(level, at, 2, 1) : -difference(level, at, 2, 0));
    }

private:
    // Of the integrals along edges in direction `along`, from one face's border in direction d to the other.
    double difference(int32_t level, Place at, size_t along, size_t d) const {
        const double below = integral(level, at, along);
        ++at[d];
        return integral(level, at, along) - below;
    }
    double integral(int32_t level, const Place &at, size_t along) const {
        const auto wave = [&](size_t d, int64_t point) {
            const double length = static_cast<double>((d == 0 ? shape_.n_trees : 1) * shape_.n_roots[d] * shape_.n_cells << level);
            return std::sin(2 * std::numbers::pi * static_cast<double>(point) / length + 0.7 * static_cast<double>(d + along));
        };
        double value = 1;
        for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d)
            value *= d == along ? wave(d, at[d] + 1) - wave(d, at[d]) : 1.5 + wave(d, at[d]);
        return value;
    }

    const Shape &shape_;
};

class Exchange {
public:
    Exchange(halo_field *field, int32_t shared) {
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.shared = shared;
        OK(halo_exchange_create(&field, 1, &how, &exchange_));
    }
    Exchange(halo_field *from, halo_field *to) { OK(halo_exchange_create_transfer(&from, &to, 1, nullptr, &exchange_)); }
    ~Exchange() { halo_exchange_destroy(&exchange_); }
    Exchange(const Exchange &) = delete;
    Exchange &operator=(const Exchange &) = delete;

    void run() const {
        OK(halo_exchange_start(exchange_, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
    }

private:
    halo_exchange *exchange_ = nullptr;
};

// Both fields on a list of blocks.
class Blocks {
public:
    Blocks(std::unique_ptr<const Model> model, const Rank &rank)
        : model_(std::move(model)),
          forest_(*model_, rank),
          magnetic_(forest_.topology(), model_->shape(), magnetic(model_->shape()), HALO_PROLONG_DIVERGENCE),
          electric_(forest_.topology(), model_->shape(), electric(model_->shape()), HALO_PROLONG_CONSTANT),
          agree_(magnetic_.field(), HALO_SHARED_ONLY),
          ghosts_(magnetic_.field(), HALO_SHARED_KEEP),
          agree_electric_(electric_.field(), HALO_SHARED_ONLY) {}

    const Model &model() const { return *model_; }
    void begin() {
        const Curl curl(model_->shape());
        magnetic_.for_each([&](const At &at) { magnetic_.store(at, at.is_owned ? begin_at(curl, at) : untouched); });
    }
    void take(const Blocks &before) {
        magnetic_.for_each([&](const At &at) { magnetic_.store(at, untouched); });
        Exchange(before.magnetic_.field(), magnetic_.field()).run();
    }
    void exchange() {
        agree_.run();
        ghosts_.run();
    }
    // Faces get the circulation of any electric field around them.
    void step(uint64_t seed) {
        electric_.for_each([&](const At &at) {
            uint64_t h = seed + 977 * static_cast<uint64_t>(at.gid) + 31 * at.place;
            for (const int64_t p : at.point) h = (h ^ static_cast<uint64_t>(p)) * 0xBF58476D1CE4E5B9u, h ^= h >> 31;
            electric_.store(at, static_cast<double>(h % 1024) / 1024);
        });
        agree_electric_.run();
        magnetic_.for_each([&](const At &at) {
            if (at.is_owned) magnetic_.store(at, magnetic_.load(at) + std::pow(2., level(at.gid)) * circulation(at));
        });
    }
    // Nothing may flow out of any cell, ghosts included.
    void check(const char *when) const {
        const auto n_dims = static_cast<size_t>(model_->shape().n_dims);
        const int64_t end = model_->shape().n_cells + n_ghosts;
        Place low{}, high{ 1, 1, 1 };
        for (size_t d = 0; d < n_dims; ++d) low[d] = -n_ghosts, high[d] = end;
        for (size_t part = 0; part < magnetic_.gids().size(); ++part)
            for (int64_t z = low[2]; z < high[2]; ++z)
                for (int64_t y = low[1]; y < high[1]; ++y)
                    for (int64_t x = low[0]; x < high[0]; ++x) {
                        double out = 0;
                        for (size_t d = 0; d < n_dims; ++d) {
                            At at{ part, magnetic_.gids()[part], d, { x, y, z }, 0, false };
                            out -= magnetic_.load(at);
                            ++at.point[d];
                            out += magnetic_.load(at);
                        }
                        if (!(std::abs(out) <= tolerance))
                            stop("%s: part %lld (level %d), cell (%lld, %lld, %lld): %.3g flows out", when,
                                 static_cast<long long>(magnetic_.gids()[part]), level(magnetic_.gids()[part]), static_cast<long long>(x),
                                 static_cast<long long>(y), static_cast<long long>(z), out);
                    }
    }

private:
    static constexpr int32_t n_ghosts = 2;

    static halo_field_desc magnetic(const Shape &shape) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "magnetic", desc.centring = HALO_CENTRE_FACES, desc.vector = HALO_VECTOR_ALONG;
        for (int d = 0; d < shape.n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = n_ghosts;
        return desc;
    }
    static halo_field_desc electric(const Shape &shape) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "electric", desc.centring = shape.n_dims == 3 ? HALO_CENTRE_EDGES : HALO_CENTRE_NODE;
        if (shape.n_dims == 3) desc.vector = HALO_VECTOR_ALONG;
        return desc;
    }
    int32_t level(int64_t gid) const { return model_->blocks()[static_cast<size_t>(gid)].level; }
    double begin_at(const Curl &curl, const At &at) const {
        const int32_t centring = magnetic_.places()[at.place], in_space = model_->centring_in_space(at.gid, centring);
        const auto axis = static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(in_space)));
        return model_->sign_along(at.gid, static_cast<int32_t>(axis)) *
               curl.through(level(at.gid), model_->in_space(at.gid, at.point, model_->shape().n_cells, centring), axis);
    }
    // In the block's own index space, which all blocks must have alike.
    double circulation(const At &face) const {
        const size_t d = face.place, e = (d + 1) % 3, g = (d + 2) % 3;
        if (model_->shape().n_dims == 3) return difference(face, g, e) - difference(face, e, g);
        return d == 0 ? difference(face, 0, 1) : -difference(face, 0, 0);
    }
    double difference(const At &face, size_t place, size_t d) const {
        At at{ face.part, face.gid, place, face.point, 0, true };
        const double below = electric_.load(at);
        ++at.point[d];
        return electric_.load(at) - below;
    }

    const std::unique_ptr<const Model> model_;
    Forest forest_;
    Stored magnetic_;
    Stored electric_;
    Exchange agree_;
    Exchange ghosts_;
    Exchange agree_electric_;
};

class Divergence : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Divergence, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(Divergence, StaysNowhere) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40) / 4); ++number) {
        const Transport of(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            auto blocks = std::make_unique<Blocks>(std::make_unique<const Model>(of.shape, of.seed, rank.size), rank);
            blocks->begin();
            blocks->exchange();
            blocks->check("at the beginning");
            for (uint64_t remesh = 0; remesh < (of.shape.n_dims == 3 ? 2 : 4); ++remesh) {
                const uint64_t seed = 100 * number + remesh;
                auto next = std::make_unique<const Model>(blocks->model(), adapted(blocks->model(), seed), seed, rank.size, of.shape.distributed);
                auto after = std::make_unique<Blocks>(std::move(next), rank);
                after->take(*blocks);
                after->exchange();
                after->check("after a remesh");
                if (!of.shape.turned) {
                    after->step(seed);
                    after->exchange();
                    after->check("after a step");
                }
                blocks = std::move(after);
            }
        });
        if (HasFailure()) return;
    }
}

} // namespace
