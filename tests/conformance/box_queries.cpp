// SPDX-License-Identifier: BSD-3-Clause
// What a topology of boxes says about itself, against a search through all cells of all parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "box_stores.h"
#include "ranks.h"

namespace conformance {

namespace {

// Calls body(case, topology) for random cases whose parts the test knows.
template <class Body>
void for_each_case(const Rank &rank, uint64_t seed, Body &&body) {
    for (int64_t number = 0; number < 60; ++number) {
        const BoxCase made = make_box_case(seed, number, rank.size);
        if (made.model.form == BoxForm::cut) continue;
        halo_topology *topology = made.model.create(rank.context, rank.rank);
        body(made, topology);
        OK(halo_topology_destroy(&topology));
    }
}

template <class Visit>
void for_each_cell_of(const halo_box &box, Visit &&visit) {
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (int64_t x = box.low[0]; x < box.high[0]; ++x) visit(Triple{ x, y, z });
}

// The boundary regions of each place are just the ghosts that nobody owns, each once and under its element.
void check_boundaries(const BoxCase &made, const BoxStores &stores, int64_t gid) {
    const std::vector<int32_t> places = made.fields[0].places(made.model.n_dims);
    int64_t n = 0;
    OK(halo_field_boundaries(stores.handle(), gid, sizeof(halo_boundary), nullptr, 0, &n));
    std::vector<halo_boundary> found(static_cast<size_t>(n));
    OK(halo_field_boundaries(stores.handle(), gid, sizeof(halo_boundary), found.data(), n, &n));
    for (int32_t place = 0; place < std::ssize(places); ++place) {
        const int32_t bits = places[static_cast<size_t>(place)];
        std::vector<Triple> points;
        for (const halo_boundary &boundary : found)
            if (boundary.place == place)
                for_each_cell_of(boundary.ghosts, [&](const Triple &at) {
                    points.push_back(at);
                    if (element_of(at, made.model.points(gid, bits)) != boundary.element) stop("a wrong element");
                });
        std::vector<Triple> wanted = orphans(made.model, gid, bits, made.fields[0].ghosts);
        std::sort(points.begin(), points.end());
        std::sort(wanted.begin(), wanted.end());
        if (points != wanted)
            stop("part %lld has %zu boundary points in place %d, should have %zu: %s", static_cast<long long>(gid), points.size(), place,
                 wanted.size(), made.describe().c_str());
    }
    for (const halo_boundary &boundary : found)
        if (boundary.place < 0 || boundary.place >= std::ssize(places)) stop("a boundary in place %d", boundary.place);
}

// In each place, of the copies of a point all but its owner's are 0. Returns how many of this rank's points are 1.
int64_t check_owner_masks(const BoxCase &made, const BoxStores &stores) {
    std::map<int64_t, std::vector<uint8_t>> wanted;
    const auto strides = [&](int64_t gid, int32_t bits) {
        const Triple n = made.model.points(gid, bits);
        return Triple{ 1, n[0], n[0] * n[1] };
    };
    std::map<int64_t, int64_t> first; // of the present place
    for (const int32_t bits : made.fields[0].places(made.model.n_dims)) {
        for (const int64_t gid : stores.gids()) {
            first[gid] = std::ssize(wanted[gid]);
            const Triple n = made.model.points(gid, bits);
            wanted[gid].resize(wanted[gid].size() + static_cast<size_t>(n[0] * n[1] * n[2]), 1);
        }
        for (const SharedPoint &point : shared_points(made.model, { bits, {}, HALO_STENCIL_FULL, HALO_SHARED_ONLY }))
            for (const Copy &copy : point.copies) {
                if (!stores.is_local(copy.gid)) continue;
                const Triple along = strides(copy.gid, bits);
                wanted[copy.gid][static_cast<size_t>(first[copy.gid] + copy.at[0] * along[0] + copy.at[1] * along[1] + copy.at[2] * along[2])] = 0;
            }
    }
    int64_t n_owned = 0;
    for (const auto &[gid, values] : wanted) {
        int64_t n = 0;
        OK(halo_field_owner_mask(stores.handle(), gid, nullptr, 0, &n));
        std::vector<uint8_t> mask(static_cast<size_t>(n), 7);
        OK(halo_field_owner_mask(stores.handle(), gid, mask.data(), n, &n));
        if (mask != values) stop("the owner mask of part %lld: %s", static_cast<long long>(gid), made.describe().c_str());
        n_owned += std::count(mask.begin(), mask.end(), 1);
    }
    return n_owned;
}

// Points of the whole grid, in all places, each once.
int64_t count_points(const BoxCase &made) {
    int64_t n_points = 0;
    for (const int32_t bits : made.fields[0].places(made.model.n_dims)) {
        for (int64_t gid = 0; gid < made.model.n_parts(); ++gid) {
            const Triple n = made.model.points(gid, bits);
            n_points += n[0] * n[1] * n[2];
        }
        for (const SharedPoint &point : shared_points(made.model, { bits, {}, HALO_STENCIL_FULL, HALO_SHARED_ONLY }))
            n_points -= std::ssize(point.copies);
    }
    return n_points;
}

// The cell of the domain that a cell around a part stands for.
Triple wrapped(const BoxModel &model, int64_t gid, const Triple &at) {
    Triple cell;
    for (int d = 0; d < 3; ++d) {
        const int64_t period = model.domain.high[d] - model.domain.low[d];
        cell[d] = model.parts[gid].cells.low[d] + at[d] - model.domain.low[d];
        if (model.periodic[d]) cell[d] = (cell[d] % period + period) % period;
    }
    return cell;
}

using Holders = std::map<Triple, std::vector<std::pair<int64_t, Triple>>>; // parts that own a cell, and where in them it is

Holders holders_of(const BoxModel &model) {
    Holders holders;
    for (int64_t gid = 0; gid < model.n_parts(); ++gid)
        for_each_point(model.points(gid, HALO_CENTRE_CELL), Ghosts{},
                       [&](const Triple &at) { holders[wrapped(model, gid, at)].emplace_back(gid, at); });
    return holders;
}

using Neighbours = std::set<std::pair<int32_t, int64_t>>; // element, gid

Neighbours search_neighbours(const BoxModel &model, const Holders &holders, int64_t gid) {
    Ghosts layer;
    for (int d = 0; d < model.n_dims; ++d) layer.low[d] = layer.high[d] = 1;
    const Triple cells = model.points(gid, HALO_CENTRE_CELL);
    Neighbours wanted;
    for_each_point(cells, layer, [&](const Triple &at) {
        const auto found = holders.find(wrapped(model, gid, at));
        if (found == holders.end()) return;
        for (const auto &[other, there] : found->second)
            if (other != gid || there != at) wanted.emplace(element_of(at, cells), other);
    });
    return wanted;
}

class BoxQueries : public testing::TestWithParam<int32_t> {};

TEST_P(BoxQueries, BoundariesAreWhatNobodyOwns) {
    run(GetParam(), {}, [](Rank &rank) {
        for_each_case(rank, 77, [&](const BoxCase &made, halo_topology *topology) {
            BoxStores stores(topology, made.model, rank.rank, made.fields[0], 0);
            for (const int64_t gid : stores.gids()) check_boundaries(made, stores, gid);
            stores.destroy();
        });
    });
}

TEST_P(BoxQueries, EachPointHasOneOwner) {
    run(GetParam(), {}, [](Rank &rank) {
        for (const uint64_t seed : { 77, 1234 })
            for_each_case(rank, seed, [&](const BoxCase &made, halo_topology *topology) {
                BoxStores stores(topology, made.model, rank.rank, made.fields[0], 0);
                int64_t n_owned = check_owner_masks(made, stores);
                OK(halo_context_allreduce(rank.context, &n_owned, &n_owned, 1, HALO_INT64, HALO_SUM));
                if (n_owned != count_points(made)) stop("%lld points have an owner: %s", static_cast<long long>(n_owned), made.describe().c_str());
                stores.destroy();
            });
    });
}

TEST_P(BoxQueries, NeighboursAndPeersEqualTheSearch) {
    run(GetParam(), {}, [](Rank &rank) {
        for_each_case(rank, 99, [&](const BoxCase &made, halo_topology *topology) {
            const Holders holders = holders_of(made.model);
            std::set<int32_t> peers;
            for (const int64_t gid : made.model.local(rank.rank)) {
                int64_t n = 0;
                OK(halo_topology_neighbours(topology, gid, sizeof(halo_neighbour), nullptr, 0, &n));
                std::vector<halo_neighbour> found(static_cast<size_t>(n));
                OK(halo_topology_neighbours(topology, gid, sizeof(halo_neighbour), found.data(), n, &n));
                Neighbours told;
                for (const halo_neighbour &one : found) {
                    told.emplace(one.element, one.gid);
                    for (int32_t d = 0; d < 3; ++d)
                        if (one.axis[d] != d || one.sign[d] != 1 || one.level != 0) stop("neighbour %lld is turned", static_cast<long long>(one.gid));
                    if (one.rank != made.model.parts[one.gid].owner) stop("neighbour %lld on rank %d", static_cast<long long>(one.gid), one.rank);
                    if (one.rank != rank.rank) peers.insert(one.rank);
                }
                if (told != search_neighbours(made.model, holders, gid) || std::ssize(told) != n)
                    stop("the %lld neighbours of part %lld: %s", static_cast<long long>(n), static_cast<long long>(gid), made.describe().c_str());
            }
            int64_t n = 0;
            OK(halo_topology_peers(topology, nullptr, 0, &n));
            std::vector<int32_t> ranks(static_cast<size_t>(n));
            OK(halo_topology_peers(topology, ranks.data(), n, &n));
            if (ranks != std::vector<int32_t>(peers.begin(), peers.end())) stop("the peers: %s", made.describe().c_str());
        });
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, BoxQueries, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
