// SPDX-License-Identifier: BSD-3-Clause
#include "base/clock.h"

#include <chrono>

#include "base/schedule_point.h"

namespace halo {

#if defined(HALO_SIMULATION)
double steady_seconds() { return simulation::seconds(); }
#else
double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
#endif

} // namespace halo
