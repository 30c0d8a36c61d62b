// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/hierarchy.h"

#include <algorithm>

#include "topology/boxes/box_calculus.h"

namespace halo {

namespace {

constexpr int64_t highest_ratio = 4;

// Sorted, so that both ends of an edge see them in one order.
std::vector<PlacedBox> near_boxes(const BoxSource &boxes, const halo_box &region) {
    std::vector<PlacedBox> near;
    boxes.boxes_near(region, near);
    std::sort(near.begin(), near.end(), precedes);
    return near;
}

LevelRatio ratio_of(const Topology &coarse, const Topology &fine) {
    const halo_box from = coarse.domain(), to = fine.domain();
    LevelRatio ratio;
    for (size_t d = 0; d < 3; ++d) ratio[d] = std::max<int64_t>((to.high[d] - to.low[d]) / (from.high[d] - from.low[d]), 1);
    return ratio;
}

GhostWidths around(int32_t width, const LevelRatio &ratio) {
    GhostWidths widths;
    for (size_t d = 0; d < 3; ++d) widths.low[d] = widths.high[d] = ratio[d] > 1 ? width : 0;
    return widths;
}

} // namespace

GhostWidths MadeCells::coarse(const LevelRatio &ratio) const {
    GhostWidths coarse = around(reach, ratio);
    for (size_t d = 0; d < 3; ++d) {
        const auto cells = static_cast<int32_t>(ratio[d]);
        coarse.low[d] += (widths.low[d] + cells - 1) / cells;
        coarse.high[d] += (widths.high[d] + cells - 1) / cells;
    }
    return coarse;
}

std::string Hierarchy::why_none(const Topology &coarse, const Topology &fine) {
    if (!coarse.boxes() || !fine.boxes()) return "a topology is not made of boxes of one index space";
    if (!coarse.knows_all_boxes() || !fine.knows_all_boxes()) return "boxes are distributed, so that no rank knows all of a level";
    if (coarse.n_dims() != fine.n_dims()) return "their topologies have different dimensions";
    const LevelRatio ratio = ratio_of(coarse, fine);
    const std::string domains =
        format("the domain of the coarser level is %s, of the finer %s", text_of(coarse.domain()).c_str(), text_of(fine.domain()).c_str());
    if (!equal(refined(coarse.domain(), ratio), fine.domain())) return domains + ": these are not the same cells refined";
    if (*std::ranges::max_element(ratio) > highest_ratio)
        return domains + format(": there are ratios up to %lld", static_cast<long long>(highest_ratio));
    if (ratio == LevelRatio{ 1, 1, 1 }) return domains + ": no direction is refined";
    if (CoarsenedBoxes(*fine.boxes(), ratio).period() != coarse.boxes()->period()) return "their topologies are periodic in different directions";
    return {};
}

Hierarchy::Hierarchy(const Topology &coarse, const Topology &fine)
    : coarse_(coarse),
      fine_(fine),
      ratio_(ratio_of(coarse, fine)),
      boxes_(*fine.boxes(), ratio_) {}

std::vector<halo_box> Hierarchy::made(int64_t gid, const MadeCells &cells) const {
    const PlacedBox part = fine_.boxes()->box_of(gid);
    const halo_box all = inside_domain(grown(part.cells, cells.widths), fine_.domain(), fine_.boxes()->period());
    std::vector<halo_box> boxes{ all };
    if (!cells.whole) {
        subtract(boxes, part.cells);
        for (const PlacedBox &other : near_boxes(*fine_.boxes(), all)) subtract(boxes, other.cells);
    }
    for (halo_box &box : boxes) box = relative(box, part.origin());
    return boxes;
}

std::vector<halo_box> Hierarchy::read(int64_t gid, const MadeCells &cells) const {
    const Extent origin = boxes_.box_of(gid).origin();
    const halo_box domain = relative(coarse_.domain(), origin);
    std::vector<halo_box> boxes;
    for (const halo_box &box : made(gid, cells)) {
        const halo_box around_it = grown(coarsened(box, ratio_), around(cells.reach, ratio_));
        add_disjoint(boxes, inside_domain(around_it, domain, coarse_.boxes()->period()));
    }
    return boxes;
}

std::vector<halo_box> Hierarchy::border(int64_t gid, Centring faces) const {
    const PlacedBox part = coarse_.boxes()->box_of(gid);
    GhostWidths beyond;
    Extent step{};
    for (size_t d = 0; d < 3; ++d) beyond.low[d] = beyond.high[d] = static_cast<int32_t>(step[d] = faces >> d & 1);
    const halo_box all = inside_domain(grown(part.cells, beyond), coarse_.domain(), coarse_.boxes()->period()), own = points_of(part.cells, faces);
    std::vector<halo_box> covered, others{ all }, border;
    for (const PlacedBox &box : near_boxes(boxes_, all))
        if (const halo_box inside = intersection(box.cells, all); !empty(inside)) add_disjoint(covered, inside);
    for (const halo_box &box : covered) subtract(others, box);
    for (const halo_box &box : covered)
        for (const halo_box &other : others)
            for (const halo_box &shared : { intersection(box, shifted(other, step)), intersection(shifted(box, step), other) })
                if (const halo_box inside = intersection(shared, own); !empty(shared) && !empty(inside)) add_disjoint(border, inside);
    for (halo_box &box : border) box = relative(box, part.origin());
    return border;
}

std::optional<NotNested> Hierarchy::first_not_nested(const MadeCells *cells) const {
    for (int64_t gid = 0; gid < fine_.n_parts(); ++gid) {
        const PlacedBox fine = fine_.boxes()->box_of(gid), part = boxes_.box_of(gid);
        if (!equal(refined(part.cells, ratio_), fine.cells)) return NotNested{ gid, fine.cells, {} };
        std::vector<halo_box> wanted = cells ? read(gid, *cells) : std::vector<halo_box>{ relative(part.cells, part.origin()) };
        for (halo_box &box : wanted) {
            std::vector<halo_box> missing{ shifted(box, part.origin()) };
            for (const PlacedBox &other : near_boxes(*coarse_.boxes(), missing[0])) subtract(missing, other.cells);
            if (!missing.empty()) return NotNested{ gid, fine.cells, missing[0] };
        }
    }
    return std::nullopt;
}

namespace {

// Lists of boxes without a cell twice.
struct LevelRows {
    Extent origin;
    std::vector<halo_level_box> rows{};

