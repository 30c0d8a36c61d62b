// SPDX-License-Identifier: BSD-3-Clause
// Private communicators.
#pragma once

#include <mpi.h>

#include "halo_plugin.h"

namespace halo::mpi {

// Duplicates a communicator, whose own error handler may be to abort; the copy returns errors and has no messages waiting. Collective.
halo_status duplicate(const halo_host *host, MPI_Comm original, MPI_Comm *copy);

} // namespace halo::mpi
