// SPDX-License-Identifier: BSD-3-Clause
// Random joins between turned index spaces, cell by cell: scalars and vectors, every kind; and joins that are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "box_coverage.h"
#include "box_stores.h"
#include "ranks.h"
#include "storage.h"

namespace conformance {

namespace {

struct Joined {
    BoxModel model; // cells of each part from (0, 0, 0) on
    std::vector<int64_t> cells;
    std::vector<int32_t> owner;
    std::vector<halo_join> joins;
    std::vector<int32_t> vector_signs; // empty: those of the joins
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
};

bool overlap(const halo_box &a, const halo_box &b) {
    bool some = true;
    for (int d = 0; d < 3; ++d) some = some && a.low[d] < b.high[d] && b.low[d] < a.high[d];
    return some;
}

// One join, somewhere in the ghosts of a part; false: it met what is there.
bool add_join(Joined &made, Random &random) {
    const int n_dims = made.model.n_dims;
    halo_join join{ pick(random, 0, made.model.n_parts() - 1),
                    pick(random, 0, made.model.n_parts() - 1),
                    { { 0, 0, 0 }, { 1, 1, 1 } },
                    { { 0, 0, 0 }, { 1, 1, 1 } },
                    { 0, 1, 2 },
                    { 1, 1, 1 } };
    std::shuffle(join.axis, join.axis + n_dims, random);
    for (int d = 0; d < n_dims; ++d) join.sign[d] = chance(random, 0.5) ? 1 : -1;
    const halo_box &from = made.model.parts[join.send_gid].cells;
    const halo_box &to = made.model.parts[join.receive_gid].cells;
    for (int d = 0; d < n_dims; ++d) {
        const int there = join.axis[d];
        const int64_t n = pick(random, 1, std::min<int64_t>(from.high[there], made.desc.reach + 1));
        join.send.low[there] = pick(random, 0, from.high[there] - n);
        join.send.high[there] = join.send.low[there] + n;
        join.receive.low[d] = pick(random, -made.desc.reach, to.high[d] + made.desc.reach - n);
        join.receive.high[d] = join.receive.low[d] + n;
    }
    if (overlap(join.receive, to)) return false;
    for (int d = 0; d < n_dims; ++d)
        if (join.receive.low[d] < -made.desc.reach) return false;
    for (const halo_join &other : made.joins)
        if (other.receive_gid == join.receive_gid && overlap(other.receive, join.receive)) return false;
    made.joins.push_back(join);
    return true;
}

Joined make_joined(int64_t number, int32_t n_ranks) {
    Random random(static_cast<uint64_t>(number) * 6151 + 11);
    Joined made;
    made.model.n_dims = made.desc.n_dims = static_cast<int32_t>(number % 3 + 1);
    made.desc.reach = static_cast<int32_t>(pick(random, 1, 3));
    for (int64_t n = pick(random, 1, 6); n > 0; --n) {
        BoxPart part;
        part.cells.high[0] = part.cells.high[1] = part.cells.high[2] = 1;
        for (int d = 0; d < made.model.n_dims; ++d) part.cells.high[d] = pick(random, 1, 5);
        part.owner = static_cast<int32_t>(pick(random, 0, n_ranks - 1));
        made.model.parts.push_back(part);
        made.cells.insert(made.cells.end(), part.cells.high, part.cells.high + 3);
        made.owner.push_back(part.owner);
    }
    for (int64_t tries = pick(random, 4, 40); tries > 0; --tries) add_join(made, random);
    if (number % 4 == 0) // of those that have vectors, every second one
        for (size_t i = 0; i < 3 * made.joins.size(); ++i) made.vector_signs.push_back(chance(random, 0.5) ? 1 : -1);
    made.desc.vector_signs = made.vector_signs.empty() ? nullptr : made.vector_signs.data();
    made.desc.cells = made.cells.data();
    made.desc.owner = made.owner.data();
    made.desc.n_parts = made.model.n_parts();
    made.desc.joins = made.joins.data();
    made.desc.n_joins = std::ssize(made.joins);
    return made;
}

// A ghost that a join fills from an owned cell.
struct Filled {
    Copy copy;
    size_t join = 0;
};
using Cells = std::map<std::pair<int64_t, Triple>, std::vector<Filled>>; // by owner

Cells filled_cells(const Joined &made, const Ghosts &ghosts) {
    Cells cells;
    for (size_t i = 0; i < made.joins.size(); ++i) {
        const halo_join &join = made.joins[i];
        const Triple n = made.model.points(join.receive_gid, 0);
        for_each_point(n, ghosts, [&](const Triple &at) {
            Triple there{};
            for (int d = 0; d < 3; ++d) {
                if (at[d] < join.receive.low[d] || at[d] >= join.receive.high[d]) return;
                const int64_t along = at[d] - join.receive.low[d];
                const int axis = join.axis[d];
                there[axis] = join.sign[d] > 0 ? join.send.low[axis] + along : join.send.high[axis] - 1 - along;
            }
            cells[{ join.send_gid, there }].push_back({ { join.receive_gid, at, element_of(at, n) }, i });
        });
    }
    for (auto &[owner, list] : cells)
        std::sort(list.begin(), list.end(), [](const Filled &a, const Filled &b) {
            return std::tie(a.copy.gid, a.copy.element, a.join) < std::tie(b.copy.gid, b.copy.element, b.join);
        });
    return cells;
}

class JoinedRun {
public:
    JoinedRun(const Rank &rank, const Joined &made, const BoxField &field, bool vector) : made_(made), field_(field), vector_(vector) {
        OK(halo_topology_create_regions(rank.context, &made.desc, &topology_));
        stores_.emplace(topology_, made.model, rank.rank, field, 0, vector);
    }
    void run(int32_t kind, int32_t messages);
    void destroy() {
        stores_->destroy();
        OK(halo_topology_destroy(&topology_));
    }

private:
    double value(int64_t gid, int32_t component, const Triple &at) const {
        double number = 0;
        make_value(field_, { 0, gid, 0, component, at, 5 }, reinterpret_cast<std::byte *>(&number));
        return number;
    }
    // Component of the owner that a copy's component is, and its sign.
    std::pair<int32_t, double> turned(const Filled &filled, int32_t component) const {
        if (!vector_ || component >= made_.model.n_dims) return { component, 1 };
        const halo_join &join = made_.joins[filled.join];
        const bool own = !made_.vector_signs.empty();
        return { join.axis[component], own ? made_.vector_signs[3 * filled.join + static_cast<size_t>(component)] : join.sign[component] };
    }
    void put(int64_t gid, int32_t component, const Triple &at, double number) {
        if (stores_->is_local(gid)) std::memcpy(stores_->expected(gid, 0, component, at), &number, sizeof number);
    }
    void expect_ghosts();
    void expect_sums(int32_t kind);

