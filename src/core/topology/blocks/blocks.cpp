// SPDX-License-Identifier: BSD-3-Clause
#include "topology/blocks/blocks.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/checked.h"
#include "base/limits.h"
#include "topology/agree.h"
#include "topology/boxes/box_calculus.h"
#include "topology/boxes/box_edges.h"
#include "topology/curve.h"

namespace halo {

namespace {

constexpr ElementOffset opposite(const ElementOffset &offset) { return { -offset[0], -offset[1], -offset[2] }; }

} // namespace

BlocksTopology::BlocksTopology(Context &context, const halo_blocks_desc &desc)
    : Topology(context),
      n_dims_(desc.n_dims),
      n_blocks_{ 1, 1, 1 },
      n_cells_{ 1, 1, 1 },
      periodic_{},
      order_(desc.order) {
    check_desc(desc);
    for (int d = 0; d < n_dims_; ++d) {
        n_blocks_[d] = desc.n_blocks[d];
        n_cells_[d] = desc.n_cells[d];
        periodic_[d] = desc.periodic[d] != 0;
        n_parts_ *= n_blocks_[d];
    }
    if (desc.owner) {
        if (desc.n_owner != n_parts_)
            fail(HALO_ERR_ARGUMENT, "blocks: %lld owners are given for %lld blocks", static_cast<long long>(desc.n_owner),
                 static_cast<long long>(n_parts_));
        owner_.assign(desc.owner, desc.owner + n_parts_);
        for (int64_t gid = 0; gid < n_parts_; ++gid)
            if (owner_[gid] < 0 || owner_[gid] >= context.size())
                fail(HALO_ERR_ARGUMENT, "blocks: owner of part %lld is rank %d; the context has ranks 0 to %d", static_cast<long long>(gid),
                     owner_[gid], context.size() - 1);
    }
    find_local_parts();
}

void BlocksTopology::check_desc(const halo_blocks_desc &desc) const {
    if (desc.n_dims < 1 || desc.n_dims > 3) fail(HALO_ERR_ARGUMENT, "blocks: n_dims is %d, it must be 1, 2 or 3", desc.n_dims);
    if (desc.order != HALO_ORDER_MORTON && desc.order != HALO_ORDER_ROWS)
        fail(HALO_ERR_ARGUMENT, "blocks: order %d is none of HALO_ORDER_...", desc.order);
    Checked parts = 1;
    for (int d = 0; d < desc.n_dims; ++d) {
        if (desc.n_blocks[d] < 1 || desc.n_cells[d] < 1)
            fail(HALO_ERR_ARGUMENT, "blocks: direction %d has %lld blocks of %lld cells; both must be 1 or more", d,
                 static_cast<long long>(desc.n_blocks[d]), static_cast<long long>(desc.n_cells[d]));
        check_limit("blocks: n_cells", desc.n_cells[d], limits::part_cells);
        (Checked(desc.n_blocks[d]) * desc.n_cells[d]).value("blocks: n_blocks * n_cells of one direction", limits::coordinate);
        parts = parts * desc.n_blocks[d];
    }
    const int64_t all = parts.value("blocks: the number of blocks", limits::blocks);
    if (!desc.owner) check_limit("blocks: blocks per rank", all / context_.size(), limits::local_parts);
}

void BlocksTopology::find_local_parts() {
    const int32_t here = context_.rank();
    if (owner_.empty()) {
        const auto start = [&](int64_t rank) { return static_cast<int64_t>(static_cast<__int128>(n_parts_) * rank / context_.size()); };
        for (int64_t gid = start(here); gid < start(here + 1); ++gid) local_parts_.push_back(gid);
        return;
    }
    for (int64_t gid = 0; gid < n_parts_; ++gid)
        if (owner_[gid] == here) local_parts_.push_back(gid);
}

void BlocksTopology::require_gid(int64_t gid) const {
    if (gid < 0 || gid >= n_parts_)
        fail(HALO_ERR_NOT_FOUND, "part %lld does not exist: gids are 0 to %lld", static_cast<long long>(gid), static_cast<long long>(n_parts_ - 1));
}

int32_t BlocksTopology::owner(int64_t gid) const { return owner_.empty() ? even_owner(gid, n_parts_, context_.size()) : owner_[gid]; }

Extent BlocksTopology::coordinates(int64_t gid) const {
    if (order_ == HALO_ORDER_MORTON) return morton_coordinates(gid, n_blocks_);
    return { gid % n_blocks_[0], gid / n_blocks_[0] % n_blocks_[1], gid / (n_blocks_[0] * n_blocks_[1]) };
}

int64_t BlocksTopology::gid_at(const Extent &at) const {
    return order_ == HALO_ORDER_MORTON ? morton_place(at, n_blocks_) : at[0] + n_blocks_[0] * (at[1] + n_blocks_[1] * at[2]);
}

int64_t BlocksTopology::neighbour(const Extent &at, const ElementOffset &offset) const {
    Extent there;
    for (int d = 0; d < 3; ++d) {
        there[d] = at[d] + offset[d];
        if (there[d] < 0 || there[d] >= n_blocks_[d]) {
            if (!periodic_[d]) return -1;
            there[d] = (there[d] + n_blocks_[d]) % n_blocks_[d];
        }
    }
    return gid_at(there);
}

template <class Visit>
void BlocksTopology::for_each_element(Visit &&visit) const {
    for (int32_t element = 0; element < 27; ++element) {
        const ElementOffset offset = element_offset(element);
        if (element != 13 && (n_dims_ > 1 || offset[1] == 0) && (n_dims_ > 2 || offset[2] == 0)) visit(element, offset);
    }
}

halo_part BlocksTopology::part(int64_t gid) const {
    require_gid(gid);
    const Extent at = coordinates(gid);
    halo_part part = HALO_PART_INIT;
    part.rank = owner(gid);
    part.gid = gid;
    part.n_dims = n_dims_;
    for (size_t d = 0; d < 3; ++d) {
        const bool open = static_cast<int32_t>(d) < n_dims_ && !periodic_[d];
        part.cells.low[d] = at[d] * n_cells_[d];
        part.cells.high[d] = part.cells.low[d] + n_cells_[d];
        part.at_boundary[2 * d] = open && at[d] == 0;
        part.at_boundary[2 * d + 1] = open && at[d] == n_blocks_[d] - 1;
    }
    return part;
}

std::vector<halo_neighbour> BlocksTopology::neighbours(int64_t gid) const {
    require_gid(gid);
    const Extent at = coordinates(gid);
    std::vector<halo_neighbour> found;
    for_each_element([&](int32_t element, const ElementOffset &offset) {
        const int64_t other = neighbour(at, offset);
        if (other >= 0) found.push_back({ other, owner(other), element });
    });
    return found;
}

// The receiver's ghosts on one side.
halo_box BlocksTopology::ghost_box(const ElementOffset &side, const GhostWidths &widths, Centring centring) const {
    halo_box box;
    for (int d = 0; d < 3; ++d) {
        const int64_t n = points(n_cells_[d], centring, d);
        box.low[d] = side[d] < 0 ? -widths.low[d] : side[d] > 0 ? n : 0;
        box.high[d] = side[d] < 0 ? 0 : side[d] > 0 ? n + widths.high[d] : n;
    }
    return box;
}

std::vector<halo_boundary> BlocksTopology::boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const {
    require_gid(gid);
    const Extent at = coordinates(gid);
    std::vector<halo_boundary> found;
    for_each_element([&](int32_t element, const ElementOffset &offset) {
        const halo_box ghosts = ghost_box(offset, widths, centring);
        if (neighbour(at, offset) < 0 && !empty(ghosts)) found.push_back({ ghosts, element, 0 });
    });
    return found;
}

// The ghosts on one side of a part, and the same cells as the neighbour there owns them.
Edge BlocksTopology::edge(const ElementOffset &side, const GhostWidths &widths) const {
    Edge edge;
    edge.receive.box = edge.send.box = ghost_box(side, widths, HALO_CENTRE_CELL);
    for (int d = 0; d < 3; ++d) {
        edge.send.box.low[d] -= side[d] * n_cells_[d];
        edge.send.box.high[d] -= side[d] * n_cells_[d];
    }
    return edge;
}

PlacedBox BlocksTopology::box_of(int64_t gid) const {
    const halo_part known = part(gid);
    return { gid, known.rank, 0, known.cells, {} };
}

Extent BlocksTopology::period() const {
    Extent period{};
    for (int d = 0; d < 3; ++d)
        if (periodic_[d]) period[d] = n_blocks_[d] * n_cells_[d];
    return period;
}

void BlocksTopology::boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const {
    Extent first{};
    Extent last{};
    for (int d = 0; d < 3; ++d) {
        first[d] = floor_divide(region.low[d], n_cells_[d]);
        last[d] = floor_divide(region.high[d] - 1, n_cells_[d]);
        if (periodic_[d]) continue;
        first[d] = std::max<int64_t>(first[d], 0);
        last[d] = std::min(last[d], n_blocks_[d] - 1);
    }
    Extent at;
    for (at[2] = first[2]; at[2] <= last[2]; ++at[2])
        for (at[1] = first[1]; at[1] <= last[1]; ++at[1])
            for (at[0] = first[0]; at[0] <= last[0]; ++at[0]) {
                PlacedBox box;
                Extent home;
                for (int d = 0; d < 3; ++d) {
                    const int64_t periods = floor_divide(at[d], n_blocks_[d]);
                    home[d] = at[d] - periods * n_blocks_[d];
                    box.shift[d] = periods * n_blocks_[d] * n_cells_[d];
                    box.cells.low[d] = at[d] * n_cells_[d];
                    box.cells.high[d] = box.cells.low[d] + n_cells_[d];
                }
                box.gid = gid_at(home);
                box.rank = owner(box.gid);
                found.push_back(box);
            }
}

void BlocksTopology::edges(const EdgeRequest &request, const EdgeSink &sink) const {
    const bool ghosts_alone = request.flow == Flow::from_owner && request.shared == HALO_SHARED_KEEP && request.centring == HALO_CENTRE_CELL;
    if (ghosts_alone)
        ghost_edges(request, sink);
    else
        BoxEdges(*this, context_.rank(), request).emit(local_parts_, sink);
}

// What BoxEdges finds too, without a search: blocks have equal neighbours, and their cells one owner.
void BlocksTopology::ghost_edges(const EdgeRequest &request, const EdgeSink &sink) const {
    const int32_t here = context_.rank();
    const auto emit = [&](Edge edge, int64_t from, int32_t from_rank, int64_t to, int32_t to_rank, int32_t element) {
        if (empty(edge.receive.box)) return;
        edge.send_gid = from;
        edge.send_rank = from_rank;
        edge.recv_gid = to;
        edge.recv_rank = to_rank;
        edge.element = element;
        edge.ends = from_rank == to_rank ? EdgeEnds::local : to_rank == here ? EdgeEnds::receive : EdgeEnds::send;
        sink(edge);
    };
    for (const int64_t gid : local_parts_) {
        const Extent at = coordinates(gid);
        for_each_element([&](int32_t element, const ElementOffset &offset) {
            const int64_t other = in_stencil(element, request.stencil) ? neighbour(at, offset) : -1;
            if (other < 0) return;
            const int32_t rank = owner(other);
            emit(edge(offset, request.ghosts), other, rank, gid, here, 26 - element);
            if (rank != here) emit(edge(opposite(offset), request.ghosts), gid, here, other, rank, element);
        });
    }
}

} // namespace halo
