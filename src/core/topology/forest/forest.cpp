// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/forest.h"

#include <algorithm>
#include <map>

#include "base/checked.h"
#include "base/digest.h"
#include "base/items.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "comm/route.h"
#include "topology/centring.h"
#include "topology/even_owner.h"
#include "topology/forest/description.h"
#include "topology/forest/near_leaves.h"
#include "topology/forest/point_owners.h"

namespace halo {

namespace {

std::string triple(const auto &xyz) {
    return format("(%lld, %lld, %lld)", static_cast<long long>(xyz[0]), static_cast<long long>(xyz[1]), static_cast<long long>(xyz[2]));
}

} // namespace

ForestTopology::ForestTopology(Context &context, const halo_forest_desc &desc) : Topology(context), n_dims_(desc.n_dims), balance_(desc.balance) {
    std::optional<Trees> trees;
    std::vector<TreeBlock> own;
    const auto describe = [&] {
        trees.emplace(read_trees(desc));
        std::copy_n(desc.n_cells, n_dims_, n_cells_.begin());
        if (desc.distributed != 0 && desc.distributed != 1) fail(HALO_ERR_ARGUMENT, "forest: distributed is %d, it must be 0 or 1", desc.distributed);
        if (desc.distributed && desc.owner)
            fail(HALO_ERR_ARGUMENT, "forest: distributed leaves belong to the rank that gives them: owner must be NULL");
        if (desc.distributed)
            own = read_blocks(desc, *trees);
        else
            read_all(desc);
        return hash_ = hash_of(desc, *trees);
    };
    agree_on(context, "forest", describe, [&] { return terms(desc, *trees); });
    for (int32_t i = 0; i < desc.n_joins; ++i) {
        const halo_tree_join join = read_item(desc.joins, desc.join_bytes, i, halo_tree_join HALO_TREE_JOIN_INIT);
        AxisMap map;
        for (size_t d = 0; d < 3; ++d) map.axis[d] = static_cast<int8_t>(join.axis[d]);
        if (map.axis != AxisMap{}.axis && std::find(turns_.begin(), turns_.end(), map) == turns_.end()) turns_.push_back(map);
    }
    if (desc.distributed) find_others(*std::move(trees), std::move(own));
}

void ForestTopology::read_all(const halo_forest_desc &desc) {
    leaves_.emplace(read_leaves(desc));
    check_balance(*leaves_, desc.balance);
    read_owners(desc);
    for (int64_t gid = 0; gid < n_parts(); ++gid)
        if (owner(gid) == context_.rank()) local_parts_.push_back(gid);
    find_near();
    has_levels_ = find_levels(desc);
}

// What is known are own leaves, those that touch them, and those that touch these: so that an edge is the same at both of its ends.
void ForestTopology::find_others(Trees trees, std::vector<TreeBlock> blocks) {
    int64_t n = 0;
    const int64_t first = sum_below(context_, std::ssize(blocks), n);
    check_limit("forest: the number of leaves of all ranks", n, limits::listed);
    std::vector<PlacedLeaf> own;
    for (const TreeBlock &block : blocks) own.push_back({ first + std::ssize(own), context_.rank(), block });
    directory_.emplace(context_, own);
    const std::vector<PlacedLeaf> known = find_near_leaves(context_, *directory_, trees, balance_, n, own);
    leaves_.emplace(std::move(trees), n, known);
    for (const PlacedLeaf &leaf : known) owner_.push_back(leaf.rank);
    for (const PlacedLeaf &leaf : own) local_parts_.push_back(leaf.gid);
    find_near();
    has_levels_ = allreduce_max(context_, find_levels() ? 1 : 0) != 0;
}

void ForestTopology::read_owners(const halo_forest_desc &desc) {
    if (!desc.owner) return;
    owner_.assign(desc.owner, desc.owner + n_parts());
    for (int64_t gid = 0; gid < n_parts(); ++gid)
        if (owner_[gid] < 0 || owner_[gid] >= context_.size())
            fail(HALO_ERR_ARGUMENT, "forest: owner of leaf %lld is rank %d; the context has ranks 0 to %d", static_cast<long long>(gid), owner_[gid],
                 context_.size() - 1);
}

uint64_t ForestTopology::hash_of(const halo_forest_desc &desc, const Trees &trees) const {
    Digest digest;
    const auto add = [&](const auto &...numbers) { (digest.add(static_cast<uint64_t>(numbers)), ...); };
    add(n_dims_, desc.balance, n_cells_[0], n_cells_[1], n_cells_[2], desc.n_trees, desc.n_joins, desc.distributed);
    for (int32_t tree = 0; tree < desc.n_trees; ++tree)
        for (const int64_t n : trees.n_roots(tree)) add(n);
    for (int32_t i = 0; i < desc.n_joins; ++i) {
        const halo_tree_join join = read_item(desc.joins, desc.join_bytes, i, halo_tree_join HALO_TREE_JOIN_INIT);
        add(join.tree, join.side, join.to_tree);
        for (int d = 0; d < 3; ++d) add(join.axis[d], join.sign[d]);
    }
    if (desc.distributed) return digest.low ^ digest.high;
    add(n_parts(), owner_.empty());
    for (int64_t gid = 0; gid < n_parts(); ++gid) {
        const TreeBlock &block = leaf(gid);
        add(static_cast<int64_t>(block.tree) << 32 | block.level, block.at[0], block.at[1], block.at[2]);
    }
    for (const int32_t rank : owner_) add(rank);
    return digest.low ^ digest.high;
}

// In words what the hash is made from.
Terms ForestTopology::terms(const halo_forest_desc &desc, const Trees &trees) const {
    static constexpr const char *balances[] = { "full", "over edges", "over faces" };
    Terms terms;
    terms.add("n_dims", std::to_string(n_dims_));
    terms.add("n_cells", triple(n_cells_));
    terms.add("balance", balances[desc.balance]);
    terms.add("list of trees", std::to_string(desc.n_trees), "trees");
    terms.add("list of joins", std::to_string(desc.n_joins), "joins");
    terms.add("distributed", desc.distributed ? "yes" : "no");
    for (int32_t tree = 0; tree < desc.n_trees; ++tree) terms.add(format("tree %d", tree), triple(trees.n_roots(tree)), "roots");
    for (int32_t i = 0; i < desc.n_joins; ++i) {
        const halo_tree_join join = read_item(desc.joins, desc.join_bytes, i, halo_tree_join HALO_TREE_JOIN_INIT);
        terms.add(format("join %d", i), format("tree %d, side %d, to tree %d, axes ", join.tree, join.side, join.to_tree) + triple(join.axis) +
                                            ", signs " + triple(join.sign));
    }
    if (desc.distributed) return terms;
    terms.add("list of leaves", std::to_string(n_parts()), "leaves");
    terms.add("list of owners", owner_.empty() ? "none" : "given");
    for (int64_t gid = 0; gid < n_parts(); ++gid) terms.add("leaf " + std::to_string(gid), text_of(leaf(gid)) + format(" of rank %d", owner(gid)));
    return terms;
}

std::string ForestTopology::text() const {
    return format("forest of %d trees, %lld blocks of %lldx%lldx%lld cells (checksum %016llx)", leaves_->trees().size(),
                  static_cast<long long>(n_parts()), static_cast<long long>(n_cells_[0]), static_cast<long long>(n_cells_[1]),
                  static_cast<long long>(n_cells_[2]), static_cast<unsigned long long>(hash_));
}

void ForestTopology::require_gid(int64_t gid) const {
    if (gid < 0 || gid >= n_parts())
        fail(HALO_ERR_NOT_FOUND, "part %lld does not exist: gids are 0 to %lld", static_cast<long long>(gid), static_cast<long long>(n_parts() - 1));
    if (is_distributed() && !std::ranges::binary_search(near_, gid))
        fail(HALO_ERR_NOT_FOUND, "part %lld touches none of this rank's, and is not known here", static_cast<long long>(gid));
}

int32_t ForestTopology::owner(int64_t gid) const {
    return owner_.empty() ? even_owner(gid, n_parts(), context_.size()) : owner_[static_cast<size_t>(leaves_->place(gid))];
}

void ForestTopology::find_near() {
    near_ = local_parts_;
    const auto add = [&](int32_t, const AxisMap &, int64_t other) {
        if (owner(other) != context_.rank()) near_.push_back(other);
    };
    if (std::ssize(local_parts_) < n_parts())
        for (const int64_t gid : local_parts_) leaves_->for_each_around(leaf(gid), add);
    std::ranges::sort(near_);
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
    around_.find(*leaves_, near_);
}

// Leaves of one tree are joined by sides of leaves, however their levels change; trees by their joins.
bool ForestTopology::find_levels(const halo_forest_desc &desc) const {
    std::vector<int32_t> level(static_cast<size_t>(desc.n_trees), -1);
    for (int64_t gid = 0; gid < n_parts(); ++gid) {
        int32_t &known = level[static_cast<size_t>(leaf(gid).tree)];
        if (known >= 0 && known != leaf(gid).level) return true;
        known = leaf(gid).level;
    }
    for (int32_t i = 0; i < desc.n_joins; ++i) {
        const halo_tree_join join = read_item(desc.joins, desc.join_bytes, i, halo_tree_join HALO_TREE_JOIN_INIT);
        if (level[static_cast<size_t>(join.tree)] != level[static_cast<size_t>(join.to_tree)]) return true;
    }
    return false;
}

// Around this rank's leaves alone.
bool ForestTopology::find_levels() const {
    return std::ranges::any_of(local_parts_, [&](int64_t gid) {
        const size_t place = place_near(gid);
        return (elements_near(place, Across::Is::coarser) | elements_near(place, Across::Is::finer)) != 0;
    });
}

halo_part ForestTopology::part(int64_t gid) const {
    require_gid(gid);
    const TreeBlock &block = leaf(gid);
    halo_part part = HALO_PART_INIT;
    part.rank = owner(gid);
    part.gid = gid;
    part.level = block.level;
    part.n_dims = n_dims_;
    for (size_t d = 0; d < 3; ++d) {
        part.cells.low[d] = block.at[d] * n_cells_[d];
        part.cells.high[d] = part.cells.low[d] + n_cells_[d];
        if (static_cast<int32_t>(d) >= n_dims_) continue;
        for (size_t high = 0; high < 2; ++high) {
            ElementOffset side{};
            side[d] = high == 0 ? -1 : 1;
            part.at_boundary[2 * d + high] = ends_at(block, HALO_ELEMENT(side[0], side[1], side[2]));
        }
    }
    return part;
}

std::vector<halo_neighbour> ForestTopology::neighbours(int64_t gid) const {
    require_gid(gid);
    std::vector<halo_neighbour> found;
    leaves_->for_each_around(leaf(gid), [&](int32_t element, const AxisMap &map, int64_t other) {
        halo_neighbour row = neighbour_row(other, owner(other), element, map);
        row.level = leaf(other).level;
        found.push_back(row);
    });
    sort_neighbours(found);
    return found;
}

std::vector<int32_t> ForestTopology::peers() const {
    std::vector<int32_t> ranks;
    for (const int64_t gid : near_)
        if (const int32_t rank = owner(gid); rank != context_.rank()) ranks.push_back(rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

void ForestTopology::mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const {
    std::ranges::fill(mask, uint8_t{ 1 });
    if (centring == HALO_CENTRE_CELL) return;
    require_owners(centring);
    const int64_t gid = local_parts_[static_cast<size_t>(local_index)];
    const halo_box own = points_of(whole_block(n_cells_), centring);
    PointOwners(*leaves_, n_cells_, centring).find(leaf(gid), 13, own, [&](const OwnedPoints &owned) {
        if (owned.are_own_of(gid)) return;
        for (int64_t z = owned.here.low[2]; z < owned.here.high[2]; ++z)
            for (int64_t y = owned.here.low[1]; y < owned.here.high[1]; ++y)
                std::fill_n(mask.begin() + (z * own.high[1] + y) * own.high[0] + owned.here.low[0], owned.here.high[0] - owned.here.low[0],
                            uint8_t{ 0 });
    });
}

bool ForestTopology::keeps(Centring centring) const {
    return std::all_of(turns_.begin(), turns_.end(), [&](const AxisMap &map) { return centring_across(centring, map) == centring; });
}

// Can each block around a point tell whose it is?
void ForestTopology::require_owners(Centring centring) const {
    const auto refuse = [&](const char *why) { fail(HALO_ERR_ARGUMENT, "forest: a field of centring %d: %s", centring, why); };
    if (!leaves_->trees().is_regular()) refuse("around an edge or corner where trees meet irregularly points have no single owner");
    if (has_levels_ && balance_ != HALO_BALANCE_FULL) refuse("points have one owner where the forest is held to HALO_BALANCE_FULL");
}

// Of what lies around a block, all that has points among its ghosts must touch it.
void ForestTopology::check_points(const EdgeRequest &request) const {
    if (request.centring == HALO_CENTRE_CELL) return;
    require_owners(request.centring);
    for (size_t d = 0; d < static_cast<size_t>(n_dims_) && request.shared != HALO_SHARED_ONLY; ++d) {
        const int64_t width = std::max(request.ghosts.low[d], request.ghosts.high[d]), most = n_cells_[d] / (has_levels_ ? 2 : 1) - 1;
        if (width > most)
            fail(HALO_ERR_ARGUMENT,
                 "forest: a field of centring %d has ghosts %lld wide along direction %zu: blocks of %lld cells%s have at most %lld",
                 request.centring, static_cast<long long>(width), d, static_cast<long long>(n_cells_[d]), has_levels_ ? " between levels" : "",
                 static_cast<long long>(most));
    }
}

std::vector<halo_boundary> ForestTopology::boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const {
    require_gid(gid);
    std::vector<halo_boundary> found;
    for_each_element(n_dims_, [&](int32_t element, const ElementOffset &) {
        const halo_box ghosts = element_box(points_of(whole_block(n_cells_), centring), widths, element);
        if (!empty(ghosts) && ends_at(leaf(gid), element)) found.push_back({ ghosts, element, 0 });
    });
    return found;
}

void ForestTopology::edges(const EdgeRequest &request, const EdgeSink &sink) const {
    if (request.flow != Flow::from_owner)
        fail(HALO_ERR_ARGUMENT, "forest: points that several blocks have come from their owners: flow %d cannot be exchanged",
             static_cast<int>(request.flow));
    if (request.centring != HALO_CENTRE_CELL) return owned_points(request, sink);
    if (request.shared != HALO_SHARED_ONLY) ghost_cells(request, sink);
}

// Of two parts over an element of one there is one edge at most: what lies across an element is one block, from which the way back is the same. Most
// index spaces are not turned: boxes are those of all other blocks then.
void ForestTopology::ghost_cells(const EdgeRequest &request, const EdgeSink &sink) const {
    struct Ghosts {
        int32_t element;
        halo_box receive;
        halo_box send;
    };
    std::vector<Ghosts> filled;
    for_each_element(n_dims_, [&](int32_t element, const ElementOffset &) {
        const halo_box ghosts = element_box(whole_block(n_cells_), request.ghosts, element);
        if (in_stencil(element, request.stencil) && !empty(ghosts)) filled.push_back({ element, ghosts, box_across(ghosts, element, {}, n_cells_) });
    });
    const int32_t here = context_.rank();
    for (size_t place = 0; place < near_.size(); ++place) {
        Edge edge;
        edge.receive_gid = near_[place];
        edge.receive_rank = owner(edge.receive_gid);
        for (const Ghosts &ghosts : filled) {
            const Around::Found there = around_.found(place, ghosts.element);
            if (there.is != Across::Is::leaf) continue;
            edge.send_gid = there.gid;
            edge.send_rank = owner(there.gid);
            if (edge.send_rank != here && edge.receive_rank != here) continue;
            edge.ends = ends_on(here, edge.send_rank, edge.receive_rank);
            edge.map = there.turned ? across_near(place, ghosts.element).map : AxisMap{};
            edge.identity.element = element_across(ghosts.element, edge.map);
            edge.receive.box = ghosts.receive;
            edge.send.box = there.turned ? box_across(ghosts.receive, ghosts.element, edge.map, n_cells_) : ghosts.send;
            sink(edge);
        }
    }
}

// Elements in ascending order, so both ends of an edge count alike.
void ForestTopology::owned_points(const EdgeRequest &request, const EdgeSink &sink) const {
    check_points(request);
    const int32_t here = context_.rank();
    const PointOwners owners(*leaves_, n_cells_, request.centring);
    for (size_t place = 0; place < near_.size(); ++place) {
        const int64_t gid = near_[place];
        std::map<std::pair<int64_t, int32_t>, int32_t> n_edges; // from a sender over one of its elements
        Edge edge;
        edge.receive_gid = gid;
        edge.receive_rank = owner(gid);
        for_each_filled(n_dims_, n_cells_, request.centring, request, [&](int32_t element, const halo_box &points) {
            owners.find(across_near(place, element), element, points, [&](const OwnedPoints &owned) {
                if (owned.is != Across::Is::leaf || owned.are_own_of(gid)) return;
                edge.identity.element = owned.element;
                edge.identity.piece = n_edges[{ owned.gid, owned.element }]++;
                edge.send_gid = owned.gid;
                edge.send_rank = owner(owned.gid);
                edge.ends = ends_on(here, edge.send_rank, edge.receive_rank);
                edge.send.box = owned.there;
                edge.receive.box = owned.here;
                edge.map = owned.map;
                if (edge.send_rank == here || edge.receive_rank == here) sink(edge);
            });
        });
    }
}

} // namespace halo
