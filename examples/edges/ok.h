// SPDX-License-Identifier: BSD-3-Clause
// A call of the library that must succeed: else its text is thrown.
#pragma once

#include <stdexcept>
#include <string>

#include <halo.h>

namespace edges {

inline void ok(halo_status status, const char *call) {
    if (status != HALO_SUCCESS) throw std::runtime_error(std::string(call) + ": " + halo_last_error());
}
#define OK(call) ::edges::ok((call), #call)

} // namespace edges
