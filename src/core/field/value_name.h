// SPDX-License-Identifier: BSD-3-Clause
// What check mode calls the values of a field in its texts.
#pragma once

#include <string>

#include "field/field.h"

namespace halo {

// A point of a topology without cells, by local index, with its key where that is known.
std::string name_listed(const Field &field, uint32_t point);
// As the program counts, in the part and in the whole grid.
std::string name_cell(const Field &field, int64_t gid, const Extent &cell);
// What an element of a part's storage belongs to, which is looked for: field, part, cell or point, component.
std::string name_element(const Field &field, int64_t local_index, int64_t element);

} // namespace halo