    void add(const std::vector<halo_box> &boxes, int32_t is) {
        for (const halo_box &box : boxes) rows.push_back({ relative(box, origin), is, 0 });
    }
};

std::vector<halo_box> without(std::vector<halo_box> boxes, const std::vector<halo_box> &others) {
    for (const halo_box &other : others) subtract(boxes, other);
    return boxes;
}

void add_inside(std::vector<halo_box> &boxes, const halo_box &box, const halo_box &frame) {
    if (const halo_box inside = intersection(box, frame); !empty(inside)) add_disjoint(boxes, inside);
}

// Owned cells that are covered; and those with a face on a covered cell, of this part or another.
void find_covered(const Topology &level, const Topology &finer, const halo_box &cells, std::vector<halo_box> &covered,
                  std::vector<halo_box> &beside) {
    const CoarsenedBoxes boxes(*finer.boxes(), ratio_of(level, finer));
    GhostWidths layer;
    for (int d = 0; d < level.n_dims(); ++d) layer.low[d] = layer.high[d] = 1;
    const std::vector<PlacedBox> near = near_boxes(boxes, grown(cells, layer));
    for (const PlacedBox &box : near) add_inside(covered, box.cells, cells);
    for (const PlacedBox &box : near)
        for (int d = 0; d < level.n_dims(); ++d) {
            GhostWidths along;
            along.low[d] = along.high[d] = 1;
            add_inside(beside, grown(box.cells, along), cells);
        }
    beside = without(beside, covered);
}

} // namespace

std::vector<halo_level_box> Hierarchy::level_boxes(const Topology &level, const Topology *finer, const GhostWidths &widths, int64_t gid) {
    if (!level.knows_all_boxes()) level.require_local(gid); // what lies around others is not known
    const PlacedBox part = level.boxes()->box_of(gid);
    std::vector<halo_box> covered, beside;
    if (finer) find_covered(level, *finer, part.cells, covered, beside);
    LevelRows found{ part.origin() };
    found.add(without(without({ part.cells }, covered), beside), HALO_LEVEL_UNCOVERED);
    found.add(beside, HALO_LEVEL_BESIDE);
    found.add(covered, HALO_LEVEL_COVERED);
    const halo_box all = grown(part.cells, widths);
    const halo_box inside = inside_domain(all, level.domain(), level.boxes()->period());
    std::vector<halo_box> others, same;
    for (const PlacedBox &box : near_boxes(*level.boxes(), inside))
        if (!box.same_place(part)) add_inside(others, box.cells, inside);
    same = without(others, { part.cells });
    found.add(same, HALO_LEVEL_SAME);
    found.add(without(without({ inside }, { part.cells }), same), HALO_LEVEL_COARSER);
    found.add(without({ all }, { inside }), HALO_LEVEL_OUTSIDE);
    return found.rows;
}

} // namespace halo
