// SPDX-License-Identifier: BSD-3-Clause
// The names of objects that must be destroyed before the one that is to go.
#pragma once

#include "base/function_ref.h"
#include "capi/handle.h"

namespace halo {

// Those of the living objects of a kind, the first few; an object that `name` has none for is not meant.
std::string names(const Shells &shells, HandleKind kind, const char *between, const FunctionRef<std::string(void *object)> name);
// "exchange 3 over u, v"
std::string exchanges_over(const Shells &shells, const Field &field);
// "u, v"
std::string fields_on(const Shells &shells, const Topology &topology);
std::string particles_on(const Shells &shells, const Topology &topology);
// "topology with fields u, v; 2 channels"
std::string all_left(ContextObject &owner);

} // namespace halo
