// SPDX-License-Identifier: BSD-3-Clause
// Check mode: how often a run goes over all storage, by its own count.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "exchange/kinds/kinds.h"
#include "inproc_context.h"
#include "topology/blocks/blocks.h"

namespace halo {

namespace {

// In storage as a whole, by run of rank 0, whose parts are alike.
struct Passes {
    double searched;
    double kept;
    double compared;
};
constexpr int n_runs = 24;

// Of several fields each run takes one, by turns.
std::vector<Passes> passes_of_rank(halo_inproc *group, int32_t rank, const char *level, const char *path, size_t n_fields) {
    const halo_setting settings[] = { { "check", level }, { "path", path } };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings;
    options.n_settings = 2;
    const auto context = open_context(group, rank, options);
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 2;
    for (int d = 0; d < 2; ++d) desc.n_blocks[d] = 2, desc.n_cells[d] = 6, desc.periodic[d] = 1;
    BlocksTopology topology(*context, desc);
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = 1;
    std::vector<std::unique_ptr<Field>> owned;
    std::vector<Field *> fields;
    for (const char *name : { "u", "v" }) {
        if (fields.size() == n_fields) break;
        field_desc.name = name;
        fields.push_back(owned.emplace_back(std::make_unique<Field>(topology, field_desc)).get());
        fields.back()->allocate(-1);
    }
    double whole = 0;
    for (int64_t part = 0; part < std::ssize(topology.local_parts()); ++part) whole += static_cast<double>(fields[0]->storage_bytes(part));
    Round round(topology_round(fields, HALO_EXCHANGE_DESC_INIT));
    std::vector<Passes> passes;
    for (int time = 0; time < n_runs; ++time) {
        std::vector<int32_t> mask(n_fields, 0);
        mask[static_cast<size_t>(time) % n_fields] = 1;
        halo_run run = HALO_RUN_INIT;
        run.n_fields = static_cast<int32_t>(n_fields), run.field_mask = mask.data();
        round.start(run, HALO_STREAM_NONE);
        round.finish(HALO_STREAM_NONE);
        const CheckMode::Passes &bytes = round.check()->passes();
        passes.push_back(
            { static_cast<double>(bytes.searched) / whole, static_cast<double>(bytes.kept) / whole, static_cast<double>(bytes.compared) / whole });
    }
    return passes;
}

std::vector<Passes> passes_of(int32_t n_ranks, const char *level, const char *path = "message", size_t n_fields = 1) {
    halo_inproc *const group = create_inproc_group(n_ranks);
    std::vector<std::thread> others;
    for (int32_t rank = 1; rank < n_ranks; ++rank) others.emplace_back(passes_of_rank, group, rank, level, path, n_fields);
    std::vector<Passes> passes = passes_of_rank(group, 0, level, path, n_fields);
    for (std::thread &other : others) other.join();
    destroy_inproc_group(group);
    return passes;
}

void expect_each(const std::vector<Passes> &runs, double kept, double compared) {
    for (const Passes &passes : runs) {
        EXPECT_EQ(passes.kept, kept);
        EXPECT_EQ(passes.compared, compared);
        EXPECT_GT(passes.searched, 0.5);
        EXPECT_LT(passes.searched, 1); // ghosts are not
    }
}

TEST(CheckModePasses, AreFourWhereAllIsCompared) {
    expect_each(passes_of(1, "full"), 2, 2);
    expect_each(passes_of(2, "full"), 2, 2);
}

TEST(CheckModePasses, AreTwoInTheFirstRunAndThenOfOnePartInTurn) {
    expect_each(passes_of(1, "yes"), 0, 0);
    const std::vector<Passes> runs = passes_of(2, "yes");
    expect_each({ runs[0] }, 1, 1);
    for (size_t first = 8; first < n_runs; first += 8) {
        double kept = 0, compared = 0;
        for (size_t i = first; i < first + 8; ++i) {
            EXPECT_LE(runs[i].kept, 0.5) << "more than one of two parts";
            kept += runs[i].kept, compared += runs[i].compared;
        }
        EXPECT_EQ(kept, 1);
        EXPECT_EQ(compared, 1);
    }
    const auto first_compared = [&](size_t from) {
        return std::ranges::find_if(runs.begin() + static_cast<int>(from), runs.end(), [](const Passes &one) { return one.kept > 0; }) - runs.begin();
    };
    EXPECT_NE(first_compared(8) % 2, first_compared(16) % 2) << "runs of two sets by turns are looked at both";
}

TEST(CheckModePasses, AreTwoInTheFirstRunOfEachField) {
    const std::vector<Passes> runs = passes_of(2, "yes", "message", 2);
    expect_each({ runs[0], runs[1] }, 1, 1);
    EXPECT_LT(runs[2].kept + runs[3].kept, 1);
}

TEST(CheckModePasses, LeaveOutTheStartWherePeersWrite) { expect_each(passes_of(2, "full", "put"), 1, 1); }

} // namespace

} // namespace halo
