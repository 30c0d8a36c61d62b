// SPDX-License-Identifier: BSD-3-Clause
// Laws that hold between exchanges over boxes: reverse is the transpose of forward, a shared reduction is reverse and then forward in one round, and
// what AMReX calls FillBoundary, FillBoundaryAndSync, OverrideSync and SumBoundary is one exchange each, or two.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "box_stores.h"
#include "ranks.h"

namespace conformance {

namespace {

halo_exchange *make_exchange(halo_field *field, int32_t kind, int32_t shared, int32_t messages = HALO_MESSAGES_AUTO) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.shared = shared;
    desc.messages = messages;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &desc, &exchange));
    return exchange;
}

void run_once(halo_field *field, int32_t kind, int32_t shared, int32_t messages = HALO_MESSAGES_AUTO) {
    halo_exchange *exchange = make_exchange(field, kind, shared, messages);
    OK(halo_exchange_start(exchange, nullptr, stream()));
    OK(halo_exchange_finish(exchange, finish_stream()));
    follow_finish();
    OK(halo_exchange_destroy(&exchange));
}

// A random set of boxes of any form with a field on it.
struct Scene {
    BoxModel model;
    BoxField field;
    halo_topology *topology = nullptr;

    Scene(const Rank &rank, int64_t number, halo_type type) {
        Random random(static_cast<uint64_t>(number) * 7919 + 5);
        model.n_dims = static_cast<int32_t>(number % 3 + 1);
        model.form = static_cast<BoxForm>(number / 3 % n_box_forms);
        model.reach = 3;
        for (int d = 0; d < model.n_dims; ++d) model.periodic[d] = chance(random, 0.6);
        make_parts(model, static_cast<BoxStyle>(number % n_box_styles), rank.size, random);
        topology = model.create(rank.context, rank.rank);
        for (int64_t gid = 0; gid < model.n_parts() && model.form == BoxForm::cut; ++gid) {
            halo_part part = HALO_PART_INIT;
            OK(halo_topology_part(topology, gid, &part));
            model.parts[gid].cells = part.cells;
        }
        field.type = type;
        const std::vector<int32_t> centrings = centrings_in(model.n_dims);
        field.centring = centrings[static_cast<size_t>(number) % centrings.size()];
        for (int d = 0; d < model.n_dims; ++d) {
            const int64_t most = model.form == BoxForm::blocks ? model.block_cells[d] : 3;
            field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, most));
            field.ghosts.high[d] = static_cast<int32_t>(pick(random, 0, most));
        }
    }
};

int64_t &number_at(BoxStores &stores, int64_t gid, int32_t place, int32_t component, const Triple &at) {
    return *reinterpret_cast<int64_t *>(stores.element(gid, place, component, at));
}

template <class Value>
void set_all(BoxStores &stores, Value &&value) {
    stores.for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
        number_at(stores, gid, place, component, at) = value(gid, place, component, at);
    });
    stores.upload();
}

int64_t dot(const Rank &rank, BoxStores &a, BoxStores &b) {
    int64_t sum = 0;
    a.download();
    b.download();
    a.for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
        sum += number_at(a, gid, place, component, at) * number_at(b, gid, place, component, at);
    });
    OK(halo_context_allreduce(rank.context, &sum, &sum, 1, HALO_INT64, HALO_SUM));
    return sum;
}

int64_t small_number(const BoxField &field, int64_t salt, int64_t gid, int32_t place, int32_t component, const Triple &at) {
    int64_t bits = 0;
    make_value(field, { salt, gid, place, component, at, 3 }, reinterpret_cast<std::byte *>(&bits));
    return bits % 1000;
}

