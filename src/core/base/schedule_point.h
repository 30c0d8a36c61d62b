// SPDX-License-Identifier: BSD-3-Clause
// Where another rank may run. With HALO_SIMULATION, tests/simulation defines what happens there; without it, nothing of this is compiled.
#pragma once

#include <cstdint>

namespace halo {

// What ranks do rarely. A simulation counts it.
enum class Rare : uint8_t { not_open, declined, revoked, taken_back, taken_from_reader };

#if defined(HALO_SIMULATION)

namespace simulation {

void point();                                         // before a transport call
void point_in_storage();                              // of a peer, before it is used
void before_access(const void *word, unsigned bytes); // to a word that ranks share
void sleep(double seconds);                           // of simulated time
double seconds();
bool holds_back(const void *request);                     // the network has not delivered yet
bool holds_back(int32_t peer, int32_t lane, int32_t tag); // likewise
void delivers(const void *request);                       // whose operation is complete
void delivers();                                          // a message that was probed for
void sends(int32_t tag);
bool is_out_of_reach(); // memory of others
void count(Rare);
int64_t process(); // this rank's
bool has_died(int64_t process);
char *error_text(); // this rank's, of error_text_bytes
inline constexpr int error_text_bytes = 4096;

} // namespace simulation

inline void schedule_point() { simulation::point(); }
inline void schedule_point_in_storage() { simulation::point_in_storage(); }
inline void busy_wait() { simulation::sleep(1e-3); }
template <class... Message>
bool network_holds_back(const Message &...message) {
    return simulation::holds_back(message...);
}
template <class... Message>
bool network_delivers(bool done, const Message &...message) {
    if (done) simulation::delivers(message...);
    return done;
}
inline void network_takes(int32_t tag) { simulation::sends(tag); }
inline bool memory_is_out_of_reach() { return simulation::is_out_of_reach(); }
inline void count(Rare what) { simulation::count(what); }

#else

inline void schedule_point() {}
inline void schedule_point_in_storage() {}
inline void busy_wait() {}
template <class... Message>
bool network_holds_back(const Message &...) {
    return false;
}
template <class... Message>
bool network_delivers(bool done, const Message &...) {
    return done;
}
inline void network_takes(int32_t) {}
inline bool memory_is_out_of_reach() { return false; }
inline void count(Rare) {}

#endif

} // namespace halo
