// SPDX-License-Identifier: BSD-3-Clause
// What exchanges between levels of boxes refuse, on every rank and with a text; that they work afterwards; runs in flight beside each other.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "halo_levels.h"
#include "placed.h"
#include "ranks.h"

namespace {

using conformance::Rank;
using conformance::stop;

halo_box flat(int64_t x0, int64_t y0, int64_t x1, int64_t y1) { return { { x0, y0, 0 }, { x1, y1, 1 } }; }

// Coarse: 16 x 16 in two boxes; fine: a box of 8 x 8 in its middle, at ratio 2.
struct Level {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    std::vector<halo_box> boxes;
    halo_field_desc field = HALO_FIELD_DESC_INIT;

    static Level coarse() {
        Level level;
        level.desc.n_dims = 2, level.desc.domain = flat(0, 0, 16, 16);
        level.boxes = { flat(0, 0, 7, 16), flat(7, 0, 16, 16) };
        level.field.name = "coarse u";
        return level;
    }
    static Level fine() {
        Level level;
        level.desc.n_dims = 2, level.desc.domain = flat(0, 0, 32, 32);
        level.boxes = { flat(12, 12, 16, 20), flat(16, 12, 20, 20) };
        level.field.name = "fine u";
        for (int d = 0; d < 2; ++d) level.field.ghost_low[d] = level.field.ghost_high[d] = 2;
        return level;
    }
};

struct Made {
    Made(const Rank &rank, Level of) {
        of.desc.boxes = of.boxes.data(), of.desc.n_boxes = static_cast<int64_t>(of.boxes.size());
        if (of.desc.distributed && rank.rank != 0) of.desc.n_boxes = 0;
        OK(halo_topology_create_boxes(rank.context, &of.desc, &topology));
        OK(halo_field_create(topology, &of.field, &field));
        if (!of.field.sparse) OK(halo_field_allocate(field, -1));
    }
    ~Made() {
        halo_field_destroy(&field);
        halo_topology_destroy(&topology);
    }
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;

    halo_topology *topology = nullptr;
    halo_field *field = nullptr;
};

using Change = std::function<void(Level &coarse, Level &fine, halo_levels_desc &desc)>;

void refuse(const Change &change, const char *text) {
    conformance::run(2, {}, [&](Rank &rank) {
        Level coarse = Level::coarse(), fine = Level::fine();
        halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
        change(coarse, fine, desc);
        const Made from(rank, coarse), to(rank, fine);
        halo_exchange *exchange = nullptr;
        const halo_status status = halo_exchange_create_levels(&from.field, nullptr, &to.field, 1, &desc, &exchange);
        if (status != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), text))
            stop("\"%s\" is not in %s: \"%s\"", text, halo_status_name(status), halo_last_error());
        const Made good(rank, Level::coarse()), well(rank, Level::fine()); // another one works, and has the same number on all ranks
        OK(halo_exchange_create_levels(&good.field, nullptr, &well.field, 1, nullptr, &exchange));
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        OK(halo_exchange_destroy(&exchange));
    });
}

TEST(HierarchiesRefuse, Descriptions) {
    refuse([](Level &, Level &, halo_levels_desc &desc) { desc.what = 4; }, "levels: what 4 is none of HALO_LEVELS_...");
    refuse([](Level &, Level &, halo_levels_desc &desc) { desc.messages = 9; }, "message policy 9");
}

TEST(HierarchiesRefuse, Domains) {
    const char *const pair = "levels of field coarse u and field fine u: ";
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.desc.domain = flat(0, 0, 33, 32); }, pair);
    refuse(
        [](Level &, Level &fine, halo_levels_desc &) { fine.desc.domain = flat(0, 0, 33, 32); },
        "the domain of the coarser level is (0, 0, 0) to (16, 16, 1), of the finer (0, 0, 0) to (33, 32, 1): these are not the same cells refined");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.desc.domain = flat(1, 0, 33, 32); }, "these are not the same cells refined");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.desc.domain = flat(0, 0, 80, 32); }, "there are ratios up to 4");
    refuse([](Level &coarse, Level &fine, halo_levels_desc &) { coarse.desc.domain = fine.desc.domain; }, "no direction is refined");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.desc.periodic[1] = 1; }, "their topologies are periodic in different directions");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.desc.distributed = 1, fine.desc.reach = 4; },
           "boxes are distributed, so that no rank knows all of a level");
    refuse(
        [](Level &coarse, Level &, halo_levels_desc &) {
            coarse.desc.n_dims = 1, coarse.desc.domain = { { 0, 0, 0 }, { 16, 1, 1 } };
            coarse.boxes = { { { 0, 0, 0 }, { 16, 1, 1 } } };
        },
        "their topologies have different dimensions");
}