// <forward(u), v> = <u, reverse(v)>, with u zero wherever forward writes: there the transpose has nothing.
void check_transpose(const Rank &rank, Scene &scene, int32_t shared) {
    BoxStores u(scene.topology, scene.model, rank.rank, scene.field, 1);
    BoxStores v(scene.topology, scene.model, rank.rank, scene.field, 2);
    BoxStores written(scene.topology, scene.model, rank.rank, scene.field, 3);
    const auto unique = [](int64_t gid, int32_t place, int32_t, const Triple &at) {
        return ((((gid + 1) * 8 + place) * 64 + at[2] + 20) * 64 + at[1] + 20) * 64 + at[0] + 20;
    };
    set_all(written, unique);
    run_once(written.handle(), HALO_KIND_GHOSTS, shared);
    written.download();
    set_all(u, [&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
        const bool is_written = number_at(written, gid, place, component, at) != unique(gid, place, component, at);
        return is_written ? 0 : small_number(scene.field, 1, gid, place, component, at);
    });
    set_all(v,
            [&](int64_t gid, int32_t place, int32_t component, const Triple &at) { return small_number(scene.field, 2, gid, place, component, at); });
    BoxStores before(scene.topology, scene.model, rank.rank, scene.field, 4);
    set_all(before, [&](int64_t gid, int32_t place, int32_t component, const Triple &at) { return number_at(u, gid, place, component, at); });
    run_once(u.handle(), HALO_KIND_GHOSTS, shared);
    const int64_t forward = dot(rank, u, v);
    run_once(v.handle(), HALO_KIND_REVERSE, shared);
    const int64_t reverse = dot(rank, before, v);
    if (forward != reverse)
        stop("shared %s, %s: %lld forward, %lld reverse: %s", shared_name(shared), centring_name(scene.field.centring),
             static_cast<long long>(forward), static_cast<long long>(reverse), scene.model.describe().c_str());
    for (BoxStores *stores : { &u, &v, &written, &before }) stores->destroy();
}

// Three reductions in a row, each on what the one before has left, without and with a host that waits between them.
void check_in_a_row(const Rank &rank, Scene &scene) {
    BoxStores in_a_row(scene.topology, scene.model, rank.rank, scene.field, 1);
    BoxStores with_waits(scene.topology, scene.model, rank.rank, scene.field, 1);
    for (BoxStores *stores : { &in_a_row, &with_waits }) {
        stores->fill(7);
        halo_exchange *exchange = make_exchange(stores->handle(), HALO_KIND_SHARED_REDUCE, HALO_SHARED_OWNER);
        for (int run = 0; run < 3; ++run) {
            OK(halo_exchange_start(exchange, nullptr, stream()));
            OK(halo_exchange_finish(exchange, finish_stream()));
            if (stores == &with_waits) stores->download();
        }
        OK(halo_exchange_destroy(&exchange));
        stores->download();
    }
    in_a_row.for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
        if (std::memcmp(in_a_row.element(gid, place, component, at), with_waits.element(gid, place, component, at), 8) != 0)
            stop("part %lld differs at (%lld, %lld, %lld): %s", static_cast<long long>(gid), static_cast<long long>(at[0]),
                 static_cast<long long>(at[1]), static_cast<long long>(at[2]), scene.model.describe().c_str());
    });
    in_a_row.destroy();
    with_waits.destroy();
}

// In floating point, so that the order shows.
void check_one_round(const Rank &rank, Scene &scene, int32_t shared, int32_t messages) {
    BoxStores at_once(scene.topology, scene.model, rank.rank, scene.field, 1);
    BoxStores in_turn(scene.topology, scene.model, rank.rank, scene.field, 1);
    at_once.fill(7);
    in_turn.fill(7);
    run_once(at_once.handle(), HALO_KIND_SHARED_REDUCE, shared, messages);
    run_once(in_turn.handle(), HALO_KIND_REVERSE, shared);
    run_once(in_turn.handle(), HALO_KIND_GHOSTS, shared);
    at_once.download();
    in_turn.download();
    at_once.for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
        if (std::memcmp(at_once.element(gid, place, component, at), in_turn.element(gid, place, component, at), 8) != 0)
            stop("shared %s: part %lld differs at (%lld, %lld, %lld): %s", shared_name(shared), static_cast<long long>(gid),
                 static_cast<long long>(at[0]), static_cast<long long>(at[1]), static_cast<long long>(at[2]), scene.model.describe().c_str());
    });
    at_once.destroy();
    in_turn.destroy();
}

class BoxLaws : public testing::TestWithParam<int32_t> {};

TEST_P(BoxLaws, ReverseIsTheTranspose) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < n_drawn(60); ++number) {
            begin_case(static_cast<uint64_t>(number));
            Scene scene(rank, number, HALO_INT64);
            for (int32_t shared = HALO_SHARED_KEEP; shared <= HALO_SHARED_ONLY; ++shared) check_transpose(rank, scene, shared);
            OK(halo_topology_destroy(&scene.topology));
        }
    });
}

TEST_P(BoxLaws, SharedReduceIsReverseThenForward) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < n_drawn(60); ++number) {
            begin_case(static_cast<uint64_t>(number));
            Scene scene(rank, number, HALO_FLOAT64);
            for (int32_t shared = HALO_SHARED_KEEP; shared <= HALO_SHARED_ONLY; ++shared)
                check_one_round(rank, scene, shared, number % 2 == 0 ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL);
            OK(halo_topology_destroy(&scene.topology));
        }
    });
}