    const Joined &made_;
    BoxField field_;
    bool vector_;
    halo_topology *topology_ = nullptr;
    std::optional<BoxStores> stores_;
};

// Numbers with a fraction have a bit for the sign in their last byte, integers wrap around.
void negate(halo_type type, std::byte *value, int64_t bytes) {
    if (type == HALO_INT8 || type == HALO_INT16 || type == HALO_INT32 || type == HALO_INT64) {
        uint64_t number = 0;
        std::memcpy(&number, value, static_cast<size_t>(bytes));
        number = 0 - number;
        std::memcpy(value, &number, static_cast<size_t>(bytes));
        return;
    }
    value[bytes - 1] ^= std::byte{ 0x80 };
    if (type == HALO_COMPLEX64 || type == HALO_COMPLEX128) value[bytes / 2 - 1] ^= std::byte{ 0x80 };
}

// Of any type with a sign.
void JoinedRun::expect_ghosts() {
    for (const auto &[owner, list] : filled_cells(made_, field_.ghosts))
        for (const Filled &filled : list)
            for (int32_t c = 0; c < field_.n_components; ++c) {
                if (!stores_->is_local(filled.copy.gid)) continue;
                const auto [there, sign] = turned(filled, c);
                std::byte *const ghost = stores_->expected(filled.copy.gid, 0, c, filled.copy.at);
                make_value(field_, { 0, owner.first, 0, there, owner.second, 5 }, ghost);
                if (sign < 0) negate(field_.type, ghost, field_.element_bytes);
            }
}

void JoinedRun::expect_sums(int32_t kind) {
    for (const auto &[owner, list] : filled_cells(made_, field_.ghosts)) {
        std::vector<double> sums;
        for (int32_t c = 0; c < field_.n_components; ++c) sums.push_back(value(owner.first, c, owner.second));
        for (const Filled &filled : list)
            for (int32_t c = 0; c < field_.n_components; ++c) {
                const auto [there, sign] = turned(filled, c);
                sums[static_cast<size_t>(there)] += sign * value(filled.copy.gid, c, filled.copy.at);
            }
        for (int32_t c = 0; c < field_.n_components; ++c) {
            put(owner.first, c, owner.second, sums[static_cast<size_t>(c)]);
            if (kind == HALO_KIND_REVERSE) continue;
            for (const Filled &filled : list) {
                const auto [there, sign] = turned(filled, c);
                put(filled.copy.gid, c, filled.copy.at, sign * sums[static_cast<size_t>(there)]);
            }
        }
    }
}

void JoinedRun::run(int32_t kind, int32_t messages) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.messages = messages;
    halo_exchange *exchange = nullptr;
    halo_field *const field = stores_->handle();
    OK(halo_exchange_create(&field, 1, &desc, &exchange));
    stores_->fill(5);
    if (kind == HALO_KIND_GHOSTS)
        expect_ghosts();
    else
        expect_sums(kind);
    OK(halo_exchange_start(exchange, nullptr, stream()));
    OK(halo_exchange_finish(exchange, finish_stream()));
    OK(halo_exchange_destroy(&exchange));
    if (const std::string difference = stores_->first_difference(); !difference.empty())
        stop("%s, %s: %s", kind_name(kind), vector_ ? "vector" : "scalars", difference.c_str());
}

class Regions : public testing::TestWithParam<int32_t> {};

TEST_P(Regions, EqualTheModel) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < n_drawn(120); ++number) {
            begin_case(static_cast<uint64_t>(number));
            const Joined made = make_joined(number, rank.size);
            BoxField field;
            field.n_components = made.model.n_dims + 1;
            field.layout = static_cast<int>(number % n_box_layouts);
            for (int d = 0; d < made.model.n_dims; ++d) {
                field.ghosts.low[d] = number % 5 == 0 ? 1 : made.desc.reach;
                field.ghosts.high[d] = made.desc.reach;
            }
            JoinedRun joined(rank, made, field, number % 2 == 0);
            for (int32_t kind = HALO_KIND_GHOSTS; kind <= HALO_KIND_SHARED_REDUCE; ++kind) {
                if (prints(rank))
                    for (const halo_join &join : made.joins) box_coverage().count(join, made.model.n_dims, kind, number % 2 == 0);
                joined.run(kind, number / 2 % 2 == 0 ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL);
            }
            joined.destroy();
        }
    });
}

