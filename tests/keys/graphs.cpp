// SPDX-License-Identifier: BSD-3-Clause
// Rings of ghosts around the points of random graphs, against a search over the whole graph; and what is refused.
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

constexpr uint64_t skip = 77;

struct Point {
    uint64_t key;
    int32_t owner;
    std::vector<uint64_t> neighbours; // with `skip`
};

// All points, as all ranks know them.
struct Graph {
    int32_t rings = 1;
    bool known_owners = false;
    bool asks_owners = false; // by a function
    bool apart = false;       // rows of points lie anywhere
    int64_t width = 0;        // 0: rows differ in length
    bool has_skip = false;
    std::vector<Point> points;
    std::map<uint64_t, size_t> place;

    const Point *find(uint64_t key) const {
        const auto found = place.find(key);
        return found == place.end() ? nullptr : &points[found->second];
    }
};

uint64_t any_neighbour(Random &random, const Graph &graph) {
    if (graph.has_skip && pick(random, 0, 4) == 0) return skip;
    if ((!graph.known_owners || graph.asks_owners) && pick(random, 0, 9) == 0) return 1000 + static_cast<uint64_t>(pick(random, 0, 3)); // nobody's
    return graph.points[static_cast<size_t>(pick(random, 0, static_cast<int64_t>(graph.points.size()) - 1))].key;
}

Graph random_graph(Random &random, int32_t n_ranks) {
    Graph graph;
    graph.rings = static_cast<int32_t>(pick(random, 1, 4));
    graph.known_owners = pick(random, 0, 1) == 0;
    graph.width = pick(random, 0, 1) == 0 ? pick(random, 1, 3) : 0;
    graph.has_skip = pick(random, 0, 1) == 0;
    const int64_t n = pick(random, 1, 60);
    const bool empty_rank = pick(random, 0, 1) == 0;
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t key = i == 0 ? 0 : i == 1 ? UINT64_MAX : random();
        graph.points.push_back({ key, static_cast<int32_t>(pick(random, 0, empty_rank && n_ranks > 1 ? n_ranks - 2 : n_ranks - 1)), {} });
        graph.place[key] = static_cast<size_t>(i);
    }
    graph.asks_owners = pick(random, 0, 1) == 0;
    graph.apart = pick(random, 0, 1) == 0;
    for (Point &point : graph.points)
        for (int64_t k = graph.width > 0 ? graph.width : pick(random, 0, 4); k > 0; --k) point.neighbours.push_back(any_neighbour(random, graph));
    return graph;
}

// A rank's points, in the order that is promised.
struct Local {
    std::vector<uint64_t> keys;
    std::vector<int32_t> owners, rings;
    std::vector<std::vector<uint32_t>> rows;
};

// Breadth first, from all own points at once.
std::map<uint64_t, int32_t> distances(const Graph &graph, int32_t rank) {
    std::map<uint64_t, int32_t> distance;
    std::deque<uint64_t> next;
    for (const Point &point : graph.points)
        if (point.owner == rank) {
            distance[point.key] = 0;
            next.push_back(point.key);
        }
    for (; !next.empty(); next.pop_front()) {
        const Point *point = graph.find(next.front());
        const int32_t here = distance[next.front()];
        if (!point || here == graph.rings) continue;
        for (const uint64_t key : point->neighbours)
            if (!(graph.has_skip && key == skip) && distance.emplace(key, here + 1).second) next.push_back(key);
    }
    return distance;
}

Local expected(const Graph &graph, int32_t rank) {
    Local local;
    std::vector<std::tuple<bool, int32_t, int32_t, uint64_t>> ghosts;
    for (const Point &point : graph.points)
        if (point.owner == rank) {
            local.keys.push_back(point.key);
            local.owners.push_back(rank);
            local.rings.push_back(0);
        }
    for (const auto &[key, ring] : distances(graph, rank)) {
        const Point *point = graph.find(key);
        if (ring > 0) ghosts.emplace_back(!point, ring, point ? point->owner : -1, key);
    }
    std::sort(ghosts.begin(), ghosts.end());
    for (const auto &[nobody, ring, owner, key] : ghosts) {
        local.keys.push_back(key);
        local.owners.push_back(owner);
        local.rings.push_back(ring);
    }
    std::map<uint64_t, uint32_t> place;
    for (uint32_t i = 0; i < local.keys.size(); ++i) place[local.keys[i]] = i;
    for (size_t i = 0; i < local.keys.size(); ++i) {
        if (local.owners[i] < 0 || local.rings[i] == graph.rings) continue;
        std::vector<uint32_t> &row = local.rows.emplace_back();
        for (const uint64_t key : graph.find(local.keys[i])->neighbours) row.push_back(graph.has_skip && key == skip ? HALO_NO_INDEX : place.at(key));
    }
    return local;
}

