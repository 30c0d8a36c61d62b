// SPDX-License-Identifier: BSD-3-Clause
// The same solver on libhalo: the arrays stay as they are, the library cuts the domain and fills the ghosts. usage: cartesian_after FILE
// Runs alone and under any mpirun.
#include <halo.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "solver.h"

namespace {

halo::Topology cut_domain(const halo::Context &context) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_parts_per_rank = 1;
    for (int d = 0; d < 3; ++d) {
        desc.domain.high[d] = domain[d];
        desc.periodic[d] = 1;
    }
    return halo::Topology(context, desc);
}

Block block_of(const halo_box &cells) {
    Block block;
    for (int d = 0; d < 3; ++d) {
        block.low[d] = cells.low[d];
        block.n[d] = cells.high[d] - cells.low[d];
    }
    return block;
}

halo::Field concentration(const halo::Topology &topology, int number) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    const std::string name = "concentration " + std::to_string(number);
    desc.name = name.c_str();
    for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 1;
    desc.n_sets = 2; // now and next
    return halo::Field(topology, desc);
}

void run(const char *path) {
    const halo::Context context;
    const halo::Topology topology = cut_domain(context);
    const int64_t gid = topology.local_parts()[0]; // one box per rank

    const Block block = block_of(topology.part(gid).cells);
    Fields arrays[2] = { start_values(block), start_values(block) };
    std::vector<halo::Field> fields;
    for (int f = 0; f < n_fields; ++f) {
        fields.push_back(concentration(topology, f));
        // The natural layout is that of the arrays: x fastest, ghosts around.
        for (int32_t set = 0; set < 2; ++set) fields.back().bind(gid, arrays[set][f].data(), set);
    }
    halo::Exchange ghosts({ fields[0], fields[1], fields[2] });

    for (int i = 0; i < n_steps; ++i) {
        const int32_t now = i % 2;
        ghosts.start(halo::Run().sets({ now, now, now }));
        ghosts.finish();
        step(block, arrays[now], arrays[1 - now]);
    }
    if (!write_cells(block, arrays[n_steps % 2], path)) throw std::runtime_error(std::string("cannot write ") + path);
}

} // namespace

int main(int argc, char **argv) {
    try {
        if (argc != 2) throw std::runtime_error("usage: cartesian_after FILE");
        run(argv[1]);
        return EXIT_SUCCESS;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return EXIT_FAILURE;
    }
}
