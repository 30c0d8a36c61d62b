// SPDX-License-Identifier: BSD-3-Clause
// Sweeps against all neighbours at once: the same bytes everywhere, ghosts that nobody fills included, with fewer messages.
#include <gtest/gtest.h>

#include <cstring>

#include "grid.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

namespace {

struct SweepCase {
    int32_t n_dims;
    enum class Parts : uint8_t { blocks, cut, listed } parts;
    int32_t centring;
    int32_t order; // of gids of listed boxes: which of the directions run backwards
    bool phases;
    int32_t messages;
    std::array<int32_t, 3> periodic;
    std::array<int64_t, 3> extent; // cells of a block, or of the domain
    std::array<int32_t, 3> low, high;
    int32_t depth;
    bool has_ghosts;
};

SweepCase make_case(Random &random) {
    SweepCase made{};
    made.n_dims = static_cast<int32_t>(pick(random, 1, 3));
    made.parts = static_cast<SweepCase::Parts>(pick(random, 0, 2));
    static constexpr int32_t centrings[3][4] = { { HALO_CENTRE_FACE_X, HALO_CENTRE_CELL, HALO_CENTRE_NODE, HALO_CENTRE_FACES },
                                                 { HALO_CENTRE_FACE_Y, HALO_CENTRE_EDGE_Z, HALO_CENTRE_NODE, HALO_CENTRE_FACES },
                                                 { HALO_CENTRE_FACE_Z, HALO_CENTRE_EDGE_Y, HALO_CENTRE_EDGES, HALO_CENTRE_FACES } };
    made.centring = chance(random, 0.4) ? HALO_CENTRE_CELL : centrings[made.n_dims - 1][pick(random, 0, 3)];
    made.order = static_cast<int32_t>(pick(random, 0, 7));
    made.phases = chance(random, 0.5);
    made.messages = chance(random, 0.3) ? HALO_MESSAGES_PER_CHANNEL : HALO_MESSAGES_AGGREGATE;
    made.depth = chance(random, 0.3) ? 1 : 0;
    for (int d = 0; d < 3; ++d) {
        made.periodic[d] = chance(random, 0.5);
        made.extent[d] = made.parts != SweepCase::Parts::blocks ? pick(random, 8, 12) : pick(random, 2, 5);
        const int64_t widest = made.parts == SweepCase::Parts::listed ? 5 : 2; // beyond the next part
        made.low[d] = static_cast<int32_t>(pick(random, 0, widest));
        made.high[d] = static_cast<int32_t>(pick(random, 0, widest));
    }
    made.has_ghosts = chance(random, 0.3);
    return made;
}

// A grid of boxes of different sizes, dealt to the ranks; gids run along it, backwards in some directions.
std::vector<halo_box> grid_of(const SweepCase &made) {
    std::array<std::vector<int64_t>, 3> cuts;
    for (size_t d = 0; d < 3; ++d) {
        const int64_t end = d < static_cast<size_t>(made.n_dims) ? made.extent[d] : 1;
        cuts[d] = end > 4 ? std::vector<int64_t>{ 0, 2, 3, end } : std::vector<int64_t>{ 0, end };
    }
    std::vector<halo_box> boxes;
    const auto n = [&](size_t d) { return std::ssize(cuts[d]) - 1; };
    for (int64_t i = 0; i < n(0) * n(1) * n(2); ++i) {
        const std::array<int64_t, 3> at{ i % n(0), i / n(0) % n(1), i / n(0) / n(1) };
        halo_box box{};
        for (size_t d = 0; d < 3; ++d) {
            const int64_t place = (made.order >> d & 1) != 0 ? n(d) - 1 - at[d] : at[d];
            box.low[d] = cuts[d][static_cast<size_t>(place)];
            box.high[d] = cuts[d][static_cast<size_t>(place + 1)];
        }
        boxes.push_back(box);
    }
    return boxes;
}

halo_topology *make_topology(const Rank &rank, const SweepCase &made) {
    halo_topology *topology = nullptr;
    halo_boxes_desc boxes = HALO_BOXES_DESC_INIT;
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    boxes.n_dims = blocks.n_dims = made.n_dims, boxes.n_parts_per_rank = 1;
    for (int d = 0; d < made.n_dims; ++d) {
        boxes.periodic[d] = blocks.periodic[d] = made.periodic[d];
        boxes.domain.high[d] = made.extent[d];
        blocks.n_cells[d] = made.extent[d];
        blocks.n_blocks[d] = 1 + (d + made.extent[0]) % 3;
    }
    const std::vector<halo_box> listed = grid_of(made);
    std::vector<int32_t> owner;
    for (size_t i = 0; i < listed.size(); ++i) owner.push_back(static_cast<int32_t>(i * 5 % static_cast<size_t>(rank.size)));
    if (made.parts == SweepCase::Parts::listed)
        boxes.n_parts_per_rank = 0, boxes.boxes = listed.data(), boxes.n_boxes = std::ssize(listed), boxes.owner = owner.data();
    if (made.parts != SweepCase::Parts::blocks)
        OK(halo_topology_create_boxes(rank.context, &boxes, &topology));
    else
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology));
    return topology;
}