// Keys of which the owner was asked.
struct Asked {
    const Graph &graph;
    std::vector<uint64_t> keys{};
};

int32_t owner_in(void *user, uint64_t key) {
    auto *asked = static_cast<Asked *>(user);
    asked->keys.push_back(key);
    const Point *point = asked->graph.find(key);
    return point ? point->owner : -1;
}

// Once of each key of another's, or of nobody's, in this rank's own rows.
void check_asked(const Graph &graph, int32_t rank, std::vector<uint64_t> asked) {
    std::set<uint64_t> wanted;
    for (const Point &point : graph.points)
        for (const uint64_t key : point.neighbours)
            if (point.owner == rank && !(graph.has_skip && key == skip) && !(graph.find(key) && graph.find(key)->owner == rank)) wanted.insert(key);
    std::sort(asked.begin(), asked.end());
    if (!std::equal(asked.begin(), asked.end(), wanted.begin(), wanted.end()))
        conformance::stop("asked of %zu keys, %zu times", wanted.size(), asked.size());
}

halo_topology *make(Rank &rank, const Graph &graph) {
    std::vector<uint64_t> own, neighbours;
    std::vector<int64_t> offsets{ 3 }; // the first neighbours may be anybody's
    neighbours.resize(3, 12345);
    std::vector<int32_t> owners(3, -5);
    for (const Point &point : graph.points) {
        if (point.owner != rank.rank) continue;
        own.push_back(point.key);
        for (const uint64_t key : point.neighbours) {
            neighbours.push_back(key);
            owners.push_back(graph.find(key) ? graph.find(key)->owner : 0);
        }
        offsets.push_back(static_cast<int64_t>(neighbours.size()));
    }
    const int64_t unused = graph.width > 0 ? 3 : 0;
    std::vector<const uint64_t *> rows;
    std::vector<int64_t> lengths;
    for (size_t i = 0; i < own.size(); ++i) {
        rows.push_back(neighbours.data() + offsets[i]);
        lengths.push_back(offsets[i + 1] - offsets[i]);
    }
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.rings = graph.rings;
    desc.n_owned = static_cast<int64_t>(own.size());
    desc.keys = own.data();
    desc.width = graph.width;
    if (graph.apart && !own.empty()) {
        desc.rows = rows.data();
        desc.lengths = graph.width > 0 ? nullptr : lengths.data();
    } else {
        desc.offsets = graph.width > 0 ? nullptr : offsets.data();
        desc.neighbours = neighbours.data() + unused;
    }
    const bool knows_owners = graph.known_owners && owners.size() > 3; // an empty list may be nowhere
    if (knows_owners && !graph.asks_owners && !desc.rows) desc.owners = owners.data() + unused;
    Asked asked{ graph };
    const bool asks = knows_owners && !desc.owners;
    if (asks) desc.owner_of = owner_in, desc.owner_user = &asked;
    desc.has_skip = graph.has_skip;
    desc.skip = skip;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_graph(rank.context, &desc, &topology));
    if (asks) check_asked(graph, rank.rank, asked.keys);
    return topology;
}

template <class T>
void compare(uint64_t seed, const char *what, const std::vector<T> &wanted, halo_status (*ask)(const halo_topology *, T *, int64_t, int64_t *),
             const halo_topology *topology) {
    int64_t n = 0;
    OK(ask(topology, nullptr, 0, &n));
    std::vector<T> found(static_cast<size_t>(n));
    if (n > 0) OK(ask(topology, found.data(), n, &n));
    if (found != wanted) conformance::stop("seed %llu: wrong %s", static_cast<unsigned long long>(seed), what);
}

void check_rows(uint64_t seed, const Local &local, const halo_topology *topology) {
    const int64_t *offsets = nullptr;
    const uint32_t *neighbours = nullptr;
    int64_t n_rows = 0;
    OK(halo_topology_graph_rows(topology, &offsets, &neighbours, &n_rows));
    std::vector<std::vector<uint32_t>> rows;
    for (int64_t i = 0; i < n_rows; ++i) rows.emplace_back(neighbours + offsets[i], neighbours + offsets[i + 1]);
    if (rows != local.rows) conformance::stop("seed %llu: wrong rows", static_cast<unsigned long long>(seed));
}