TEST_P(Regions, VectorsOfEveryTypeWithASign) {
    static constexpr halo_type types[] = { HALO_FLOAT32,   HALO_FLOAT64,    HALO_INT8,    HALO_INT16,    HALO_INT32,
                                           HALO_COMPLEX64, HALO_COMPLEX128, HALO_FLOAT16, HALO_BFLOAT16, HALO_INT64 };
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < 3 * std::ssize(types); ++number) {
            begin_case(static_cast<uint64_t>(number));
            const Joined made = make_joined(2 * number, rank.size);
            BoxField field;
            field.type = types[number % std::ssize(types)];
            field.element_bytes = bytes_of(field.type);
            field.n_components = made.model.n_dims;
            field.layout = static_cast<int>(number % n_box_layouts);
            for (int d = 0; d < made.model.n_dims; ++d) field.ghosts.low[d] = field.ghosts.high[d] = made.desc.reach;
            JoinedRun joined(rank, made, field, true);
            joined.run(HALO_KIND_GHOSTS, number % 2 == 0 ? HALO_MESSAGES_AGGREGATE : HALO_MESSAGES_PER_CHANNEL);
            joined.destroy();
        }
    });
}

// Element, gid, and how the neighbour's index space lies.
using Towards = std::tuple<int32_t, int64_t, std::array<int32_t, 3>, std::array<int32_t, 3>>;

