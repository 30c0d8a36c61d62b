// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo_views.hpp
 * Storage of parts by indices, and ghosts outside the domain: what a solver in C++ writes around its exchanges.
 *
 * Header-only, C++20, over halo.hpp. Indices are those of halo.h's boxes: (0, 0, 0) is the first owned cell of a part, ghosts have negative or high
 * ones. Nothing here is checked against the storage's size, and nothing communicates; a view is valid as long as the storage it was made from.
 */
#pragma once

#include "halo.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

namespace halo {

using Index = std::array<std::int64_t, 3>;

/// Calls visit(i, j, k) for every index of a box, x fastest.
template <class Visit>
void for_each(const halo_box &box, Visit &&visit) {
    for (std::int64_t k = box.low[2]; k < box.high[2]; ++k)
        for (std::int64_t j = box.low[1]; j < box.high[1]; ++j)
            for (std::int64_t i = box.low[0]; i < box.high[0]; ++i) visit(i, j, k);
}

/// Indices of a box as a range, x fastest: `for (const auto [i, j, k] : indices(box))`.
class Indices {
public:
    class Iterator {
    public:
        using value_type = Index;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const halo_box &box, bool empty) : box_(box), at_{ box.low[0], box.low[1], empty ? box.high[2] : box.low[2] } {}
        Index operator*() const { return at_; }
        Iterator &operator++() {
            if (++at_[0] < box_.high[0]) return *this;
            at_[0] = box_.low[0];
            if (++at_[1] < box_.high[1]) return *this;
            at_[1] = box_.low[1];
            ++at_[2];
            return *this;
        }
        Iterator operator++(int) {
            Iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator &other) const { return at_ == other.at_; }
        bool operator==(std::default_sentinel_t) const { return at_[2] >= box_.high[2]; }

    private:
        halo_box box_{};
        Index at_{};
    };

    explicit Indices(const halo_box &box) : box_(box) {}
    Iterator begin() const { return { box_, empty() }; }
    std::default_sentinel_t end() const { return {}; }
    bool empty() const { return box_.low[0] >= box_.high[0] || box_.low[1] >= box_.high[1] || box_.low[2] >= box_.high[2]; }

private:
    halo_box box_;
};

inline Indices indices(const halo_box &box) { return Indices(box); }

/// Storage of one part in one set: `view(i, j, k, component)`, in whatever layout the part has. Cheap to copy. Empty where the part is unallocated.
template <class T = double>
class View {
public:
    View() = default;
    View(T *data, const halo_layout &layout) : first_(data ? data + layout.first_owned : nullptr), layout_(layout) {}

    explicit operator bool() const { return first_ != nullptr; }
    T &operator()(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0, std::int64_t component = 0) const {
        return first_[i * layout_.stride[0] + j * layout_.stride[1] + k * layout_.stride[2] + component * layout_.component_stride];
    }
    T &operator()(const Index &at, std::int64_t component = 0) const { return (*this)(at[0], at[1], at[2], component); }

    /// The same from one component on; of one place of a field that has several per cell (HALO_CENTRE_FACES, HALO_CENTRE_EDGES).
    View component(std::int64_t number) const { return shifted(number * layout_.component_stride); }
    View place(std::int64_t number) const { return shifted(number * layout_.place_stride); }

    /// Of the first owned cell; for kernels that walk by strides.
    T *first_owned() const { return first_; }
    const halo_layout &layout() const { return layout_; }

private:
    View shifted(std::int64_t elements) const {
        View other = *this;
        if (first_) other.first_ += elements;
        return other;
    }

    T *first_ = nullptr;
    halo_layout layout_ = HALO_LAYOUT_INIT;
};

/// `T` must be the field's type.
template <class T = double>
View<T> view(const Field &field, std::int64_t gid, std::int32_t set = 0) {
    return { field.data<T>(gid, set), field.layout(gid) };
}

/// This rank's parts, ascending by gid.
inline std::vector<halo_part> parts(const Topology &topology) {
    std::vector<halo_part> all;
    for (const std::int64_t gid : topology.local_parts()) all.push_back(topology.part(gid));
    return all;
}

/// A part's owned cells, in its own index space.
inline halo_box owned_cells(const halo_part &part) {
    halo_box box{};
    for (int d = 0; d < 3; ++d) box.high[d] = part.cells.high[d] - part.cells.low[d];
    return box;
}

/// Some of a part's owned cells, in its own index space.
struct PartBox {
    std::int64_t gid = 0;
    halo_box cells{};
};

/// Of all local parts, what needs no ghosts within `reach` cells: to be worked on while they are on their way. None is empty.
inline std::vector<PartBox> interiors(const Topology &topology, const Field &field, std::int32_t reach) {
    std::vector<PartBox> all;
    for (const std::int64_t gid : topology.local_parts())
        if (const halo_box cells = field.interior_rim(gid, reach).interior; !indices(cells).empty()) all.push_back({ gid, cells });
    return all;
}

/// And what does need them, part by part: disjoint boxes.
inline std::vector<PartBox> rims(const Topology &topology, const Field &field, std::int32_t reach) {
    std::vector<PartBox> all;
    for (const std::int64_t gid : topology.local_parts())
        for (const halo_box &cells : field.interior_rim(gid, reach).rim) all.push_back({ gid, cells });
    return all;
}

/// Ghosts of one part that no part fills: a side, an edge or a corner of the domain, or where there is a hole.
struct Side {
    halo_box ghosts{};
    std::int32_t element = 0; ///< of the part: see HALO_ELEMENT
    std::int32_t place = 0;   ///< of fields with several per cell: which one these are points of
    Index outward{};          ///< -1 or 1 in directions that lead out of the domain; one direction but at edges and corners of it
    Index first{}, last{};    ///< owned points of this place
    bool on_border[3] = {};   ///< per direction: the points lie on borders of cells, first and last on the part's (faces, nodes), not in the middle

