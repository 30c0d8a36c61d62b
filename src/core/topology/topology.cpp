// SPDX-License-Identifier: BSD-3-Clause
#include "topology/topology.h"

#include <algorithm>
#include <array>

namespace halo {

halo_neighbour neighbour_row(int64_t gid, int32_t rank, int32_t element, const AxisMap &map) {
    halo_neighbour row{};
    row.gid = gid;
    row.rank = rank;
    row.element = element;
    std::ranges::copy(map.axis, row.axis);
    std::ranges::copy(map.sign, row.sign);
    return row;
}

void sort_neighbours(std::vector<halo_neighbour> &rows) {
    const auto key = [](const halo_neighbour &row) {
        return std::array<int64_t, 8>{ row.element, row.gid, row.axis[0], row.axis[1], row.axis[2], row.sign[0], row.sign[1], row.sign[2] };
    };
    std::sort(rows.begin(), rows.end(), [&](const halo_neighbour &a, const halo_neighbour &b) { return key(a) < key(b); });
    const auto same = [&](const halo_neighbour &a, const halo_neighbour &b) { return key(a) == key(b); };
    rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
}

// Local parts are often a run of gids.
int64_t Topology::local_index(int64_t gid) const {
    if (local_parts_.empty() || gid < local_parts_.front() || gid > local_parts_.back()) return -1;
    const int64_t in_run = gid - local_parts_.front();
    if (in_run < std::ssize(local_parts_) && local_parts_[in_run] == gid) return in_run;
    const auto place = std::lower_bound(local_parts_.begin(), local_parts_.end(), gid);
    return place != local_parts_.end() && *place == gid ? place - local_parts_.begin() : -1;
}

int64_t Topology::require_local(int64_t gid) const {
    const int64_t index = local_index(gid);
    if (index < 0) {
        const int32_t owner = part(gid).rank;
        fail(HALO_ERR_NOT_FOUND, "part %lld is owned by rank %d, not by this rank %d", static_cast<long long>(gid), owner, context_.rank());
    }
    return index;
}

std::string Topology::global_name(int64_t local_index, const Extent &point) const {
    return boxes() ? name_in_all(local_index, point) : std::string();
}

std::string Topology::name_in_all(int64_t local_index, const Extent &point) const {
    const halo_box cells = part(local_parts_[static_cast<size_t>(local_index)]).cells;
    return format("in all (%lld, %lld, %lld)", static_cast<long long>(cells.low[0] + point[0]), static_cast<long long>(cells.low[1] + point[1]),
                  static_cast<long long>(cells.low[2] + point[2]));
}

std::vector<int32_t> Topology::peers() const {
    std::vector<int32_t> ranks;
    for (const int64_t gid : local_parts_)
        for (const halo_neighbour &other : neighbours(gid))
            if (other.rank != context_.rank()) ranks.push_back(other.rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

} // namespace halo