// A field with its exchange.
struct Swept {
    halo_field *field = nullptr;
    halo_exchange *exchange = nullptr;

    Swept(halo_topology *topology, const SweepCase &made, int32_t pattern) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = pattern == HALO_PATTERN_SWEEPS ? "swept" : "direct";
        desc.n_components = 2;
        desc.centring = made.centring;
        for (int d = 0; d < made.n_dims; ++d) desc.ghost_low[d] = made.low[d], desc.ghost_high[d] = made.high[d];
        OK(halo_field_create(topology, &desc, &field));
        allocate_storage(topology, field);
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.pattern = pattern;
        how.shared = made.centring == HALO_CENTRE_CELL ? HALO_SHARED_KEEP : HALO_SHARED_OWNER;
        how.messages = made.messages;
        how.source_stable = 1;
        OK(halo_exchange_create(&field, 1, &how, &exchange));
    }
    void fill(int64_t gid, int64_t round) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_layout(field, gid, &layout));
        double *values = data(gid);
        // Every point of every part, shared ones and ghosts too, has a value of its own.
        for (int64_t i = 0; i < layout.elements; ++i)
            values[i] = 1e6 * static_cast<double>(gid) + 1e5 * static_cast<double>(round) + static_cast<double>(i);
    }
    double *data(int64_t gid) const { return static_cast<double *>(storage_of(field, gid)); }
    void run(const SweepCase &made) const {
        halo_run narrow = HALO_RUN_INIT;
        narrow.depth = made.depth;
        narrow.has_ghosts = made.has_ghosts;
        for (int d = 0; d < 3; ++d) narrow.ghost_low[d] = d, narrow.ghost_high[d] = 2 - d;
        if (!made.phases) {
            OK(halo_exchange_start(exchange, &narrow, stream()));
            OK(halo_exchange_finish(exchange, finish_stream()));
            return;
        }
        OK(halo_exchange_post(exchange, &narrow));
        while (halo_exchange_send(exchange, stream()) == HALO_BUSY) {}
        for (int32_t done = 0; !done;) OK(halo_exchange_test(exchange, &done));
        OK(halo_exchange_unpack(exchange, finish_stream()));
        OK(halo_exchange_refine(exchange, finish_stream()));
    }
    void destroy() {
        OK(halo_exchange_destroy(&exchange));
        OK(halo_field_destroy(&field));
    }
};

void compare(const Rank &rank, const SweepCase &made) {
    static constexpr const char *parts[] = { "blocks", "cut boxes", "listed boxes" };
    halo_topology *topology = make_topology(rank, made);
    Swept direct(topology, made, HALO_PATTERN_DIRECT), swept(topology, made, HALO_PATTERN_SWEEPS);
    const int64_t *gids = nullptr;
    int64_t n = 0;
    OK(halo_topology_local_parts(topology, &gids, &n));
    for (int64_t round = 0; round < 2; ++round) {
        for (int64_t i = 0; i < n; ++i) direct.fill(gids[i], round), swept.fill(gids[i], round);
        for (const Swept *one : { &direct, &swept }) upload(one->field);
        direct.run(made);
        swept.run(made);
        for (const Swept *one : { &direct, &swept }) download(one->field);
        for (int64_t i = 0; i < n; ++i) {
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_field_layout(direct.field, gids[i], &layout));
            if (std::memcmp(direct.data(gids[i]), swept.data(gids[i]), static_cast<size_t>(layout.elements) * sizeof(double)) != 0)
                stop("part %lld differs: %d dimensions, %s %d, centring %d, depth %d%s, periodic %d%d%d, ghosts %d %d %d, %d %d %d",
                     static_cast<long long>(gids[i]), made.n_dims, parts[static_cast<size_t>(made.parts)], made.order, made.centring, made.depth,
                     made.has_ghosts ? ", ghosts" : "", made.periodic[0], made.periodic[1], made.periodic[2], made.low[0], made.low[1], made.low[2],
                     made.high[0], made.high[1], made.high[2]);
        }
    }
    direct.destroy();
    swept.destroy();
    OK(halo_topology_destroy(&topology));
}

