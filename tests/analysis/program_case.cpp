// SPDX-License-Identifier: BSD-3-Clause
#include "program_case.h"

#include <algorithm>
#include <cstdlib>

namespace analysis {

uint64_t first_seed() {
    const char *const seed = std::getenv("ANALYSIS_SEED");
    return seed ? std::strtoull(seed, nullptr, 10) : 1;
}

int n_cases(int usual) {
    const char *const n = std::getenv("ANALYSIS_CASES");
    return n ? std::atoi(n) : usual;
}

namespace {

void random_extent(Random &random, halo_stencil_access &access, int n_dims, int wide) {
    for (int d = 0; d < n_dims; ++d) {
        if (random.chance(40)) continue;
        access.low[d] = random.between(-wide, wide);
        access.high[d] = random.between(access.low[d], wide);
        if (random.chance(70)) access.low[d] = std::min(access.low[d], 0), access.high[d] = std::max(access.high[d], 0);
    }
}

Stage random_stage(Random &random, int n_fields, int n_dims, int wide) {
    Stage stage;
    stage.conditional = random.chance(15);
    stage.work = random.between(0, 4);
    std::vector<int> written;
    const int n_written = random.chance(8) ? 0 : random.chance(20) ? 2 : 1;
    for (int i = 0; i < n_written; ++i) {
        const int field = random.below(n_fields);
        if (std::find(written.begin(), written.end(), field) != written.end()) continue;
        written.push_back(field);
        stage.accesses.push_back(random.chance(25) ? halo::updates(field) : halo::writes(field));
    }
    for (int i = random.between(1, 3); i > 0; --i) {
        halo_stencil_access access = halo::reads(random.below(n_fields));
        if (std::find(written.begin(), written.end(), access.field) == written.end()) random_extent(random, access, n_dims, wide);
        stage.accesses.push_back(access);
    }
    return stage;
}

} // namespace

Case random_case(Random &random, int n_dims, int n_stages, int wide) {
    Case made;
    made.desc.n_dims = n_dims;
    const int n_fields = random.between(2, 5);
    for (int f = 0; f < n_fields; ++f) made.temporary.push_back(random.chance(25));
    std::vector<bool> written(made.temporary.size()); // whatever conditional stages do
    for (int s = 0; s < n_stages; ++s) {
        Stage stage = random_stage(random, n_fields, n_dims, wide);
        for (const halo_stencil_access &access : stage.accesses)
            if (access.mode != HALO_STENCIL_READ && made.temporary[static_cast<size_t>(access.field)] && !written[static_cast<size_t>(access.field)])
                stage.conditional = false;
        for (const halo_stencil_access &access : stage.accesses)
            if (access.mode != HALO_STENCIL_READ && !stage.conditional) written[static_cast<size_t>(access.field)] = true;
        made.stages.push_back(std::move(stage));
    }
    return made;
}

halo_status analyse(const Case &given, std::vector<halo::Stencil> &made) {
    halo_stencil_desc desc = given.desc;
    if (!given.splitters.empty()) desc.splitters = given.splitters.data(), desc.n_splitters = static_cast<int32_t>(given.splitters.size());
    made.emplace_back(desc);
    for (size_t f = 0; f < given.temporary.size(); ++f) made.back().add_field(std::string(1, static_cast<char>('a' + f)), given.temporary[f]);
    for (size_t s = 0; s < given.stages.size(); ++s) {
        const Stage &stage = given.stages[s];
        std::string name(1, 'f');
        name.append(std::to_string(s));
        halo_stencil_stage_desc known = HALO_STENCIL_STAGE_DESC_INIT;
        known.name = name.c_str();
        known.accesses = stage.accesses.data();
        known.n_accesses = static_cast<int32_t>(stage.accesses.size());
        known.conditional = stage.conditional;
        known.work = stage.work;
        known.direction = stage.direction;
        known.intervals = stage.intervals.empty() ? nullptr : stage.intervals.data();
        known.n_intervals = static_cast<int32_t>(stage.intervals.size());
        int32_t number = 0;
        const halo_status status = halo_stencil_add_stage(made.back(), &known, &number);
        if (status != HALO_SUCCESS) return status;
    }
    return halo_stencil_analyse(made.back());
}

} // namespace analysis
