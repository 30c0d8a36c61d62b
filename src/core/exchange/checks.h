// SPDX-License-Identifier: BSD-3-Clause
// What every exchange asks of its fields.
#pragma once

#include <vector>

#include "field/field.h"

namespace halo {

// All of one context.
void check_fields(const std::vector<Field *> &fields);

// Can their values be combined as the description says?
void check_combining(const std::vector<Field *> &fields, const halo_exchange_desc &desc);
void check_op(const FieldSpec &spec, halo_op op);

} // namespace halo