TEST_P(BoxLaws, RunsFollowEachOtherOnAnyStream) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < n_drawn(60) && on_device(); ++number) {
            begin_case(static_cast<uint64_t>(number));
            Scene scene(rank, number, HALO_FLOAT64);
            check_in_a_row(rank, scene);
            OK(halo_topology_destroy(&scene.topology));
        }
    });
}

// Two boxes of two cells each, side by side on a periodic line of four: nodes 0 1 2 and 2 3 0. Box 1 counts its nodes from 2.
struct TwoBoxes {
    BoxModel model;
    BoxField field;
    halo_topology *topology = nullptr;

    explicit TwoBoxes(const Rank &rank) {
        model.domain.high[0] = 4;
        model.periodic[0] = true;
        model.reach = 1;
        model.parts = { { { { 0, 0, 0 }, { 2, 1, 1 } }, 0, 0 }, { { { 2, 0, 0 }, { 4, 1, 1 } }, rank.size - 1, 0 } };
        field.type = HALO_INT64;
        field.centring = HALO_CENTRE_NODE;
        field.ghosts.low[0] = field.ghosts.high[0] = 1;
        topology = model.create(rank.context, rank.rank);
    }
};

// Storage before is 10, 11, ... 14 in box 0 and 20, 21, ... 24 in box 1: ghost, three nodes, ghost.
void check_two_boxes(const std::vector<std::pair<int32_t, int32_t>> &kinds_and_shared, const std::vector<int64_t> &first,
                     const std::vector<int64_t> &second) {
    run(threads() ? 2 : 0, {}, [&](Rank &rank) {
        TwoBoxes boxes(rank);
        BoxStores stores(boxes.topology, boxes.model, rank.rank, boxes.field, 0);
        set_all(stores, [](int64_t gid, int32_t, int32_t, const Triple &at) { return 10 * (gid + 1) + at[0] + 1; });
        for (const auto &[kind, shared] : kinds_and_shared) run_once(stores.handle(), kind, shared);
        stores.download();
        stores.for_each_element([&](int64_t gid, int32_t place, int32_t component, const Triple &at) {
            const int64_t wanted = (gid == 0 ? first : second)[static_cast<size_t>(at[0] + 1)];
            if (number_at(stores, gid, place, component, at) != wanted)
                stop("box %lld, node %lld is %lld, should be %lld", static_cast<long long>(gid), static_cast<long long>(at[0]),
                     static_cast<long long>(number_at(stores, gid, place, component, at)), static_cast<long long>(wanted));
        });
        stores.destroy();
        OK(halo_topology_destroy(&boxes.topology));
    });
}

// Box 0 owns nodes 0, 1, 2; box 1 owns node 3. Ghosts: node 3 on both sides of box 0, node 1 on both sides of box 1.
TEST(AmrexNames, FillBoundary) { check_two_boxes({ { HALO_KIND_GHOSTS, HALO_SHARED_KEEP } }, { 22, 11, 12, 13, 22 }, { 12, 21, 22, 23, 12 }); }

TEST(AmrexNames, FillBoundaryAndSync) {
    check_two_boxes({ { HALO_KIND_GHOSTS, HALO_SHARED_OWNER } }, { 22, 11, 12, 13, 22 }, { 12, 13, 22, 11, 12 });
}

TEST(AmrexNames, OverrideSync) { check_two_boxes({ { HALO_KIND_GHOSTS, HALO_SHARED_ONLY } }, { 10, 11, 12, 13, 14 }, { 20, 13, 22, 11, 24 }); }

// Node 0: 11 + 23; node 1: 12 + 20 + 24; node 2: 13 + 21; node 3: 22 + 10 + 14. Valid points get the sums, ghosts stay.
TEST(AmrexNames, SumBoundary) {
    check_two_boxes({ { HALO_KIND_REVERSE, HALO_SHARED_OWNER }, { HALO_KIND_GHOSTS, HALO_SHARED_ONLY } }, { 10, 34, 56, 34, 14 },
                    { 20, 34, 46, 34, 24 });
}

// With ghosts as destination they get them too.
TEST(AmrexNames, SumBoundaryIntoGhosts) {
    check_two_boxes({ { HALO_KIND_SHARED_REDUCE, HALO_SHARED_OWNER } }, { 46, 34, 56, 34, 46 }, { 56, 34, 46, 34, 56 });
}

INSTANTIATE_TEST_SUITE_P(Ranks, BoxLaws, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