TEST(HierarchiesRefuse, BoxesThatAreNotNested) {
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.boxes[1].high[0] = 21; },
           "box 1, (16, 12, 0) to (21, 20, 1), does not begin and end where cells of the coarser level do");
    const Change hole = [](Level &coarse, Level &, halo_levels_desc &) { coarse.boxes[1].low[0] = 12; };
    refuse(hole, "box 0, (12, 12, 0) to (16, 20, 1), needs cells (7, 4, 0) to (10, 7, 1) of the coarser level, which are in none of its boxes");
    refuse(
        [&](Level &coarse, Level &fine, halo_levels_desc &desc) {
            hole(coarse, fine, desc);
            desc.what = HALO_LEVELS_AVERAGE;
        },
        "box 0, (12, 12, 0) to (16, 20, 1), needs cells (7, 6, 0) to (8, 10, 1) of the coarser level");
    // One coarse cell farther is read than ghosts reach.
    refuse([](Level &coarse, Level &, halo_levels_desc &) { coarse.boxes = { flat(5, 0, 16, 16) }; }, "needs cells (4, 4, 0) to (5, ");
}

TEST(HierarchiesRefuse, Fields) {
    refuse([](Level &coarse, Level &fine, halo_levels_desc &) { coarse.field.type = fine.field.type = HALO_INT32; }, "values of int32 have no means");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.field.sparse = 1; }, "sparse fields have no levels");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.field.type = HALO_FLOAT32; }, "their types differ");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.field.n_components = 2; }, "their numbers of components differ");
    refuse([](Level &, Level &fine, halo_levels_desc &) { fine.field.centring = HALO_CENTRE_NODE; }, "their centrings differ");
    refuse([](Level &coarse, Level &fine, halo_levels_desc &) { coarse.field.centring = fine.field.centring = HALO_CENTRE_NODE; },
           "cells alone are made from a coarser level");
    refuse([](Level &, Level &, halo_levels_desc &desc) { desc.what = HALO_LEVELS_FLUXES; }, "fluxes are values on faces");
}

TEST(HierarchiesRefuse, OtherTopologies) {
    conformance::run(1, {}, [](Rank &rank) {
        halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
        const int64_t cells[] = { 4, 4, 1 };
        desc.n_dims = 2, desc.cells = cells, desc.n_parts = 1;
        halo_topology *regions = nullptr;
        OK(halo_topology_create_regions(rank.context, &desc, &regions));
        halo_field_desc of = HALO_FIELD_DESC_INIT;
        halo_field *field = nullptr;
        OK(halo_field_create(regions, &of, &field));
        const Made fine(rank, Level::fine());
        halo_exchange *exchange = nullptr;
        if (halo_exchange_create_levels(&field, nullptr, &fine.field, 1, nullptr, &exchange) != HALO_ERR_ARGUMENT ||
            !std::strstr(halo_last_error(), "a topology is not made of boxes of one index space"))
            stop("%s", halo_last_error());
        int64_t n = 0;
        if (halo_field_level_boxes(field, nullptr, 0, sizeof(halo_level_box), nullptr, 0, &n) != HALO_ERR_ARGUMENT ||
            !std::strstr(halo_last_error(), "its topology is not made of boxes"))
            stop("%s", halo_last_error());
        if (halo_field_level_boxes(fine.field, fine.topology, 0, sizeof(halo_level_box), nullptr, 0, &n) != HALO_ERR_ARGUMENT ||
            !std::strstr(halo_last_error(), "field fine u, and the topology of a finer level: "))
            stop("%s", halo_last_error());
        if (halo_exchange_create_levels(nullptr, nullptr, &fine.field, 1, nullptr, &exchange) != HALO_ERR_ARGUMENT ||
            !std::strstr(halo_last_error(), "levels: 1 fields at addresses"))
            stop("%s", halo_last_error());
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&regions));
    });
}

