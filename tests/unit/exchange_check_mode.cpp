// SPDX-License-Identifier: BSD-3-Clause
// Check mode: how often a run goes over all storage, by its own count.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "exchange/kinds/kinds.h"
#include "inproc_context.h"
#include "topology/blocks/blocks.h"

namespace halo {

namespace {

// In storage as a whole, of the second run of rank 0.
struct Passes {
    double searched;
    double kept;
    double compared;
};

Passes passes_of_rank(halo_inproc *group, int32_t rank, const char *level, const char *path) {
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
    Field field(topology, field_desc);
    field.allocate(-1);
    int64_t bytes = 0;
    for (int64_t part = 0; part < std::ssize(topology.local_parts()); ++part) bytes += static_cast<int64_t>(field.storage_bytes(part));
    Round round(topology_round({ &field }, HALO_EXCHANGE_DESC_INIT));
    for (int time = 0; time < 2; ++time) {
        round.start(HALO_RUN_INIT, HALO_STREAM_NONE);
        round.finish(HALO_STREAM_NONE);
    }
    const CheckMode::Passes &passes = round.check()->passes();
    const auto whole = static_cast<double>(bytes);
    return { static_cast<double>(passes.searched) / whole, static_cast<double>(passes.kept) / whole, static_cast<double>(passes.compared) / whole };
}

Passes passes_of(int32_t n_ranks, const char *level, const char *path = "message") {
    halo_inproc *const group = create_inproc_group(n_ranks);
    std::vector<std::thread> others;
    for (int32_t rank = 1; rank < n_ranks; ++rank) others.emplace_back(passes_of_rank, group, rank, level, path);
    const Passes passes = passes_of_rank(group, 0, level, path);
    for (std::thread &other : others) other.join();
    destroy_inproc_group(group);
    return passes;
}

void expect(const Passes &passes, double kept, double compared) {
    EXPECT_EQ(passes.kept, kept);
    EXPECT_EQ(passes.compared, compared);
    EXPECT_GT(passes.searched, 0.5);
    EXPECT_LT(passes.searched, 1); // ghosts are not
}

TEST(CheckModePasses, AreFourWhereAllIsCompared) {
    expect(passes_of(1, "full"), 2, 2);
    expect(passes_of(2, "full"), 2, 2);
}

TEST(CheckModePasses, AreTwoWhereOthersAreHeard) {
    expect(passes_of(1, "yes"), 0, 0);
    expect(passes_of(2, "yes"), 1, 1);
}

TEST(CheckModePasses, LeaveOutTheStartWherePeersWrite) { expect(passes_of(2, "full", "put"), 1, 1); }

} // namespace

} // namespace halo
