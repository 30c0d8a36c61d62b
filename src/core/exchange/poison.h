// SPDX-License-Identifier: BSD-3-Clause
// Check mode: values that ghosts in flight hold. Floating-point ones are quiet NaNs that say where they come from; arithmetic hands them on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "field/field.h"

namespace halo {

// Of one element of a field's storage. Integers and bytes cannot tell where they come from; what they hold depends on the setting check.seed.
struct Poison {
    int32_t ordinal = 0; // of the field
    int64_t element = 0;
    int64_t seed = 0;
};
void store_poison(const FieldSpec &spec, const Poison &poison, std::byte *at);

// Does the element still hold exactly what store_poison wrote?
bool holds_poison(const FieldSpec &spec, const Poison &poison, const std::byte *at);

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
