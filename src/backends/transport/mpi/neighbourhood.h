// SPDX-License-Identifier: BSD-3-Clause
// A neighbourhood collective: messages of fixed sizes to and from some ranks in one operation, wherever they lie.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halo_plugin.h"
#include "repeated.h"

// SimGrid's has none.
#if MPI_VERSION >= 3 && !defined(SMPI_H)
#define HALO_MPI_NEIGHBOURHOODS 1
#else
#define HALO_MPI_NEIGHBOURHOODS 0
#endif

#if HALO_MPI_NEIGHBOURHOODS

namespace halo::mpi {

class Neighbourhood {
public:
    // HALO_ERR_LIMIT: a message has more bytes than MPI counts. Collective, if no rank is refused so.
    static halo_status create(const halo_host *host, MPI_Comm among, std::span<const halo_neighbour_message> sends,
                              std::span<const halo_neighbour_message> receives, std::unique_ptr<Neighbourhood> &created);
    // Ends it, some time after all ranks have. False: something is in flight, and MPI needs it, and its communicator, for as long as the process
    // lives.
    bool retire();

    // MPI_Ineighbor_alltoallw; its code. `kept` is in flight until `request` is complete.
    int start(const void *const *sent, void *const *received, MPI_Request &request, Kept *&kept);

private:
    struct Flight : Kept {
        std::vector<MPI_Aint> sent, received;
    };
    Neighbourhood() = default;
    Flight &free_flight();

    MPI_Comm communicator_ = MPI_COMM_NULL;
    MPI_Comm farewell_ = MPI_COMM_NULL; // of the same ranks, to retire: there may be an operation on the other that not all have started
    std::vector<int> sent_bytes_, received_bytes_;
    std::vector<MPI_Datatype> types_; // as many as either needs
    std::vector<std::unique_ptr<Flight>> flights_;
};

} // namespace halo::mpi

#endif
