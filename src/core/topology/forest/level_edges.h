// SPDX-License-Identifier: BSD-3-Clause
// What travels between blocks of different levels. Each block has, beside its own values, those of the next coarser level that cover it and its
// ghosts. All that ranks send are such values as they are: a block halves its own for a coarser neighbour, and takes the values of one to make its
// ghosts from. What a point gets comes from its owner alone.
#pragma once

#include <map>
#include <optional>
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

// Cells of the blocks of the next coarser level that stand beside a forest's own.
inline Extent coarse_cells_of(const ForestTopology &forest) {
    Extent cells = forest.cells_of(0);
    for (int d = 0; d < forest.n_dims(); ++d) cells[d] /= 2;
    return cells;
}

// Of values in one centring. What has been looked for once is kept as long as this: several ways ask for the same.
class LevelEdges {
public:
    LevelEdges(const ForestTopology &forest, const LevelGhosts &ghosts, Centring centring);

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
    using Found = std::vector<OwnedPoints>;
    const Found &found_in_parent(const Receiver &receiver) const;
    void find_in_parent(const Receiver &receiver, Found &found) const;
    const Found &found_finer(const Receiver &receiver) const;
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
    // By place of the block that asks; none: it has not been looked for.
    mutable std::vector<std::optional<Found>> in_parent_; // of all coarse points that its ghosts are made from
    mutable std::vector<std::optional<Found>> finer_;     // of its ghosts and shared points those that finer blocks have
};

// Of a field, one for each of its centrings. While an exchange is made its steps and the sources of its pieces ask for the same.
class FieldLevelEdges {
public:
    FieldLevelEdges(const ForestTopology &forest, const LevelGhosts &ghosts) : forest_(forest), ghosts_(ghosts) {}

    const ForestTopology &forest() const { return forest_; }
    const LevelGhosts &ghosts() const { return ghosts_; }
    // Calls use(edges).
    template <class Use>
    void in(Centring centring, Use &&use) {
        if (is_made_) return use(LevelEdges(forest_, ghosts_, centring));
        use(kept_.try_emplace(centring, forest_, ghosts_, centring).first->second);
    }
    // The exchange is made: whoever asks from here on has them looked for again.
    void forget() noexcept {
        is_made_ = true;
        kept_.clear();
    }

private:
    const ForestTopology &forest_;
    LevelGhosts ghosts_;
    bool is_made_ = false;
    std::map<Centring, LevelEdges> kept_;
};

} // namespace halo
