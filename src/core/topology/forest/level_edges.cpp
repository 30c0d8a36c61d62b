// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/level_edges.h"

#include <algorithm>
#include <map>

namespace halo {

namespace {

// First coarse cell of a block within the one it is a part of.
Extent place_in_parent(const TreeBlock &block, const Extent &coarse_cells, int32_t n_dims) {
    Extent place{};
    for (int d = 0; d < n_dims; ++d) place[d] = (block.at[d] & 1) * coarse_cells[d];
    return place;
}

// Is the element a side whose faces these are?
bool has_faces_on(int32_t element, Centring centring) {
    const ElementOffset offset = element_offset(element);
    bool alone = true;
    for (int d = 0; d < 3; ++d) alone = alone && (offset[d] != 0) == (centring == 1 << d);
    return alone;
}

// Those of a block.
halo_box faces_on(int32_t element, const Extent &cells) {
    const ElementOffset offset = element_offset(element);
    halo_box faces = whole_block(cells);
    for (int d = 0; d < 3; ++d) {
        if (offset[d] > 0) faces.low[d] = cells[d];
        if (offset[d] != 0) faces.high[d] = faces.low[d] + 1;
    }
    return faces;
}

// Are both one box? They do not meet.
bool lie_side_by_side(const halo_box &a, const halo_box &b) {
    int n_differ = 0;
    for (int d = 0; d < 3; ++d) {
        if (a.low[d] == b.low[d] && a.high[d] == b.high[d]) continue;
        if (++n_differ > 1 || (a.high[d] != b.low[d] && b.high[d] != a.low[d])) return false;
    }
    return n_differ == 1;
}

// Makes few boxes of many that do not meet.
void join_boxes(std::vector<halo_box> &boxes) {
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < boxes.size(); ++i)
            for (size_t k = i + 1; k < boxes.size();) {
                if (!lie_side_by_side(boxes[i], boxes[k])) {
                    ++k;
                    continue;
                }
                boxes[i] = hull(boxes[i], boxes[k]);
                boxes[k] = boxes.back();
                boxes.pop_back();
                again = true;
            }
    }
}

} // namespace

GhostWidths LevelGhosts::coarse(int32_t n_dims) const {
    GhostWidths coarse = widths.halved();
    for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d) {
        coarse.low[d] += reach;
        coarse.high[d] += reach;
    }
    return coarse;
}

bool LevelGhosts::halves_ghosts(int32_t n_dims) const {
    const auto are_enough = [this](int32_t width) { return width % 2 == 0 && width >= 2 * reach; };
    bool everywhere = stencil == HALO_STENCIL_FULL;
    for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d) everywhere = everywhere && are_enough(widths.low[d]) && are_enough(widths.high[d]);
    return everywhere;
}

LevelEdges::LevelEdges(const ForestTopology &forest, const LevelGhosts &ghosts, Centring centring)
    : forest_(forest),
      ghosts_(ghosts),
      centring_(centring),
      owners_(forest.leaves(), forest.cells_of(0), centring),
      cells_(forest.cells_of(0)),
      coarse_cells_(coarse_cells_of(forest)),
      in_parent_(forest.near().size()),
      finer_(forest.near().size()) {}

struct LevelEdges::Receiver {
    size_t place; // among those that are near
    int64_t gid;
    const TreeBlock &block;
    int32_t rank;
};

LevelEdges::Receiver LevelEdges::receiver(size_t place) const {
    const int64_t gid = forest_.near()[place];
    return { place, gid, forest_.leaf(gid), forest_.owner(gid) };
}

// Ghosts around which all leaves are coarser. Cells have one leaf around them.
template <class Visit>
void LevelEdges::for_each_made(const Receiver &receiver, Visit &&visit) const {
    const uint32_t coarser = forest_.elements_near(receiver.place, Across::Is::coarser);
    if (coarser == 0) return;
    for_each_filled(forest_.n_dims(), cells_, centring_, ghosts_.request(centring_), [&](int32_t element, const halo_box &points) {
        if (centring_ == HALO_CENTRE_CELL) {
            if ((coarser >> element & 1) != 0) visit(points);
            return;
        }
        owners_.find(forest_.across_near(receiver.place, element), element, points, [&](const OwnedPoints &owned) {
            if (owned.is == Across::Is::coarser) visit(owned.here);
        });
    });
}

std::vector<halo_box> LevelEdges::made(int64_t gid) const {
    std::vector<halo_box> boxes;
    for_each_made(receiver(forest_.place_near(gid)), [&](const halo_box &box) { boxes.push_back(box); });
    return boxes;
}

// Coarse points that ghosts are made from: those around each in directions in which points lie on faces, the cell it lies in in the others, and as
// many on both sides as slopes reach.
std::vector<halo_box> LevelEdges::find_centres(const Receiver &receiver) const {
    std::vector<halo_box> boxes;
    for_each_made(receiver, [&](const halo_box &box) {
        halo_box centres = box;
        for (int d = 0; d < forest_.n_dims(); ++d) {
            centres.low[d] = floor_divide(box.low[d], 2);
            centres.high[d] = floor_divide(box.high[d] - 1 + (centring_ >> d & 1), 2) + 1;
        }
        add_disjoint(boxes, centres);
        for (int d = 0; d < forest_.n_dims() && ghosts_.reach > 0; ++d) {
            if ((centring_ >> d & 1) != 0) continue;
            halo_box around = centres;
            around.low[d] -= ghosts_.reach;
            around.high[d] += ghosts_.reach;
            add_disjoint(boxes, around);
        }
    });
    join_boxes(boxes);
    return boxes;
}

