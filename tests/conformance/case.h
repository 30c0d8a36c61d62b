// SPDX-License-Identifier: BSD-3-Clause
// One random case: a grid, fields on it, exchanges over them, and how they are run. All ranks make the same from the same seed.
#pragma once

#include <string>
#include <vector>

#include "storage.h"

namespace conformance {

// What of an exchange one run does.
struct Narrow {
    bool takes_part = true;    // no set was left for it in this round
    std::vector<int32_t> mask; // by field of the exchange
    std::vector<int32_t> sets; // n_sets: the pointers of the run
    bool pointers = false;
    int32_t first_component = 0;
    int32_t n_components = 0;
    int32_t depth = 0;

    bool has_component(int32_t component) const {
        return component >= first_component && (n_components == 0 || component < first_component + n_components);
    }
};

struct ExchangeCase {
    std::vector<int32_t> fields; // of the case
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    bool phases = false; // else start and finish
};

struct Case {
    uint64_t seed = 0;
    Grid grid;
    std::vector<FieldCase> fields;
    std::vector<ExchangeCase> exchanges;
    int32_t rounds = 3;

    std::string describe() const;
};

// The case's number picks what the coverage table counts; the rest is random.
Case make_case(uint64_t first_seed, int64_t number, int32_t n_ranks);

// Narrowing of every exchange in one round; no two use the same set of a field.
std::vector<Narrow> make_round(const Case &made, Random &random);

} // namespace conformance