void check_exchange(uint64_t seed, const Local &local, halo_topology *topology, int32_t rank) {
    Storage<int64_t> storage(topology, "u", 1, static_cast<int64_t>(local.keys.size()), 2, rank);
    for (uint32_t i = 0; i < local.keys.size(); ++i) storage.at(i, 0) = local.rings[i] == 0 ? static_cast<int64_t>(local.keys[i] * 3) : -1;
    halo_field *field = storage.field();
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, nullptr, &exchange));
    storage.upload();
    OK(halo_exchange_start(exchange, nullptr, conformance::stream()));
    OK(halo_exchange_finish(exchange, conformance::finish_stream()));
    OK(halo_exchange_destroy(&exchange));
    storage.download();
    for (uint32_t i = 0; i < local.keys.size(); ++i)
        if (storage.at(i, 0) != (local.owners[i] < 0 ? -1 : static_cast<int64_t>(local.keys[i] * 3)))
            conformance::stop("seed %llu: wrong value of point %u", static_cast<unsigned long long>(seed), i);
}

class Graphs : public testing::TestWithParam<std::tuple<int32_t, const char *>> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Graphs,
                         testing::Combine(testing::ValuesIn(conformance::rank_counts()), testing::Values("alltoall", "reduce_scatter", "consensus")));

TEST_P(Graphs, RingsAsASearchFindsThem) {
    const auto &[n_ranks, discovery] = GetParam();
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 50);
    const auto first = static_cast<uint64_t>(conformance::number_from("KEYS_SEED", 1));
    conformance::run(n_ranks, { { "discovery", discovery } }, [&](Rank &rank) {
        for (uint64_t seed = first; seed < first + static_cast<uint64_t>(n_cases); ++seed) {
            Random random(seed);
            conformance::begin_case(seed);
            const Graph graph = random_graph(random, rank.size);
            const Local local = expected(graph, rank.rank);
            halo_topology *topology = make(rank, graph);
            compare(seed, "keys", local.keys, halo_topology_point_keys, topology);
            compare(seed, "owners", local.owners, halo_topology_owners, topology);
            compare(seed, "rings", local.rings, halo_topology_rings, topology);
            check_rows(seed, local, topology);
            check_exchange(seed, local, topology, rank.rank);
            OK(halo_topology_destroy(&topology));
        }
    });
}

// A closed chain, of as many points as ranks or three times as many: rings may reach round it.
TEST_P(Graphs, RoundAChain) {
    const auto &[n_ranks, discovery] = GetParam();
    conformance::run(n_ranks, { { "discovery", discovery } }, [&](Rank &rank) {
        for (const int64_t each : { 1, 3 })
            for (int32_t rings = 1; rings <= 5; ++rings) {
                const auto n = static_cast<uint64_t>(each * rank.size);
                std::vector<uint64_t> own, neighbours;
                for (uint64_t key = 0; key < n; ++key)
                    if (static_cast<int64_t>(key) / each == rank.rank) {
                        own.push_back(key);
                        neighbours.insert(neighbours.end(), { (key + n - 1) % n, (key + 1) % n });
                    }
                halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
                desc.rings = rings;
                desc.n_owned = each;
                desc.keys = own.data();
                desc.neighbours = neighbours.data();
                desc.width = 2;
                halo_topology *topology = nullptr;
                OK(halo_topology_create_graph(rank.context, &desc, &topology));
                halo_keys_report report = HALO_KEYS_REPORT_INIT;
                OK(halo_topology_keys_report(topology, &report));
                if (report.n_ghosts != std::min(int64_t{ 2 } * rings, static_cast<int64_t>(n) - each) || report.n_global != static_cast<int64_t>(n))
                    conformance::stop("%d rings: %lld ghosts", rings, static_cast<long long>(report.n_ghosts));
                OK(halo_topology_destroy(&topology));
            }
    });
}

