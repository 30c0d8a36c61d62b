// SPDX-License-Identifier: BSD-3-Clause
// Transfers between two random sets of boxes against a search over all points; and descriptions of boxes and regions that are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "box_stores.h"
#include "ranks.h"

namespace conformance {

namespace {

struct Side {
    BoxModel model;
    BoxField field;
    Ghosts used; // of its ghosts
    halo_topology *topology = nullptr;
};

BoxForm random_form(Random &random) {
    static constexpr BoxForm forms[] = { BoxForm::list, BoxForm::blocks, BoxForm::distributed };
    return forms[pick(random, 0, 2)];
}

// The second side shares the domain of the first, so blocks only come first.
void make_sides(Side &from, Side &to, int64_t number, int32_t n_ranks, Random &random) {
    from.model.n_dims = to.model.n_dims = static_cast<int32_t>(number % 3 + 1);
    for (int d = 0; d < from.model.n_dims; ++d) from.model.periodic[d] = to.model.periodic[d] = chance(random, 0.5);
    from.model.form = random_form(random);
    make_parts(from.model, static_cast<BoxStyle>(number % n_box_styles), n_ranks, random);
    to.model.domain = from.model.domain;
    to.model.form = chance(random, 0.5) ? BoxForm::list : BoxForm::distributed;
    from.model.reach = to.model.reach = 2;
    for (int64_t n = pick(random, 1, 6); n > 0; --n) {
        BoxPart part;
        part.cells = to.model.domain;
        for (int d = 0; d < to.model.n_dims; ++d) {
            part.cells.low[d] = pick(random, to.model.domain.low[d], to.model.domain.high[d] - 1);
            part.cells.high[d] = pick(random, part.cells.low[d] + 1, to.model.domain.high[d]);
        }
        part.owner = static_cast<int32_t>(pick(random, 0, n_ranks - 1));
        to.model.parts.push_back(part);
    }
    if (to.model.form == BoxForm::distributed) // gids go rank by rank
        std::stable_sort(to.model.parts.begin(), to.model.parts.end(), [](const BoxPart &a, const BoxPart &b) { return a.owner < b.owner; });
    from.field.type = chance(random, 0.5) ? HALO_FLOAT64 : HALO_INT32;
    from.field.element_bytes = from.field.type == HALO_FLOAT64 ? 8 : 4;
    from.field.n_components = static_cast<int32_t>(pick(random, 1, 2));
    const std::vector<int32_t> centrings = centrings_in(from.model.n_dims);
    from.field.centring = centrings[static_cast<size_t>(number) % centrings.size()];
    to.field = from.field;
    for (Side *side : { &from, &to }) {
        side->field.layout = static_cast<int>(pick(random, 0, n_box_layouts - 1));
        for (int d = 0; d < side->model.n_dims; ++d) {
            const int64_t most = side->model.form == BoxForm::blocks ? std::min<int64_t>(2, side->model.block_cells[d]) : 2;
            side->field.ghosts.low[d] = static_cast<int32_t>(pick(random, 0, most));
            side->field.ghosts.high[d] = static_cast<int32_t>(pick(random, 0, most));
            side->used.low[d] = static_cast<int32_t>(pick(random, 0, side->field.ghosts.low[d]));
            side->used.high[d] = static_cast<int32_t>(pick(random, 0, side->field.ghosts.high[d]));
        }
    }
}

Triple identity(const BoxModel &model, int64_t gid, const Triple &at) {
    Triple point;
    for (int d = 0; d < 3; ++d) {
        const int64_t period = model.domain.high[d] - model.domain.low[d];
        point[d] = model.parts[gid].cells.low[d] + at[d] - model.domain.low[d];
        if (model.periodic[d]) point[d] = (point[d] % period + period) % period;
    }
    return point;
}

// What the source has at each point: first what a copy takes, then in the order in which an addition does.
struct Provider {
    Copy copy;
    int32_t priority;
    auto taken() const { return std::make_tuple(copy.element != 13, -priority, copy.gid, copy.at[2], copy.at[1], copy.at[0]); }
    auto added() const { return std::tie(copy.gid, copy.at[2], copy.at[1], copy.at[0]); }
};

using Providers = std::map<Triple, std::vector<Provider>>;

Providers providers_of(const Side &from, int32_t bits) {
    Providers found;
    for (int64_t gid = 0; gid < from.model.n_parts(); ++gid) {
        const Triple n = from.model.points(gid, bits);
        for_each_point(n, from.used, [&](const Triple &at) {
            found[identity(from.model, gid, at)].push_back({ { gid, at, element_of(at, n) }, from.model.parts[gid].priority });
        });
    }
    for (auto &[point, list] : found) {
        std::sort(list.begin(), list.end(), [](const Provider &a, const Provider &b) { return a.added() < b.added(); });
    }
    return found;
}

// At most `depth` layers of the destination's ghosts; 0: all that are filled.
// `op` 0: they are moved.
void expect(const Side &from, BoxStores &destination, const Side &to, halo_op op, int64_t time, int32_t depth) {
    Ghosts filled = to.used;
    for (int d = 0; d < 3 && depth > 0; ++d) {
        filled.low[d] = std::min(filled.low[d], depth);
        filled.high[d] = std::min(filled.high[d], depth);
    }
    const std::vector<int32_t> places = to.field.places(to.model.n_dims);
    for (int32_t place = 0; place < std::ssize(places); ++place) {
        const Providers providers = providers_of(from, places[static_cast<size_t>(place)]);
        for (const int64_t gid : destination.gids())
            for_each_point(to.model.points(gid, places[static_cast<size_t>(place)]), filled, [&](const Triple &at) {
                const auto found = providers.find(identity(to.model, gid, at));
                if (found == providers.end()) return;
                std::vector<Provider> list = found->second;
                if (op == 0)
                    list = { *std::min_element(list.begin(), list.end(),
                                               [](const Provider &a, const Provider &b) { return a.taken() < b.taken(); }) };
                for (int32_t component = 0; component < to.field.n_components; ++component)
                    for (const Provider &provider : list) {
                        std::array<std::byte, 16> value{};
                        make_value(from.field, { 1, provider.copy.gid, place, component, provider.copy.at, time }, value.data());
                        std::byte *into = destination.expected(gid, place, component, at);
                        if (op != 0)
                            combine_values(to.field, op, into, value.data());
                        else
                            std::copy_n(value.begin(), to.field.element_bytes, into);
                    }
            });
    }
}

void run_transfer(const Rank &rank, int64_t number) {
    Random random(static_cast<uint64_t>(number) * 104729 + 3);
    begin_case(static_cast<uint64_t>(number));
    Side from;
    Side to;
    make_sides(from, to, number, rank.size, random);
    from.topology = from.model.create(rank.context, rank.rank);
    to.topology = to.model.create(rank.context, rank.rank);
    BoxStores source(from.topology, from.model, rank.rank, from.field, 1);
    BoxStores destination(to.topology, to.model, rank.rank, to.field, 2);
    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
    desc.op = number / 2 % 2 == 0 ? HALO_TRANSFER_COPY : HALO_TRANSFER_ADD;
    desc.messages = number % 2 == 0 ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL;
    for (int d = 0; d < 3; ++d) {
        desc.source_ghosts[d] = from.used.low[d];
        desc.source_ghosts[3 + d] = from.used.high[d];
        desc.destination_ghosts[d] = to.used.low[d];
        desc.destination_ghosts[3 + d] = to.used.high[d];
    }
    halo_field *const source_field = source.handle();
    halo_field *const destination_field = destination.handle();
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create_transfer(&source_field, &destination_field, 1, &desc, &exchange));
    for (int64_t time = 0; time < 3; ++time) {
        halo_run narrowed = HALO_RUN_INIT;
        narrowed.depth = time == 1 ? 1 : 0;
        narrowed.op = time == 2 && desc.op == HALO_TRANSFER_ADD ? HALO_PROD : 0;
        source.fill(time);
        destination.fill(time);
        expect(from, destination, to, desc.op == HALO_TRANSFER_COPY ? 0 : narrowed.op != 0 ? narrowed.op : HALO_SUM, time, narrowed.depth);
        OK(halo_exchange_start(exchange, &narrowed, stream()));
        OK(halo_exchange_finish(exchange, finish_stream()));
        for (BoxStores *stores : { &source, &destination })
            if (const std::string difference = stores->first_difference(); !difference.empty())
                stop("transfer %lld: %s\nfrom %s\nto %s", static_cast<long long>(number), difference.c_str(), from.model.describe().c_str(),
                     to.model.describe().c_str());
    }
    OK(halo_exchange_destroy(&exchange));
    source.destroy();
    destination.destroy();
    OK(halo_topology_destroy(&from.topology));
    OK(halo_topology_destroy(&to.topology));
}

class BoxTransfers : public testing::TestWithParam<int32_t> {};

TEST_P(BoxTransfers, EqualTheSearch) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < n_drawn(120); ++number) run_transfer(rank, number);
    });
}

