// SPDX-License-Identifier: BSD-3-Clause
#include "world_errors.h"

#include <mpi.h>

#include <mutex>

#include "library.h"

namespace halo::mpi {

namespace {

// As MPI_COMM_WORLD itself, one for the process.
struct Handler {
    std::mutex mutex;
    int n_users = 0;
    MPI_Errhandler ours = MPI_ERRHANDLER_NULL;
    MPI_Errhandler programs = MPI_ERRHANDLER_NULL;
};
Handler handler;

void pass_on(MPI_Comm *communicator, int *code, ...) {
    if (call_is_ours) return;
    MPI_Comm_set_errhandler(*communicator, handler.programs);
    MPI_Comm_call_errhandler(*communicator, *code);
    MPI_Comm_set_errhandler(*communicator, handler.ours);
}

} // namespace

WorldErrors::WorldErrors() {
    std::lock_guard lock(handler.mutex);
    if (handler.n_users++ > 0) return;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler.programs);
    MPI_Comm_create_errhandler(pass_on, &handler.ours);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler.ours);
}

WorldErrors::~WorldErrors() {
    std::lock_guard lock(handler.mutex);
    if (--handler.n_users > 0 || finalized()) return;
    MPI_Errhandler present = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &present);
    if (present == handler.ours) MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler.programs); // else the program has set another since
    if (present != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&present);
    MPI_Errhandler_free(&handler.ours);
    MPI_Errhandler_free(&handler.programs);
}

} // namespace halo::mpi
