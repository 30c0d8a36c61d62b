// SPDX-License-Identifier: BSD-3-Clause
// Does the MPI take memory of devices in messages? It is asked, in each way that there is.
#pragma once

#include <string>

namespace halo::mpi {

// Of the module of that name; `why` says who has answered.
bool takes_memory_of(const std::string &device, std::string &why);

} // namespace halo::mpi
