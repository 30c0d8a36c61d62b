// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_scenarios.h"

#include "halo_stencil.h"

namespace allocations {

namespace {

constexpr int64_t splitters[] = { 0, 3, 6 };

halo_stencil_access reads(int32_t field, int32_t wide, int32_t interval) {
    return { field, HALO_STENCIL_READ, { -wide, 0, 0 }, { 0, wide, 0 }, interval, 0 };
}

// Two stages over three fields, wider below than above.
halo_stencil *analysed(Member &member) {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.exchanged = HALO_STENCIL_CHEAPEST;
    desc.cells[0] = desc.cells[1] = 4;
    desc.splitters = splitters;
    desc.n_splitters = 3;
    halo_stencil *stencil = nullptr;
    ALONE(halo_stencil_create(&desc, &stencil));
    for (const char *name : { "u", "v", "w" }) {
        halo_stencil_field_desc field = HALO_STENCIL_FIELD_DESC_INIT;
        field.name = name;
        int32_t number = 0;
        ALONE(halo_stencil_add_field(stencil, &field, &number));
    }
    const halo_stencil_interval intervals[] = { { { 0, 1 }, { 1, -1 } }, { { 1, 1 }, { 2, -1 } } };
    for (int32_t s = 0; s < 2; ++s) {
        const halo_stencil_access accesses[] = { { s + 1, HALO_STENCIL_WRITE, { 0, 0, 0 }, { 0, 0, 0 }, HALO_STENCIL_ALL, 0 },
                                                 reads(s, 2, 0),
                                                 reads(s, 1, 1) };
        halo_stencil_stage_desc stage = HALO_STENCIL_STAGE_DESC_INIT;
        stage.name = "a stage with a name that is long enough for memory of its own";
        stage.accesses = accesses;
        stage.n_accesses = 3;
        stage.intervals = intervals;
        stage.n_intervals = 2;
        int32_t number = 0;
        ALONE(halo_stencil_add_stage(stencil, &stage, &number));
    }
    ALONE(halo_stencil_analyse(stencil));
    return stencil;
}

} // namespace

void stencils(Member &member) {
    halo_stencil *stencil = analysed(member);
    char text[8192];
    size_t needed = 0;
    int64_t n = 0, index = 0;
    const halo_stencil_level level{ 1, -1 };
    halo_stencil_field field = HALO_STENCIL_FIELD_INIT;
    halo_stencil_stage stage = HALO_STENCIL_STAGE_INIT;
    halo_stencil_summary summary = HALO_STENCIL_SUMMARY_INIT;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    halo_layout_desc layout = HALO_LAYOUT_DESC_INIT;
    ALONE(halo_stencil_describe(stencil, text, sizeof text, &needed));
    ALONE(halo_stencil_get_field(stencil, 0, &field));
    ALONE(halo_stencil_get_stage(stencil, 0, &stage));
    ALONE(halo_stencil_get_summary(stencil, &summary));
    ALONE(halo_stencil_exchanges(stencil, nullptr, 0, &n));
    ALONE(halo_stencil_groups(stencil, nullptr, 0, &n));
    ALONE(halo_stencil_level_index(stencil, &level, &index));
    ALONE(halo_stencil_loops(stencil, nullptr, 0, &n));
    ALONE(halo_stencil_loop_intervals(stencil, 0, nullptr, 0, &n));
    ALONE(halo_stencil_stage_ranges(stencil, 0, nullptr, 0, &n));
    ALONE(halo_stencil_exchange_ranges(stencil, 0, nullptr, 0, &n));
    ALONE(halo_stencil_fill_field_desc(stencil, 0, &desc));
    ALONE(halo_stencil_fill_layout_desc(stencil, &layout));
    const int64_t points[] = { 4, 4, 6 };
    halo_layout tile = HALO_LAYOUT_INIT;
    ALONE(halo_layout_fill(&layout, points, 8, 1, 1, &tile));
    member.keep(text, needed);

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = 2, blocks.n_cells[d] = 4, blocks.periodic[d] = 1;
    blocks.n_cells[2] = 6;
    halo_topology *topology = nullptr;
    TALK(halo_stencil_create_topology(stencil, 0, member.context, &blocks, &topology));
    halo_field *u = make_field(member, topology, "u", 0, [&](halo_field_desc &known) { known = desc; });
    ALONE(halo_field_set_layout(u, &layout));
    ALONE(halo_field_allocate(u, -1));
    halo_field *const fields[] = { u, u, u };
    halo_exchange *exchange = nullptr;
    TOGETHER(halo_stencil_create_exchange(stencil, 0, fields, 3, nullptr, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    run_exchange(
        member, exchange, {}, [&](int time) { fill(member, u, topology, time); }, [&] { keep_values(member, u, topology); });
    ALONE(halo_exchange_destroy(&exchange));
    ALONE(halo_field_destroy(&u));
    ALONE(halo_topology_destroy(&topology));
    ALONE(halo_stencil_destroy(&stencil));
}

} // namespace allocations
