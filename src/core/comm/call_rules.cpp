// SPDX-License-Identifier: BSD-3-Clause
#include "comm/call_rules.h"

#include "base/error.h"

namespace halo {

void CallRules::refuse() const {
    if (inside_ != Inside::nothing)
        fail(HALO_ERR_STATE, "called from inside the program's function '%s': %s", name_,
             inside_ == Inside::arrival ? "there storage may be bound and things may be read, no more" : "there things may be read, no more");
    fail(HALO_ERR_STATE, "called from another thread than the one that made the context: the transport does not allow it. For MPI, set "
                         "mpi.threads = serialized or multiple, or give MPI_Init_thread that level");
}

} // namespace halo
