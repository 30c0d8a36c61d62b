// SPDX-License-Identifier: BSD-3-Clause
// Where another rank may run. With HALO_SIMULATION, tests/simulation defines what happens there; without it, nothing of this is compiled.
#pragma once

#include <cstdint>

namespace halo {

#if defined(HALO_SIMULATION)

namespace simulation {

void point();                                         // before a transport call, and before a peer's storage is used
void before_access(const void *word, unsigned bytes); // to a word that ranks share
void sleep(double seconds);                           // of simulated time
double seconds();
bool holds_back(); // the network has not delivered yet
int64_t process(); // this rank's
bool has_died(int64_t process);
char *error_text(); // this rank's, of error_text_bytes
inline constexpr int error_text_bytes = 4096;

} // namespace simulation

inline void schedule_point() { simulation::point(); }
inline void busy_wait() { simulation::sleep(1e-3); }
inline bool network_holds_back() { return simulation::holds_back(); }

#else

inline void schedule_point() {}
inline void busy_wait() {}
inline bool network_holds_back() { return false; }

#endif

} // namespace halo
