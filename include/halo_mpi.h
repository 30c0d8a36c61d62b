/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_mpi.h
 * libhalo for programs with MPI: a context over a communicator. The only header of libhalo that includes mpi.h; nothing of it is in the
 * library, so that one libhalo serves every MPI.
 */
#ifndef HALO_MPI_H
#define HALO_MPI_H

#include "halo.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Make a context over the ranks of `communicator`, an intra-communicator of an initialised MPI; it is duplicated. After MPI_Finalize the context
 *  and what was made with it can only be destroyed. Collective; blocks. `options` may be NULL. Otherwise as halo_context_create. */
static inline halo_status halo_context_create_mpi(MPI_Comm communicator, const halo_context_options *options, halo_context **context) {
#if defined(OPEN_MPI)
    const char *mpi = "openmpi";
#elif defined(MPICH_VERSION)
    const char *mpi = "mpich";
#elif defined(MPI_ABI_VERSION) && MPI_VERSION >= 5
    const char *mpi = "abi";
#else
#error "halo_mpi.h knows Open MPI, MPICH (and those that share its binary interface and name), and the standard ABI of MPI 5"
#endif
    return halo_context_create_communicator(&communicator, sizeof communicator, mpi, options, context);
}

#ifdef __cplusplus
}
#endif
#endif /* HALO_MPI_H */
