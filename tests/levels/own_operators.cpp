// SPDX-License-Identifier: BSD-3-Clause
// A program's own restriction and prolongation, by the regions that the library tells: the usual operators, written here, give what the library's do.
#include <gtest/gtest.h>

#include <cstring>

#include "filled.h"

namespace {

using namespace levels;

// A part's values, or its coarse ones.
struct View {
    double *data = nullptr;
    halo_layout layout = HALO_LAYOUT_INIT;

    double &at(const Place &p, int32_t c) const {
        return data[layout.first_owned + p[0] * layout.stride[0] + p[1] * layout.stride[1] + p[2] * layout.stride[2] + c * layout.component_stride];
    }
};

View values_of(const halo_field *field, int64_t gid) {
    View view;
    void *data = nullptr;
    OK(halo_field_layout(field, gid, &view.layout));
    OK(halo_field_data(field, gid, 0, &data));
    view.data = static_cast<double *>(data);
    return view;
}

View coarse_values_of(const halo_exchange *exchange, int32_t field, int64_t gid) {
    View view;
    void *data = nullptr;
    OK(halo_exchange_coarse_data(exchange, field, gid, &data, &view.layout));
    view.data = static_cast<double *>(data);
    return view;
}

template <class Visit>
void for_each_point(const halo_box &box, Visit &&visit) {
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (int64_t x = box.low[0]; x < box.high[0]; ++x) visit(Place{ x, y, z });
}

// Of cells.
class Operators {
public:
    Operators(const Case &of, const halo_exchange *exchange, int32_t number, const halo_field *field)
        : of_(of),
          exchange_(exchange),
          number_(number),
          field_(field) {}

    void apply(int32_t what, const std::vector<int64_t> &gids) const {
        for (const int64_t gid : gids) {
            const View own = values_of(field_, gid), coarse = coarse_values_of(exchange_, number_, gid);
            for (const halo_level_region &region : regions(gid)) {
                if (region.what != what) continue;
                if (region.place != 0) stop("a field of cells has one place, not %d", region.place);
                for_each_point(region.points, [&](const Place &point) {
                    for (int32_t c = 0; c < of_.n_components; ++c)
                        if (what == HALO_REGION_PROLONGATE)
                            own.at(point, c) = prolongated(coarse, point, c);
                        else
                            coarse.at(point, c) = mean(own, point, c);
                });
            }
        }
    }

private:
    std::vector<halo_level_region> regions(int64_t gid) const {
        int64_t n = 0;
        OK(halo_exchange_level_regions(exchange_, number_, gid, sizeof(halo_level_region), nullptr, 0, &n));
        std::vector<halo_level_region> all(static_cast<size_t>(n));
        OK(halo_exchange_level_regions(exchange_, number_, gid, sizeof(halo_level_region), all.data(), n, &n));
        for (size_t i = 1; i < all.size(); ++i)
            if (all[i].what < all[i - 1].what) stop("regions are not in order");
        return all;
    }
    double mean(const View &fine, const Place &point, int32_t c) const {
        const auto n_dims = static_cast<size_t>(of_.shape.n_dims);
        double sum = 0;
        for (size_t part = 0; part < size_t{ 1 } << n_dims; ++part) {
            Place at = point;
            for (size_t d = 0; d < n_dims; ++d) at[d] = 2 * point[d] + static_cast<int64_t>(part >> d & 1);
            sum += fine.at(at, c);
        }
        return sum / static_cast<double>(size_t{ 1 } << n_dims);
    }
    double prolongated(const View &coarse, const Place &point, int32_t c) const {
        Place centre = point;
        for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims); ++d) centre[d] = floor_half(point[d]);
        const double middle = coarse.at(centre, c);
        double value = middle;
        for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims); ++d) {
            Place low = centre, high = centre;
            --low[d], ++high[d];
            value += ((point[d] & 1) != 0 ? 0.25 : -0.25) * minmod(middle - coarse.at(low, c), coarse.at(high, c) - middle);
        }
        return value;
    }

    const Case &of_;
    const halo_exchange *exchange_;
    int32_t number_;
    const halo_field *field_;
};

Case own_case(uint64_t number) {
    Case of(number);
    of.type = HALO_FLOAT64, of.prolongation = HALO_PROLONG_MINMOD;
    for (size_t d = 0; d < static_cast<size_t>(of.shape.n_dims); ++d)
        for (int32_t *width : { &of.low[d], &of.high[d] })
            *width = std::clamp<int32_t>(*width, 1, static_cast<int32_t>(std::min<int64_t>(of.shape.n_cells / 2, 2 * (of.shape.n_cells / 2 - 1))));
    return of;
}

// The same values twice: one field goes by the library's operators, the other by those above.
class Twice {
public:
    Twice(const Case &of, const Model &model, const Rank &rank, bool sparse = false)
        : of_(of),
          model_(model),
          forest_(model, rank),
          by_library_(forest_.topology(), of.shape, named(of, "u", sparse), HALO_PROLONG_MINMOD),
          by_program_(forest_.topology(), of.shape, named(of, "v", sparse), HALO_PROLONG_OWN) {
        OK(halo_field_set_restriction(by_program_.field(), HALO_RESTRICT_OWN));
    }

