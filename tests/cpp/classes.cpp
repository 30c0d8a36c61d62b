// SPDX-License-Identifier: BSD-3-Clause
// Every class of halo.hpp does what the C calls do, owns its handle, and throws what they report.
#include <gtest/gtest.h>

#include <thread>

#include "halo_channel.hpp"

namespace {

halo_field_desc scalar(const char *name, int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.ghost_low[0] = desc.ghost_high[0] = ghosts;
    return desc;
}

halo_boxes_desc line(int64_t first, int64_t second) {
    static halo_box boxes[2];
    boxes[0] = { { 0, 0, 0 }, { first, 1, 1 } };
    boxes[1] = { { first, 0, 0 }, { first + second, 1, 1 } };
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1;
    desc.domain.high[0] = first + second;
    desc.boxes = boxes;
    desc.n_boxes = 2;
    return desc;
}

TEST(Classes, ARankIsNotGoneForItself) {
    halo::Context context;
    EXPECT_THROW(context.rank_gone(0), halo::error);
    EXPECT_THROW(context.rank_gone(1), halo::error);
}

TEST(Classes, AContextOverGivenRanks) {
    halo_bootstrap alone = HALO_BOOTSTRAP_INIT;
    alone.n_ranks = 1;
    const halo::Context context(alone);
    EXPECT_EQ(context.rank(), 0);
    EXPECT_EQ(context.n_ranks(), 1);
}

TEST(Classes, BlocksFieldAndExchange) {
    const halo::Context context;
    halo_blocks_desc ring = HALO_BLOCKS_DESC_INIT;
    ring.n_dims = 1, ring.n_blocks[0] = 3, ring.n_cells[0] = 2, ring.periodic[0] = 1;
    const halo::Topology topology(context, ring);
    EXPECT_EQ(topology.local_parts().size(), 3u);
    EXPECT_EQ(topology.neighbours(0).size(), 2u);
    EXPECT_TRUE(topology.peers().empty());
    EXPECT_EQ(topology.part(2).cells.low[0], 4);
    halo::Field u(topology, scalar("u", 1));
    u.allocate();
    for (const int64_t gid : topology.local_parts())
        for (int i = 0; i < 2; ++i) u.data(gid)[i + 1] = static_cast<double>(10 * gid + i);
    halo::Exchange ghosts({ u.get() });
    ghosts.start();
    ghosts.finish();
    EXPECT_EQ(u.data(0)[0], 21);
    EXPECT_EQ(u.data(0)[3], 10);
    EXPECT_TRUE(u.boundaries(0).empty());
    EXPECT_EQ(u.interior_rim(0, 1).rim.size(), 2u);
    EXPECT_EQ(ghosts.stats().runs, 1);
    EXPECT_EQ(ghosts.desc().kind, HALO_KIND_GHOSTS);
    halo::Exchange moved = std::move(ghosts);
    EXPECT_EQ(ghosts.get(), nullptr); // NOLINT(bugprone-use-after-move): an empty owner is left
    moved.post();
    while (!moved.send()) {}
    while (!moved.test()) {}
    moved.unpack();
    moved.refine();
    EXPECT_EQ(moved.stats().runs, 2);
}

// Nothing holds its fields any more.
TEST(Classes, AnExchangeInFlightIsGivenUp) {
    const halo::Context context;
    halo_blocks_desc ring = HALO_BLOCKS_DESC_INIT;
    ring.n_dims = 1, ring.n_blocks[0] = 3, ring.n_cells[0] = 2, ring.periodic[0] = 1;
    const halo::Topology topology(context, ring);
    halo::Field u(topology, scalar("u", 1)), v(topology, scalar("v", 1));
    u.allocate(), v.allocate();
    halo::Exchange ghosts({ u.get() });
    ghosts.start();
    ghosts = halo::Exchange({ v.get() });
    halo_field *field = u.let_go();
    EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
    ghosts.start();
    { const halo::Exchange passed_on = std::move(ghosts); }
    field = v.let_go();
    EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
}

TEST(Classes, RunsKeepTheirLists) {
    const halo::Context context;
    halo_blocks_desc ring = HALO_BLOCKS_DESC_INIT;
    ring.n_dims = 1, ring.n_blocks[0] = 2, ring.n_cells[0] = 2, ring.periodic[0] = 1;
    const halo::Topology topology(context, ring);
    halo_field_desc desc = scalar("u", 1);
    desc.n_sets = 2;
    halo::Field u(topology, desc), v(topology, scalar("v", 1));
    u.allocate();
    v.allocate();
    halo_exchange_desc reverse = HALO_EXCHANGE_DESC_INIT;
    reverse.kind = HALO_KIND_REVERSE;
    halo::Exchange sums({ u.get(), v.get() }, reverse);
    const auto fill = [&](double *part) { part[0] = 7, part[1] = 1, part[2] = 2, part[3] = 5; };
    const auto fill_all = [&] {
        for (const int64_t gid : topology.local_parts()) fill(u.data(gid)), fill(u.data(gid, 1)), fill(v.data(gid));
    };
    fill_all();
    halo::Run run;
    run.fields({ 1, 0 }).sets(std::vector<int32_t>{ 1, 0 }).op(HALO_MAX);
    sums.start(run);
    sums.finish();
    EXPECT_EQ(u.data(0)[1], 1);
    EXPECT_EQ(u.data(0, 1)[1], 5);
    EXPECT_EQ(u.data(0, 1)[2], 7);
    EXPECT_EQ(v.data(0)[1], 1);
    const halo::Run copy = run.sets({ 0, 0 });
    run.fields({ 0, 0 });
    sums.post(copy);
    while (!sums.send()) {}
    while (!sums.test()) {}
    sums.unpack();
    sums.refine();
    EXPECT_EQ(u.data(0)[1], 5);
    EXPECT_EQ(v.data(0)[1], 1);

    fill_all();
    double other[4][4] = {};
    for (double(&part)[4] : other) fill(part);
    sums.start(halo::Run().components(0, 1).depth(1).data({ other[0], other[1], other[2], other[3] }));
    sums.finish();
    EXPECT_EQ(other[3][1], 6);
    EXPECT_EQ(other[3][2], 9);
    EXPECT_EQ(v.data(1)[1], 1);
    const halo_run narrow = halo::Run().ghosts({ 1, 2, 3 }, { 4, 5, 6 }).get();
    EXPECT_EQ(narrow.has_ghosts, 1);
    EXPECT_EQ(narrow.ghost_low[2], 3);
    EXPECT_EQ(narrow.ghost_high[0], 4);
    EXPECT_EQ(halo::Run().devices({ HALO_DEVICE_HOST, HALO_DEVICE_HOST }).get().n_fields, 2);
}

static_assert(halo::type_of<std::int8_t> == HALO_INT8 && halo::type_of<std::int16_t> == HALO_INT16);
static_assert(halo::type_of<std::uint8_t> == HALO_UINT8 && halo::type_of<std::uint16_t> == HALO_UINT16);
static_assert(halo::type_of<std::uint32_t> == HALO_UINT32 && halo::type_of<std::uint64_t> == HALO_UINT64);
static_assert(halo::type_of<char> == 0 && halo::type_of<bool> == 0 && halo::type_of<std::byte> == 0);

TEST(Classes, TypesOfNumbers) {
    const halo::Context context;
    EXPECT_EQ(context.allreduce(std::uint8_t{ 200 }, HALO_SUM), 200);
    EXPECT_EQ(context.allreduce(std::int16_t{ -3 }, HALO_MIN), -3);
}

TEST(Classes, RunsThatDoNotFit) {
    const halo::Context context;
    halo_blocks_desc ring = HALO_BLOCKS_DESC_INIT;
    ring.n_dims = 1, ring.n_blocks[0] = 2, ring.n_cells[0] = 2, ring.periodic[0] = 1;
    const halo::Topology topology(context, ring);
    halo::Field u(topology, scalar("u", 1));
    u.allocate();
    halo::Exchange ghosts({ u.get() });
    const auto refused = [&](const halo::Run &run, const char *text) {
        try {
            ghosts.start(run);
            ADD_FAILURE() << text;
        } catch (const halo::error &error) {
            EXPECT_EQ(error.status(), HALO_ERR_ARGUMENT);
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
    };
    refused(halo::Run().fields({}), "n_fields 0, but the exchange has 1"); // given, and empty
    refused(halo::Run().data({}), "n_data 0, but its fields have 2 parts");
    refused(halo::Run().fields({ 1, 1 }), "n_fields 2, but the exchange has 1");
    refused(halo::Run().fields({ 1 }).sets({ 0, 0 }), "run: a list of 1 fields, and one of 2");
    ghosts.start(halo::Run().fields({ 1 }));
    ghosts.finish();
}

TEST(Classes, WhatFieldsAndExchangesTell) {
    const halo::Context context;
    halo_blocks_desc ring = HALO_BLOCKS_DESC_INIT;
    ring.n_dims = 1, ring.n_blocks[0] = 3, ring.n_cells[0] = 2, ring.periodic[0] = 1;
    const halo::Topology topology(context, ring), other(context, ring);
    halo_field_desc nodes = scalar("u", 1);
    nodes.centring = HALO_CENTRE_NODE;
    const halo::Field u(topology, nodes), again(other, u.desc());
    EXPECT_EQ(again.desc().centring, HALO_CENTRE_NODE);
    EXPECT_STREQ(again.desc().name, "u");
    EXPECT_EQ(u.owner_mask(0), (std::vector<std::uint8_t>{ 1, 1, 1 }));
    EXPECT_EQ(u.owner_mask(1), (std::vector<std::uint8_t>{ 0, 1, 1 }));
    EXPECT_EQ(u.owner_mask(2), (std::vector<std::uint8_t>{ 0, 1, 0 }));
    EXPECT_TRUE(halo::Exchange({ u.get() }).peers().empty());
}

TEST(Classes, AContextThatGoesWithAll) {
    halo::Context context;
    halo_blocks_desc ring = HALO_BLOCKS_DESC_INIT;
    ring.n_dims = 1, ring.n_blocks[0] = 3, ring.n_cells[0] = 2, ring.periodic[0] = 1;
    halo::Topology topology(context, ring);
    halo::Field u(topology, scalar("u", 1));
    u.allocate();
    halo::Exchange ghosts({ u.get() });
    ghosts.start();
    ghosts.let_go();
    u.let_go();
    EXPECT_NE(topology.let_go(), nullptr);
    EXPECT_EQ(topology.get(), nullptr);
    context.destroy_with_all();
    EXPECT_EQ(context.get(), nullptr);
    EXPECT_THROW(context.destroy_with_all(), halo::error);
}

TEST(Classes, ErrorsCarryStatusAndText) {
    const halo::Context context;
    halo_boxes_desc wrong = line(4, 4);
    wrong.n_dims = 5;
    try {
        const halo::Topology topology(context, wrong);
        FAIL();
    } catch (const halo::error &error) {
        EXPECT_EQ(error.status(), HALO_ERR_ARGUMENT);
        EXPECT_NE(std::string(error.what()).find("n_dims is 5"), std::string::npos) << error.what();
    }
}

TEST(Classes, TransferBetweenBoxes) {
    const halo::Context context;
    const halo::Topology from(context, line(2, 4)), to(context, line(3, 3));
    halo::Field source(from, scalar("source", 0)), destination(to, scalar("destination", 1));
    source.allocate();
    destination.allocate();
    for (int i = 0; i < 6; ++i) source.data(i < 2 ? 0 : 1)[i < 2 ? i : i - 2] = i;
    halo_field *const sources[] = { source.get() }, *const destinations[] = { destination.get() };
    halo::Exchange transfer(sources, destinations, HALO_TRANSFER_DESC_INIT);
    transfer.start();
    transfer.finish();
    for (int i = 0; i < 6; ++i) EXPECT_EQ(destination.data(i / 3)[i % 3 + 1], i);
    EXPECT_THROW(halo::Exchange(std::span<halo_field *const>(sources), {}, HALO_TRANSFER_DESC_INIT), halo::error);
}

TEST(Classes, KeysOfTwoRanks) {
    halo::Inproc group(2);
    const auto rank = [&](int32_t number) {
        const halo::Context context(group, number);
        const uint64_t mine[] = { 100, 200 }, theirs[] = { 200, 300 };
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = 2;
        desc.keys = number == 0 ? mine : theirs;
        const halo::Topology points(context, desc);
        const halo_keys_report report = points.keys_report();
        EXPECT_EQ(report.n_global, 3);
        EXPECT_EQ(report.n_ghosts, number);
        EXPECT_EQ(points.owners().size(), 2u);
        const std::vector<uint32_t> index = points.local_indices();
        EXPECT_EQ(points.sharers(index[number == 0 ? 1 : 0]), (std::vector<int32_t>{ 0, 1 }));
        halo::Field values(points, scalar("values", 0));
        const std::int64_t positions[] = { 1, 0 };
        values.map_points(number, positions);
        values.allocate();
        const auto at = [&](int key) -> double & { return values.data(number)[positions[index[static_cast<size_t>(key)]]]; };
        for (int i = 0; i < 2; ++i) at(i) = 1;
        halo_exchange_desc sum = HALO_EXCHANGE_DESC_INIT;
        sum.kind = HALO_KIND_SHARED_REDUCE;
        sum.shared = HALO_SHARED_OWNER;
        halo::Exchange reduce({ values.get() }, sum);
        reduce.start();
        reduce.finish();
        EXPECT_EQ(at(number == 0 ? 1 : 0), 2);
        EXPECT_EQ(at(number == 0 ? 0 : 1), 1);
        EXPECT_EQ(context.allreduce(int64_t{ number + 1 }, HALO_SUM), 3);
    };
    std::thread other(rank, 1);
    rank(0);
    other.join();
}

TEST(Classes, GraphsAndEdits) {
    const halo::Context context;
    const uint64_t keys[] = { 10, 20, 30 }, neighbours[] = { 20, 30, 10 }; // a ring one way
    halo_graph_desc graph = HALO_GRAPH_DESC_INIT;
    graph.n_owned = 3, graph.keys = keys, graph.neighbours = neighbours, graph.width = 1;
    const halo::Topology round(context, graph);
    EXPECT_EQ(round.point_keys(), (std::vector<uint64_t>{ 10, 20, 30 }));
    EXPECT_EQ(round.rings(), (std::vector<int32_t>{ 0, 0, 0 }));
    EXPECT_EQ(round.graph_rows().first.size(), 4u);
    EXPECT_EQ(round.graph_rows().second[1], 2u);

    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 3, desc.keys = keys, desc.editable = 1;
    const halo::Topology points(context, desc);
    const int64_t position = 1;
    halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
    edit.n_remove = 1, edit.remove = &position, edit.n_add = 1, edit.add = keys;
    const halo::Topology edited(points, edit);
    EXPECT_EQ(edited.point_keys(), (std::vector<uint64_t>{ 10, 30, 10 }));
    EXPECT_EQ(edited.keys_report().n_owned, 2);
}

TEST(Classes, RegionsStarsAndLists) {
    const halo::Context context;
    const int64_t cells[] = { 4, 1, 1, 4, 1, 1 };
    const halo_join join{ 0, 1, { { 3, 0, 0 }, { 4, 1, 1 } }, { { -1, 0, 0 }, { 0, 1, 1 } }, { 0, 1, 2 }, { 1, 1, 1 } };
    halo_regions_desc regions = HALO_REGIONS_DESC_INIT;
    regions.n_dims = 1, regions.cells = cells, regions.n_parts = 2, regions.joins = &join, regions.n_joins = 1, regions.reach = 1;
    EXPECT_EQ(halo::Topology(context, regions).local_parts().size(), 2u);
    const int32_t here = 0;
    const uint32_t root = 0, leaf = 1;
    halo_star_desc star = HALO_STAR_DESC_INIT;
    star.n_points = 2, star.n_leaves = 1, star.leaves = &leaf, star.ranks = &here, star.indices = &root;
    EXPECT_EQ(halo::Topology(context, star).keys_report().n_points, 2);
    const int64_t offsets[] = { 0, 1 };
    halo_lists_desc lists = HALO_LISTS_DESC_INIT;
    lists.n_points = 2, lists.n_peers = 1, lists.peers = &here;
    lists.send_offsets = lists.receive_offsets = offsets, lists.send = &root, lists.receive = &leaf;
    EXPECT_EQ(halo::Topology(context, lists).keys_report().n_points, 2);
}

TEST(Classes, ChannelsAndGroups) {
    const halo::Context context;
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.count = 4;
    halo_channel_key key{ 1, 2, 0, 14, 0 };
    halo::Channel single(context, key, desc);
    EXPECT_EQ(single.key().receive_gid, 2);
    halo_channel *const one[] = { single.get() };
    halo_group_desc apart = HALO_GROUP_DESC_INIT;
    apart.messages = HALO_MESSAGES_PER_CHANNEL;
    {
        halo::Group group(context, one, apart);
        ASSERT_TRUE(single.writable());
        single.allocate();
        static_cast<double *>(single.buffer().data)[3] = 7;
        EXPECT_TRUE(single.send());
        single.start_receive();
        ASSERT_TRUE(single.try_receive());
        EXPECT_EQ(single.state(), HALO_RECEIVED);
        EXPECT_EQ(static_cast<double *>(single.buffer().data)[3], 7);
        single.stale();
        EXPECT_TRUE(single.send_null());
        ASSERT_TRUE(single.try_receive());
        EXPECT_EQ(single.state(), HALO_RECEIVED_NULL);
        single.stale();
        single.release();
        std::int32_t state[] = { -1 };
        EXPECT_EQ(halo::writable(one, state), 1);
        EXPECT_EQ(state[0], 1);
        EXPECT_TRUE(halo::send(one));
        halo::start_receive(one);
        EXPECT_EQ(halo::try_receive(one, state), 1);
        EXPECT_EQ(state[0], HALO_RECEIVED_NULL);
        halo::stale(one);
        EXPECT_TRUE(single.send_null());
        group.drain();
        EXPECT_TRUE(single.set_bytes(16));
        EXPECT_EQ(single.buffer().bytes, 16);
        EXPECT_EQ(single.desc().count, 2);
    }
    EXPECT_THROW(single.set_buffer(nullptr), halo::error);
    key.extra = 1;
    halo::Channel slice(context, key, desc);
    halo_channel *const other[] = { slice.get() };
    halo::Group group(context, other);
    EXPECT_EQ(group.desc().messages, HALO_MESSAGES_AUTO);
    ASSERT_TRUE(group.writable());
    static_cast<double *>(group.table()[0].data)[0] = 9;
    const std::int64_t row[] = { 0 };
    EXPECT_TRUE(group.send_rows(row));
    EXPECT_TRUE(group.send());
    group.start_receive();
    ASSERT_TRUE(group.try_receive());
    EXPECT_EQ(static_cast<const double *>(group.table()[0].data)[0], 9);
    group.stale();
    group.abandon();
    EXPECT_THROW(group.start_receive(), halo::error);
    single.abandon();
    EXPECT_THROW(single.start_receive(), halo::error);
}

TEST(Classes, SettingsAndTexts) {
    halo::Context context;
    context.set("timeout", "7");
    const auto [value, source] = context.setting("timeout");
    EXPECT_STREQ(value, "7");
    EXPECT_STREQ(source, "call");
    EXPECT_THROW(context.set("timeout", "soon"), halo::error);
    EXPECT_NE(std::string(context.error()).find("timeout"), std::string::npos);
}

} // namespace
