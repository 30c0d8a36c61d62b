// SPDX-License-Identifier: BSD-3-Clause
// What travels between blocks of different levels. Each block has, beside its own values, those of the next coarser level that cover it and its
// ghosts. All that ranks send are such values as they are: a block halves its own for a coarser neighbour, and takes the values of one to make its
// ghosts from. What a point gets comes from its owner alone.
#pragma once

#include <map>
#include <vector>

#include "topology/forest/forest.h"
#include "topology/forest/point_owners.h"

namespace halo {

enum class LevelWay : uint8_t {
    to_coarser, // coarse points of a finer block -> points
    to_finer,   // points of a coarser block -> coarse points
    beside,     // coarse points -> coarse points of a block of the same level
    fluxes,     // coarse faces of a finer block -> faces on the border to it
};

// Ghosts of a field on a forest.
struct LevelGhosts {
    GhostWidths widths;
    int32_t stencil = HALO_STENCIL_FULL;
    int32_t reach = 0;                 // coarse cells around the one that a fine cell lies in, per direction, from which it is made
    int32_t shared = HALO_SHARED_KEEP; // what happens to points that several blocks have
    bool operator==(const LevelGhosts &) const = default;

    EdgeRequest request(Centring centring) const { return { widths, stencil, centring, shared, Flow::from_owner, 0 }; }
    // Of coarse points: all that ghosts are made from.
    GhostWidths coarse(int32_t n_dims) const;
    // Are coarse cells behind blocks of the same level made from the ghosts there, pair by pair? Else those blocks send them.
    bool halves_ghosts(int32_t n_dims) const;
};

// Of values in one centring.
class LevelEdges {
public:
    LevelEdges(const ForestTopology &forest, const LevelGhosts &ghosts, Centring centring);

    Extent coarse_cells() const { return coarse_cells_; }
    void emit(LevelWay way, const EdgeSink &sink) const;
    // Ghosts of a local block behind coarser ones: those that are made from coarse values.
    std::vector<halo_box> made(int64_t gid) const;
    // Coarse points that these are made from and no coarser block has: the block itself has them, or one of its level.
    struct Read {
        std::vector<halo_box> inside;
        std::vector<halo_box> beside;
    };
    Read read(int64_t gid) const;

private:
    struct Receiver;
    bool halves_ghosts() const { return centring_ == HALO_CENTRE_CELL && ghosts_.halves_ghosts(forest_.n_dims()); }
    Receiver receiver(size_t place) const;
    const std::vector<halo_box> &centres(const Receiver &receiver) const;
    std::vector<halo_box> find_centres(const Receiver &receiver) const;
    template <class Visit>
    void for_each_made(const Receiver &receiver, Visit &&visit) const;
    template <class Visit>
    void for_each_read(const Receiver &receiver, Visit &&visit) const;
    template <class Visit>
    void for_each_flux(const Receiver &receiver, Visit &&visit) const;
    template <class Visit>
    void for_each_into(const Receiver &receiver, LevelWay way, Visit &&visit) const;
    void into(const Receiver &receiver, LevelWay way, const EdgeSink &sink) const;

    const ForestTopology &forest_;
    LevelGhosts ghosts_;
    Centring centring_;
    PointOwners owners_;
    Extent cells_;
    Extent coarse_cells_;
    mutable std::map<uint32_t, std::vector<halo_box>> centres_of_; // blocks of cells, by elements across which coarser ones lie
    mutable std::vector<halo_box> centres_;                        // of any other block, the last one
};

} // namespace halo
