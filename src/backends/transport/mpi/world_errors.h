// SPDX-License-Identifier: BSD-3-Clause
// Errors that an MPI raises on MPI_COMM_WORLD although they belong to a private communicator.
//
// MPICH does so for all errors of requests, Open MPI for some, e.g. a message that is too long. By default that ends the program. While
// endpoints are open, a handler on MPI_COMM_WORLD makes our own errors come back as codes and passes all others to the handler that the
// program had set.
#pragma once

namespace halo::mpi {

inline constinit thread_local bool call_is_ours = false;

class WorldErrors {
public:
    // Puts the handler in place for as long as one instance lives. MPI must be initialised.
    WorldErrors();
    ~WorldErrors();
    WorldErrors(const WorldErrors &) = delete;
    WorldErrors &operator=(const WorldErrors &) = delete;

    // While one lives, errors of this thread are ours.
    class Ours {
    public:
        Ours() { call_is_ours = true; }
        ~Ours() { call_is_ours = false; }
        Ours(const Ours &) = delete;
        Ours &operator=(const Ours &) = delete;
    };
};

} // namespace halo::mpi
