// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/point_owners.h"

#include <optional>

#include "base/error.h"
#include "topology/centring.h"

namespace halo {

namespace {

constexpr int32_t whole = 13; // a block's element that is all of it

// Those of a block's points that lie on an element of it and on none of that element's own borders. Empty: the centring has none there.
halo_box points_on(int32_t element, const Extent &cells, Centring centring) {
    const ElementOffset offset = element_offset(element);
    halo_box box{};
    for (int d = 0; d < 3; ++d) {
        const bool on_faces = (centring >> d & 1) != 0;
        if (offset[d] != 0 && !on_faces) return {};
        box.low[d] = offset[d] > 0 ? cells[d] : offset[d] == 0 && on_faces ? 1 : 0;
        box.high[d] = offset[d] < 0 ? 1 : offset[d] > 0 ? cells[d] + 1 : cells[d];
    }
    return box;
}

// Those that a part of a block owns where others of its parts have them too, on points two wide.
halo_box owned_by_part(int32_t number, const Extent &half, Centring centring) {
    halo_box box = points_of(whole_block(half), centring);
    for (int d = 0; d < 3; ++d)
        if ((number >> d & 1) != 0 && (centring >> d & 1) != 0) box.low[d] = 1;
    return box;
}

bool lie_side_by_side(const halo_box &low, const halo_box &high, int d) {
    for (int e = 0; e < 3; ++e)
        if (e == d ? low.high[e] != high.low[e] : low.low[e] != high.low[e] || low.high[e] != high.high[e]) return false;
    return true;
}

// Takes `more` in, if they are points of the same leaf which lie behind the others here and there.
bool join(OwnedPoints &points, const OwnedPoints &more) {
    if (points.is != more.is || points.gid != more.gid || !(points.map == more.map) || points.element != more.element) return false;
    for (int d = 0; d < 3; ++d) {
        if (!lie_side_by_side(points.here, more.here, d)) continue;
        const bool upwards = points.map.sign[d] > 0;
        const bool there = points.is == Across::Is::coarser ||
                           lie_side_by_side(upwards ? points.there : more.there, upwards ? more.there : points.there, points.map.axis[d]);
        if (!there) return false;
        points.here = hull(points.here, more.here);
        points.there = hull(points.there, more.there);
        return true;
    }
    return false;
}

// As few boxes as that makes of them.
void join_all(std::vector<OwnedPoints> &found) {
    for (bool joined = true; joined;) {
        joined = false;
        for (size_t i = 0; i < found.size() && !joined; ++i)
            for (size_t j = 0; j < found.size() && !joined; ++j) {
                if (i == j || !join(found[i], found[j])) continue;
                found.erase(found.begin() + static_cast<std::ptrdiff_t>(j));
                joined = true;
            }
    }
}

} // namespace

bool OwnedPoints::are_own_of(int64_t asking) const { return gid == asking && map.is_identity() && equal(here, there); }

// Of the points on an element of a block, in one of the blocks around it.
struct PointOwners::Copy {
    Across across;
    int32_t over = whole;    // element of the asking block behind which it lies
    int32_t element = whole; // of its own, on which they lie

    bool comes_before(const Copy &other) const {
        const auto rank = [](Across::Is is) { return is == Across::Is::finer ? 0 : is == Across::Is::leaf ? 1 : 2; };
        if (rank(across.is) != rank(other.across.is)) return rank(across.is) < rank(other.across.is);
        if (across.block != other.across.block) return halo::comes_before(across.block, other.across.block);
        return element < other.element;
    }
};

// Around the element of a block: the block itself, and what lies across it in each set of its directions.
PointOwners::Copy PointOwners::first_copy(const TreeBlock &block, int32_t element) const {
    const ElementOffset offset = element_offset(element);
    std::optional<Copy> first;
    for (int32_t directions = 0; directions < 8; ++directions) {
        ElementOffset over{}, seen = offset;
        bool fits = true;
        for (int d = 0; d < 3; ++d) {
            if ((directions >> d & 1) == 0) continue;
            fits = fits && offset[d] != 0;
            over[d] = offset[d];
            seen[d] = -offset[d];
        }
        if (!fits) continue;
        Copy copy;
        copy.over = HALO_ELEMENT(over[0], over[1], over[2]);
        copy.across = directions == 0 ? leaves_.at(block) : leaves_.across(block, copy.over);
        if (copy.across.is == Across::Is::nothing) continue;
        ElementOffset there{};
        for (size_t d = 0; d < 3; ++d) there[copy.across.map.axis[d]] = copy.across.map.sign[d] * seen[d];
        copy.element = HALO_ELEMENT(there[0], there[1], there[2]);
        if (!first || copy.comes_before(*first)) first = copy;
    }
    return *first;
}

// `there`: points on one element of the block across, as that has them.
void PointOwners::find_on(const TreeBlock &block, int32_t element, const Across &across, int32_t part, const halo_box &there,
                          std::vector<OwnedPoints> &found) const {
    const Copy owner = first_copy(block, part);
    const Centring centring = centring_across(centring_, across.map);
    const Centring its = centring_across(centring, owner.across.map);
    OwnedPoints points;
    points.is = owner.across.is;
    points.map = across.map.then(owner.across.map);
    points.element = element == whole ? owner.element : element_across(element, points.map);
    const auto as_here = [&](const halo_box &box) { return box_from_across(box, element, across.map, cells_, centring_); };
    const halo_box in_owner = box_across(there, owner.over, owner.across.map, cells_, centring);
    if (points.is == Across::Is::coarser) {
        points.map = across.map;
        points.element = element;
        points.here = as_here(there);
        found.push_back(points);
        return;
    }
    if (points.is == Across::Is::leaf) {
        points.gid = owner.across.gid;
        points.here = as_here(there);
        points.there = in_owner;
        found.push_back(points);
        return;
    }
    const int32_t n_dims = leaves_.trees().n_dims();
    Extent half = cells_;
    for (int d = 0; d < n_dims; ++d) half[d] /= 2;
    for (int32_t number = 0; number < 1 << n_dims; ++number) {
        Extent place{};
        for (int d = 0; d < n_dims; ++d) place[d] = (number >> d & 1) * half[d];
        const halo_box sent = intersection(in_owner, shifted(owned_by_part(number, half, its), place));
        if (empty(sent)) continue;
        const TreeBlock finer = child(owner.across.block, number);
        points.gid = leaves_.find(finer);
        if (points.gid < 0) fail(HALO_ERR_INTERNAL, "forest: block %s is no leaf, but has points beside one", text_of(finer).c_str());
        points.there = relative(sent, place);
        points.here = as_here(box_from_across(sent, owner.over, owner.across.map, cells_, centring));
        found.push_back(points);
    }
}

void PointOwners::find(const TreeBlock &block, int32_t element, const halo_box &points, OwnedPointsSink sink) const {
    const Across across = element == whole ? leaves_.at(block) : leaves_.across(block, element);
    if (across.is == Across::Is::nothing) return;
    const halo_box there = box_across(points, element, across.map, cells_, centring_);
    const Centring centring = centring_across(centring_, across.map);
    std::vector<OwnedPoints> found;
    for (int32_t part = 0; part < 27; ++part)
        if (const halo_box on = intersection(there, points_on(part, cells_, centring)); !empty(on))
            find_on(across.block, element, across, part, on, found);
    join_all(found);
    for (const OwnedPoints &owned : found) sink(owned);
}

} // namespace halo
