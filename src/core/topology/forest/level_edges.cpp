// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/level_edges.h"

#include <algorithm>
#include <map>

#include "topology/boxes/box_calculus.h"
#include "topology/forest/block_box.h"

namespace halo {

namespace {

// Widths of the cells two wide that cover those of `widths`.
GhostWidths halved(const GhostWidths &widths) {
    GhostWidths coarse;
    for (size_t d = 0; d < 3; ++d) {
        coarse.low[d] = (widths.low[d] + 1) / 2;
        coarse.high[d] = (widths.high[d] + 1) / 2;
    }
    return coarse;
}

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

} // namespace

GhostWidths LevelGhosts::coarse(int32_t n_dims) const {
    GhostWidths coarse = halved(widths);
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

LevelEdges::LevelEdges(const ForestTopology &forest, const LevelGhosts &ghosts)
    : forest_(forest),
      ghosts_(ghosts),
      coarse_widths_(ghosts.coarse(forest.n_dims())),
      coarse_cells_(forest.cells_of(0)) {
    for (int d = 0; d < forest.n_dims(); ++d) coarse_cells_[d] /= 2;
}

struct LevelEdges::Receiver {
    int64_t gid;
    const TreeBlock &block;
    int32_t rank;
};

std::vector<halo_box> LevelEdges::made(int64_t gid) const {
    std::vector<halo_box> boxes;
    for_each_element(forest_.n_dims(), [&](int32_t element, const ElementOffset &) {
        const halo_box box = element_box(whole_block(forest_.cells_of(gid)), ghosts_.widths, element);
        if (empty(box) || !in_stencil(element, ghosts_.stencil)) return;
        if (forest_.across(forest_.leaf(gid), element).is == Across::Is::coarser) boxes.push_back(box);
    });
    return boxes;
}

// Of the coarse cells on one side, those that ghosts behind coarser blocks are made from.
std::vector<halo_box> LevelEdges::read(const TreeBlock &block, int32_t element) const {
    std::vector<halo_box> boxes;
    if (ghosts_.reach == 0) return boxes;
    const halo_box side = element_box(whole_block(coarse_cells_), coarse_widths_, element);
    const GhostWidths cover = halved(ghosts_.widths);
    for_each_element(forest_.n_dims(), [&](int32_t made, const ElementOffset &) {
        const halo_box centres = element_box(whole_block(coarse_cells_), cover, made);
        if (made == element || empty(centres) || !in_stencil(made, ghosts_.stencil)) return;
        if (forest_.across(block, made).is != Across::Is::coarser) return;
        for (int d = 0; d < forest_.n_dims(); ++d) {
            halo_box around = centres;
            around.low[d] -= ghosts_.reach;
            around.high[d] += ghosts_.reach;
            if (const halo_box read = intersection(around, side); !empty(read)) add_disjoint(boxes, read);
        }
    });
    return boxes;
}

std::vector<halo_box> LevelEdges::read_beside(int64_t gid) const {
    std::vector<halo_box> boxes;
    const TreeBlock &block = forest_.leaf(gid);
    for_each_element(forest_.n_dims(), [&](int32_t element, const ElementOffset &) {
        if (forest_.across(block, element).is != Across::Is::leaf) return;
        for (const halo_box &box : read(block, element)) boxes.push_back(box);
    });
    return boxes;
}

// The parts of a refined block that have some of the receiver's points, on their coarse points.
template <class Visit>
void LevelEdges::from_parts(int64_t gid, int32_t element, const Across &across, const halo_box &wanted, Centring centring, Visit &&visit) const {
    const Extent cells = forest_.cells_of(gid);
    const halo_box there = box_across(wanted, element, across.map, cells);
    for (int32_t number = 0; number < 1 << forest_.n_dims(); ++number) {
        const TreeBlock block = child(across.block, number);
        const Extent place = place_in_parent(block, coarse_cells_, forest_.n_dims());
        const halo_box sent = intersection(there, shifted(points_of(whole_block(coarse_cells_), centring), place));
        if (!empty(sent)) visit(forest_.gid_of(block), relative(sent, place), box_from_across(sent, element, across.map, cells));
    }
}

// What each block behind an element of the receiver sends, and where.
template <class Visit>
void LevelEdges::behind(const Receiver &receiver, LevelWay way, Centring centring, int32_t element, const Across &across, Visit &&visit) const {
    if (way == LevelWay::to_coarser && across.is == Across::Is::finer && in_stencil(element, ghosts_.stencil))
        from_parts(receiver.gid, element, across, element_box(whole_block(forest_.cells_of(receiver.gid)), ghosts_.widths, element), centring, visit);
    if (way == LevelWay::fluxes && across.is == Across::Is::finer && has_faces_on(element, centring))
        from_parts(receiver.gid, element, across, faces_on(element, forest_.cells_of(receiver.gid)), centring, visit);
    if (way == LevelWay::to_finer && across.is == Across::Is::coarser && (ghosts_.reach > 0 || in_stencil(element, ghosts_.stencil))) {
        const halo_box side = element_box(whole_block(coarse_cells_), coarse_widths_, element);
        const Extent place = place_in_parent(across.block, coarse_cells_, forest_.n_dims());
        if (!empty(side)) visit(across.gid, shifted(box_across(side, element, across.map, coarse_cells_), place), side);
    }
    if (way == LevelWay::beside && across.is == Across::Is::leaf)
        for (const halo_box &box : read(receiver.block, element)) visit(across.gid, box_across(box, element, across.map, coarse_cells_), box);
}

// Elements in ascending order, so both ends of an edge count alike.
void LevelEdges::into(const Receiver &receiver, LevelWay way, Centring centring, const EdgeSink &sink) const {
    const int32_t here = forest_.context().rank();
    std::map<std::pair<int64_t, int32_t>, int32_t> n_edges; // from a sender over one of its elements
    for_each_element(forest_.n_dims(), [&](int32_t element, const ElementOffset &) {
        const Across across = forest_.across(receiver.block, element);
        behind(receiver, way, centring, element, across, [&](int64_t sender, const halo_box &send, const halo_box &receive) {
            Edge edge;
            edge.identity.element = element_across(element, across.map);
            edge.identity.piece = n_edges[{ sender, edge.identity.element }]++;
            edge.send_gid = sender;
            edge.send_rank = forest_.owner(sender);
            edge.receive_gid = receiver.gid;
            edge.receive_rank = receiver.rank;
            edge.send.box = send;
            edge.receive.box = receive;
            edge.map = across.map;
            edge.ends = ends_on(here, edge.send_rank, receiver.rank);
            if (edge.send_rank == here || receiver.rank == here) sink(edge);
        });
    });
}

void LevelEdges::emit(LevelWay way, Centring centring, const EdgeSink &sink) const {
    for (const int64_t gid : forest_.near()) into({ gid, forest_.leaf(gid), forest_.owner(gid) }, way, centring, sink);
}

} // namespace halo
