// SPDX-License-Identifier: BSD-3-Clause
// In which order exchanges of loops combine what was added: sums bit for bit, whoever has which edge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "world.h"

namespace {

using namespace access_test;
using conformance::stop;

halo_access add(halo_field *field, int32_t order, int32_t mode = HALO_INC) {
    halo_access access = via_map(field, mode);
    access.combine_order = order;
    return access;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

constexpr int64_t n_nodes = 30, n_edges = 150;

int64_t node_of(int64_t edge, int64_t end) { return (edge * 7 + end * (1 + edge % 5)) % n_nodes; }
double value_of(int64_t edge, int64_t end) {
    return (static_cast<double>((edge * 977 + end * 131) % 2003) - 1001.5) * (1.0 + 1e-9 * static_cast<double>(edge)) / 3;
}

// In one place.
std::vector<double> sums_by_value() {
    std::vector<std::vector<double>> lists(n_nodes);
    for (int64_t edge = 0; edge < n_edges; ++edge)
        for (int64_t end = 0; end < 2; ++end) lists[static_cast<size_t>(node_of(edge, end))].push_back(value_of(edge, end));
    std::vector<double> sums;
    for (std::vector<double> &list : lists) {
        std::sort(list.begin(), list.end());
        sums.push_back(std::accumulate(list.begin() + 1, list.end(), list[0]));
    }
    return sums;
}

// Edges dealt at random, with a point for each of their ends, so that no copy is added to twice.
class Ends {
public:
    Ends(const Rank &rank, uint64_t seed) : rank_(rank) {
        Random random(seed);
        for (int64_t edge = 0; edge < n_edges; ++edge)
            if (pick(random, 0, rank.size - 1) == rank.rank) edges_.push_back(edge);
        for (const int64_t edge : edges_)
            for (int64_t end = 0; end < 2; ++end) keys_.push_back(static_cast<uint64_t>(node_of(edge, end)));
        halo_keys_desc desc = HALO_KEYS_DESC_INIT;
        desc.n_keys = std::ssize(keys_);
        desc.keys = keys_.data();
        desc.owner_rule = HALO_OWNER_SPREAD;
        desc.numbering = HALO_NUMBERING_AS_GIVEN;
        OK(halo_topology_create_keys(rank.context, &desc, &topology_));
        std::vector<int32_t> owners(keys_.size());
        int64_t n_owners = 0;
        OK(halo_topology_owners(topology_, owners.data(), std::ssize(owners), &n_owners));
        for (size_t i = 0; i < keys_.size(); ++i) { // of a rank's copies the first is the owned one
            const auto before = keys_.begin() + static_cast<std::ptrdiff_t>(i);
            if (owners[i] == rank.rank && std::find(keys_.begin(), before, keys_[i]) == before) owned_.push_back(i);
        }
        sums = make("sums");
        others = make("others");
    }
    ~Ends() {
        halo_field_destroy(&sums);
        halo_field_destroy(&others);
        halo_topology_destroy(&topology_);
    }
    Ends(const Ends &) = delete;
    Ends &operator=(const Ends &) = delete;

    // A loop over this rank's edges, then one that reads the sums.
    void run(int32_t order, int32_t where, bool sends) {
        loop({ direct(sums, HALO_WRITE, 1) }, where, [&](double *at) {
            for (const size_t i : owned_) at[i] = 0;
        });
        halo_batch *batch = begin({ add(sums, order) }, where);
        OK(halo_access_ready(batch));
        add_all(values(sums, where));
        put_back();
        OK(sends ? halo_access_end_and_send(batch) : halo_access_end(batch));
        loop({ direct(sums, HALO_READ) }, HALO_ON_HOST, [](double *) {});
    }
    void exchange_by_hand(int32_t order) {
        double *at = values(others, HALO_ON_HOST);
        std::fill_n(at, keys_.size(), 0.0);
        add_all(at);
        halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
        desc.kind = HALO_KIND_REVERSE;
        desc.combine_order = order;
        halo_exchange *exchange = nullptr;
        OK(halo_exchange_create(&others, 1, &desc, &exchange));
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        OK(halo_exchange_destroy(&exchange));
    }
    // Of all ranks, in owned points: `wanted` by node, or nullptr: the exchange by hand.
    int64_t differing(const std::vector<double> *wanted) const {
        int64_t n = 0;
        const double *found = values(sums, HALO_ON_HOST), *by_hand = values(others, HALO_ON_HOST);
        for (const size_t i : owned_) n += same_bits(found[i], wanted ? (*wanted)[keys_[i]] : by_hand[i]) ? 0 : 1;
        OK(halo_context_allreduce(rank_.context, &n, &n, 1, HALO_INT64, HALO_SUM));
        return n;
    }

    halo_field *sums = nullptr, *others = nullptr;

private:
    halo_field *make(const char *name) const {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        halo_field *field = nullptr;
        OK(halo_field_create(topology_, &desc, &field));
        OK(halo_field_allocate(field, -1));
        return field;
    }
    double *values(const halo_field *field, int32_t where) const { return static_cast<double *>(values_at(field, rank_.rank, 0, where)); }
    void add_all(double *at) const {
        for (size_t i = 0; i < keys_.size(); ++i) at[i] += value_of(edges_[i / 2], static_cast<int64_t>(i % 2));
    }
    halo_batch *begin(const std::vector<halo_access> &accesses, int32_t where) const {
        halo_batch *batch = nullptr;
        OK(halo_access_begin(rank_.context, accesses.data(), static_cast<int32_t>(accesses.size()), sizeof(halo_access), HALO_STYLE_REVERSE, where,
                             conformance::stream(), &batch));
        return batch;
    }
    template <class Body>
    void loop(const std::vector<halo_access> &accesses, int32_t where, Body &&body) const {
        halo_batch *batch = begin(accesses, where);
        OK(halo_access_ready(batch));
        body(values(sums, where));
        put_back();
        OK(halo_access_end(batch));
    }

    Rank rank_;
    std::vector<int64_t> edges_;
    std::vector<uint64_t> keys_;
    std::vector<size_t> owned_;
    halo_topology *topology_ = nullptr;
};

class Orders : public testing::TestWithParam<int32_t> {};

TEST_P(Orders, CanonicalSumsDependOnNoPartition) {
    const std::vector<double> wanted = sums_by_value();
    conformance::run(GetParam(), with_device(), [&](Rank &rank) {
        for (uint64_t seed = 1; seed < 7; ++seed) {
            conformance::begin_case(seed);
            Ends ends(rank, seed);
            for (const int32_t where : { HALO_ON_HOST, HALO_ON_DEVICE, HALO_ON_HOST })
                for (const bool sends : { false, true }) {
                    ends.run(HALO_COMBINE_CANONICAL, where, sends);
                    if (const int64_t n = ends.differing(&wanted))
                        stop("seed %d, where %d, sends %d: %d nodes differ", static_cast<int>(seed), where, sends, static_cast<int>(n));
                }
        }
    });
}

TEST_P(Orders, AreThoseOfExchanges) {
    const std::vector<double> wanted = sums_by_value();
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (const int32_t order : { HALO_COMBINE_BY_GID, HALO_COMBINE_CANONICAL }) {
            Ends ends(rank, 1);
            ends.run(order, HALO_ON_HOST, false);
            ends.exchange_by_hand(order);
            if (const int64_t n = ends.differing(nullptr)) stop("order %d: %d nodes differ", order, static_cast<int>(n));
            if (order == HALO_COMBINE_BY_GID && ends.differing(&wanted) == 0) stop("by gid, all sums are the same");
        }
    });
}

