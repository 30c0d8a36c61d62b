// SPDX-License-Identifier: BSD-3-Clause
// Which part, of which rank, owns a square: from the description alone, the same on all ranks.
#pragma once

#include <vector>

#include "base/terms.h"
#include "sphere/lattice.h"
#include "topology/boxes/box_set.h"
#include "topology/even_owner.h"

namespace halo {

class SphereSplit {
public:
    // HALO_ERR_ARGUMENT: boxes leave squares out, or cover some twice; a number is out of range.
    SphereSplit(const halo_sphere_desc &desc, int32_t n_ranks);

    const SphereLattice &lattice() const { return lattice_; }
    // Parts are numbered as listed; where the library cuts, by parallelogram, then j, then i.
    int64_t n_parts() const { return n_parts_; }
    halo_sphere_box box(int64_t part) const;
    int32_t rank_of(int64_t part) const;
    int64_t part_of(const SphereLattice::Square &square) const;
    // Ascending.
    std::vector<int64_t> parts_of_rank(int32_t rank) const;
    // Of the rank that has most.
    int64_t most_parts() const;

    uint64_t hash() const;
    Terms terms() const;

private:
    void read_boxes(const halo_sphere_desc &desc);
    void check_box(int64_t part) const;
    void check_tiling() const;
    // Of the cuts along one side.
    int64_t cut(int64_t place) const { return even_begin(place, lattice_.n(), parts_per_side_); }
    int64_t between_cuts(int64_t square) const { return ((square + 1) * parts_per_side_ - 1) / lattice_.n(); }
    int64_t first_part(int32_t rank) const { return rank * n_parts_ / n_ranks_; }

    SphereLattice lattice_;
    int32_t n_ranks_;
    int64_t parts_per_side_; // 0: they are listed
    int64_t n_parts_ = 0;
    std::vector<halo_sphere_box> boxes_;
    BoxSet places_{ {}, {} }; // of the boxes, with the parallelogram as third direction
};

} // namespace halo
