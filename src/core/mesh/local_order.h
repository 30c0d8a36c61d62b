// SPDX-License-Identifier: BSD-3-Clause
// In what order a rank stores the entities of a set.
#pragma once

#include "mesh/mesh.h"

namespace halo {

struct LocalOrder {
    LocalSet set;
    LargeVector<uint32_t> numbers; // by local index; those of core entities ascend
    LargeVector<uint32_t> indices; // by number; KnownSet::none: not stored
};

// Keys and owners are taken out of what is known.
LocalOrder order_locally(const MeshDescription &mesh, KnownMesh &known, size_t set, int32_t rank);

// Puts rows of `width` values each in order, row place_of(i) at i, for `n` of them, each value as change(value). Places ascend of the first
// `n_ascending`: these move where they are, and no memory is touched for them.
template <class Rows, class PlaceOf, class Change>
void put_in_order(Rows &rows, size_t width, size_t n, size_t n_ascending, PlaceOf &&place_of, Change &&change) {
    using T = typename Rows::value_type;
    std::vector<T> rest;
    rest.reserve((n - n_ascending) * width);
    for (size_t i = n_ascending; i < n; ++i)
        for (size_t k = 0; k < width; ++k) rest.push_back(change(rows[place_of(i) * width + k]));
    T *to = rows.data();
    for (size_t i = 0, end = 0; i < n_ascending; i = end) { // mostly places follow each other
        const size_t place = place_of(i);
        while (end < n_ascending && place_of(end) == place + (end - i)) ++end;
        const T *from = rows.data() + place * width;
        for (const T *const last = from + (end - i) * width; from < last; ++from) *to++ = change(*from);
    }
    rows.resize(n_ascending * width);
    rows.insert(rows.end(), rest.begin(), rest.end());
}

} // namespace halo