void equal(const char *what, int64_t wanted, int64_t got) {
    if (wanted != got) stop("%s: wanted %lld, got %lld", what, static_cast<long long>(wanted), static_cast<long long>(got));
}

TEST_P(Orders, OfOneFieldGoOneAfterTheOther) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        World world(rank, ring(rank.size));
        const auto touch = [&](const std::vector<halo_access> &accesses) { world.touch(accesses, HALO_STYLE_REVERSE, HALO_ON_HOST); };
        touch({ add(world.res, HALO_COMBINE_BY_GID) });
        touch({ add(world.res, HALO_COMBINE_CANONICAL) });
        equal("another order", 1, world.stats("res").reversed);
        touch({ add(world.res, HALO_COMBINE_CANONICAL), add(world.low, HALO_COMBINE_BY_GID), direct(world.res, HALO_INC) });
        equal("more of the same", 1, world.stats("res").reversed);
        equal("pending", HALO_SUM, world.state(world.res).pending);
        touch({ add(world.res, HALO_COMBINE_BY_GID) });
        equal("and back", 2, world.stats("res").reversed);
        equal("the other field's", 0, world.stats("low").reversed);
        touch({ direct(world.res, HALO_READ), direct(world.low, HALO_READ) });
        equal("all", 3, world.stats("res").reversed);
        equal("the other field's", 1, world.stats("low").reversed);
        // The least is the same in every order.
        touch({ add(world.low, HALO_COMBINE_BY_GID, HALO_ACCESS_MIN) });
        touch({ add(world.low, HALO_COMBINE_CANONICAL, HALO_ACCESS_MIN) });
        equal("minima", 1, world.stats("low").reversed);
        touch({ direct(world.low, HALO_READ) });
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Orders, testing::ValuesIn(conformance::rank_counts()));

} // namespace
