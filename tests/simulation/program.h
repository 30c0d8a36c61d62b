// SPDX-License-Identifier: BSD-3-Clause
// A random program, the same on all ranks: objects over which values are exchanged, what is done with them, and what befalls the ranks meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fibers.h"
#include "storage.h"

namespace programs {

using conformance::FieldCase;
using conformance::Grid;
using conformance::Random;

enum class What : uint8_t { blocks, batch, points, transfer, reduction, sums };
inline constexpr int n_whats = 6;
const char *name_of(What what);

// How the points of a relation are told.
enum class Made : uint8_t { keys, keys_by_hash, star };
const char *name_of(Made made);

struct ObjectCase {
    What what = What::blocks;
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    bool phases = false;          // post, send, test, unpack in place of start and finish
    halo_run run = HALO_RUN_INIT; // narrowed
    // Of blocks and batches.
    Grid grid;
    FieldCase field;
    // Of points.
    Made made = Made::keys;
    std::vector<std::vector<uint64_t>> keys; // by rank, each once
    int32_t n_components = 1;
    // Of transfers: cuts of the same row of cells, and the rank of each piece.
    std::vector<int64_t> cuts[2];
    std::vector<int32_t> owners[2];
    // Of sums.
    int64_t n_values = 1;

    // Others may be under way while it is.
    bool may_overlap() const { return what != What::sums; }
    // Their ranks wait for each other in the middle.
    bool has_rounds() const { return what == What::reduction || desc.kind == HALO_KIND_FETCH || desc.pattern == HALO_PATTERN_SWEEPS; }
    std::string describe() const;
};

struct Step {
    enum class Does : uint8_t { run, run_all, give_up, recreate, reopen } does = Does::run;
    size_t object = 0;
};
const char *name_of(Step::Does does);

struct Program {
    uint64_t seed = 0;
    int32_t n_ranks = 2;
    std::vector<ObjectCase> objects;
    std::string path = "auto";
    std::vector<Step> steps;
    std::vector<simulation::Event> events;
    double switches = 0.1, delays = 0;

    bool has(simulation::Fault fault) const;
    // May a call end so on some rank?
    bool allows(halo_status status) const;
    std::string describe() const;
};

Program make_program(uint64_t seed);

} // namespace programs
