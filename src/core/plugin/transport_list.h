// SPDX-License-Identifier: BSD-3-Clause
// The transports that the settings `transport` and `transport.besides` ask for.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace halo {

struct TransportList {
    std::vector<std::string> first;    // each to the ranks that it reaches and none before it does
    std::string rest;                  // to all others: a name, "mpi" or "auto"
    std::vector<std::string> left_out; // what "auto" must not take

    bool leaves_out(const std::string &name) const;
};

// Of `transport` alone: "auto", "ucx", "shm,mpi", "^ucx", "shm,auto,^ucx". HALO_ERR_CONFIG: it makes no sense.
TransportList transport_list(const Config &config);

// A transport that carries messages beside the last one, and the setting that says so.
struct Beside {
    std::string name;
    std::string why; // "transport = shm,mpi from environment"
};
// Of both settings: those of `transport` are asked before those of `transport.besides`.
std::vector<Beside> transports_besides(const Config &config);
// That which goes beside the last one unasked, where all ranks can open it.
inline constexpr char unasked_transport[] = "shm";
// Why the settings would not have it; "": they would. Ranks may differ.
std::string why_not_unasked(const Config &config);
// What all ranks must have alike of it, as it was written.
std::string besides_as_written(const Config &config);

// "transport = ^ucx from call; "; "" where it is "auto", which needs no mention.
std::string transport_as_set(const Config &config);

// Transports that bring an MPI into the process.
bool is_mpi_module(const std::string &name);

} // namespace halo
