// SPDX-License-Identifier: BSD-3-Clause
// Apart from the rest, since SimGrid's headers bring many names.
//   simulated_scale CASE
#include "scale.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    try {
        run_simulated(argc > 1 ? argv[1] : "range");
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "simulated_scale: %s\n", failure.what());
        std::exit(EXIT_FAILURE);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
