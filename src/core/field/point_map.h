// SPDX-License-Identifier: BSD-3-Clause
// Where the points of a part have their values in a field's storage, and which have none: a node-to-DOF map, or cells in an order of their own.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "topology/edge.h"

namespace halo {

class PointMap {
public:
    // `positions` of the points of a box, x fastest; of listed ones along x. Negative: no value. HALO_ERR_ARGUMENT, HALO_ERR_BOUNDS: two points at
    // one position, one that is too far; `what` names the field and part.
    PointMap(const halo_box &points, std::span<const int64_t> positions, const std::string &what);

    // Of a point; negative: it has no value.
    int64_t position(const Extent &point) const {
        const uint32_t position = positions_[static_cast<size_t>(point[0] - points_.low[0] +
                                                                 size_[0] * (point[1] - points_.low[1] + size_[1] * (point[2] - points_.low[2])))];
        return position == nowhere ? -1 : int64_t{ position };
    }
    // One beyond the last position.
    int64_t n_positions() const { return n_positions_; }
    // Equal maps have equal hashes.
    uint64_t hash() const { return hash_; }
    bool operator==(const PointMap &other) const;

    // A region of listed points, as positions.
    struct Mapped {
        Region region;        // memory of the map
        uint64_t pattern = 0; // tells which of the region's points have no value; 0: all have one
    };
    const Mapped &mapped(const Region &region);

    // The points of a box as another index space counts them.
    struct Turned {
        std::array<int32_t, 3> first;
        std::array<int8_t, 3> axis; // its direction d runs along axis[d] here, downwards where sign[d] is -1
        std::array<int8_t, 3> sign;
        std::array<int32_t, 3> n; // as it counts them

        // Point (x, y, z) of it, as it is here.
        Extent point(int32_t x, int32_t y, int32_t z) const;
        bool operator<(const Turned &other) const;
    };
    // Their positions, its x fastest: memory of the map. All must have one.
    const std::vector<uint32_t> &positions(const Turned &box);
    // The first of them that has no value, or none.
    std::optional<Extent> first_without(const Turned &box) const;

private:
    static constexpr uint32_t nowhere = UINT32_MAX;

    halo_box points_;
    std::array<int64_t, 3> size_{}; // of that
    std::vector<uint32_t> positions_;
    int64_t n_positions_ = 0;
    struct Known {
        Mapped mapped;
        std::vector<uint32_t> list;
    };
    using Key = std::tuple<const uint32_t *, int64_t, int64_t>; // list, or first point of a run; number of points
    void fill(Known &known, const Region &region) const;
    std::map<Key, Known> known_;
    std::map<Turned, std::vector<uint32_t>> known_boxes_;
    uint64_t hash_ = 0;
};

} // namespace halo
