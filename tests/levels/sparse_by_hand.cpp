// SPDX-License-Identifier: BSD-3-Clause
// Sparse fields on two levels, of cells that one can count: ghosts, storage, other lists of blocks, fluxes, what is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <span>

#include "stored.h"

namespace {

using namespace levels;

// Two roots of 4 cells beside each other, of which the left one is refined.
enum : int64_t { right, left, middle };
constexpr int32_t n_ghosts = 2;

using Cells = std::vector<double>; // none: no storage
struct Step {
    Cells given[3];  // owned, by gid
    int64_t arrival; // -1: none; not taken if no storage is wanted
    Cells wanted[3]; // with ghosts
};

// Filled with 1. Right sends its cells to the middle, which makes ghosts of them, and gets means. Coarse cells on both sides of that border are
// 1 | 3 9, then 2 | 3 9, 0 | 3 9, 2 | 1 1, 8 | 1 1.
const Step steps_by_hand[] = {
    { { { 3, 9, 9, 9 }, {}, {} }, middle, { { 1, 1, 3, 9, 9, 9, 1, 1 }, {}, { 1, 1, 1, 1, 1, 1, 2.5, 3.5 } } },
    { { { 3, 9, 9, 9 }, {}, { 7, 9, 2, 2 } }, left, { { 8, 2, 3, 9, 9, 9, 1, 1 }, { 1, 1, 1, 1, 1, 1, 7, 9 }, { 1, 1, 7, 9, 2, 2, 2.75, 3.25 } } },
    { { { 3, 9, 9, 9 }, { 2, 3, 4, 5 }, { 0, 0, 0, 0 } },
      -1,
      { { 1, 1, 3, 9, 9, 9, 1, 1 }, { 1, 1, 2, 3, 4, 5, 1, 1 }, { 4, 5, 0, 0, 0, 0, 2.25, 3.75 } } },
    { { {}, { 0, 0, 0, 0 }, { 7, 9, 2, 2 } }, right, { {}, { 1, 1, 0, 0, 0, 0, 7, 9 }, { 1, 1, 7, 9, 2, 2, 1, 1 } } },
    { { { 0, 0, 0, 0 }, {}, { 4, 4, 8, 8 } }, left, { { 4, 8, 0, 0, 0, 0, 1, 1 }, {}, { 1, 1, 4, 4, 8, 8, 1, 1 } } },
    { { {}, {}, {} }, -1, { {}, {}, {} } },
};

void on_two_levels(int32_t n_ranks, uint64_t placement, const std::function<void(const Rank &, halo_topology *)> &body) {
    conformance::run(n_ranks, {}, [&](Rank &rank) {
        Shape shape;
        shape.n_dims = 1, shape.n_roots = { 2, 1, 1 }, shape.deepest = 0;
        const Model roots(shape, 0, rank.size);
        const Model model(roots, { { 0, 0, { 1, 0, 0 } }, { 0, 1, { 0, 0, 0 } }, { 0, 1, { 1, 0, 0 } } }, placement, rank.size);
        const Forest forest(model, rank);
        body(rank, forest.topology());
    });
}

halo_field_desc sparse_desc(const char *name) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name, desc.sparse = 1, desc.threshold = 1, desc.fill = 1, desc.ghost_low[0] = desc.ghost_high[0] = n_ghosts;
    return desc;
}

// With ghosts; null: the part has no storage.
double *data_of(const halo_field *field, int64_t gid) {
    void *data = nullptr;
    OK(halo_field_data(field, gid, 0, &data));
    return static_cast<double *>(data);
}

struct ByHand {
    explicit ByHand(halo_topology *topology) : gids(parts_of(topology)) {
        const halo_field_desc desc = sparse_desc("u");
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.arrival = take, how.arrival_user = this;
        OK(halo_field_create(topology, &desc, &field));
        OK(halo_exchange_create(&field, 1, &how, &exchange));
    }
    ~ByHand() { halo_exchange_destroy(&exchange), halo_field_destroy(&field); }
    ByHand(const ByHand &) = delete;
    ByHand &operator=(const ByHand &) = delete;

    void go(const Step &step) {
        present = &step;
        told.clear();
        for (const int64_t gid : gids) {
            const Cells &given = step.given[gid];
            const halo_binding nothing = HALO_BINDING_INIT;
            if (given.empty()) OK(halo_field_bind(field, gid, &nothing));
            if (!given.empty() && !data(gid)) OK(halo_field_allocate(field, gid));
            if (!given.empty()) std::ranges::copy(given, data(gid) + n_ghosts);
        }
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        for (const int64_t gid : gids) {
            const Cells &wanted = step.wanted[gid];
            void *coarse = nullptr;
            int64_t n_regions = 0;
            OK(halo_exchange_coarse_data(exchange, 0, gid, &coarse, nullptr));
            OK(halo_exchange_level_regions(exchange, 0, gid, sizeof(halo_level_region), nullptr, 0, &n_regions));
            const bool is_as_wanted = (data(gid) == nullptr) == wanted.empty() && (coarse == nullptr) == (wanted.empty() || n_regions == 0);
            const char *other = std::ranges::count(told, gid) != (gid == step.arrival ? 1 : 0)             ? "arrivals"
                                : !is_as_wanted                                                            ? "storage"
                                : !std::ranges::equal(wanted, std::span<double>(data(gid), wanted.size())) ? "values"
                                                                                                           : nullptr;
            if (other) stop("step %td, part %lld: other %s", &step - steps_by_hand, static_cast<long long>(gid), other);
        }
    }
    double *data(int64_t gid) const { return data_of(field, gid); }
    static halo_status take(void *user, const halo_arrival *arrival) {
        auto &self = *static_cast<ByHand *>(user);
        self.told.push_back(arrival->gid);
        return !self.present->wanted[arrival->gid].empty() ? halo_field_allocate(arrival->field, arrival->gid) : HALO_DECLINED;
    }

