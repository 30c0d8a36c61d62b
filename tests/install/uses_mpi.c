/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of one MPI gives the library its communicator. */
#include <halo_mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int ranks = 0;
    int32_t one = 1, sum = 0;
    halo_context *context;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (halo_context_create_mpi(MPI_COMM_WORLD, NULL, &context) || halo_context_allreduce(context, &one, &sum, 1, HALO_INT32, HALO_SUM) ||
        halo_context_destroy(&context)) {
        fprintf(stderr, "%s\n", halo_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    if (sum == ranks) printf("ranks: %d\n", ranks);
    return sum != ranks;
}
