// SPDX-License-Identifier: BSD-3-Clause
// Every box is told to the ranks that keep the bins around it. Who keeps a bin tells the rank of each box that is near it about each box that has
// cells in the bin.
#include "topology/boxes/find_near.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/digest.h"
#include "base/limits.h"
#include "comm/collective.h"
#include "comm/route.h"
#include "topology/boxes/box_calculus.h"

namespace halo {

namespace {

struct BoxRecord {
    int64_t to; // a rank; of this width, so that there is no padding
    PlacedBox box;
};

class Bins {
public:
    Bins(const NearSpace &space, const Extent &edge, int32_t n_ranks) : space_(space), edge_(edge), n_ranks_(n_ranks) {}

    // A box that is as none can be would have cells in any number of bins.
    void check(const PlacedBox &box) const {
        bool fits = box.rank >= 0 && box.rank < n_ranks_;
        for (int d = 0; d < 3; ++d) {
            const bool periodic = space_.period[d] > 0;
            const int64_t low = box.cells.low[d], high = box.cells.high[d];
            fits = fits && low >= (periodic ? -limits::coordinate : space_.domain.low[d]) &&
                   high <= (periodic ? limits::coordinate : space_.domain.high[d]) && low < high && high - low <= edge_[d];
        }
        if (!fits)
            fail(HALO_ERR_WIRE, "boxes: rank %d tells of a box from (%lld, %lld, %lld) to (%lld, %lld, %lld), of at most %lld x %lld x %lld cells",
                 box.rank, static_cast<long long>(box.cells.low[0]), static_cast<long long>(box.cells.low[1]),
                 static_cast<long long>(box.cells.low[2]), static_cast<long long>(box.cells.high[0]), static_cast<long long>(box.cells.high[1]),
                 static_cast<long long>(box.cells.high[2]), static_cast<long long>(edge_[0]), static_cast<long long>(edge_[1]),
                 static_cast<long long>(edge_[2]));
    }
    // Bins that have cells of `box` or its images.
    std::vector<Extent> bins_of(const halo_box &box) const {
        std::array<std::vector<int64_t>, 3> places;
        for (int d = 0; d < 3; ++d) places[d] = places_of(box, d);
        std::vector<Extent> bins;
        for (const int64_t z : places[2])
            for (const int64_t y : places[1])
                for (const int64_t x : places[0]) bins.push_back({ x, y, z });
        return bins;
    }
    int32_t keeper(const Extent &bin) const {
        uint64_t hash = 0;
        for (const int64_t place : bin) hash = Digest::mix(hash ^ static_cast<uint64_t>(place + 1));
        return static_cast<int32_t>(hash % static_cast<uint64_t>(n_ranks_));
    }
    halo_box around(const halo_box &box) const {
        halo_box larger = box;
        for (int d = 0; d < 3; ++d) {
            larger.low[d] -= space_.range;
            larger.high[d] += space_.range;
        }
        return larger;
    }
    // Does `box`, or an image of it, lie near the other?
    bool near(const halo_box &other, const halo_box &box) const {
        const halo_box region = around(other);
        for (int d = 0; d < 3; ++d) {
            int64_t low = box.low[d];
            if (const int64_t period = space_.period[d]; period > 0) // the first image that ends behind the region's begin
                low += (floor_divide(region.low[d] - box.high[d], period) + 1) * period;
            if (low >= region.high[d] || low + box.high[d] - box.low[d] <= region.low[d]) return false;
        }
        return true;
    }

private:
    std::vector<int64_t> places_of(const halo_box &box, int d) const {
        const int64_t origin = space_.domain.low[d];
        const int64_t cells = space_.domain.high[d] - origin;
        int64_t low = box.low[d] - origin;
        int64_t high = box.high[d] - origin;
        const bool all_around = space_.period[d] > 0 && high - low >= cells;
        if (space_.period[d] == 0 || all_around) {
            low = all_around ? 0 : std::max<int64_t>(low, 0);
            high = all_around ? cells : std::min(high, cells);
        }
        std::vector<int64_t> places;
        for (int64_t at = low; at < high;) { // the end of the domain ends a bin
            const int64_t periods = floor_divide(at, cells);
            const int64_t place = (at - periods * cells) / edge_[d];
            places.push_back(place);
            at = periods * cells + std::min((place + 1) * edge_[d], cells);
        }
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return places;
    }