// Boxes that form no grid, and borders whose owner changes, are named.
TEST(Sweeps, WantBoxesInRows) {
    struct Variant {
        std::vector<halo_box> boxes;
        std::vector<int32_t> priority;
        bool distributed;
        int32_t centring;
        const char *text; // of the refusal; none: taken
    };
    const auto box = [](int64_t x, int64_t y, int64_t to_x, int64_t to_y) { return halo_box{ { x, y, 0 }, { to_x, to_y, 1 } }; };
    const halo_box low = box(0, 0, 2, 2), right = box(2, 0, 4, 2), above = box(0, 2, 2, 4), across = box(2, 2, 4, 4);
    const Variant variants[] = {
        { { low, right, above, across }, {}, false, HALO_CENTRE_NODE, nullptr },
        { { low, right, above, across }, { 0, 1, 0, 0 }, false, HALO_CENTRE_CELL, nullptr },
        { { low, right, above, across },
          { 0, 1, 0, 0 },
          false,
          HALO_CENTRE_NODE,
          "of boxes 0 and 1 the second owns the points between them, of 2 and 3, along the same border across x, the other" },
        { { low, right, above }, {}, false, HALO_CENTRE_CELL, "no box has the cells (2, 2, 0) to (4, 4, 1)" },
        { { low, right, above, across, right },
          {},
          false,
          HALO_CENTRE_CELL,
          "box 1, (2, 0, 0) to (4, 2, 1), and box 4, (2, 0, 0) to (4, 2, 1), lie on" },
        { { low, right, box(0, 2, 4, 4) }, {}, false, HALO_CENTRE_CELL, "box 2, (0, 2, 0) to (4, 4, 1), ends at 4 along x, not at 2, where box 1, " },
        { { low, right }, {}, false, HALO_CENTRE_CELL, "ends at 2 along y, not at 4, where the domain does" },
        { { right, across }, {}, false, HALO_CENTRE_CELL, "no box begins at 0 along x, where the domain does: box 0, " },
        { {}, {}, false, HALO_CENTRE_CELL, "there are no boxes" },
        { { low, right, above, across }, {}, true, HALO_CENTRE_CELL, "each rank knows its own boxes" },
    };
    for (const Variant &variant : variants)
        run(1, {}, [&](Rank &rank) {
            halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
            desc.n_dims = 2, desc.domain = box(0, 0, 4, 4), desc.reach = 1, desc.distributed = variant.distributed;
            desc.boxes = variant.boxes.data(), desc.n_boxes = std::ssize(variant.boxes);
            if (!variant.priority.empty()) desc.priority = variant.priority.data();
            halo_topology *topology = nullptr;
            OK(halo_topology_create_boxes(rank.context, &desc, &topology));
            halo_field_desc described = HALO_FIELD_DESC_INIT;
            described.name = "u", described.centring = variant.centring, described.ghost_low[0] = 1;
            halo_field *field = nullptr;
            OK(halo_field_create(topology, &described, &field));
            halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
            how.pattern = HALO_PATTERN_SWEEPS, how.source_stable = 1, how.shared = HALO_SHARED_OWNER;
            halo_exchange *exchange = nullptr;
            const halo_status status = halo_exchange_create(&field, 1, &how, &exchange);
            if (!variant.text) {
                OK(status);
                OK(halo_exchange_destroy(&exchange));
            } else if (status != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), variant.text))
                stop("'%s' is not in: %s", variant.text, halo_last_error());
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        });
}

