// SPDX-License-Identifier: BSD-3-Clause
// What exchanges between levels refuse, on every rank and with a text; and their whole life.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "model.h"
#include "placed.h"
#include "ranks.h"

namespace {

using namespace levels;
using conformance::Rank;
using conformance::stop;

Shape two_levels() {
    Shape shape;
    shape.n_dims = 2, shape.n_cells = 8, shape.n_roots = { 3, 3, 1 }, shape.deepest = 1;
    return shape;
}

// A field on a forest, and an exchange that may fail.
class Attempt {
public:
    Attempt(const Rank &rank, const halo_forest_desc &forest, const halo_field_desc &field) {
        OK(halo_topology_create_forest(rank.context, &forest, &topology_));
        OK(halo_field_create(topology_, &field, &field_));
        OK(halo_field_allocate(field_, -1));
    }
    ~Attempt() {
        if (exchange_) halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }
    Attempt(const Attempt &) = delete;
    Attempt &operator=(const Attempt &) = delete;

    halo_topology *topology() const { return topology_; }
    halo_field *field() const { return field_; }
    halo_exchange *exchange() const { return exchange_; }
    void make(const halo_exchange_desc &desc) { OK(halo_exchange_create(&field_, 1, &desc, &exchange_)); }
    void refuse(const halo_exchange_desc &desc, const char *text) {
        if (halo_exchange_create(&field_, 1, &desc, &exchange_) != HALO_ERR_ARGUMENT) stop("it was not refused: %s", text);
        if (!std::strstr(halo_last_error(), text)) stop("\"%s\" is not in \"%s\"", text, halo_last_error());
    }

private:
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

halo_field_desc field_desc(int32_t ghosts = 2) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u";
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return desc;
}

void on_two_ranks(const std::function<void(Rank &, const Model &)> &body) {
    conformance::run(2, {}, [&](Rank &rank) {
        const Model model(two_levels(), 5, rank.size);
        if (!model.has_levels()) stop("the case has one level");
        body(rank, model);
    });
}

const halo_exchange_desc ghosts = HALO_EXCHANGE_DESC_INIT;

// Set 0 has the layout that the library chose, and keeps its storage.
TEST(LevelsRefuse, StorageBoundUnderAnotherLayout) {
    on_two_ranks([](Rank &rank, const Model &model) {
        halo_field_desc desc = field_desc();
        desc.n_sets = 2;
        Attempt attempt(rank, model.desc(), desc);
        attempt.make(ghosts);
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(attempt.topology(), &gids, &n));
        halo_layout wide = HALO_LAYOUT_INIT;
        OK(halo_field_layout(attempt.field(), gids[0], &wide));
        wide.stride[1] += 4;
        wide.first_owned = 2 * wide.stride[1] + 2;
        wide.elements = wide.component_stride = 12 * wide.stride[1];
        std::vector<double> values(static_cast<size_t>(wide.elements));
        halo_binding binding = HALO_BINDING_INIT;
        binding.set = 1, binding.data = values.data(), binding.layout = &wide;
        OK(halo_field_bind(attempt.field(), gids[0], &binding));
        const halo_status status = halo_exchange_start(attempt.exchange(), nullptr, HALO_STREAM_NONE);
        if (status != HALO_ERR_STATE) stop("it is %s", halo_status_name(status));
        if (!std::strstr(halo_last_error(), "bind that again")) stop("%s", halo_last_error());
    });
}

TEST(LevelsRefuse, OtherKinds) {
    on_two_ranks([](Rank &rank, const Model &model) {
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_REVERSE;
        Attempt(rank, model.desc(), field_desc()).refuse(desc, "blocks of several levels exchange ghosts");
        desc.kind = HALO_KIND_GHOSTS;
        for (const int32_t edges : { HALO_EDGES_LOCAL, HALO_EDGES_REMOTE }) {
            desc.edges = edges;
            Attempt(rank, model.desc(), field_desc()).refuse(desc, "ghosts between levels are made of values of all edges together");
        }
        desc.edges = HALO_EDGES_ALL;
        desc.kind = HALO_KIND_FLUXES;
        Attempt(rank, model.desc(), field_desc()).refuse(desc, "field u: fluxes are values on faces");
        desc.stencil = HALO_STENCIL_FACES;
        Attempt(rank, model.desc(), field_desc()).refuse(desc, "HALO_KIND_FLUXES goes over faces alone, not shared 0, stencil 1");
    });
}

