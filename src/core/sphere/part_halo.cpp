// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/part_halo.h"

#include <algorithm>
#include <tuple>

#include "base/checked.h"
#include "base/limits.h"

namespace halo {

SpherePartHalo::SpherePartHalo(const SphereSplit &split, int64_t part, int32_t kind, int32_t rings)
    : split_(split),
      lattice_(split.lattice()),
      box_(split.box(part)),
      part_rank_(split.rank_of(part)),
      kind_(kind) {
    if (kind == HALO_SPHERE_VERTICES)
        for (const LatticePoint &pole : { lattice_.north_pole(), lattice_.south_pole() })
            if (split.part_of(lattice_.square_of(pole)) == part) poles_.push_back(pole);
    n_owned_ = (Checked(box_.high[0] - box_.low[0]) * (box_.high[1] - box_.low[1]) * sphere_colours(kind) + std::ssize(poles_))
                   .value("sphere: the number of a part's entities", limits::points);
    ring_ends_.push_back(n_owned_);
    std::vector<LatticePoint> last = rim();
    for (int32_t ring = 0; ring < rings; ++ring) {
        add_ring(next_ring(last));
        last.clear();
        for (auto ghost = ghosts_.begin() + (ring_ends_.rbegin()[1] - n_owned_); ghost != ghosts_.end(); ++ghost) last.push_back(ghost->point);
    }
}

bool SpherePartHalo::owns(const LatticePoint &point) const {
    const SphereLattice::Square square = lattice_.square_of(point);
    return square.parallelogram == box_.parallelogram && box_.low[0] <= square.i && square.i < box_.high[0] && box_.low[1] <= square.j &&
           square.j < box_.high[1];
}

// i fastest, then colour, then j; poles last.
uint32_t SpherePartHalo::owned_index(const LatticePoint &point) const {
    if (lattice_.is_pole(point)) return static_cast<uint32_t>(n_owned_ - 1 - (point == poles_.back() ? 0 : 1));
    const SphereLattice::Square square = lattice_.square_of(point);
    const int64_t line = (square.j - box_.low[1]) * sphere_colours(kind_) + lattice_.entity_of(kind_, point).colour;
    return static_cast<uint32_t>(line * (box_.high[0] - box_.low[0]) + square.i - box_.low[0]);
}

LatticePoint SpherePartHalo::point(int64_t index) const {
    if (index >= n_owned_) return ghosts_[static_cast<size_t>(index - n_owned_)].point;
    const int64_t n_poles = std::ssize(poles_);
    if (index >= n_owned_ - n_poles) return poles_[static_cast<size_t>(index - n_owned_ + n_poles)];
    const int64_t across = box_.high[0] - box_.low[0], line = index / across;
    const SphereLattice::Square square{ box_.parallelogram, box_.low[0] + index % across, box_.low[1] + line / sphere_colours(kind_) };
    return lattice_.in_square(kind_, square, static_cast<int32_t>(line % sphere_colours(kind_)));
}

uint32_t SpherePartHalo::index_of(const LatticePoint &point) const {
    if (owns(point)) return owned_index(point);
    const auto found = ghost_places_.find(lattice_.key_of(kind_, point));
    return found == ghost_places_.end() ? HALO_NO_INDEX : static_cast<uint32_t>(n_owned_) + found->second;
}

// Owned entities that may have others for neighbours: no table reaches farther than the next square.
std::vector<LatticePoint> SpherePartHalo::rim() const {
    std::vector<LatticePoint> all = poles_;
    for (int64_t j = box_.low[1]; j < box_.high[1]; ++j) {
        const bool whole = j == box_.low[1] || j == box_.high[1] - 1;
        const int64_t step = whole ? 1 : std::max<int64_t>(box_.high[0] - box_.low[0] - 1, 1);
        for (int64_t i = box_.low[0]; i < box_.high[0]; i += step)
            for (int32_t colour = 0; colour < sphere_colours(kind_); ++colour)
                all.push_back(lattice_.in_square(kind_, { box_.parallelogram, i, j }, colour));
    }
    return all;
}

// Takes note of their keys, so that none is found twice.
std::vector<SpherePartHalo::Ghost> SpherePartHalo::next_ring(const std::vector<LatticePoint> &from) {
    std::vector<Ghost> ring;
    for (const LatticePoint &point : from) {
        const SphereNeighbours around = lattice_.neighbours(point, kind_, kind_);
        for (int32_t k = 0; k < around.n; ++k) {
            const LatticePoint &other = around.points[static_cast<size_t>(k)];
            if (owns(other)) continue;
            const uint64_t key = lattice_.key_of(kind_, other);
            if (!ghost_places_.try_emplace(key, 0).second) continue;
            const int64_t part = split_.part_of(lattice_.square_of(other));
            ring.push_back({ other, key, part, split_.rank_of(part) });
        }
    }
    return ring;
}

void SpherePartHalo::add_ring(std::vector<Ghost> ring) {
    const auto order = [](const Ghost &ghost) { return std::tie(ghost.rank, ghost.part, ghost.key); };
    std::sort(ring.begin(), ring.end(), [&](const Ghost &a, const Ghost &b) { return order(a) < order(b); });
    check_limit("sphere: the number of a part's entities", n_local() + std::ssize(ring), limits::points);
    for (const Ghost &ghost : ring) {
        ghost_places_[ghost.key] = static_cast<uint32_t>(ghosts_.size());
        ghosts_.push_back(ghost);
    }
    ring_ends_.push_back(n_local());
}

std::vector<uint64_t> SpherePartHalo::keys() const {
    std::vector<uint64_t> keys;
    keys.reserve(static_cast<size_t>(n_local()));
    for (int64_t index = 0; index < n_owned_; ++index) keys.push_back(lattice_.key_of(kind_, point(index)));
    for (const Ghost &ghost : ghosts_) keys.push_back(ghost.key);
    return keys;
}

std::vector<int32_t> SpherePartHalo::ranks() const {
    std::vector<int32_t> ranks(static_cast<size_t>(n_owned_), part_rank_);
    for (const Ghost &ghost : ghosts_) ranks.push_back(ghost.rank);
    return ranks;
}

} // namespace halo