// Fails on every rank, and nothing is left behind: the context can be destroyed.
template <class Change>
void refuse(halo_status status, const char *text, Change &&change) {
    run(threads() ? 2 : 0, {}, [&](Rank &rank) {
        std::vector<halo_box> boxes{ { { 0, 0, 0 }, { 4, 1, 1 } }, { { 4, 0, 0 }, { 8, 1, 1 } } };
        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
        desc.n_dims = 1;
        desc.domain.high[0] = 8;
        desc.boxes = boxes.data();
        desc.n_boxes = 2;
        change(desc, boxes, rank);
        halo_topology *topology = nullptr;
        const halo_status got = halo_topology_create_boxes(rank.context, &desc, &topology);
        if (got != status || !std::strstr(halo_last_error(), text))
            stop("%s, not %s: %s", halo_status_name(got), halo_status_name(status), halo_last_error());
    });
}

TEST(BoxErrors, AreTold) {
    using Boxes = std::vector<halo_box>;
    refuse(HALO_ERR_ARGUMENT, "box 1, (4, 0, 0) to (9, 1, 1), leaves the domain",
           [](halo_boxes_desc &, Boxes &boxes, Rank &) { boxes[1].high[0] = 9; });
    refuse(HALO_ERR_ARGUMENT, "box 0, (4, 0, 0) to (4, 1, 1), has no cells", [](halo_boxes_desc &, Boxes &boxes, Rank &) { boxes[0].low[0] = 4; });
    static constexpr int32_t owner[] = { 0, 77 };
    refuse(HALO_ERR_ARGUMENT, "owner of box 1 is rank 77", [](halo_boxes_desc &desc, Boxes &, Rank &) { desc.owner = owner; });
    refuse(HALO_ERR_ARGUMENT, "reach is 0", [](halo_boxes_desc &desc, Boxes &, Rank &) { desc.distributed = 1; });
    refuse(HALO_ERR_ARGUMENT, "cannot be cut", [](halo_boxes_desc &desc, Boxes &, Rank &) {
        desc.boxes = nullptr;
        desc.n_boxes = 0;
        desc.n_parts_per_rank = 9;
    });
}