TEST(HierarchiesRefuse, TimesAndRuns) {
    conformance::run(2, {}, [](Rank &rank) {
        const Made coarse(rank, Level::coarse()), fine(rank, Level::fine()), elsewhere(rank, [] {
            Level other = Level::coarse();
            other.field.name = "elsewhere";
            return other;
        }());
        halo_field_desc desc = Level::coarse().field;
        desc.name = "newer u";
        halo_field *newer = nullptr;
        OK(halo_field_create(coarse.topology, &desc, &newer));
        halo_exchange *exchange = nullptr;
        const auto refused = [&](halo_status is, halo_status wanted, const char *text) {
            if (is != wanted || !std::strstr(halo_last_error(), text)) stop("%s is not in %s: %s", text, halo_status_name(is), halo_last_error());
        };
        refused(halo_exchange_create_levels(&coarse.field, &elsewhere.field, &fine.field, 1, nullptr, &exchange), HALO_ERR_ARGUMENT,
                "field elsewhere of a later time is on another topology");
        halo_levels_desc average = HALO_LEVELS_DESC_INIT;
        average.what = HALO_LEVELS_AVERAGE;
        refused(halo_exchange_create_levels(&coarse.field, &newer, &fine.field, 1, &average, &exchange), HALO_ERR_ARGUMENT,
                "HALO_LEVELS_AVERAGE fills fields of one time");
        OK(halo_exchange_create_levels(&coarse.field, nullptr, &fine.field, 1, nullptr, &exchange));
        refused(halo_exchange_set_fraction(exchange, 0.5), HALO_ERR_NOT_FOUND, "it has no fields of a later time");
        OK(halo_exchange_destroy(&exchange));

        OK(halo_exchange_create_levels(&coarse.field, &newer, &fine.field, 1, nullptr, &exchange));
        refused(halo_exchange_set_fraction(exchange, std::numeric_limits<double>::quiet_NaN()), HALO_ERR_ARGUMENT, "is not finite");
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(coarse.topology, &gids, &n));
        const halo_status started = halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE);
        if (n > 0) refused(started, HALO_ERR_UNBOUND, "levels: field newer u: rank ");
        if (started == HALO_SUCCESS && halo_exchange_finish(exchange, HALO_STREAM_NONE) == HALO_SUCCESS) {} // or hears of it
        OK(halo_field_allocate(newer, -1));
        const std::array<int32_t, 3> mask{ 1, 0, 1 };
        halo_run run = HALO_RUN_INIT;
        run.n_fields = 3, run.field_mask = mask.data();
        refused(halo_exchange_start(exchange, &run, HALO_STREAM_NONE), HALO_ERR_ARGUMENT,
                "the field mask parts field coarse u from field newer u of a later time");
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        refused(halo_exchange_set_fraction(exchange, 0.5), HALO_BUSY, "a run is in flight");
        // A second one beside it.
        halo_exchange *second = nullptr;
        OK(halo_exchange_create_levels(&coarse.field, nullptr, &fine.field, 1, &average, &second));
        OK(halo_exchange_start(second, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(second, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        OK(halo_exchange_set_fraction(exchange, 0.5));
        OK(halo_exchange_destroy(&second));
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&newer));
    });
}

// Linear in space: ghosts are exact where nothing outside the domain is read, whatever the ratio.
TEST(HierarchiesFill, LinearFunctionsExactly) {
    for (const int64_t ratio : { 2, 3, 4 })
        conformance::run(3, {}, [&](Rank &rank) {
            Level coarse = Level::coarse(), fine = Level::fine();
            fine.desc.domain = flat(0, 0, 16 * ratio, 16 * ratio);
            fine.boxes = { flat(6 * ratio, 6 * ratio, 8 * ratio, 10 * ratio), flat(8 * ratio, 6 * ratio, 10 * ratio, 8 * ratio) };
            const Made from(rank, coarse), to(rank, fine);
            halo_exchange *exchange = nullptr;
            OK(halo_exchange_create_levels(&from.field, nullptr, &to.field, 1, nullptr, &exchange));
            const auto visit = [&](const Made &level, const std::vector<halo_box> &boxes, int64_t ghosts, double width, auto &&act) {
                const int64_t *gids = nullptr;
                int64_t n = 0;
                OK(halo_topology_local_parts(level.topology, &gids, &n));
                for (int64_t i = 0; i < n; ++i) {
                    const halo_box &box = boxes[static_cast<size_t>(gids[i])];
                    halo_layout layout = HALO_LAYOUT_INIT;
                    void *data = nullptr;
                    OK(halo_field_layout(level.field, gids[i], &layout));
                    OK(halo_field_data(level.field, gids[i], 0, &data));
                    for (int64_t y = -ghosts; y < box.high[1] - box.low[1] + ghosts; ++y)
                        for (int64_t x = -ghosts; x < box.high[0] - box.low[0] + ghosts; ++x) {
                            const double right =
                                3 * (static_cast<double>(box.low[0] + x) + 0.5) * width - 7 * (static_cast<double>(box.low[1] + y) + 0.5) * width;
                            act(static_cast<double *>(data)[layout.first_owned + x * layout.stride[0] + y * layout.stride[1]], right);
                        }
                }
            };
            visit(from, coarse.boxes, 0, 1, [](double &value, double right) { value = right; });
            visit(to, fine.boxes, 0, 1.0 / static_cast<double>(ratio), [](double &value, double right) { value = right; });
            OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
            OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
            visit(to, fine.boxes, 2, 1.0 / static_cast<double>(ratio), [&](double &value, double right) {
                if (std::abs(value - right) > 1e-12) stop("ratio %d: %.17g, wanted %.17g", static_cast<int>(ratio), value, right);
            });
            OK(halo_exchange_destroy(&exchange));
        });
}

} // namespace
