// SPDX-License-Identifier: BSD-3-Clause
// Parts that are lists of points: owned points, and copies of points of others. One for each rank (gid = rank), unless the rank's points are split.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "topology/points/parts.h"
#include "topology/topology.h"

namespace halo {

// Ranks that follow each other and have equally many copies of a point.
struct HolderRun {
    int32_t first;
    int32_t n_ranks;
    uint32_t copies; // on each rank
    uint32_t silent; // so many of them, the last ones, contribute nothing
    bool has(int32_t rank) const { return rank >= first && rank - first < n_ranks; }
    int32_t end() const { return first + n_ranks; }
};
// Of `n_ranks` in all: HALO_ERR_WIRE names the rank that tells of others.
void check_holders(const HolderRun &run, int32_t n_ranks, int32_t teller);
// For ranks that ascend.
void add_holder(std::vector<HolderRun> &runs, int32_t rank, uint32_t copies, uint32_t silent);

// Points of this rank that lie with others too, or several times here. In the same order on all ranks that have them.
class SharedPoints {
public:
    struct Point {
        int32_t owner; // a rank; -1: none
        uint32_t first_copy;
        uint32_t first_run;
    };
    void reserve(size_t n_points, size_t n_runs);
    // `copies`: local indices, the owner's own point first, silent ones last. `holders`: by rank.
    void add(int32_t owner, std::span<const uint32_t> copies, std::span<const HolderRun> holders);

    int64_t size() const { return std::ssize(points_); }
    int32_t owner(int64_t i) const { return points_[i].owner; }
    std::span<const uint32_t> copies(int64_t i) const;
    std::span<const HolderRun> holders(int64_t i) const;

private:
    std::vector<Point> points_;
    std::vector<uint32_t> copies_;
    std::vector<HolderRun> runs_;
};

class PointsTopology : public Topology {
public:
    int32_t n_dims() const override { return 1; }
    bool has_cells() const override { return false; }
    bool has_sections() const override { return has_sections_; }
    int64_t n_parts() const override { return context_.size() * (parts_ ? parts_->most() : 1); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t gid) const override;
    std::vector<int32_t> peers() const override;
    Extent widest_ghosts() const override { return { 0, 0, 0 }; }
    Extent cells(int64_t local_index) const override { return { parts_ ? parts_->n_points(local_index) : n_points_, 1, 1 }; }
    Extent cells_of(int64_t gid) const override;
    void mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const override;
    std::vector<halo_boundary> boundaries(int64_t, const GhostWidths &, Centring) const override { return {}; }
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;
    // Of a part, among the rank's.
    int64_t first_point(int64_t local_index) const { return parts_ ? parts_->first_point(local_index) : 0; }
    std::string global_name(int64_t local_index, const Extent &point) const override { return name_of(first_point(local_index) + point[0]); }

    int64_t n_points() const { return n_points_; }
    int64_t n_owned() const { return n_owned_; }
    int64_t n_ghosts() const { return n_points_ - n_owned_ - n_ignored_; }
    // Sums of owned points: of the ranks below, of all.
    int64_t first_global() const { return first_global_; }
    int64_t n_global() const { return n_global_; }
    // By local index.
    std::vector<int32_t> owners() const;
    // Ranks that have the point, ascending.
    std::vector<int32_t> sharers(int64_t point) const;
    // Divides the edges by the groups that ghosts belong to, given by local index. Collective.
    void set_sections(std::span<const uint32_t> groups);

    const SharedPoints &shared() const { return shared_; }
    bool has_parts() const { return parts_.has_value(); }
    // Fails where only the edges from owners are known.
    void require_holders() const;

    // By the caller's position; empty: they are the same.
    const std::vector<uint32_t> &local_indices() const { return local_indices_; }

    // From owners to copies.
    const PointEdges &forward() const { return forward_; }
    // By local index, where they are kept for the caller.
    virtual std::vector<uint64_t> point_keys() const;

    static constexpr uint32_t no_index = UINT32_MAX;

protected:
    explicit PointsTopology(Context &context) : Topology(context) { local_parts_.push_back(context.rank()); }
    // Collective.
    void count_owned(int64_t n_owned);
    // What rank `teller` has told of a point with these copies here. HALO_ERR_WIRE: it does not go with them.
    void share_point(int32_t teller, int32_t owner, std::span<const uint32_t> copies, std::span<const HolderRun> holders);
    // From `shared_`.
    void make_forward_edges();
    // The rank's points become several parts. Collective.
    void make_parts(PointParts parts);

    // The global name of one of the rank's points. Where it takes memory, it is known in check mode alone.
    virtual std::string name_of(int64_t /*point*/) const { return {}; }

    // Is it an entry of the caller's that is left out?
    bool is_ignored(size_t point) const { return n_ignored_ > 0 && local_indices_[point] == no_index; }

    int64_t n_points_ = 0;
    int64_t n_ignored_ = 0; // of them; where points are numbered as given
    std::vector<uint32_t> local_indices_;
    SharedPoints shared_;
    bool has_sections_ = false;
    bool knows_holders_ = true; // else: only the edges from owners are known
    PointEdges forward_;

private:
    Edge edge_of(int64_t send_gid, int64_t receive_gid, int64_t tag, int64_t n) const;
    void emit(const PointEdges &edges, uint32_t sections, const EdgeSink &sink) const;
    void emit(const PartEdges &edges, uint32_t sections, const EdgeSink &sink) const;
    PointEdges edges_between_copies() const;
    // Place of a point in `shared_`; -1: none.
    int64_t place_of(uint32_t point) const;

    int64_t n_owned_ = 0;
    int64_t first_global_ = 0;
    int64_t n_global_ = 0;
    mutable std::optional<PointEdges> between_;                // made when first asked for
    mutable std::vector<std::pair<uint32_t, int64_t>> places_; // of points in `shared_`, by point; made when first asked for
    std::optional<PointParts> parts_;
    PartEdges forward_parts_;
    PartEdges between_parts_;
};

} // namespace halo
