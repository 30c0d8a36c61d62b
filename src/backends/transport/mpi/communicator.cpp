// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.h"

#include "library.h"
#include "report.h"

namespace halo::mpi {

namespace {

int duplicate_quietly(MPI_Comm original, MPI_Comm *copy) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(original, &handler);
    MPI_Comm_set_errhandler(original, MPI_ERRORS_RETURN);
    int code = MPI_Comm_dup(original, copy);
    MPI_Comm_set_errhandler(original, handler);
    if (handler != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&handler);
    if (code == MPI_SUCCESS) MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
    return code;
}

// Whether any rank has messages waiting on a communicator on which none has sent yet; none sends before all have looked.
int look_for_messages(MPI_Comm communicator, int *waiting) {
    constexpr int attempts = 10; // each lets MPI take in what has arrived
    *waiting = 0;
    int code = MPI_Barrier(communicator);
    for (int i = 0; i < attempts && *waiting == 0 && code == MPI_SUCCESS; ++i) {
        code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, waiting, MPI_STATUS_IGNORE);
    }
    if (code != MPI_SUCCESS) return code;
    return MPI_Allreduce(MPI_IN_PLACE, waiting, 1, MPI_INT, MPI_MAX, communicator);
}

} // namespace

halo_status duplicate(const halo_host *host, MPI_Comm original, MPI_Comm *copy) {
    int is_inter = 0;
    MPI_Comm_test_inter(original, &is_inter);
    if (is_inter != 0) return transport::report(host, HALO_ERR_ARGUMENT, "the communicator is an inter-communicator");
    for (;;) {
        int code = duplicate_quietly(original, copy);
        if (code != MPI_SUCCESS) return failure(host, "MPI_Comm_dup", code);
        int waiting = 0;
        code = look_for_messages(*copy, &waiting);
        if (code != MPI_SUCCESS) return failure(host, "MPI_Allreduce", code);
        if (waiting == 0) return HALO_SUCCESS;
        // MPICH gives a freed communicator's number, and with it messages that were left there, to the next one. Keep this one.
    }
}

} // namespace halo::mpi
