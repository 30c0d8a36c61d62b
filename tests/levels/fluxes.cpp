// SPDX-License-Identifier: BSD-3-Clause
// Fluxes through faces between blocks of different levels.
#include <gtest/gtest.h>

#include <bit>

#include "model.h"
#include "placed.h"
#include "ranks.h"

namespace {

using namespace levels;
using conformance::Rank;
using conformance::stop;

struct FluxCase {
    Shape shape;
    bool along = false; // HALO_VECTOR_ALONG
};

FluxCase case_of(uint64_t number) {
    Random random(number);
    FluxCase drawn;
    Shape &shape = drawn.shape;
    shape.n_dims = 1 + static_cast<int32_t>(random() % 3);
    shape.n_trees = 1 + static_cast<int32_t>(random() % 2);
    shape.n_cells = 2 + 2 * static_cast<int64_t>(random() % 3);
    shape.deepest = 1 + static_cast<int32_t>(random() % 2);
    for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d) {
        shape.n_roots[d] = 1 + static_cast<int64_t>(random() % 2);
        shape.periodic[d] = random() % 2 == 0;
    }
    shape.distributed = random() % 2 == 0;
    shape.turned = random() % 2 == 0;
    if (shape.turned) shape.n_trees = 2 + (shape.n_dims < 3 ? static_cast<int32_t>(random() % 2) : 0);
    drawn.along = random() % 2 == 0;
    return drawn;
}

// In the model's space.
struct Face {
    int32_t level;
    Place place;
    int axis;
    int32_t sign; // of what a block has there
};

class Fluxes : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Fluxes, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

template <class Visit>
void for_each_face(const Shape &shape, Visit &&visit) {
    const auto cells = [&](int d) { return d < shape.n_dims ? shape.n_cells : 1; };
    for (int d = 0; d < shape.n_dims; ++d)
        for (int64_t z = 0; z < cells(2) + (d == 2 ? 1 : 0); ++z)
            for (int64_t y = 0; y < cells(1) + (d == 1 ? 1 : 0); ++y)
                for (int64_t x = 0; x < cells(0) + (d == 0 ? 1 : 0); ++x) visit(d, Place{ x, y, z });
}

TEST_P(Fluxes, BecomeTheMeansOfFinerOnes) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        const FluxCase of = case_of(number);
        const Shape &shape = of.shape;
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model model(shape, number, rank.size);
            halo_topology *topology = nullptr;
            const halo_forest_desc forest = model.desc_of(rank.rank);
            OK(halo_topology_create_forest(rank.context, &forest, &topology));
            halo_field_desc desc = HALO_FIELD_DESC_INIT;
            desc.name = "flux", desc.centring = HALO_CENTRE_FACES, desc.n_components = 2;
            desc.vector = of.along ? HALO_VECTOR_ALONG : HALO_VECTOR_NONE;
            halo_field *field = nullptr;
            OK(halo_field_create(topology, &desc, &field));
            OK(halo_field_allocate(field, -1));
            halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
            how.kind = HALO_KIND_FLUXES;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(&field, 1, &how, &exchange));
            const int64_t *gids = nullptr;
            int64_t n = 0;
            OK(halo_topology_local_parts(topology, &gids, &n));
            const auto for_each_value = [&](auto &&visit) {
                for (int64_t part = 0; part < n; ++part) {
                    halo_layout layout = HALO_LAYOUT_INIT;
                    void *data = nullptr;
                    OK(halo_field_layout(field, gids[part], &layout));
                    OK(halo_field_data(field, gids[part], 0, &data));
                    const int32_t level = model.blocks()[static_cast<size_t>(gids[part])].level;
                    for_each_face(shape, [&](int d, const Place &face) {
                        const int axis = std::countr_zero(static_cast<uint32_t>(model.centring_in_space(gids[part], 1 << d)));
                        const Face there{ level, model.in_space(gids[part], face, shape.n_cells, 1 << d), axis,
                                          of.along ? model.sign_along(gids[part], axis) : 1 };
                        for (int32_t c = 0; c < 2; ++c)
                            visit(static_cast<double *>(data)[layout.first_owned + face[0] * layout.stride[0] + face[1] * layout.stride[1] +
                                                              face[2] * layout.stride[2] + c * layout.component_stride + d * layout.place_stride],
                                  there, c);
                    });
                }
            };
            for (int again = 0; again < 2; ++again) {
                for_each_value([&](double &value, const Face &at, int32_t c) { value = at.sign * model.face(at.level, at.place, at.axis, c); });
                OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
                for_each_value([&](double &value, const Face &at, int32_t c) {
                    const std::optional<double> corrected = model.corrected_face(at.level, at.place, at.axis, c);
                    const double wanted = at.sign * (corrected ? *corrected : model.face(at.level, at.place, at.axis, c));
                    if (value != wanted)
                        stop("case %llu: level %d, face (%lld, %lld, %lld) along %d is %.17g, wanted %.17g", static_cast<unsigned long long>(number),
                             at.level, static_cast<long long>(at.place[0]), static_cast<long long>(at.place[1]), static_cast<long long>(at.place[2]),
                             at.axis, value, wanted);
                });
            }
            OK(halo_exchange_destroy(&exchange));
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        });
        if (HasFailure()) return;
    }
}

} // namespace
