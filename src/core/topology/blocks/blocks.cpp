// SPDX-License-Identifier: BSD-3-Clause
#include "topology/blocks/blocks.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/checked.h"
#include "base/digest.h"
#include "base/limits.h"
#include "topology/boxes/box_calculus.h"
#include "topology/boxes/box_edges.h"
#include "topology/curve.h"
#include "topology/even_owner.h"

namespace halo {

namespace {

// Completes an edge, whose boxes and element are known, and passes it on; unless its boxes are empty.
void emit(Edge &edge, int64_t from, int32_t from_rank, int64_t to, int32_t to_rank, int32_t here, const EdgeSink &sink) {
    if (empty(edge.receive.box)) return;
    edge.send_gid = from;
    edge.send_rank = from_rank;
    edge.receive_gid = to;
    edge.receive_rank = to_rank;
    edge.ends = ends_on(here, from_rank, to_rank);
    sink(edge);
}

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

// "4x2 blocks of 8x8 cells, periodic along x".
std::string BlocksTopology::text() const {
    std::string blocks, cells, periodic;
    for (size_t d = 0; d < static_cast<size_t>(n_dims_); ++d) {
        const char *const between = d == 0 ? "" : "x";
        blocks += format("%s%lld", between, static_cast<long long>(n_blocks_[d]));
        cells += format("%s%lld", between, static_cast<long long>(n_cells_[d]));
        if (periodic_[d]) periodic.append(periodic.empty() ? ", periodic along " : ", ").append(1, "xyz"[d]);
    }
    std::string text = blocks + " blocks of " + cells + " cells" + periodic;
    if (order_ != HALO_ORDER_MORTON) text += ", numbered in rows";
    if (owner_.empty()) return text;
    return text +
           format(", owners listed (checksum %016llx)", static_cast<unsigned long long>(checksum(owner_.data(), owner_.size() * sizeof owner_[0])));
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
        const std::string row = format("blocks: n_blocks %lld * n_cells %lld of direction %d", static_cast<long long>(desc.n_blocks[d]),
                                       static_cast<long long>(desc.n_cells[d]), d);
        (Checked(desc.n_blocks[d]) * desc.n_cells[d]).value(row.c_str(), limits::coordinate);
        parts = parts * desc.n_blocks[d];
    }
    const auto has_one = [](int64_t n) { return n == 0 || n == 1; };
    for (int d = desc.n_dims; d < 3; ++d)
        if (!has_one(desc.n_blocks[d]) || !has_one(desc.n_cells[d]) || desc.periodic[d])
            fail(HALO_ERR_ARGUMENT, "blocks: direction %d has %lld blocks of %lld cells%s: with n_dims %d there are directions 0 to %d", d,
                 static_cast<long long>(desc.n_blocks[d]), static_cast<long long>(desc.n_cells[d]), desc.periodic[d] ? ", and is periodic" : "",
                 desc.n_dims, desc.n_dims - 1);
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

int32_t BlocksTopology::owner(int64_t gid) const {
    if (!owner_.empty()) return owner_[gid];
    const bool is_here = !local_parts_.empty() && gid >= local_parts_.front() && gid <= local_parts_.back();
    return is_here ? context_.rank() : even_owner(gid, n_parts_, context_.size());
}

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

template <class Visit>
void BlocksTopology::for_each_neighbour(int64_t gid, Visit &&visit) const {
    const Extent at = coordinates(gid);
    for_each_element([&](int32_t element, const ElementOffset &offset) {
        if (const int64_t other = neighbour(at, offset); other >= 0) visit(element, other);
    });
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
    std::vector<halo_neighbour> found;
    for_each_neighbour(gid, [&](int32_t element, int64_t other) { found.push_back(neighbour_row(other, owner(other), element)); });
    return found;
}

// As far as the domain goes; over and over where it is periodic.
Extent BlocksTopology::widest_ghosts() const {
    Extent widest;
    for (int d = 0; d < 3; ++d)
        widest[d] = std::max(n_cells_[d], std::min<int64_t>(limits::reach, (periodic_[d] ? limits::periods : 1) * n_blocks_[d] * n_cells_[d]));
    return widest;
}

bool BlocksTopology::are_near(const GhostWidths &widths) const {
    bool all = true;
    for (size_t d = 0; d < 3; ++d) all = all && widths.low[d] <= n_cells_[d] && widths.high[d] <= n_cells_[d];
    return all;
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

void BlocksTopology::mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const {
    EdgeRequest request;
    request.centring = centring;
    BoxEdges(*this, context_.rank(), request).mark_owned(local_parts_[static_cast<size_t>(local_index)], mask);
}

std::vector<halo_boundary> BlocksTopology::boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const {
    require_gid(gid);
    if (!are_near(widths)) {
        EdgeRequest request;
        request.ghosts = widths;
        request.centring = centring;
        return BoxEdges(*this, context_.rank(), request).boundaries(gid);
    }
    const Extent at = coordinates(gid);
    std::vector<halo_boundary> found;
    for_each_element([&](int32_t element, const ElementOffset &offset) {
        const halo_box ghosts = ghost_box(offset, widths, centring);
        if (neighbour(at, offset) < 0 && !empty(ghosts)) found.push_back({ ghosts, element, 0 });
    });
    return found;
}

// The ghosts on each side of a part, and the same cells as the neighbour there owns them. Boxes of sides that are not wanted stay empty.
std::array<Edge, 27> BlocksTopology::edges_by_side(const EdgeRequest &request) const {
    std::array<Edge, 27> edges;
    for_each_element([&](int32_t side, const ElementOffset &offset) {
        if (!in_stencil(side, request.stencil)) return;
        Edge &edge = edges[side];
        edge.identity.element = 26 - side;
        edge.receive.box = ghost_box(offset, request.ghosts, HALO_CENTRE_CELL);
        edge.send.box = relative(edge.receive.box, { offset[0] * n_cells_[0], offset[1] * n_cells_[1], offset[2] * n_cells_[2] });
    });
    return edges;
}

PlacedBox BlocksTopology::box_of(int64_t gid) const {
    const halo_part known = part(gid);
    return { gid, known.rank, 0, known.cells, {} };
}

halo_box BlocksTopology::domain() const {
    return { { 0, 0, 0 }, { n_blocks_[0] * n_cells_[0], n_blocks_[1] * n_cells_[1], n_blocks_[2] * n_cells_[2] } };
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
    if (ghosts_alone && are_near(request.ghosts))
        ghost_edges(request, sink);
    else
        BoxEdges(*this, context_.rank(), request).emit(local_parts_, sink);
}

// What BoxEdges finds too, without a search: blocks have equal neighbours, and their cells one owner.
void BlocksTopology::ghost_edges(const EdgeRequest &request, const EdgeSink &sink) const {
    const int32_t here = context_.rank();
    std::array<Edge, 27> into = edges_by_side(request);
    std::vector<int64_t> elsewhere; // parts of other ranks around those here
    for (const int64_t gid : local_parts_)
        for_each_neighbour(gid, [&](int32_t side, int64_t other) {
            const int32_t rank = owner(other);
            if (rank != here) elsewhere.push_back(other);
            emit(into[side], other, rank, gid, here, here, sink);
        });
    std::sort(elsewhere.begin(), elsewhere.end());
    elsewhere.erase(std::unique(elsewhere.begin(), elsewhere.end()), elsewhere.end());
    for (const int64_t gid : elsewhere)
        for_each_neighbour(gid, [&](int32_t side, int64_t other) {
            if (owner(other) == here) emit(into[side], other, here, gid, owner(gid), here, sink);
        });
}

} // namespace halo