// What the topology says of itself, against a search through the cells that joins fill.
void check_queries(const Rank &rank, const Joined &made) {
    halo_topology *topology = nullptr;
    OK(halo_topology_create_regions(rank.context, &made.desc, &topology));
    BoxField field;
    for (int d = 0; d < made.model.n_dims; ++d) field.ghosts.low[d] = field.ghosts.high[d] = made.desc.reach;
    BoxStores stores(topology, made.model, rank.rank, field, 0);
    std::map<int64_t, std::set<Towards>> neighbours;
    std::map<int64_t, std::set<Triple>> filled;
    for (const auto &[owner, list] : filled_cells(made, field.ghosts))
        for (const Filled &one : list) {
            const halo_join &join = made.joins[one.join];
            neighbours[one.copy.gid].emplace(one.copy.element, owner.first, std::to_array(join.axis), std::to_array(join.sign));
            filled[one.copy.gid].insert(one.copy.at);
        }
    for (const int64_t gid : stores.gids()) {
        int64_t n = 0;
        OK(halo_topology_neighbours(topology, gid, sizeof(halo_neighbour), nullptr, 0, &n));
        std::vector<halo_neighbour> told(static_cast<size_t>(n));
        OK(halo_topology_neighbours(topology, gid, sizeof(halo_neighbour), told.data(), n, &n));
        std::set<Towards> found;
        for (const halo_neighbour &one : told) {
            found.emplace(one.element, one.gid, std::to_array(one.axis), std::to_array(one.sign));
            if (one.rank != made.owner[static_cast<size_t>(one.gid)] || one.level != 0)
                stop("neighbour %lld on rank %d, level %d", static_cast<long long>(one.gid), one.rank, one.level);
        }
        if (found != neighbours[gid] || std::ssize(found) != n)
            stop("the %lld neighbours of part %lld", static_cast<long long>(n), static_cast<long long>(gid));

        OK(halo_field_boundaries(stores.handle(), gid, sizeof(halo_boundary), nullptr, 0, &n));
        std::vector<halo_boundary> open(static_cast<size_t>(n));
        OK(halo_field_boundaries(stores.handle(), gid, sizeof(halo_boundary), open.data(), n, &n));
        for_each_point(made.model.points(gid, 0), field.ghosts, [&](const Triple &at) {
            int64_t times = 0;
            for (const halo_boundary &one : open) {
                bool inside = true;
                for (int d = 0; d < 3; ++d) inside = inside && at[d] >= one.ghosts.low[d] && at[d] < one.ghosts.high[d];
                times += inside;
                if (inside && one.element != element_of(at, made.model.points(gid, 0)))
                    stop("a boundary of part %lld has a wrong element", static_cast<long long>(gid));
            }
            const bool orphan = element_of(at, made.model.points(gid, 0)) != 13 && !filled[gid].contains(at);
            if (times != orphan) stop("a cell of part %lld lies in %lld boundaries", static_cast<long long>(gid), static_cast<long long>(times));
        });
    }
    std::set<int32_t> peers;
    for (const halo_join &join : made.joins) {
        const int32_t from = made.owner[static_cast<size_t>(join.send_gid)], to = made.owner[static_cast<size_t>(join.receive_gid)];
        if (from == rank.rank || to == rank.rank) peers.insert({ from, to });
    }
    peers.erase(rank.rank);
    int64_t n = 0;
    OK(halo_topology_peers(topology, nullptr, 0, &n));
    std::vector<int32_t> ranks(static_cast<size_t>(n));
    OK(halo_topology_peers(topology, ranks.data(), n, &n));
    if (ranks != std::vector<int32_t>(peers.begin(), peers.end())) stop("%lld peers, not %zu", static_cast<long long>(n), peers.size());
    stores.destroy();
    OK(halo_topology_destroy(&topology));
}

TEST_P(Regions, QueriesEqualTheSearch) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < 120; ++number) check_queries(rank, make_joined(number, rank.size));
    });
}