// The others go on as if all had failed: what is made later has the same numbers everywhere.
TEST(LevelsRefuse, OnOneRankOfFieldsOnOneLevelAndOnSeveral) {
    on_two_ranks([](Rank &rank, const Model &model) {
        Shape one_level = model.shape();
        one_level.deepest = 0;
        const Model flat(one_level, 5, rank.size);
        const Attempt first(rank, flat.desc(), field_desc()), second(rank, model.desc(), field_desc());
        halo_field *const fields[] = { first.field(), second.field() };
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        if (rank.rank == 1) desc.timeout_seconds = -3; // refused before anything is made
        halo_exchange *exchange = nullptr;
        const halo_status status = halo_exchange_create(fields, 2, &desc, &exchange);
        if (status != (rank.rank == 1 ? HALO_ERR_ARGUMENT : HALO_SUCCESS)) stop("it is %s", halo_status_name(status));
        Attempt later(rank, model.desc(), field_desc());
        later.make(ghosts);
        OK(halo_exchange_start(later.exchange(), nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(later.exchange(), HALO_STREAM_NONE));
        if (exchange) OK(halo_exchange_destroy(&exchange));
    });
}

TEST(LevelsRefuse, Fields) {
    on_two_ranks([](Rank &rank, const Model &model) {
        halo_field_desc desc = field_desc();
        desc.type = HALO_INT32;
        Attempt(rank, model.desc(), desc).refuse(ghosts, "field u: values of int32 have no means");
        Attempt(rank, model.desc(), field_desc(5))
            .refuse(ghosts, "field u: ghosts 5 and 5 along direction 0, but blocks of 8 cells between levels have at most 4");
        Attempt(rank, model.desc(), field_desc(4)).make(ghosts);
    });
}

TEST(LevelsRefuse, MapsOfCells) {
    on_two_ranks([](Rank &rank, const Model &model) {
        const Attempt forest(rank, model.desc(), field_desc());
        halo_field_desc desc = field_desc();
        desc.name = "mapped";
        halo_field *mapped = nullptr;
        OK(halo_field_create(forest.topology(), &desc, &mapped));
        std::vector<int64_t> positions(12 * 12); // 8 by 8 cells with two ghosts around
        std::iota(positions.begin(), positions.end(), 0);
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(forest.topology(), &gids, &n));
        OK(halo_field_map_points(mapped, gids[0], positions.data(), std::ssize(positions)));
        halo_exchange *exchange = nullptr;
        const halo_status status = halo_exchange_create(&mapped, 1, &ghosts, &exchange);
        if (status != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), "field mapped: it has a map of points"))
            stop("it is %s: %s", halo_status_name(status), halo_last_error());
        OK(halo_field_destroy(&mapped));
    });
}

TEST(LevelsRefuse, FartherStencilsThanTheBalance) {
    on_two_ranks([](Rank &rank, const Model &model) {
        halo_forest_desc forest = model.desc();
        forest.balance = HALO_BALANCE_FACES;
        Attempt(rank, forest, field_desc()).refuse(ghosts, "want a forest of HALO_BALANCE_EDGES, not of HALO_BALANCE_FACES");
        halo_exchange_desc faces = HALO_EXCHANGE_DESC_INIT;
        faces.stencil = HALO_STENCIL_FACES;
        Attempt(rank, forest, field_desc()).refuse(faces, "want a forest of HALO_BALANCE_EDGES, not of HALO_BALANCE_FACES");
        Attempt constant(rank, forest, field_desc());
        OK(halo_field_set_prolongation(constant.field(), HALO_PROLONG_CONSTANT));
        constant.make(faces);
    });
}

