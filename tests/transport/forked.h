// SPDX-License-Identifier: BSD-3-Clause
// Ranks as forked processes that know each other by shared memory alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "halo_plugin.h"

namespace transport_tests {

// What one of the processes does; the result is its exit status. The bootstrap lives as long as the process.
using ForkedBody = std::function<int(const halo_bootstrap &)>;

// Runs the body in `n_ranks` processes of its own and waits for them. Once one has failed, the others have `patience_seconds` to end, then they are
// killed. Whoever waits in an allgather for a process that has ended, or for a minute, gets an error. Returns their wait statuses.
std::vector<int> run_forked(int32_t n_ranks, const ForkedBody &body, double patience_seconds = 5);

// A wait status in words; "" if the process ended well.
std::string failure_of(int wait_status);

// Do two of such processes read each other's memory (process_vm_readv)? Not everywhere is that permitted.
bool forked_may_read();

// As run_forked, for a program that does nothing else: prints which ranks have failed. Returns the program's exit status.
int launch_forked(int32_t n_ranks, const ForkedBody &body);

// The number in the argument `--ranks=N`; 0: there is none.
int32_t ranks_wanted(int argc, char **argv);

} // namespace transport_tests