template <class Change>
void refuse(halo_status status, const char *text, Change &&change) {
    run(threads() ? 2 : 0, {}, [&](Rank &rank) {
        const int64_t cells[] = { 4, 3, 1, 3, 4, 1 };
        halo_join joins[] = { { 0, 1, { { 3, 0, 0 }, { 4, 3, 1 } }, { { 0, -1, 0 }, { 3, 0, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } },
                              { 1, 0, { { 0, 0, 0 }, { 3, 1, 1 } }, { { 4, 0, 0 }, { 5, 3, 1 } }, { 1, 0, 2 }, { -1, 1, 1 } } };
        halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
        desc.n_dims = 2;
        desc.cells = cells;
        desc.n_parts = 2;
        desc.joins = joins;
        desc.n_joins = 2;
        desc.reach = 1;
        change(desc, joins, rank);
        halo_topology *topology = nullptr;
        const halo_status got = halo_topology_create_regions(rank.context, &desc, &topology);
        if (got != status || (status != HALO_SUCCESS && !std::strstr(halo_last_error(), text)))
            stop("%s, not %s: %s", halo_status_name(got), halo_status_name(status), halo_last_error());
        if (got == HALO_SUCCESS) OK(halo_topology_destroy(&topology));
    });
}

TEST(RegionErrors, AreTold) {
    refuse(HALO_SUCCESS, "", [](halo_regions_desc &, halo_join *, Rank &) {});
    refuse(HALO_ERR_ARGUMENT, "direction 0 of the receiver has 3 cells, direction 1 of the sender 2",
           [](halo_regions_desc &, halo_join *joins, Rank &) { joins[0].send.high[1] = 2; });
    refuse(HALO_ERR_ARGUMENT, "is no permutation", [](halo_regions_desc &, halo_join *joins, Rank &) {
        joins[0].axis[1] = 1;
        joins[0].send = { { 0, 0, 0 }, { 1, 1, 1 } };
        joins[0].receive = { { 0, -1, 0 }, { 1, 0, 1 } };
    });
    static const int32_t signs[] = { 1, 1, 1, 1, 0, 1 };
    refuse(HALO_ERR_ARGUMENT, "join 1: vectors along direction 1 come with sign 0",
           [](halo_regions_desc &desc, halo_join *, Rank &) { desc.vector_signs = signs; });
    refuse(HALO_ERR_VERSION, "halo_join 0 has 128 bytes, the smallest known is 136",
           [](halo_regions_desc &desc, halo_join *, Rank &) { desc.join_bytes = 128; });
    refuse(HALO_ERR_BOUNDS, "does not own all cells", [](halo_regions_desc &, halo_join *joins, Rank &) {
        joins[0].send.low[0] = 4;
        joins[0].send.high[0] = 5;
    });
    refuse(HALO_ERR_BOUNDS, "the receiver owns cells", [](halo_regions_desc &, halo_join *joins, Rank &) {
        joins[0].receive.low[1] = 0;
        joins[0].receive.high[1] = 1;
    });
    refuse(HALO_ERR_BOUNDS, "reaches out farther than 1", [](halo_regions_desc &, halo_join *joins, Rank &) {
        joins[0].receive.low[1] = -2;
        joins[0].receive.high[1] = -1;
    });
    refuse(HALO_ERR_ARGUMENT, "there are parts 0 to 1", [](halo_regions_desc &, halo_join *joins, Rank &) { joins[1].receive_gid = 2; });
    refuse(HALO_ERR_ARGUMENT, "joins 0 and 1 fill the same ghosts of part 1",
           [](halo_regions_desc &, halo_join *joins, Rank &) { joins[1] = joins[0]; });
}

TEST(RegionErrors, OtherCentringsAreTold) {
    run(threads() ? 2 : 0, {}, [](Rank &rank) {
        const Joined made = make_joined(1, rank.size);
        halo_topology *topology = nullptr;
        OK(halo_topology_create_regions(rank.context, &made.desc, &topology));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.centring = HALO_CENTRE_NODE;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &desc, &field));
        halo_exchange *exchange = nullptr;
        if (halo_exchange_create(&field, 1, nullptr, &exchange) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), "joins are of cells"))
            stop("%s", halo_last_error());
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Regions, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
