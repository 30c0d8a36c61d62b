// SPDX-License-Identifier: BSD-3-Clause
// All values that a part has storage for, ghosts too: gaps of the layout and what a map leaves out are none.
#pragma once

#include "field/field.h"

namespace halo {

struct ValueAt {
    Extent point; // of the part
    int64_t place;
    int64_t component;
    int64_t element; // of the part's storage
};

template <class Visit>
void for_each_value(const Field &field, int64_t local_index, Visit &&visit) {
    const FieldSpec &spec = field.spec();
    const PartLayout &layout = field.layout(local_index);
    const Extent cells = field.topology().cells(local_index);
    const auto for_each_point = [&](int64_t place, auto &&take) {
        Extent end;
        for (int d = 0; d < 3; ++d) end[d] = points(cells[d], spec.places[static_cast<size_t>(place)], d) + spec.ghosts.high[d];
        for (int64_t z = -spec.ghosts.low[2]; z < end[2]; ++z)
            for (int64_t y = -spec.ghosts.low[1]; y < end[1]; ++y)
                for (int64_t x = -spec.ghosts.low[0]; x < end[0]; ++x) take(Extent{ x, y, z });
    };
    for (int64_t place = 0; place < std::ssize(spec.places); ++place)
        for (int64_t component = 0; component < spec.n_components; ++component)
            for_each_point(place, [&](const Extent &point) {
                if (const auto first = field.element(local_index, point))
                    visit(ValueAt{ point, place, component, *first + component * layout.component_stride + place * layout.place_stride });
            });
}

} // namespace halo
