// SPDX-License-Identifier: BSD-3-Clause
// Executes a sequence of stages: over whole periodic fields at once, and part by part with nothing but the widths, extents and exchanges that were
// derived. Values are hashes of all values read, so that one wrong value anywhere shows.
#pragma once

#include <array>
#include <functional>
#include <stdexcept>
#include <vector>

#include "program_case.h"

namespace analysis {

using Place = std::array<int, 3>;
constexpr int n_parts_per_direction = 2;

struct Box {
    Place low{}, high{}; // low included, high not
    bool holds(const Place &p) const;
    size_t size() const;
};
Box grown(const Box &box, const int64_t *low, const int64_t *high);
void for_each(const Box &box, const std::function<void(const Place &)> &visit);

uint64_t mixed(uint64_t hash, uint64_t value);

// Values of some cells of a field.
struct Store {
    Box box;
    std::vector<uint64_t> values;
    uint64_t &at(const Place &p); // throws outside
};

// What is to be executed.
struct Plan {
    const Case *program = nullptr;
    Box part;                               // cells of one
    std::vector<halo_stencil_stage> stages; // compute extents
    std::vector<halo_stencil_field> fields; // ghosts
    std::vector<halo_stencil_exchange> exchanges;
    std::vector<halo_stencil_group> groups;
    std::vector<std::pair<int, int>> when; // of each exchange: the places where it starts and finishes
};
Plan plan_of(const Case &program, const halo::Stencil &stencil, Random &random, bool alone);

// Is stage s executed in a turn?
using Executed = std::function<bool(int turn, size_t stage)>;

// Fields that stay, by cell of the whole domain, and what stages without output have seen.
struct Results {
    std::vector<std::vector<uint64_t>> fields, seen;
    bool operator==(const Results &) const = default;
};
Results run_whole(const Case &program, const Box &part, int n_turns, const Executed &executed);

class Parts {
public:
    Parts(const Plan &plan, uint64_t seed);
    Results run(int n_turns, const Executed &executed);
    // One part, whose cells run in any order that the interface allows; ghosts arrive as late as they may. No turns.
    Results run_by_points(Random &random, const Executed &executed);

private:
    struct Part {
        Place origin;
        std::vector<Store> fields;
        std::vector<Store> seen;
    };

    void pass(int turn, int place, int n_turns);
    void start(size_t exchange);
    void finish(size_t exchange, Part &part);
    void run_stage(size_t stage, Part &part);
    void run_points_of(Part &part, Random &random, const Executed &executed);
    Results results();

    const Plan &plan_;
    std::vector<Part> parts_;
    std::vector<std::vector<uint64_t>> sent_; // by exchange: the field's values, by cell of the domain
    uint64_t poison_;
};

} // namespace analysis