// Those of cells are alike where coarser blocks lie across the same elements.
const std::vector<halo_box> &LevelEdges::centres(const Receiver &receiver) const {
    if (centring_ != HALO_CENTRE_CELL) return centres_ = find_centres(receiver);
    const auto [known, is_new] = centres_of_.try_emplace(forest_.elements_near(receiver.place, Across::Is::coarser));
    if (is_new) known->second = find_centres(receiver);
    return known->second;
}

const LevelEdges::Found &LevelEdges::found_in_parent(const Receiver &receiver) const {
    std::optional<Found> &known = in_parent_[receiver.place];
    if (!known) find_in_parent(receiver, known.emplace());
    return *known;
}

// As the block has them, with their owners as the block that it is a part of does.
void LevelEdges::find_in_parent(const Receiver &receiver, Found &found) const {
    const std::vector<halo_box> &boxes = centres(receiver);
    if (boxes.empty()) return;
    const TreeBlock &block = receiver.block;
    const TreeBlock parent = ancestor(block, block.level - 1);
    const Extent place = place_in_parent(block, coarse_cells_, forest_.n_dims());
    const halo_box own = points_of(whole_block(cells_), centring_);
    GhostWidths far = GhostWidths::same(0);
    for (size_t d = 0; d < static_cast<size_t>(forest_.n_dims()); ++d) far.low[d] = far.high[d] = static_cast<int32_t>(cells_[d]);
    for (int32_t element = 0; element < 27; ++element) {
        const halo_box behind = relative(element_box(own, far, element), place);
        if (std::ranges::none_of(boxes, [&](const halo_box &box) { return meet(box, behind); })) continue;
        const Across across = owners_.across(parent, element);
        for (const halo_box &box : boxes) {
            const halo_box points = intersection(box, behind);
            if (empty(points)) continue;
            owners_.find(across, element, shifted(points, place), [&](OwnedPoints owned) {
                owned.here = relative(owned.here, place);
                found.push_back(owned);
            });
        }
    }
    join_boxes(found);
}

LevelEdges::Read LevelEdges::read(int64_t gid) const {
    Read found;
    for (const OwnedPoints &owned : found_in_parent(receiver(forest_.place_near(gid))))
        if (owned.is == Across::Is::finer) (owned.are_own_of(gid) ? found.inside : found.beside).push_back(owned.here);
    return found;
}

const LevelEdges::Found &LevelEdges::found_finer(const Receiver &receiver) const {
    std::optional<Found> &known = finer_[receiver.place];
    if (known) return *known;
    Found &found = known.emplace();
    const uint32_t finer = forest_.elements_near(receiver.place, Across::Is::finer);
    if (finer == 0) return found;
    for_each_filled(forest_.n_dims(), cells_, centring_, ghosts_.request(centring_), [&](int32_t element, const halo_box &points) {
        if (centring_ == HALO_CENTRE_CELL && (finer >> element & 1) == 0) return;
        owners_.find(forest_.across_near(receiver.place, element), element, points, [&](const OwnedPoints &owned) {
            if (owned.is == Across::Is::finer) found.push_back(owned);
        });
    });
    return found;
}

// Of the faces on its border those that finer blocks have too.
template <class Visit>
void LevelEdges::for_each_flux(const Receiver &receiver, Visit &&visit) const {
    if (forest_.elements_near(receiver.place, Across::Is::finer) == 0) return;
    for_each_element(forest_.n_dims(), [&](int32_t element, const ElementOffset &) {
        if (!has_faces_on(element, centring_)) return;
        owners_.find(forest_.across_near(receiver.place, 13), 13, faces_on(element, cells_), [&](const OwnedPoints &owned) {
            if (owned.is == Across::Is::finer) visit(owned);
        });
    });
}

// What the owners of the receiver's points send, and where.
template <class Visit>
void LevelEdges::for_each_into(const Receiver &receiver, LevelWay way, Visit &&visit) const {
    if (way == LevelWay::fluxes) return for_each_flux(receiver, visit);
    if (way == LevelWay::to_coarser) {
        for (const OwnedPoints &owned : found_finer(receiver)) visit(owned);
        return;
    }
    if (way == LevelWay::beside && halves_ghosts()) return;
    const Across::Is wanted = way == LevelWay::to_finer ? Across::Is::leaf : Across::Is::finer;
    for (const OwnedPoints &owned : found_in_parent(receiver))
        if (owned.is == wanted && !(way == LevelWay::beside && owned.are_own_of(receiver.gid))) visit(owned);
}

// Elements in ascending order, so both ends of an edge count alike.
void LevelEdges::into(const Receiver &receiver, LevelWay way, const EdgeSink &sink) const {
    const int32_t here = forest_.context().rank();
    std::map<std::pair<int64_t, int32_t>, int32_t> n_edges; // from a sender over one of its elements
    for_each_into(receiver, way, [&](const OwnedPoints &owned) {
        Edge edge;
        edge.identity.element = owned.element;
        edge.identity.piece = n_edges[{ owned.gid, owned.element }]++;
        edge.send_gid = owned.gid;
        edge.send_rank = forest_.owner(owned.gid);
        edge.receive_gid = receiver.gid;
        edge.receive_rank = receiver.rank;
        edge.send.box = owned.there;
        edge.receive.box = owned.here;
        edge.map = owned.map;
        edge.ends = ends_on(here, edge.send_rank, receiver.rank);
        if (edge.send_rank == here || receiver.rank == here) sink(edge);
    });
}

void LevelEdges::emit(LevelWay way, const EdgeSink &sink) const {
    for (size_t place = 0; place < forest_.near().size(); ++place) into(receiver(place), way, sink);
}

} // namespace halo
