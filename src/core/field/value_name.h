// SPDX-License-Identifier: BSD-3-Clause
// What check mode calls the values of a field in its texts. Whatever is named is looked for, in all of a part: only where something was found.
#pragma once

#include <string>

#include "field/field.h"

namespace halo {

// The cell or point as the program counts, in the part, and what all ranks know it by.
std::string name_point(const Field &field, int64_t local_index, const Extent &point);
// What an element of a part's storage belongs to.
std::string name_point_at(const Field &field, int64_t local_index, int64_t element);
// Field, part, cell or point, component.
std::string name_element(const Field &field, int64_t local_index, int64_t element);
// Of a ghost: ", which part 3 on rank 1 fills"; empty: no part does.
std::string name_source(const Field &field, int64_t local_index, int64_t element);
// Is it anything else than padding?
bool is_value(const Field &field, int64_t local_index, int64_t element);
// The number itself.
std::string name_value(const FieldSpec &spec, const std::byte *value);

} // namespace halo