TEST(BoxErrors, RanksThatDisagreeAreTold) {
    if (!threads()) GTEST_SKIP() << "needs two ranks";
    refuse(HALO_ERR_MISMATCH, "box 0: (0, 0, 0) to (3, ",
           [](halo_boxes_desc &, std::vector<halo_box> &boxes, Rank &rank) { boxes[0].high[0] = 3 + rank.rank; });
    refuse(HALO_ERR_MISMATCH, "list of boxes: 2 boxes on rank 0, 0 on rank 1", [](halo_boxes_desc &desc, std::vector<halo_box> &, Rank &rank) {
        desc.n_parts_per_rank = 0;
        if (rank.rank == 1) desc.boxes = nullptr, desc.n_boxes = 0;
    });
    refuse(HALO_ERR_MISMATCH, "reach: 1 on rank 0, 2 on rank 1", [](halo_boxes_desc &desc, std::vector<halo_box> &, Rank &rank) {
        desc.distributed = 1;
        desc.reach = 1 + rank.rank;
    });
    constexpr int32_t many = 40'000;
    std::vector<int32_t> other(many);
    other[30'000] = 1;
    refuse(HALO_ERR_MISMATCH, "box 30000: (30000, 0, 0) to (30001, ", [&](halo_boxes_desc &desc, std::vector<halo_box> &boxes, Rank &rank) {
        boxes.clear();
        for (int32_t i = 0; i < many; ++i) boxes.push_back({ { i, 0, 0 }, { i + 1, 1, 1 } });
        desc.domain.high[0] = desc.n_boxes = many;
        desc.boxes = boxes.data();
        if (rank.rank == 1) desc.priority = other.data();
    });
}

TEST(BoxErrors, GhostsWiderThanReachAreTold) {
    run(threads() ? 2 : 0, {}, [](Rank &rank) {
        halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
        desc.n_dims = 1;
        desc.domain.high[0] = 64;
        desc.n_parts_per_rank = 1;
        desc.reach = 2;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_boxes(rank.context, &desc, &topology));
        halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
        field_desc.ghost_low[0] = 3;
        halo_field *field = nullptr;
        if (halo_field_create(topology, &field_desc, &field) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), "must be 0 to 2"))
            stop("ghosts wider than reach: %s", halo_last_error());
        OK(halo_topology_destroy(&topology));
    });
}

