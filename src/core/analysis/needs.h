// SPDX-License-Identifier: BSD-3-Clause
// What each stage must compute and what must be exchanged, from the last stage to the first, once it is known which outputs are exchanged.
#pragma once

#include <vector>

#include "analysis/program.h"

namespace halo {

// An output that may be exchanged instead of being computed by neighbours too.
struct Candidate {
    size_t stage = 0;
    size_t field = 0;
};

// A field whose ghosts are filled from their owners: the output of a stage, or (-1) what is there when the sequence begins.
struct FilledGhosts {
    size_t field = 0;
    int64_t writer = -1;
    std::vector<Offsets> levels; // what is needed, by level
    Offsets whole;               // enclosing them
};

struct Needs {
    std::vector<std::vector<Offsets>> computed; // by stage and level; empty where it need not run
    std::vector<Offsets> storage;               // by field: all that is read and written
    std::vector<FilledGhosts> filled;           // in the order of writers, then of fields

    // Does a stage read or write ghosts of a field?
    bool touches_ghosts(const Program &program, size_t stage, size_t field) const;
};

// Outputs that are read at other cells before they are written anew, and are no temporaries; in the order of stages.
std::vector<Candidate> candidates(const Program &program);

// `exchanged`: for each candidate, 1 if it is to be exchanged.
Needs find_needs(const Program &program, const std::vector<Candidate> &candidates, const std::vector<char> &exchanged);

// Are all ghosts at most as wide as the smallest part?
bool fits_parts(const Program &program, const Needs &needs);
// HALO_ERR_LIMIT where not; the text names field, direction and the stage that needs most.
void check_fits_parts(const Program &program, const Needs &needs);

} // namespace halo
