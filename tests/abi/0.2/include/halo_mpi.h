/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HALO_MPI_H
#define HALO_MPI_H
#include "halo.h"
#include <mpi.h>
#ifdef __cplusplus
extern "C" {
#endif
static inline halo_status halo_context_create_mpi(MPI_Comm communicator, const halo_context_options *options, halo_context **context) {
#if defined(OPEN_MPI)
    const char *mpi = "openmpi";
#elif defined(MPICH_VERSION)
    const char *mpi = "mpich";
#else
#error "halo_mpi.h knows Open MPI and MPICH (and those that share its binary interface and name)"
#endif
    return halo_context_create_communicator(&communicator, sizeof communicator, mpi, options, context);
}
#ifdef __cplusplus
}
#endif
#endif