// The library's cut: every cell once, extents even, as many parts as asked.
TEST(BoxCut, CoversTheDomainEvenly) {
    for (const int32_t n_ranks : rank_counts())
        run(n_ranks, {}, [](Rank &rank) {
            halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
            desc.domain = { { -2, 1, 3 }, { 29, 24, 20 } };
            desc.n_parts_per_rank = 3;
            halo_topology *topology = nullptr;
            OK(halo_topology_create_boxes(rank.context, &desc, &topology));
            int64_t cells = 0;
            std::array<std::pair<int64_t, int64_t>, 3> extents{ { { 99, 0 }, { 99, 0 }, { 99, 0 } } };
            for (int64_t gid = 0; gid < int64_t{ 3 } * rank.size; ++gid) {
                halo_part part = HALO_PART_INIT;
                OK(halo_topology_part(topology, gid, &part));
                int64_t volume = 1;
                for (int d = 0; d < 3; ++d) {
                    const int64_t n = part.cells.high[d] - part.cells.low[d];
                    extents[d] = { std::min(extents[d].first, n), std::max(extents[d].second, n) };
                    volume *= n;
                }
                cells += volume;
                if (part.rank != gid / 3) stop("part %lld belongs to rank %d", static_cast<long long>(gid), part.rank);
            }
            for (const auto &[least, most] : extents)
                if (most - least > 1) stop("extents are %lld to %lld", static_cast<long long>(least), static_cast<long long>(most));
            if (cells != int64_t{ 31 } * 23 * 17) stop("%lld cells in all", static_cast<long long>(cells));
            OK(halo_topology_destroy(&topology));
        });
}

// An empty list is none that is not given: nothing is cut.
TEST(BoxLists, EmptyOnesHaveNoParts) {
    for (const int32_t n_ranks : rank_counts())
        run(n_ranks, {}, [](Rank &rank) {
            static constexpr halo_box some{};
            for (const halo_box *list : { static_cast<const halo_box *>(nullptr), &some })
                for (const bool distributed : { false, true }) {
                    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
                    desc.domain.high[0] = 64;
                    desc.boxes = list, desc.distributed = distributed, desc.reach = 1, desc.n_parts_per_rank = list || distributed ? 3 : 0;
                    halo_topology *topology = nullptr;
                    OK(halo_topology_create_boxes(rank.context, &desc, &topology));
                    int64_t n = -1;
                    OK(halo_topology_local_parts(topology, nullptr, &n));
                    if (n != 0) stop("an empty list has %lld parts here", static_cast<long long>(n));
                    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
                    field_desc.ghost_low[0] = 1;
                    halo_field *field = nullptr;
                    OK(halo_field_create(topology, &field_desc, &field));
                    OK(halo_field_allocate(field, -1));
                    halo_exchange *exchange = nullptr;
                    OK(halo_exchange_create(&field, 1, nullptr, &exchange));
                    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
                    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
                    OK(halo_exchange_destroy(&exchange));
                    OK(halo_field_destroy(&field));
                    OK(halo_topology_destroy(&topology));
                }
        });
}

INSTANTIATE_TEST_SUITE_P(Ranks, BoxTransfers, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
