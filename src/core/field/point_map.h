// SPDX-License-Identifier: BSD-3-Clause
// Where the points of a part have their values in a field's storage, and which have none: a node-to-DOF map.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "topology/edge.h"

namespace halo {

class PointMap {
public:
    // Negative: no value. HALO_ERR_ARGUMENT, HALO_ERR_BOUNDS: two points at one position, one that is too far; `what` names the field and part.
    PointMap(std::span<const int64_t> positions, const std::string &what);

    // Of a point; negative: it has no value.
    int64_t position(int64_t point) const {
        return positions_[static_cast<size_t>(point)] == nowhere ? -1 : int64_t{ positions_[static_cast<size_t>(point)] };
    }
    // One beyond the last position.
    int64_t n_positions() const { return n_positions_; }
    // Equal maps have equal hashes.
    uint64_t hash() const { return hash_; }

    // A region of points, as positions.
    struct Mapped {
        Region region;        // memory of the map
        uint64_t pattern = 0; // tells which of the region's points have no value; 0: all have one
    };
    const Mapped &mapped(const Region &region);

private:
    static constexpr uint32_t nowhere = UINT32_MAX;

    std::vector<uint32_t> positions_; // of each point
    int64_t n_positions_ = 0;
    struct Known {
        Mapped mapped;
        std::vector<uint32_t> list;
    };
    using Key = std::tuple<const uint32_t *, int64_t, int64_t>; // list, or first point of a run; number of points
    void fill(Known &known, const Region &region) const;
    std::map<Key, Known> known_;
    uint64_t hash_ = 0;
};

} // namespace halo
