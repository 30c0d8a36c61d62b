// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/point_owners.h"

#include <algorithm>
#include <tuple>

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

} // namespace

// Those of one leaf on one of its elements come to lie behind each other.
void join_boxes(std::vector<OwnedPoints> &found) {
    if (found.size() < 2) return;
    const auto key = [](const OwnedPoints &points) { return std::tuple(points.is, points.gid, points.element); };
    std::stable_sort(found.begin(), found.end(), [&](const OwnedPoints &a, const OwnedPoints &b) { return key(a) < key(b); });
    for (size_t first = 0; first < found.size(); ++first)
        for (size_t i = first + 1; i < found.size() && key(found[i]) == key(found[first]);) {
            if (join(found[i], found[first]))
                std::swap(found[first], found[i]);
            else if (!join(found[first], found[i])) {
                ++i;
                continue;
            }
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
            i = first + 1;
        }
}

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

// Of points within a block.
PointOwners::Copy PointOwners::only_copy(const Across &across) {
    Copy copy;
    copy.across = across;
    copy.across.map = {};
    return copy;
}

// The block itself, and what lies across the element in each set of its directions. The owner's comes first.
std::vector<PointOwners::Copy> PointOwners::copies_on(const TreeBlock &block, int32_t element) const {
    const ElementOffset offset = element_offset(element);
    std::vector<Copy> copies;
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
        copies.push_back(copy);
    }
    std::stable_sort(copies.begin(), copies.end(), [](const Copy &a, const Copy &b) { return a.comes_before(b); });
    return copies;
}

// The block that a point was looked for across, and what of it is looked at.
struct PointOwners::Place {
    int32_t element; // of the asking block
    const Across &across;
    Centring centring; // as it has it
    halo_box points;   // on one of its elements
};

OwnedPoints PointOwners::owned_by(const Copy &copy, const Place &place, const halo_box &points) const {
    OwnedPoints owned;
    owned.is = copy.across.is;
    owned.map = place.across.map.then(copy.across.map);
    owned.element = place.element == whole ? copy.element : element_across(place.element, owned.map);
    owned.here = box_from_across(points, place.element, place.across.map, cells_, centring_);
    owned.there = box_across(points, copy.over, copy.across.map, cells_, place.centring);
    if (copy.across.is == Across::Is::leaf) owned.gid = copy.across.gid;
    return owned;
}

// Takes those out of `left` of which a part of a refined block is the owner; that block may have the points in several places.
void PointOwners::find_finer(std::span<const Copy> copies, const Place &place, std::vector<halo_box> &left, std::vector<OwnedPoints> &found) const {
    const int32_t n_dims = leaves_.trees().n_dims();
    Extent half = cells_;
    for (int d = 0; d < n_dims; ++d) half[d] /= 2;
    for (int32_t number = 0; number < 1 << n_dims; ++number) {
        Extent first{};
        for (int d = 0; d < n_dims; ++d) first[d] = (number >> d & 1) * half[d];
        for (const Copy &copy : copies) {
            const halo_box of_part = points_of(whole_block(half), centring_across(place.centring, copy.across.map));
            const halo_box owns = box_from_across(shifted(of_part, first), copy.over, copy.across.map, cells_, place.centring);
            if (std::ranges::none_of(left, [&](const halo_box &box) { return meet(box, owns); })) continue;
            const int64_t gid = leaves_.find(child(copy.across.block, number));
            if (gid < 0) break; // not there, or refined again: then a leaf of this level beside it counts
            for (const halo_box &box : left) {
                const halo_box sent = intersection(box, owns);
                if (empty(sent)) continue;
                found.push_back(owned_by(copy, place, sent));
                found.back().gid = gid;
                found.back().there = relative(found.back().there, first);
            }
            subtract(left, owns);
        }
    }
}

void PointOwners::find_on(const Place &place, int32_t part, std::vector<OwnedPoints> &found) const {
    const Copy only = only_copy(place.across);
    std::vector<Copy> several;
    if (part != whole) several = copies_on(place.across.block, part);
    const std::span<const Copy> copies = part == whole ? std::span(&only, 1) : std::span(several);
    if (copies.front().across.is != Across::Is::finer) return found.push_back(owned_by(copies.front(), place, place.points));
    std::vector<halo_box> left{ place.points };
    for (auto copy = copies.begin(); copy != copies.end() && copy->across.is == Across::Is::finer;) {
        const auto end = std::find_if(copy, copies.end(), [&](const Copy &other) { return other.across.block != copy->across.block; });
        find_finer({ copy, end }, place, left, found);
        copy = end;
    }
    if (!left.empty())
        fail(HALO_ERR_INTERNAL, "forest: points %s around block %s are those of no leaf one level finer", text_of(left.front()).c_str(),
             text_of(place.across.block).c_str());
}

void PointOwners::find(const Across &across, int32_t element, const halo_box &points, OwnedPointsSink sink) const {
    if (across.is == Across::Is::nothing) return;
    const Centring centring = centring_across(centring_, across.map);
    const halo_box there = box_across(points, element, across.map, cells_, centring_);
    std::vector<OwnedPoints> found;
    if (centring == HALO_CENTRE_CELL) find_on({ element, across, centring, there }, whole, found);
    for (int32_t part = 0; part < 27 && centring != HALO_CENTRE_CELL; ++part)
        if (const halo_box on = intersection(there, points_on(part, cells_, centring)); !empty(on))
            find_on({ element, across, centring, on }, part, found);
    join_boxes(found);
    for (const OwnedPoints &owned : found) sink(owned);
}

} // namespace halo
