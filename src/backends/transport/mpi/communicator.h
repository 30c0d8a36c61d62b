// SPDX-License-Identifier: BSD-3-Clause
// Private communicators.
#pragma once

#include <mpi.h>

#include "halo_plugin.h"

namespace halo::mpi {

// Duplicates a communicator, whose own error handler may be to abort; the copy returns errors. Collective.
halo_status duplicate(const halo_host *host, MPI_Comm original, MPI_Comm *copy);

// The same of a communicator that returns errors, without waiting: `copy` is there, and returns errors, when the request is complete.
halo_status begin_duplicate(const halo_host *host, MPI_Comm original, MPI_Comm *copy, MPI_Request *request);

// Frees a communicator some time after all its ranks have retired it, at the next calls from here or when MPI is finalised; waits for
// nobody. Freed earlier, its number would go to the next one and with it what other ranks still send. `besides` is freed with it: one of the same
// ranks, on which there are collectives of which some may not have come to all.
void retire(MPI_Comm communicator, MPI_Comm besides = MPI_COMM_NULL);

} // namespace halo::mpi