    const std::vector<int64_t> &gids() const { return by_program_.gids(); }
    std::array<halo_field *, 2> fields() const { return { by_library_.field(), by_program_.field() }; }
    void fill() {
        for (Stored *field : { &by_library_, &by_program_ })
            field->for_each([&](const At &at) {
                const int32_t level = level_of(at.gid);
                const Place place = model_.in_space(at.gid, at.point, of_.shape.n_cells);
                const double value =
                    at.is_owned ? model_.owned(level, place, at.component) : model_.around(level, place, at.component, of_.prolongation);
                field->store(at, value);
            });
    }
    void clear_ghosts() {
        for (Stored *field : { &by_library_, &by_program_ })
            field->for_each([&](const At &at) {
                if (!at.is_owned) field->store(at, untouched);
            });
    }
    void clear() {
        for (Stored *field : { &by_library_, &by_program_ }) field->for_each([&](const At &at) { field->store(at, untouched); });
    }
    void fill_outside(const halo_exchange *exchange) const {
        for (int32_t number = 0; number < 2; ++number)
            by_program_.fill_coarse_boundaries(exchange, number, [&](const At &at) {
                return model_.outside(level_of(at.gid) - 1, model_.in_space(at.gid, at.point, of_.shape.n_cells / 2), at.component);
            });
    }
    void expect_alike() const {
        by_library_.for_each([&](const At &at) {
            const double wanted = by_library_.load(at), is = by_program_.load(at);
            if (is != wanted)
                stop("case %llu: part %lld (level %d), cell (%lld, %lld, %lld), component %d is %.17g, the library has %.17g",
                     static_cast<unsigned long long>(of_.seed), static_cast<long long>(at.gid), level_of(at.gid), static_cast<long long>(at.point[0]),
                     static_cast<long long>(at.point[1]), static_cast<long long>(at.point[2]), at.component, is, wanted);
        });
    }

private:
    static halo_field_desc named(const Case &of, const char *name, bool sparse) {
        halo_field_desc desc = of.desc();
        desc.name = name, desc.sparse = sparse ? 1 : 0;
        return desc;
    }
    int32_t level_of(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }

    const Case &of_;
    const Model &model_;
    Forest forest_;
    Stored by_library_;
    Stored by_program_;
};

class OwnOperators : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, OwnOperators, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(OwnOperators, MakeGhostsThatTheLibrarysDo) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 30)); ++number) {
        const Case of = own_case(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model model(of.shape, of.seed, rank.size);
            if (!model.has_levels()) return;
            Twice twice(of, model, rank, number % 3 == 0);
            halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
            how.stencil = of.stencil;
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create(twice.fields().data(), 2, &how, &exchange));
            const Operators own(of, exchange, 1, twice.fields()[1]);
            const halo_run run = HALO_RUN_INIT;
            for (int again = 0; again < 2; ++again) {
                twice.fill();
                twice.clear_ghosts();
                own.apply(HALO_REGION_RESTRICT, twice.gids());
                run_by_phases(exchange, run, [&] {
                    twice.fill_outside(exchange);
                    own.apply(HALO_REGION_RESTRICT_GHOSTS, twice.gids());
                    own.apply(HALO_REGION_PROLONGATE, twice.gids());
                });
                twice.expect_alike();
            }
            OK(halo_exchange_destroy(&exchange));
        });
        if (HasFailure()) return;
    }
}

TEST_P(OwnOperators, FillOtherListsOfBlocksAsTheLibrarysDo) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 30)); ++number) {
        const Case of = own_case(number);
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Model before(of.shape, of.seed, rank.size);
            const Model after(before, adapted(before, number), number, rank.size, number % 2 == 0);
            Twice source(of, before, rank), target(of, after, rank);
            halo_exchange *move = nullptr;
            const auto from = source.fields(), to = target.fields();
            OK(halo_exchange_create_transfer(from.data(), to.data(), 2, nullptr, &move));
            OK(halo_exchange_prepare(move));
            const Operators restriction(of, move, 1, from[1]), prolongation(of, move, 3, to[1]);
            source.fill();
            target.clear();
            restriction.apply(HALO_REGION_RESTRICT, source.gids());
            OK(halo_exchange_start(move, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(move, HALO_STREAM_NONE));
            prolongation.apply(HALO_REGION_PROLONGATE, target.gids());
            target.expect_alike();
            OK(halo_exchange_destroy(&move));
        });
        if (HasFailure()) return;
    }
}

TEST(OwnOperatorsAreRefused, WhereNobodyKnowsTheBlocksYet) {
    conformance::run(2, {}, [](Rank &rank) {
        Case of = own_case(0);
        of.shape = Shape{};
        of.shape.n_dims = 2, of.shape.n_roots = { 2, 2, 1 }, of.shape.deepest = 1, of.shape.distributed = true, of.n_components = 1;
        of.low = of.high = { 1, 1, 0 };
        const Model before(of.shape, 1, rank.size), after(before, adapted(before, 1), 1, rank.size, true);
        const Twice source(of, before, rank), target(of, after, rank);
        const auto from = source.fields(), to = target.fields();
        halo_exchange *move = nullptr;
        OK(halo_exchange_create_transfer(from.data(), to.data(), 2, nullptr, &move));
        for (const int64_t gid : source.gids()) {
            int64_t n = 0;
            if (halo_exchange_level_regions(move, 0, gid, sizeof(halo_level_region), nullptr, 0, &n) != HALO_ERR_STATE ||
                !std::strstr(halo_last_error(), "halo_exchange_prepare"))
                stop("regions before blocks are looked up: %s", halo_last_error());
        }
        if (halo_field_set_restriction(from[0], HALO_RESTRICT_OWN) != HALO_BUSY) stop("it was changed under an exchange");
        OK(halo_exchange_destroy(&move));
        if (halo_field_set_restriction(from[0], 2) != HALO_ERR_ARGUMENT ||
            !std::strstr(halo_last_error(), "restriction 2 is none of HALO_RESTRICT_..."))
            stop("restriction 2: %s", halo_last_error());
    });
}

} // namespace
