// SPDX-License-Identifier: BSD-3-Clause
// Check mode: values that ghosts in flight hold. Floating-point ones are quiet NaNs that say where they come from; arithmetic hands them on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "field/field.h"

namespace halo {

// Write the poison of one element of a field's storage.
void store_poison(const FieldSpec &spec, int32_t ordinal, int64_t element, std::byte *at);

// Does the element still hold exactly what store_poison wrote?
bool holds_poison(const FieldSpec &spec, int32_t ordinal, int64_t element, const std::byte *at);

// Only floating-point values can tell that they were computed from poison.
bool can_be_poison(const FieldSpec &spec);

// What a poisoned value says of its origin.
struct PoisonOrigin {
    bool found = false;
    int32_t ordinal = 0; // low bits of the field's ordinal; -1: the type has no room for it
    int64_t element = 0; // low bits of the place in the part's storage
};
// Was this value computed from poison? Only floating-point types can tell.
PoisonOrigin poison_origin(const FieldSpec &spec, const std::byte *at);

} // namespace halo
