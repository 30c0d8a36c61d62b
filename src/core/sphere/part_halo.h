// SPDX-License-Identifier: BSD-3-Clause
// The entities of one kind that one part stores: those it owns, then ghosts ring by ring.
#pragma once

#include <unordered_map>
#include <vector>

#include "sphere/split.h"

namespace halo {

class SpherePartHalo {
public:
    // Ring 1: what the kind's own table tells of owned entities and is not owned; ring k + 1: of ring k. Ghosts of a ring by owning rank, part, then
    // key. O(rim of the part + ghosts) memory and, but for ordering each ring, time.
    SpherePartHalo(const SphereSplit &split, int64_t part, int32_t kind, int32_t rings);

    int64_t n_owned() const { return n_owned_; }
    int64_t n_local() const { return n_owned_ + std::ssize(ghosts_); }
    // Local entities of rings 0 to k.
    const std::vector<int64_t> &ring_ends() const { return ring_ends_; }
    // By local index.
    std::vector<uint64_t> keys() const;
    std::vector<int32_t> ranks() const;
    LatticePoint point(int64_t index) const;
    // HALO_NO_INDEX: not stored.
    uint32_t index_of(const LatticePoint &point) const;

private:
    struct Ghost {
        LatticePoint point;
        uint64_t key;
        int64_t part;
        int32_t rank;
    };

    bool owns(const LatticePoint &point) const;
    uint32_t owned_index(const LatticePoint &point) const;
    std::vector<LatticePoint> rim() const;
    std::vector<Ghost> next_ring(const std::vector<LatticePoint> &from);
    void add_ring(std::vector<Ghost> ring);

    const SphereSplit &split_;
    const SphereLattice &lattice_;
    halo_sphere_box box_;
    int32_t part_rank_;
    int32_t kind_;
    int64_t n_owned_ = 0;
    std::vector<LatticePoint> poles_; // owned ones
    std::vector<Ghost> ghosts_;
    std::vector<int64_t> ring_ends_;
    std::unordered_map<uint64_t, uint32_t> ghost_places_; // by key
};

} // namespace halo
