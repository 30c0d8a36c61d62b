// SPDX-License-Identifier: BSD-3-Clause
// What halo_launch is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halo::launch {

struct Host {
    std::string name;
    int32_t slots = 0; // 0: a share of what others leave
};

// Where a rank runs.
struct Place {
    std::string host; // empty: here
    int32_t local_rank = 0;
    int32_t n_local = 0;
};

struct Options {
    int32_t n_ranks = 0; // 0: not given
    std::vector<Host> hosts;
    std::vector<std::string> shell{ "ssh" };
    std::string address; // by which ranks reach this machine; empty: found out
    std::vector<std::string> exported;
    bool prefix = true;
    int32_t serve = -1; // port; -1: starts ranks
    double grace = 5;   // seconds from SIGTERM to SIGKILL
    bool help = false;
    bool version = false;
    std::vector<std::string> command;
};

// Wrong use is a std::invalid_argument.
Options parse_options(int argc, char **argv);
extern const char *const usage;

// Of each rank, in order: hosts are filled one after the other.
std::vector<Place> deal(const Options &options);

} // namespace halo::launch
