// SPDX-License-Identifier: BSD-3-Clause
#include "access/section_runs.h"

#include <algorithm>

#include "field/values.h"
#include "topology/points/points.h"

namespace halo {

namespace {

// Which points of a part without cells are owned; empty: all that a box of cells has. What is received from this rank itself is a ghost.
std::vector<bool> owned_points(const Topology &topology, int64_t local_index) {
    const auto *points = dynamic_cast<const PointsTopology *>(&topology);
    if (!points) return {};
    std::vector<bool> owned;
    for (const int32_t owner : points->owners()) owned.push_back(owner == topology.context().rank());
    for (const auto &[key, list] : points->forward().receive)
        for (int64_t i = 0; i < list.size(); ++i) owned[list[i]] = false;
    const int64_t first = points->first_point(local_index);
    return { owned.begin() + first, owned.begin() + first + topology.cells(local_index)[0] };
}

void join(ByteRuns &runs) {
    std::sort(runs.begin(), runs.end(), [](const ByteRun &a, const ByteRun &b) { return a.offset < b.offset; });
    size_t last = 0;
    for (size_t i = 1; i < runs.size(); ++i)
        if (runs[last].offset + runs[last].bytes == runs[i].offset)
            runs[last].bytes += runs[i].bytes;
        else
            runs[++last] = runs[i];
    if (!runs.empty()) runs.resize(last + 1);
}

ByteRun bytes_of(const Field &field, const ValueAt &value) { return { value.element * field.spec().element_bytes, field.spec().element_bytes }; }

bool is_inside(const Field &field, int64_t local_index, const ValueAt &value) {
    const Extent cells = field.topology().cells(local_index);
    for (int d = 0; d < 3; ++d)
        if (value.point[d] < 0 || value.point[d] >= points(cells[d], field.spec().places[static_cast<size_t>(value.place)], d)) return false;
    return true;
}

std::map<uint32_t, ByteRuns> filled_points(const Field &field, const PointsTopology &topology, int64_t local_index) {
    constexpr int64_t none = -1;
    const int64_t first = topology.first_point(local_index), n = topology.cells(local_index)[0];
    std::vector<int64_t> groups_of(static_cast<size_t>(n), none);
    for (const auto &[key, list] : topology.forward().receive)
        for (int64_t i = 0; i < list.size(); ++i)
            if (const int64_t point = list[i] - first; point >= 0 && point < n) groups_of[static_cast<size_t>(point)] = key.second >> section_shift;
    std::map<uint32_t, ByteRuns> ghosts;
    for_each_value(field, local_index, [&](const ValueAt &value) {
        const int64_t groups = groups_of[static_cast<size_t>(value.point[0])];
        if (groups != none) ghosts[static_cast<uint32_t>(groups)].push_back(bytes_of(field, value));
    });
    return ghosts;
}

std::map<uint32_t, ByteRuns> filled_cells(const Field &field, int64_t local_index) {
    const std::vector<halo_boundary> boundaries = field.boundaries(field.topology().local_parts()[static_cast<size_t>(local_index)]);
    std::map<uint32_t, ByteRuns> ghosts;
    for_each_value(field, local_index, [&](const ValueAt &value) {
        if (is_inside(field, local_index, value)) return;
        const auto has_it = [&](const halo_boundary &boundary) { return boundary.place == value.place && has(boundary.ghosts, value.point); };
        if (std::none_of(boundaries.begin(), boundaries.end(), has_it)) ghosts[0].push_back(bytes_of(field, value));
    });
    return ghosts;
}

} // namespace

SectionRuns section_runs(const Field &field, int64_t local_index) {
    const std::vector<bool> is_owned = owned_points(field.topology(), local_index);
    SectionRuns runs;
    for_each_value(field, local_index, [&](const ValueAt &value) {
        const bool owned = is_owned.empty() ? is_inside(field, local_index, value) : is_owned[static_cast<size_t>(value.point[0])];
        (owned ? runs.owned : runs.ghosts).push_back(bytes_of(field, value));
    });
    join(runs.owned);
    join(runs.ghosts);
    return runs;
}

std::map<uint32_t, ByteRuns> filled_ghosts(const Field &field, int64_t local_index) {
    const auto *points = dynamic_cast<const PointsTopology *>(&field.topology());
    std::map<uint32_t, ByteRuns> ghosts = points ? filled_points(field, *points, local_index) : filled_cells(field, local_index);
    for (auto &[groups, runs] : ghosts) join(runs);
    return ghosts;
}

} // namespace halo
