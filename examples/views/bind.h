// SPDX-License-Identifier: BSD-3-Clause
// A view as the storage of a part of a field: its data, extents, strides and lower bounds say all that libhalo wants to know. A view of as many
// dimensions as the field has directions, in their order, and one more where the field has several components.
#pragma once

#include <halo.hpp>

#include <string>

#include "view.h"

namespace views {

// `first_owned`: index of the part's first owned cell in the view; e.g. 1, 1 for a loop that counts as in Fortran.
template <class T, std::size_t rank>
halo_layout layout_of(const View<T, rank> &view, int n_dims, const Indices<3> &first_owned) {
    halo_layout layout = HALO_LAYOUT_INIT;
    Indices<rank> first{};
    for (std::size_t d = 0; d < rank; ++d) first[d] = static_cast<int>(d) < n_dims ? first_owned[d] : view.low(d);
    layout.elements = view.span();
    layout.first_owned = view.offset(first);
    for (int d = 0; d < 3; ++d) layout.stride[d] = d < n_dims ? view.stride(static_cast<std::size_t>(d)) : layout.elements;
    layout.component_stride = static_cast<int>(rank) > n_dims ? view.stride(rank - 1) : layout.elements;
    return layout;
}

// The field's type must be T's. What the view does not have room for is an error: HALO_ERR_BOUNDS.
template <class T, std::size_t rank>
void bind(halo::Field &field, const halo_part &part, const View<T, rank> &view, const Indices<3> &first_owned = { 0, 0, 0 }, std::int32_t set = 0) {
    if (static_cast<int>(rank) != part.n_dims && static_cast<int>(rank) != part.n_dims + 1)
        throw halo::error(HALO_ERR_ARGUMENT, "a view of " + std::to_string(rank) + " dimensions for a part of " + std::to_string(part.n_dims));
    const halo_layout layout = layout_of(view, part.n_dims, first_owned);
    halo_binding binding = HALO_BINDING_INIT;
    binding.set = set;
    binding.data = view.data();
    binding.layout = &layout;
    field.bind(part.gid, binding);
}

} // namespace views
