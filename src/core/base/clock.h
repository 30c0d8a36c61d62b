// SPDX-License-Identifier: BSD-3-Clause
// The clock that ways through an exchange are measured and waited by. Tests have their own.
#pragma once

#include <chrono>

#include "base/schedule_point.h"

namespace halo {

using Clock = double (*)(); // seconds since some moment, never fewer

#if defined(HALO_SIMULATION)
inline double steady_seconds() { return simulation::seconds(); }
#else
inline double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
#endif

} // namespace halo
