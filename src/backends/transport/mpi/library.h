// SPDX-License-Identifier: BSD-3-Clause
// The MPI library that this module is bound to: which it is, whether it can be used, its error texts.
#pragma once

#include <mpi.h>

#include <string>

#include "halo_plugin.h"

namespace halo::mpi {

// What MPI says of itself and the file it was loaded from, e.g. "Open MPI v4.1.4 (/usr/lib/libmpi.so.40)". Any time.
std::string library_text();

// True if the MPI functions this module got are of the MPI whose mpi.h it was built with. The dynamic linker may give it those of
// another MPI that the program was linked with.
bool bound_to_own_library();

// A function that some versions have; null: this one has not. Other MPIs may be loaded too.
void *function_of_library(const char *name);

// A launcher of this MPI started the process; `variable` is how one can tell.
bool launched(const char *&variable);
// Null, or how one can tell that a launcher of another one alone did, and several ranks: each would be alone with this.
const char *launched_by_another();

bool initialized();
bool finalized();

// Make MPI usable, in this thread. Initialises it, and arranges for its finalisation when the process exits successfully, unless the program did
// so or gave a communicator, which only an initialised MPI can have made. The level of threads is that of the setting mpi.threads.
halo_status ensure_initialized(const halo_host *host, bool has_communicator);

// Setting mpi.requests.
bool persistent_requests_wanted(const halo_host *host);

// Only the thread that MPI calls its main one may use it.
bool for_main_thread_only();

// Report the failure `code` of an MPI call.
halo_status failure(const halo_host *host, const char *call, int code);

} // namespace halo::mpi