TEST(LevelsRefuse, Runs) {
    on_two_ranks([](Rank &rank, const Model &model) {
        Attempt attempt(rank, model.desc(), field_desc());
        attempt.make(ghosts);
        halo_run run = HALO_RUN_INIT;
        run.depth = 1;
        if (halo_exchange_start(attempt.exchange(), &run, HALO_STREAM_NONE) != HALO_ERR_ARGUMENT ||
            !std::strstr(halo_last_error(), "a run with depth 1, has_ghosts 0: ghosts of field u between levels come in pairs"))
            stop("depth 1: %s", halo_last_error());
        OK(halo_exchange_start(attempt.exchange(), nullptr, HALO_STREAM_NONE)); // the next run works
        OK(halo_exchange_finish(attempt.exchange(), HALO_STREAM_NONE));
    });
}

TEST(LevelsRefuse, Prolongations) {
    on_two_ranks([](Rank &rank, const Model &model) {
        Attempt attempt(rank, model.desc(), field_desc());
        if (halo_field_set_prolongation(attempt.field(), 7) != HALO_ERR_ARGUMENT ||
            !std::strstr(halo_last_error(), "field u: prolongation 7 is none of HALO_PROLONG_..."))
            stop("prolongation 7: %s", halo_last_error());
        attempt.make(ghosts);
        if (halo_field_set_prolongation(attempt.field(), HALO_PROLONG_CONSTANT) != HALO_BUSY) stop("it was changed under an exchange");
    });
}

// Whole coarse cells are made of all faces around them.
TEST(LevelsRefuse, DivergenceOfOtherValuesAndOddGhosts) {
    on_two_ranks([](Rank &rank, const Model &model) {
        halo_field_desc faces = field_desc();
        for (const int32_t centring : { HALO_CENTRE_CELL, HALO_CENTRE_FACE_X, HALO_CENTRE_EDGES }) {
            faces.centring = centring;
            const Attempt other(rank, model.desc(), faces);
            if (halo_field_set_prolongation(other.field(), HALO_PROLONG_DIVERGENCE) != HALO_ERR_ARGUMENT ||
                !std::strstr(halo_last_error(), "values on the faces of all directions"))
                stop("centring %d: %s", centring, halo_last_error());
        }
        faces.centring = HALO_CENTRE_FACES;
        Attempt even(rank, model.desc(), faces);
        OK(halo_field_set_prolongation(even.field(), HALO_PROLONG_DIVERGENCE));
        even.make(ghosts);
        halo_run one_deep = HALO_RUN_INIT;
        one_deep.depth = 1;
        const halo_status status = halo_exchange_start(even.exchange(), &one_deep, HALO_STREAM_NONE);
        if (status != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), "come in pairs")) stop("a run one deep: %s", halo_last_error());
        faces.ghost_high[1] = 1;
        Attempt odd(rank, model.desc(), faces);
        OK(halo_field_set_prolongation(odd.field(), HALO_PROLONG_DIVERGENCE));
        odd.refuse(ghosts, "ghosts 2 2 0 and 2 1 0 come in pairs");
    });
}

// The other rank hears of it, and says what differs.
TEST(LevelsRefuse, RanksThatProlongateDifferently) {
    on_two_ranks([](Rank &rank, const Model &model) {
        if (rank.size != 2) return; // else some have nothing to do with rank 0
        Attempt attempt(rank, model.desc(), field_desc());
        OK(halo_field_set_prolongation(attempt.field(), rank.rank == 0 ? HALO_PROLONG_CONSTANT : HALO_PROLONG_MINMOD));
        attempt.make(ghosts);
        halo_status status = halo_exchange_start(attempt.exchange(), nullptr, HALO_STREAM_NONE);
        if (status == HALO_SUCCESS) status = halo_exchange_finish(attempt.exchange(), HALO_STREAM_NONE);
        if (status != HALO_ERR_MISMATCH || !std::strstr(halo_last_error(), "prolongation of u")) stop("status %d: %s", status, halo_last_error());
    });
}