// Who is wrong about a ghost's owner gets none; who knows better is not disturbed. Check mode tells all: SaidOwners.
TEST_P(Graphs, ContradictingOwners) {
    const auto &[n_ranks, discovery] = GetParam();
    if (n_ranks < 3) GTEST_SKIP() << "of three ranks two say different things of the third";
    conformance::run(n_ranks, { { "discovery", discovery }, { "check", "0" } }, [](Rank &rank) {
        constexpr uint64_t disputed = 100;
        const uint64_t keys[2] = { static_cast<uint64_t>(rank.rank), disputed }, neighbours[2] = { disputed, disputed };
        const int32_t says = rank.rank == 0 ? 1 : 2, owners[2] = { says, says };
        halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
        desc.n_owned = rank.rank == 2 ? 2 : 1, desc.width = 1, desc.keys = keys, desc.neighbours = neighbours, desc.owners = owners;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_graph(rank.context, &desc, &topology));
        int32_t found[2] = { -2, -2 };
        int64_t n = 0;
        OK(halo_topology_owners(topology, found, 2, &n));
        if (n != 2 || found[1] != (rank.rank == 0 ? -1 : 2))
            conformance::stop("%lld points, the disputed one of rank %d", static_cast<long long>(n), found[1]);
        halo_keys_report report = HALO_KEYS_REPORT_INIT;
        OK(halo_topology_keys_report(topology, &report));
        if (report.n_unclaimed != 1 || report.n_global != rank.size + 1)
            conformance::stop("%lld keys of nobody's", static_cast<long long>(report.n_unclaimed));
        OK(halo_topology_destroy(&topology));
    });
}

TEST_P(Graphs, Refused) {
    const auto &[n_ranks, discovery] = GetParam();
    conformance::run(n_ranks, { { "discovery", discovery } }, [](Rank &rank) {
        const auto refused = [&](halo_status status, const halo_graph_desc &desc, const char *text) {
            halo_topology *topology = nullptr;
            const halo_status got = halo_topology_create_graph(rank.context, &desc, &topology);
            if (got != status || topology) conformance::stop("status %d instead of %d: %s", got, status, halo_last_error());
            if (!std::strstr(halo_last_error(), text)) conformance::stop("'%s' is not in: %s", text, halo_last_error());
        };
        const uint64_t twice[2] = { 5, 5 }, mine[1] = { static_cast<uint64_t>(rank.rank) }, common[1] = { 9 };
        const int64_t descending[2] = { 3, 1 };
        const int32_t no_rank[1] = { rank.size };
        halo_graph_desc good = HALO_GRAPH_DESC_INIT;
        good.n_owned = 1;
        good.keys = mine;
        good.neighbours = mine;
        good.width = 1;
        halo_graph_desc bad = good;
        bad.keys = twice;
        bad.n_owned = 2;
        bad.width = 0;
        refused(HALO_ERR_ARGUMENT, bad, "key 5 is owned twice");
        bad = good;
        bad.offsets = descending;
        refused(HALO_ERR_ARGUMENT, bad, "offsets 3 and 1");
        bad = good;
        bad.rings = 0;
        refused(HALO_ERR_ARGUMENT, bad, "0 rings");
        bad = good;
        bad.owners = no_rank;
        refused(HALO_ERR_ARGUMENT, bad, "there are ranks");
        bad = good;
        bad.neighbours = nullptr;
        refused(HALO_ERR_ARGUMENT, bad, "no address");
        const uint64_t *rows[1] = { mine }, *nowhere[1] = { nullptr };
        const int64_t negative[1] = { -1 }, one[1] = { 1 };
        bad = good;
        bad.rows = rows;
        refused(HALO_ERR_ARGUMENT, bad, "rows go with no offsets, neighbours, owners");
        bad.neighbours = nullptr;
        bad.lengths = negative;
        refused(HALO_ERR_ARGUMENT, bad, "row of point 0: -1 neighbours");
        bad.lengths = nullptr;
        bad.rows = nowhere;
        refused(HALO_ERR_ARGUMENT, bad, "row of point 0: 1 neighbours at address");
        bad = good;
        bad.lengths = one;
        refused(HALO_ERR_ARGUMENT, bad, "lengths of no rows");
        bad = good;
        bad.owners = no_rank;
        bad.owner_of = [](void *, uint64_t) { return int32_t{ 0 }; };
        refused(HALO_ERR_ARGUMENT, bad, "owners and owner_of");
        const uint64_t of_others[1] = { 1000 };
        bad = good;
        bad.neighbours = of_others;
        bad.owner_of = [](void *, uint64_t) { return int32_t{ 1000 }; };
        refused(HALO_ERR_ARGUMENT, bad, "owner 1000 of neighbour 1000");
        if (rank.size == 1) return;
        bad = good;
        bad.keys = common;
        refused(HALO_ERR_ARGUMENT, bad, "key 9 is owned by rank");
        bad = good;
        bad.rings = 1 + rank.rank % 2;
        refused(HALO_ERR_MISMATCH, bad, "rings");
    });
}

} // namespace
