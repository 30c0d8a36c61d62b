// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/split.h"

#include <algorithm>

#include "base/checked.h"
#include "base/digest.h"
#include "base/limits.h"
#include "topology/even_owner.h"

namespace halo {

namespace {

halo_box placed(const halo_sphere_box &box) {
    return { { box.low[0], box.low[1], box.parallelogram }, { box.high[0], box.high[1], box.parallelogram + 1 } };
}

std::string text_of(const halo_sphere_box &box) {
    return format("squares (%lld, %lld) to (%lld, %lld) of parallelogram %d", static_cast<long long>(box.low[0]), static_cast<long long>(box.low[1]),
                  static_cast<long long>(box.high[0]), static_cast<long long>(box.high[1]), box.parallelogram);
}

SphereLattice lattice_of(const halo_sphere_desc &desc) {
    check_sphere_grid(desc.solid, desc.n);
    return { desc.solid, desc.n };
}

} // namespace

SphereSplit::SphereSplit(const halo_sphere_desc &desc, int32_t n_ranks)
    : lattice_(lattice_of(desc)),
      n_ranks_(n_ranks),
      parts_per_side_(desc.boxes ? 0 : desc.parts_per_side) {
    if (desc.n_boxes < 0 || (desc.boxes == nullptr) != (desc.n_boxes == 0))
        fail(HALO_ERR_ARGUMENT, "sphere: %lld boxes at address %p", static_cast<long long>(desc.n_boxes), static_cast<const void *>(desc.boxes));
    if (desc.boxes) {
        read_boxes(desc);
        return;
    }
    if (parts_per_side_ < 1 || parts_per_side_ > desc.n)
        fail(HALO_ERR_ARGUMENT, "sphere: %lld parts along sides of %lld squares", static_cast<long long>(parts_per_side_),
             static_cast<long long>(desc.n));
    n_parts_ = lattice_.n_parallelograms() * parts_per_side_ * parts_per_side_;
    check_limit("sphere: the number of parts", n_parts_, limits::cut_boxes);
}

void SphereSplit::read_boxes(const halo_sphere_desc &desc) {
    check_limit("sphere: n_boxes", desc.n_boxes, limits::listed);
    n_parts_ = desc.n_boxes;
    boxes_.assign(desc.boxes, desc.boxes + desc.n_boxes);
    std::vector<PlacedBox> all;
    for (int64_t part = 0; part < n_parts_; ++part) {
        check_box(part);
        all.push_back({ part, box(part).owner, 0, placed(box(part)), {} });
    }
    places_ = BoxSet(all, {});
    check_tiling();
}

void SphereSplit::check_box(int64_t part) const {
    const halo_sphere_box one = box(part);
    const auto number = static_cast<long long>(part);
    if (one.parallelogram < 0 || one.parallelogram >= lattice_.n_parallelograms())
        fail(HALO_ERR_ARGUMENT, "sphere: box %lld lies in parallelogram %d; there are 0 to %d", number, one.parallelogram,
             lattice_.n_parallelograms() - 1);
    for (int d = 0; d < 2; ++d)
        if (one.low[d] < 0 || one.high[d] > lattice_.n() || one.low[d] >= one.high[d])
            fail(HALO_ERR_ARGUMENT, "sphere: box %lld has %s: it is empty, or beyond 0 to %lld", number, text_of(one).c_str(),
                 static_cast<long long>(lattice_.n()));
    if (one.owner < 0 || one.owner >= n_ranks_)
        fail(HALO_ERR_ARGUMENT, "sphere: owner of box %lld is rank %d; the context has ranks 0 to %d", number, one.owner, n_ranks_ - 1);
}

// No two boxes meet, and together they have as many squares as there are.
void SphereSplit::check_tiling() const {
    std::vector<int64_t> squares(static_cast<size_t>(lattice_.n_parallelograms()));
    std::vector<PlacedBox> met;
    for (int64_t part = 0; part < n_parts_; ++part) {
        const halo_sphere_box &one = boxes_[static_cast<size_t>(part)];
        squares[static_cast<size_t>(one.parallelogram)] += (one.high[0] - one.low[0]) * (one.high[1] - one.low[1]);
        met.clear();
        places_.boxes_near(placed(one), met);
        for (const PlacedBox &other : met)
            if (other.gid != part)
                fail(HALO_ERR_ARGUMENT, "sphere: box %lld has %s: box %lld has some of them too", static_cast<long long>(part), text_of(one).c_str(),
                     static_cast<long long>(other.gid));
    }
    for (size_t p = 0; p < squares.size(); ++p)
        if (squares[p] != lattice_.n() * lattice_.n())
            fail(HALO_ERR_ARGUMENT, "sphere: the boxes leave out %lld squares of parallelogram %zu",
                 static_cast<long long>(lattice_.n() * lattice_.n() - squares[p]), p);
}

halo_sphere_box SphereSplit::box(int64_t part) const {
    if (parts_per_side_ == 0) return boxes_[static_cast<size_t>(part)];
    const int64_t i = part % parts_per_side_, j = part / parts_per_side_ % parts_per_side_;
    return { static_cast<int32_t>(part / parts_per_side_ / parts_per_side_), rank_of(part), { cut(i), cut(j) }, { cut(i + 1), cut(j + 1) } };
}

int32_t SphereSplit::rank_of(int64_t part) const {
    return parts_per_side_ == 0 ? boxes_[static_cast<size_t>(part)].owner : even_owner(part, n_parts_, n_ranks_);
}

int64_t SphereSplit::part_of(const SphereLattice::Square &square) const {
    if (parts_per_side_ > 0) return (square.parallelogram * parts_per_side_ + between_cuts(square.j)) * parts_per_side_ + between_cuts(square.i);
    const int64_t parallelogram = square.parallelogram;
    std::vector<PlacedBox> found;
    places_.boxes_near({ { square.i, square.j, parallelogram }, { square.i + 1, square.j + 1, parallelogram + 1 } }, found);
    return found.front().gid;
}

std::vector<int64_t> SphereSplit::parts_of_rank(int32_t rank) const {
    std::vector<int64_t> parts;
    if (parts_per_side_ > 0)
        for (int64_t part = first_part(rank); part < first_part(rank + 1); ++part) parts.push_back(part);
    for (int64_t part = 0; part < std::ssize(boxes_); ++part)
        if (rank_of(part) == rank) parts.push_back(part);
    return parts;
}

int64_t SphereSplit::most_parts() const {
    if (parts_per_side_ > 0) return (n_parts_ + n_ranks_ - 1) / n_ranks_;
    std::vector<int64_t> numbers(static_cast<size_t>(n_ranks_));
    for (const halo_sphere_box &one : boxes_) ++numbers[static_cast<size_t>(one.owner)];
    return *std::max_element(numbers.begin(), numbers.end());
}

uint64_t SphereSplit::hash() const {
    Digest digest;
    for (const int64_t value : { int64_t{ lattice_.n_parallelograms() }, lattice_.n(), parts_per_side_, n_parts_ })
        digest.add(static_cast<uint64_t>(value));
    for (const halo_sphere_box &one : boxes_)
        for (const int64_t value : { int64_t{ one.parallelogram }, int64_t{ one.owner }, one.low[0], one.low[1], one.high[0], one.high[1] })
            digest.add(static_cast<uint64_t>(value));
    return digest.low;
}

Terms SphereSplit::terms() const {
    Terms terms;
    terms.add("solid", lattice_.n_parallelograms() == 10 ? "icosahedron" : "octahedron");
    terms.add("side", std::to_string(lattice_.n()), "squares");
    terms.add("cuts", parts_per_side_ > 0 ? format("%lld parts along each side", static_cast<long long>(parts_per_side_)) : "listed boxes");
    terms.add("list of boxes", std::to_string(boxes_.size()), "boxes");
    for (size_t part = 0; part < boxes_.size(); ++part)
        terms.add("box " + std::to_string(part), text_of(boxes_[part]) + format(" of rank %d", boxes_[part].owner));
    return terms;
}

} // namespace halo