    std::vector<int64_t> gids, told;
    halo_field *field = nullptr;
    halo_exchange *exchange = nullptr;
    const Step *present = nullptr;
};

TEST(LevelsSparseByHand, BetweenTwoLevels) {
    for (uint64_t placement = 0; placement < 4; ++placement)
        on_two_levels(2, placement, [](const Rank &, halo_topology *topology) {
            ByHand values(topology);
            for (const Step &step : steps_by_hand) values.go(step);
        });
}

TEST(LevelsSparseByHand, StorageGoesBackToThePool) {
    on_two_levels(1, 0, [](const Rank &rank, halo_topology *topology) {
        ByHand values(topology);
        constexpr int64_t least = 3 * (8 + 6) * sizeof(double); // of 8 cells of a part, and 6 coarse ones
        int64_t in_use[6];                                      // with all parts, without, again
        for (size_t i = 0; i < 6; ++i) {
            values.go(steps_by_hand[i % 2 == 0 ? 2 : 5]);
            halo_pool_stats stats = HALO_POOL_STATS_INIT;
            OK(halo_context_pool_stats(rank.context, HALO_MEMORY_HOST, &stats));
            in_use[i] = stats.in_use_bytes;
        }
        if (rank.size > 1) return; // messages take memory, too
        for (size_t i = 2; i < 6; ++i)
            if (in_use[i] != in_use[i % 2 + 2] || in_use[2] - in_use[3] < least)
                stop("%lld bytes are in use, then %lld", static_cast<long long>(in_use[2]), static_cast<long long>(in_use[i]));
    });
}

void run_once(halo_exchange *exchange) {
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    OK(halo_exchange_destroy(&exchange));
}

// Below the threshold, which is of ghosts.
TEST(LevelsSparseByHand, SmallValuesMoveToAnotherList) {
    on_two_levels(2, 0, [](const Rank &, halo_topology *topology) {
        const halo_field_desc descs[2] = { sparse_desc("before"), sparse_desc("after") };
        halo_field *fields[2] = {};
        for (size_t i = 0; i < 2; ++i) {
            OK(halo_field_create(topology, &descs[i], &fields[i]));
            OK(halo_field_allocate(fields[i], -1));
        }
        for (const int64_t gid : parts_of(topology)) std::fill_n(data_of(fields[0], gid) + n_ghosts, 4, 0.25);
        halo_exchange *move = nullptr;
        OK(halo_exchange_create_transfer(&fields[0], &fields[1], 1, nullptr, &move));
        run_once(move);
        for (const int64_t gid : parts_of(topology))
            if (std::ranges::count(std::span(data_of(fields[1], gid) + n_ghosts, 4), 0.25) != 4)
                stop("part %lld: other values", static_cast<long long>(gid));
        for (halo_field *&field : fields) OK(halo_field_destroy(&field));
    });
}

TEST(LevelsSparseByHand, FacesOnFinerBlocksWithoutStorageStay) {
    on_two_levels(2, 0, [](const Rank &, halo_topology *topology) {
        halo_field_desc desc = sparse_desc("flux");
        desc.centring = HALO_CENTRE_FACE_X;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &desc, &field));
        const bool is_here = std::ranges::count(parts_of(topology), right) > 0;
        if (is_here) OK(halo_field_allocate(field, right));
        if (is_here) std::fill_n(data_of(field, right) + n_ghosts, 5, 3.0);
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.kind = HALO_KIND_FLUXES;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&field, 1, &how, &exchange));
        run_once(exchange);
        if (is_here && std::ranges::count(std::span(data_of(field, right) + n_ghosts, 5), 3.0) != 5) stop("a face has another value");
        OK(halo_field_destroy(&field));
    });
}

// ---- what is refused

TEST(LevelsSparseIsRefused, ToAnotherListOfBlocksWhereOneFieldIsDense) {
    on_two_levels(2, 0, [](const Rank &, halo_topology *topology) {
        halo_field_desc sparse = sparse_desc("sparse"), dense = sparse_desc("dense");
        dense.sparse = 0;
        halo_field *fields[2] = {};
        for (size_t i = 0; i < 2; ++i) OK(halo_field_create(topology, i == 0 ? &sparse : &dense, &fields[i]));
        for (size_t i = 0; i < 2; ++i) {
            halo_exchange *exchange = nullptr;
            const halo_status status = halo_exchange_create_transfer(&fields[i], &fields[1 - i], 1, nullptr, &exchange);
            if (status != HALO_ERR_ARGUMENT) stop("it was not refused: %d", status);
            if (!std::strstr(halo_last_error(), "one is sparse")) stop("\"one is sparse\" is not in \"%s\"", halo_last_error());
        }
        for (halo_field *&field : fields) OK(halo_field_destroy(&field));
    });
}

} // namespace
