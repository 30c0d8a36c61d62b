// SPDX-License-Identifier: BSD-3-Clause
// A random program, the same on all ranks: objects over which values are exchanged, what is done with them, and what befalls the ranks meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fibers.h"
#include "sparse_model.h"
#include "storage.h"

namespace programs {

using conformance::FieldCase;
using conformance::Grid;
using conformance::Random;

enum class What : uint8_t { blocks, batch, points, transfer, reduction, sums, sparse, boxes, regions, channels, loops, strays };
inline constexpr int n_whats = 12;
const char *name_of(What what);

// How the points of a relation are told.
enum class Made : uint8_t { keys, keys_by_hash, star, lists, graph };
inline constexpr int n_mades = 5;
const char *name_of(Made made);

// A box of cells, or a part of joined regions.
struct Part {
    int32_t owner = 0;
    halo_box cells{ { 0, 0, 0 }, { 1, 1, 1 } };
};

struct ChannelCase {
    int32_t send_rank = 0, receive_rank = 0;
    int64_t count = 1;
    bool sparse = false;
};

struct ObjectCase {
    What what = What::blocks;
    int32_t number = 0; // in its program
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    bool phases = false;          // post, send, test, unpack in place of start and finish
    halo_run run = HALO_RUN_INIT; // narrowed
    // Of blocks, batches and sparse fields.
    Grid grid;
    std::vector<FieldCase> fields;
    std::vector<int32_t> mask;       // of a run; empty: all
    conformance::SparseModel sparse; // without its grid
    bool with_dense = false;         // fields[0] in the same exchange as the sparse one
    // Of points.
    Made made = Made::keys;
    std::vector<std::vector<uint64_t>> keys;      // by rank, each once
    std::vector<int32_t> key_owners;              // of graphs, by number of the key; else the lowest rank that has it
    std::vector<std::vector<int64_t>> neighbours; // of graphs: numbers of keys, by number
    int32_t rings = 1;
    int32_t n_components = 1;
    // Of transfers: cuts of the same row of cells, and the rank of each piece.
    std::vector<int64_t> cuts[2];
    std::vector<int32_t> owners[2];
    // Of sums; of strays: seconds by which one rank comes late.
    int64_t n_values = 1;
    // Of boxes and regions.
    int32_t n_dims = 1, reach = 1;
    bool distributed = false; // boxes
    halo_box domain{ { 0, 0, 0 }, { 1, 1, 1 } };
    bool periodic[3] = {};
    std::vector<Part> parts; // by gid
    std::vector<halo_join> joins;
    conformance::Ghosts ghosts;
    // Of channels.
    std::vector<ChannelCase> channels;

    // Others may be under way while it is.
    bool may_overlap() const { return what != What::sums && what != What::strays; }
    // Their ranks wait for each other in the middle.
    bool has_rounds() const {
        return what == What::loops || what == What::reduction || desc.kind == HALO_KIND_FETCH || desc.pattern == HALO_PATTERN_SWEEPS;
    }
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
    double looks = 0; // how often a progress thread finds the context free behind a call

    bool has(simulation::Fault fault) const;
    // Does a rank go on to another object after a collective has timed out?
    bool may_stray() const;
    // May a call end so on some rank?
    bool allows(halo_status status) const;
    std::string describe() const; // but not its objects: see printed.h
};

Program make_program(uint64_t seed);

uint64_t key_of(int64_t number);

} // namespace programs
