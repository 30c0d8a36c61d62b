// SPDX-License-Identifier: BSD-3-Clause
// A context that goes with all that was made from it.
#pragma once

#include "capi/handle.h"

namespace halo {

// Gives up what is under way, and names it. Where there is no memory for the names, some is left; to be called again.
std::string give_up_all(ContextObject &owner);
// Destroys everything but channels, which go with the context. Nothing is under way.
void destroy_all(ContextObject &owner) noexcept;

} // namespace halo