TEST(LevelsCoarse, CellsAreThoseOfTheExchange) {
    on_two_ranks([](Rank &rank, const Model &model) {
        Attempt attempt(rank, model.desc(), field_desc());
        attempt.make(ghosts);
        void *data = nullptr;
        for (int64_t gid = 0; gid < static_cast<int64_t>(model.blocks().size()); ++gid) {
            const bool mine = model.owner(gid) == rank.rank;
            const halo_status status = halo_exchange_coarse_data(attempt.exchange(), 0, gid, &data, nullptr);
            if (status != (mine ? HALO_SUCCESS : HALO_ERR_NOT_FOUND)) stop("part %lld: %s", static_cast<long long>(gid), halo_last_error());
            int64_t n = 0;
            if (mine) OK(halo_exchange_level_regions(attempt.exchange(), 0, gid, sizeof(halo_level_region), nullptr, 0, &n));
            if (mine && (data != nullptr) != (n > 0)) stop("part %lld: coarse cells: %d", static_cast<long long>(gid), data != nullptr);
            if (mine && n == 0) OK(halo_exchange_coarse_boundaries(attempt.exchange(), 0, gid, sizeof(halo_boundary), nullptr, 0, &n));
            if (mine && !data && n != 0)
                stop("part %lld has no coarse cells, but %lld boundaries of them", static_cast<long long>(gid), static_cast<long long>(n));
        }
        if (halo_exchange_coarse_data(attempt.exchange(), 1, 0, &data, nullptr) != HALO_ERR_ARGUMENT) stop("there is no second field");
    });
}

TEST(LevelsCoarse, ABlockOfOneLevelHasNone) {
    conformance::run(2, {}, [](Rank &rank) {
        Shape shape = two_levels();
        shape.deepest = 0;
        const Model model(shape, 1, rank.size);
        Attempt attempt(rank, model.desc(), field_desc());
        attempt.make(ghosts);
        for (int64_t gid = 0; gid < static_cast<int64_t>(model.blocks().size()); ++gid) {
            void *data = &data;
            int64_t n_regions = -1, n_boundaries = -1;
            const halo_status status = halo_exchange_coarse_data(attempt.exchange(), 0, gid, &data, nullptr);
            if (model.owner(gid) != rank.rank) {
                if (status != HALO_ERR_NOT_FOUND) stop("part %lld of another rank: status %d", static_cast<long long>(gid), status);
                continue;
            }
            OK(status);
            OK(halo_exchange_level_regions(attempt.exchange(), 0, gid, sizeof(halo_level_region), nullptr, 0, &n_regions));
            OK(halo_exchange_coarse_boundaries(attempt.exchange(), 0, gid, sizeof(halo_boundary), nullptr, 0, &n_boundaries));
            if (data || n_regions != 0 || n_boundaries != 0) stop("part %lld, of one level, has coarse cells", static_cast<long long>(gid));
        }
    });
}

// Made and destroyed again and again, two at a time; runs of both in flight at once.
TEST(LevelsLife, ManyExchangesOfOneField) {
    on_two_ranks([](Rank &rank, const Model &model) {
        Attempt first(rank, model.desc(), field_desc());
        first.make(ghosts);
        for (int i = 0; i < 300; ++i) {
            halo_field *field = first.field();
            halo_exchange *second = nullptr;
            OK(halo_exchange_create(&field, 1, nullptr, &second));
            OK(halo_exchange_start(first.exchange(), nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(first.exchange(), HALO_STREAM_NONE));
            OK(halo_exchange_start(second, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(second, HALO_STREAM_NONE));
            OK(halo_exchange_destroy(&second));
        }
    });
}

TEST(LevelsLife, OneMessageToEachPeer) {
    on_two_ranks([](Rank &rank, const Model &model) {
        Attempt attempt(rank, model.desc(), field_desc());
        attempt.make(ghosts);
        const auto run = [&](int n) {
            for (int i = 0; i < n; ++i) {
                OK(halo_exchange_start(attempt.exchange(), nullptr, HALO_STREAM_NONE));
                OK(halo_exchange_finish(attempt.exchange(), HALO_STREAM_NONE));
            }
            halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
            OK(halo_exchange_get_stats(attempt.exchange(), &stats));
            return stats;
        };
        const halo_exchange_stats first = run(1), all = run(5);
        if (all.runs != 6 || (rank.size == 2 && all.n_peers != 1) || all.messages_sent - first.messages_sent != 5 * all.n_peers ||
            all.tables_compiled != first.tables_compiled)
            stop("%lld runs, %d peers, %lld messages", static_cast<long long>(all.runs), all.n_peers, static_cast<long long>(all.messages_sent));
    });
}

} // namespace