    const NearSpace &space_;
    Extent edge_;
    int32_t n_ranks_;
};

// As wide as the widest box, and no less than half of the range: a box then has cells in few bins, and few bins near it.
Extent bin_edges(Context &context, const std::vector<PlacedBox> &own, int64_t range) {
    Extent edge{ 1, 1, 1 };
    for (const PlacedBox &box : own)
        for (int d = 0; d < 3; ++d) edge[d] = std::max({ edge[d], box.cells.high[d] - box.cells.low[d], range / 2 });
    allreduce(context, edge.data(), edge.data(), 3, HALO_INT64, HALO_MAX);
    return edge;
}

std::vector<BoxRecord> tell_keepers(const Bins &bins, const std::vector<PlacedBox> &own) {
    std::vector<BoxRecord> records;
    for (const PlacedBox &box : own) {
        std::vector<int32_t> keepers;
        for (const Extent &bin : bins.bins_of(bins.around(box.cells))) keepers.push_back(bins.keeper(bin));
        std::sort(keepers.begin(), keepers.end());
        keepers.erase(std::unique(keepers.begin(), keepers.end()), keepers.end());
        for (const int32_t keeper : keepers) records.push_back({ keeper, box });
    }
    return records;
}

struct Bin {
    std::vector<size_t> has;  // boxes with cells in it
    std::vector<size_t> near; // boxes near it
};

std::vector<BoxRecord> answers(const Bins &bins, const std::vector<BoxRecord> &told, int32_t here) {
    std::map<Extent, Bin> kept;
    for (size_t i = 0; i < told.size(); ++i) {
        for (const Extent &bin : bins.bins_of(bins.around(told[i].box.cells)))
            if (bins.keeper(bin) == here) kept[bin].near.push_back(i);
        for (const Extent &bin : bins.bins_of(told[i].box.cells))
            if (bins.keeper(bin) == here) kept[bin].has.push_back(i);
    }
    std::vector<std::pair<int32_t, size_t>> pairs;
    for (const auto &[place, bin] : kept)
        for (const size_t asking : bin.near)
            for (const size_t other : bin.has)
                if (bins.near(told[asking].box.cells, told[other].box.cells)) pairs.emplace_back(told[asking].box.rank, other);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<BoxRecord> records;
    records.reserve(pairs.size());
    for (const auto &[rank, box] : pairs) records.push_back({ rank, told[box].box });
    return records;
}

} // namespace

std::vector<PlacedBox> near_boxes(Context &context, std::vector<PlacedBox> own, const NearSpace &space) {
    const Bins bins(space, bin_edges(context, own, space.range), context.size());
    const std::vector<BoxRecord> told = route(context, tell_keepers(bins, own));
    for (const BoxRecord &record : told) bins.check(record.box);
    const std::vector<BoxRecord> found = route(context, answers(bins, told, context.rank()));
    for (const BoxRecord &record : found) bins.check(record.box);
    std::vector<PlacedBox> near = std::move(own);
    for (const BoxRecord &record : found)
        if (record.box.rank != context.rank()) near.push_back(record.box);
    const auto by_gid = [](const PlacedBox &a, const PlacedBox &b) { return a.gid < b.gid; };
    const auto same_gid = [](const PlacedBox &a, const PlacedBox &b) { return a.gid == b.gid; };
    std::sort(near.begin(), near.end(), by_gid);
    near.erase(std::unique(near.begin(), near.end(), same_gid), near.end());
    return near;
}

std::vector<PlacedBox> find_near(Context &context, std::vector<PlacedBox> own, const NearSpace &space, int64_t &n_boxes) {
    const int64_t first = sum_below(context, std::ssize(own), n_boxes);
    for (size_t i = 0; i < own.size(); ++i) own[i].gid = first + static_cast<int64_t>(i);
    return near_boxes(context, std::move(own), space);
}

} // namespace halo
