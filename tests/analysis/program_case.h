// SPDX-License-Identifier: BSD-3-Clause
// Random sequences of stages, as plain data, and stencils made from them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "halo_stencil.hpp"

namespace analysis {

// Cases of a random test start from here; ANALYSIS_SEED runs one again, ANALYSIS_CASES sets how many there are.
uint64_t first_seed();
int n_cases(int usual);

class Random {
public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    int below(int n) { return static_cast<int>(engine_() % static_cast<uint64_t>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }
    uint64_t word() { return engine_(); }

private:
    std::mt19937_64 engine_;
};

struct Stage {
    std::vector<halo_stencil_access> accesses;
    bool conditional = false;
    double work = 1;
    std::vector<halo_stencil_interval> intervals;
    int32_t direction = HALO_STENCIL_PARALLEL;
};

struct Case {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    std::vector<int64_t> splitters;
    std::vector<bool> temporary; // of each field
    std::vector<Stage> stages;
};

// Without levels. `wide`: extents reach at most so far.
Case random_case(Random &random, int n_dims, int n_stages, int wide);

// HALO_SUCCESS: analysed.
halo_status analyse(const Case &given, std::vector<halo::Stencil> &made);

} // namespace analysis
