/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "halo.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>
namespace halo {
using Index = std::array<std::int64_t, 3>;
template <class Visit>
void for_each(const halo_box &box, Visit &&visit) {
    for (std::int64_t k = box.low[2]; k < box.high[2]; ++k)
        for (std::int64_t j = box.low[1]; j < box.high[1]; ++j)
            for (std::int64_t i = box.low[0]; i < box.high[0]; ++i) visit(i, j, k);
}
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
    View component(std::int64_t number) const { return shifted(number * layout_.component_stride); }
    View place(std::int64_t number) const { return shifted(number * layout_.place_stride); }
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
template <class T = double>
View<T> view(const Field &field, std::int64_t gid, std::int32_t set = 0) {
    return { field.data<T>(gid, set), field.layout(gid) };
}
inline std::vector<halo_part> parts(const Topology &topology) {
    std::vector<halo_part> all;
    for (const std::int64_t gid : topology.local_parts()) all.push_back(topology.part(gid));
    return all;
}
inline halo_box owned_cells(const halo_part &part) {
    halo_box box{};
    for (int d = 0; d < 3; ++d) box.high[d] = part.cells.high[d] - part.cells.low[d];
    return box;
}
struct Side {
    halo_box ghosts{};
    std::int32_t element = 0;
    std::int32_t place = 0;
    Index outward{};
    Index first{}, last{};
    bool on_border[3] = {};
    Index nearest(Index ghost) const {
        for (std::size_t d = 0; d < 3; ++d)
            if (outward[d] != 0) ghost[d] = outward[d] < 0 ? first[d] : last[d];
        return ghost;
    }
    Index mirrored(Index ghost) const {
        const Index edge = nearest(ghost);
        for (std::size_t d = 0; d < 3; ++d)
            if (outward[d] != 0) ghost[d] = 2 * edge[d] - ghost[d] + (on_border[d] ? 0 : outward[d]);
        return ghost;
    }
};
namespace detail {
inline std::int32_t bits_of_place(std::int32_t centring, std::int32_t place, std::int32_t n_dims) {
    if (centring == HALO_CENTRE_FACES) return 1 << place;
    if (centring == HALO_CENTRE_EDGES) return n_dims == 3 ? HALO_CENTRE_NODE ^ 1 << place : (1 << n_dims) - 1;
    return centring;
}
inline Index outward_of(const halo_part &part, std::int32_t element) {
    const Index offset{ element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1 };
    Index outward{};
    for (std::size_t d = 0; d < 3; ++d)
        if (offset[d] != 0 && part.at_boundary[2 * d + (offset[d] > 0 ? 1 : 0)] != 0) outward[d] = offset[d];
    return outward == Index{} ? offset : outward;
}
}
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
struct Components {
    std::int64_t first = 0;
    std::int64_t n = 1;
};
template <class T, class Value>
void fill_by(const View<T> &view, const Side &side, Components components, Value &&value) {
    const View<T> there = view.place(side.place);
    for (std::int64_t c = components.first; c < components.first + components.n; ++c)
        for_each(side.ghosts, [&](std::int64_t i, std::int64_t j, std::int64_t k) { there(i, j, k, c) = value(Index{ i, j, k }, c); });
}
template <class T>
void fill_constant(const View<T> &view, const Side &side, Components components, const T &value) {
    fill_by(view, side, components, [&](const Index &, std::int64_t) { return value; });
}
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
}