    /// The owned point that is nearest to a ghost along the outward directions.
    Index nearest(Index ghost) const {
        for (std::size_t d = 0; d < 3; ++d)
            if (outward[d] != 0) ghost[d] = outward[d] < 0 ? first[d] : last[d];
        return ghost;
    }
    /// Its mirror image there. The part must be as wide as its ghosts, and one point wider where points lie on the border.
    Index mirrored(Index ghost) const {
        const Index edge = nearest(ghost);
        for (std::size_t d = 0; d < 3; ++d)
            if (outward[d] != 0) ghost[d] = 2 * edge[d] - ghost[d] + (on_border[d] ? 0 : outward[d]);
        return ghost;
    }
};

namespace detail {

/// Bits of HALO_CENTRE_... of one place of a field, in the directions that there are.
inline std::int32_t bits_of_place(std::int32_t centring, std::int32_t place, std::int32_t n_dims) {
    if (centring == HALO_CENTRE_FACES) return 1 << place;
    if (centring == HALO_CENTRE_EDGES) return n_dims == 3 ? HALO_CENTRE_NODE ^ 1 << place : (1 << n_dims) - 1;
    return centring & ((1 << n_dims) - 1);
}

/// Out of the domain where the part touches its boundary; at a hole, away from the part.
inline Index outward_of(const halo_part &part, std::int32_t element) {
    const Index offset{ element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1 };
    Index outward{};
    for (std::size_t d = 0; d < 3; ++d)
        if (offset[d] != 0 && part.at_boundary[2 * d + (offset[d] > 0 ? 1 : 0)] != 0) outward[d] = offset[d];
    return outward == Index{} ? offset : outward;
}

} // namespace detail

/// Ghosts of a local part that no part fills, ordered by place, then element. `centring`: the field's.
inline std::vector<Side> sides(const Topology &topology, const Field &field, std::int64_t gid, std::int32_t centring = HALO_CENTRE_CELL) {
    const halo_part part = topology.part(gid);
    std::vector<Side> all;
    for (const halo_boundary &boundary : field.boundaries(gid)) {
        Side side{ boundary.ghosts, boundary.element, boundary.place, detail::outward_of(part, boundary.element), {}, {}, {} };
        const std::int32_t bits = detail::bits_of_place(centring, boundary.place, part.n_dims);
        for (std::size_t d = 0; d < 3; ++d) {
            side.on_border[d] = (bits >> d & 1) != 0;
            side.last[d] = part.cells.high[d] - part.cells.low[d] - (side.on_border[d] ? 0 : 1);
        }
        all.push_back(side);
    }
    return all;
}

/// One of those of all local parts.
struct PartSide {
    std::int64_t gid = 0;
    Side side;
};

inline std::vector<PartSide> all_sides(const Topology &topology, const Field &field, std::int32_t centring = HALO_CENTRE_CELL) {
    std::vector<PartSide> all;
    for (const std::int64_t gid : topology.local_parts())
        for (const Side &side : sides(topology, field, gid, centring)) all.push_back({ gid, side });
    return all;
}

/// What a fill works on: components [first, first + n) of a view.
struct Components {
    std::int64_t first = 0;
    std::int64_t n = 1;
};

/// Each ghost gets value(ghost's index, component): a known solution, an inflow.
template <class T, class Value>
void fill_by(const View<T> &view, const Side &side, Components components, Value &&value) {
    const View<T> there = view.place(side.place);
    for (std::int64_t c = components.first; c < components.first + components.n; ++c)
        for_each(side.ghosts, [&](std::int64_t i, std::int64_t j, std::int64_t k) { there(i, j, k, c) = value(Index{ i, j, k }, c); });
}

/// The same value everywhere.
template <class T>
void fill_constant(const View<T> &view, const Side &side, Components components, const T &value) {
    fill_by(view, side, components, [&](const Index &, std::int64_t) { return value; });
}

/// Walls: each ghost gets its mirror image. Of a vector whose component along x is `along_x`, those along y and z behind it, the ones along mirrored
/// directions change sign; -1: there is none.
template <class T>
void fill_mirror(const View<T> &view, const Side &side, Components components, std::int64_t along_x = -1) {
    const View<T> there = view.place(side.place);
    fill_by(view, side, components, [&](const Index &ghost, std::int64_t c) {
        const std::int64_t direction = along_x < 0 ? -1 : c - along_x;
        const bool turns = direction >= 0 && direction < 3 && side.outward[static_cast<std::size_t>(direction)] != 0;
        const T &value = there(side.mirrored(ghost), c);
        return turns ? -value : value;
    });
}

/// Outflow: `order` 0 repeats the nearest owned point; 1 goes on linearly from there and the next one inside, in each outward direction (the part
/// must have two points there), exactly for linear functions.
template <class T>
void fill_extrapolated(const View<T> &view, const Side &side, Components components, int order) {
    if (order != 0 && order != 1) throw error(HALO_ERR_ARGUMENT, "fill_extrapolated: order " + std::to_string(order) + " is neither 0 nor 1");
    const View<T> there = view.place(side.place);
    fill_by(view, side, components, [&](const Index &ghost, std::int64_t c) {
        const Index nearest = side.nearest(ghost);
        T value = there(nearest, c);
        if (order == 0) return value;
        for (std::size_t d = 0; d < 3; ++d) {
            if (side.outward[d] == 0) continue;
            Index inner = nearest;
            inner[d] -= side.outward[d];
            value += static_cast<T>(std::abs(ghost[d] - nearest[d])) * (there(nearest, c) - there(inner, c));
        }
        return value;
    });
}

} // namespace halo
