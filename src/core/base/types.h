// SPDX-License-Identifier: BSD-3-Clause
// Facts about halo_type and halo_op.
#pragma once

#include <cstddef>
#include <cstdint>

#include "halo.h"

namespace halo {

// Bytes of one element; 0 for HALO_BYTES and for numbers that are no type.
size_t type_bytes(halo_type type) noexcept;
const char *type_name(halo_type type) noexcept;
bool type_known(halo_type type) noexcept;

// Bytes of an element of `type`, where HALO_BYTES takes `element_bytes`. Fails on unknown types and bad sizes, naming `what`.
int64_t element_size(halo_type type, int64_t element_bytes, const char *what);

// Can values of this type be combined by this operation?
bool combines(halo_type type, halo_op op) noexcept;

} // namespace halo