class Sweeping : public testing::TestWithParam<int32_t> {};

TEST_P(Sweeping, EqualsAllNeighboursAtOnce) {
    run(GetParam(), {}, [](Rank &rank) {
        Random random(4711);
        for (int64_t i = 0; i < n_drawn(150); ++i) {
            begin_case(static_cast<uint64_t>(i));
            compare(rank, make_case(random));
        }
    });
}

TEST_P(Sweeping, SendsToNeighboursAcrossFacesOnly) {
    run(GetParam(), {}, [](Rank &rank) {
        SweepCase made{};
        made.n_dims = 3;
        made.parts = SweepCase::Parts::cut;
        made.messages = HALO_MESSAGES_PER_CHANNEL; // a message per channel and one of headers per peer
        made.periodic = { 1, 1, 1 };
        made.extent = { 12, 12, 12 };
        made.low = made.high = { 1, 1, 1 };
        halo_topology *topology = make_topology(rank, made);
        Swept direct(topology, made, HALO_PATTERN_DIRECT), swept(topology, made, HALO_PATTERN_SWEEPS);
        halo_exchange_stats all = HALO_EXCHANGE_STATS_INIT, faces = HALO_EXCHANGE_STATS_INIT;
        OK(halo_exchange_get_stats(direct.exchange, &all));
        OK(halo_exchange_get_stats(swept.exchange, &faces));
        if (all.channels_local + all.channels_send != 26) stop("%lld channels to neighbours", static_cast<long long>(all.channels_send));
        if (faces.channels_local + faces.channels_send != 6) stop("%lld channels across faces", static_cast<long long>(faces.channels_send));
        direct.destroy();
        swept.destroy();
        OK(halo_topology_destroy(&topology));
    });
}

// Four ranks in a square. One refuses a run: the one across the corner, which does not talk to it, hears of it in the second sweep.
TEST(Sweeps, FailTogether) {
    run(4, { { "timeout", "20s" } }, [](Rank &rank) {
        if (rank.size != 4) return;
        SweepCase made{};
        made.n_dims = 2;
        made.parts = SweepCase::Parts::cut;
        made.extent = { 8, 8, 1 };
        made.low = made.high = { 1, 1, 0 };
        halo_topology *topology = make_topology(rank, made);
        Swept swept(topology, made, HALO_PATTERN_SWEEPS);
        for (int turn = 0; turn < 4; ++turn) {
            halo_run narrow = HALO_RUN_INIT;
            if (rank.rank == 0 && turn == 1) narrow.first_component = 5;
            halo_status status = halo_exchange_start(swept.exchange, &narrow, stream());
            if (status == HALO_SUCCESS) status = halo_exchange_finish(swept.exchange, finish_stream());
            const halo_status wanted = turn != 1 ? HALO_SUCCESS : rank.rank == 0 ? HALO_ERR_ARGUMENT : HALO_ERR_PEER;
            if (status != wanted) stop("turn %d: %s: %s", turn, halo_status_name(status), halo_last_error());
        }
        swept.destroy();
        OK(halo_topology_destroy(&topology));
    });
}

TEST(Sweeps, WhatTheyRefuse) {
    run(1, {}, [](Rank &rank) {
        SweepCase made{};
        made.n_dims = 2;
        made.extent = { 4, 4, 4 };
        halo_topology *topology = make_topology(rank, made);
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u";
        desc.centring = HALO_CENTRE_NODE;
        halo_field *nodes = nullptr;
        OK(halo_field_create(topology, &desc, &nodes));
        halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
        how.pattern = HALO_PATTERN_SWEEPS;
        const auto refused = [&](const char *text) {
            halo_exchange *exchange = nullptr;
            if (halo_exchange_create(&nodes, 1, &how, &exchange) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), text))
                stop("'%s' is not in: %s", text, halo_last_error());
        };
        refused("source_stable");
        how.source_stable = 1;
        refused("several parts own: sweeps pass them on");
        how.stencil = HALO_STENCIL_FACES;
        refused("stencil 1");
        how.pattern = 2;
        refused("pattern 2");
        OK(halo_field_destroy(&nodes));
        OK(halo_topology_destroy(&topology));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Sweeping, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
