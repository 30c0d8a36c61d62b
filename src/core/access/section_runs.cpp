// SPDX-License-Identifier: BSD-3-Clause
#include "access/section_runs.h"

#include <algorithm>

#include "topology/points/points.h"

namespace halo {

namespace {

// Those of a part that its rank's points have by their place among the rank's.
int64_t first_point(const Topology &topology, int64_t local_index) {
    int64_t first = 0;
    for (int64_t i = 0; i < local_index; ++i) first += topology.cells(i)[0];
    return first;
}

// Which points of a part without cells are owned; empty: all that a box of cells has. What is received from this rank itself is a ghost.
std::vector<bool> owned_points(const Topology &topology, int64_t local_index) {
    const auto *points = dynamic_cast<const PointsTopology *>(&topology);
    if (!points) return {};
    std::vector<bool> owned;
    for (const int32_t owner : points->owners()) owned.push_back(owner == topology.context().rank());
    for (const auto &[key, list] : points->forward().receive)
        for (int64_t i = 0; i < list.size(); ++i) owned[list[i]] = false;
    const int64_t first = first_point(topology, local_index);
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

// All that the part has storage for: visit(point, place, its bytes of one component).
template <class Visit>
void for_each_value(const Field &field, int64_t local_index, Visit &&visit) {
    const FieldSpec &spec = field.spec();
    const PartLayout &layout = field.layout(local_index);
    const Extent cells = field.topology().cells(local_index);
    for (int64_t place = 0; place < std::ssize(spec.places); ++place) {
        Extent own{};
        for (int d = 0; d < 3; ++d) own[d] = points(cells[d], spec.places[place], d);
        for (int64_t c = 0; c < spec.n_components; ++c)
            for (int64_t z = -spec.ghosts.low[2]; z < own[2] + spec.ghosts.high[2]; ++z)
                for (int64_t y = -spec.ghosts.low[1]; y < own[1] + spec.ghosts.high[1]; ++y)
                    for (int64_t x = -spec.ghosts.low[0]; x < own[0] + spec.ghosts.high[0]; ++x) {
                        const std::optional<int64_t> at = field.element(local_index, { x, y, z });
                        if (!at) continue;
                        const int64_t element = *at + c * layout.component_stride + place * layout.place_stride;
                        visit(Extent{ x, y, z }, place, ByteRun{ element * spec.element_bytes, spec.element_bytes });
                    }
    }
}

bool is_inside(const Field &field, int64_t local_index, int64_t place, const Extent &point) {
    const Extent cells = field.topology().cells(local_index);
    for (int d = 0; d < 3; ++d)
        if (point[d] < 0 || point[d] >= points(cells[d], field.spec().places[place], d)) return false;
    return true;
}

bool is_in(const halo_box &box, const Extent &point) {
    for (int d = 0; d < 3; ++d)
        if (point[d] < box.low[d] || point[d] >= box.high[d]) return false;
    return true;
}

void join_all(std::map<uint32_t, ByteRuns> &ghosts) {
    for (auto &[groups, runs] : ghosts) join(runs);
}

std::map<uint32_t, ByteRuns> filled_points(const Field &field, const PointsTopology &topology, int64_t local_index) {
    constexpr int64_t none = -1;
    const int64_t first = first_point(topology, local_index), n = topology.cells(local_index)[0];
    std::vector<int64_t> groups_of(static_cast<size_t>(n), none);
    for (const auto &[key, list] : topology.forward().receive)
        for (int64_t i = 0; i < list.size(); ++i)
            if (const int64_t point = list[i] - first; point >= 0 && point < n) groups_of[static_cast<size_t>(point)] = key.second >> section_shift;
    std::map<uint32_t, ByteRuns> ghosts;
    for_each_value(field, local_index, [&](const Extent &point, int64_t, const ByteRun &bytes) {
        if (const int64_t groups = groups_of[static_cast<size_t>(point[0])]; groups != none) ghosts[static_cast<uint32_t>(groups)].push_back(bytes);
    });
    return ghosts;
}

std::map<uint32_t, ByteRuns> filled_cells(const Field &field, int64_t local_index) {
    const std::vector<halo_boundary> boundaries = field.boundaries(field.topology().local_parts()[static_cast<size_t>(local_index)]);
    std::map<uint32_t, ByteRuns> ghosts;
    for_each_value(field, local_index, [&](const Extent &point, int64_t place, const ByteRun &bytes) {
        if (is_inside(field, local_index, place, point)) return;
        const auto has_it = [&](const halo_boundary &boundary) { return boundary.place == place && is_in(boundary.ghosts, point); };
        if (std::none_of(boundaries.begin(), boundaries.end(), has_it)) ghosts[0].push_back(bytes);
    });
    return ghosts;
}

} // namespace

SectionRuns section_runs(const Field &field, int64_t local_index) {
    const std::vector<bool> is_owned = owned_points(field.topology(), local_index);
    SectionRuns runs;
    for_each_value(field, local_index, [&](const Extent &point, int64_t place, const ByteRun &bytes) {
        const bool owned = is_owned.empty() ? is_inside(field, local_index, place, point) : is_owned[static_cast<size_t>(point[0])];
        (owned ? runs.owned : runs.ghosts).push_back(bytes);
    });
    join(runs.owned);
    join(runs.ghosts);
    return runs;
}

std::map<uint32_t, ByteRuns> filled_ghosts(const Field &field, int64_t local_index) {
    const auto *points = dynamic_cast<const PointsTopology *>(&field.topology());
    std::map<uint32_t, ByteRuns> ghosts = points ? filled_points(field, *points, local_index) : filled_cells(field, local_index);
    join_all(ghosts);
    return ghosts;
}

} // namespace halo
