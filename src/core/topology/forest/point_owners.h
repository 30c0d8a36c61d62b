// SPDX-License-Identifier: BSD-3-Clause
// Which leaf has the value that all copies of a point get. A point of faces, edges or nodes may lie on the border of several blocks: of the leaves
// around it the finest own it, of these the first one along the curve. Coarser blocks have means of the owner's points. Cells have one leaf around
// them.
#pragma once

#include "base/function_ref.h"
#include "topology/boxes/box_calculus.h"
#include "topology/forest/block_box.h"
#include "topology/forest/leaves.h"

namespace halo {

// Points of a box that one leaf owns. Of leaves more than one level finer, which are not around a block's own points, none counts.
struct OwnedPoints {
    Across::Is is = Across::Is::nothing; // leaf: at the asking block's level; finer: one level below; coarser: only coarser leaves lie around them
    int64_t gid = -1;                    // of the owner; coarser: none
    int32_t element = 13; // of the owner, on which they lie; of ghosts, that which would lead to the asking block if the owner lay behind its element
    AxisMap map;          // from the asking block's index space to the owner's
    halo_box here{};      // as the asking block counts them
    halo_box there{};     // as the owner does, if it is finer on points that are two of its own wide

    // Are they points of that very leaf, where it asks for them?
    bool are_own_of(int64_t asking) const;
};
// Makes few boxes of many that lie side by side.
void join_boxes(std::vector<OwnedPoints> &found);
using OwnedPointsSink = FunctionRef<void(const OwnedPoints &)>;

// What an exchange fills of a block: visit(element, points). Element 13: points that other blocks may have too, among all of its own.
template <class Visit>
void for_each_filled(int32_t n_dims, const Extent &cells, Centring centring, const EdgeRequest &request, Visit &&visit) {
    const halo_box own = points_of(whole_block(cells), centring);
    if (request.shared != HALO_SHARED_ONLY)
        for_each_element(n_dims, [&](int32_t element, const ElementOffset &) {
            const halo_box ghosts = element_box(own, request.ghosts, element);
            if (in_stencil(element, request.stencil) && !empty(ghosts)) visit(element, ghosts);
        });
    if (request.shared != HALO_SHARED_KEEP && centring != HALO_CENTRE_CELL) visit(13, own);
}

class PointOwners {
public:
    // Blocks have that many cells, an even number.
    PointOwners(const Leaves &leaves, const Extent &cells, Centring centring) : leaves_(leaves), cells_(cells), centring_(centring) {}

    // Points of a block, a leaf or not, behind an element of it, fewer than the block has cells; element 13: its own. Nothing of those that lie
    // outside all trees. All leaves of which a point may be must be known.
    void find(const TreeBlock &block, int32_t element, const halo_box &points, OwnedPointsSink sink) const {
        find(across(block, element), element, points, sink);
    }
    // What lies across an element of a block; element 13: in its own place.
    Across across(const TreeBlock &block, int32_t element) const { return element == 13 ? leaves_.at(block) : leaves_.across(block, element); }
    // Of a block across whose element that lies.
    void find(const Across &across, int32_t element, const halo_box &points, OwnedPointsSink sink) const;

private:
    struct Copy;
    struct Place;
    static Copy only_copy(const Across &across);
    std::vector<Copy> copies_on(const TreeBlock &block, int32_t element) const;
    OwnedPoints owned_by(const Copy &copy, const Place &place, const halo_box &points) const;
    void find_finer(std::span<const Copy> copies, const Place &place, std::vector<halo_box> &left, std::vector<OwnedPoints> &found) const;
    void find_on(const Place &place, int32_t part, std::vector<OwnedPoints> &found) const;

    const Leaves &leaves_;
    Extent cells_;
    Centring centring_;
};

} // namespace halo
