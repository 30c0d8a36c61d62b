// SPDX-License-Identifier: BSD-3-Clause
// A context that goes with all that was made from it, something of it under way.
#include <utility>

#include "allocation_scenarios.h"
#include "halo_channel.h"
#include "halo_mesh.h"
#include "halo_sphere.h"

namespace allocations {

namespace {

halo_topology *make_ring(Member &member) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 1, desc.n_blocks[0] = 2 * member.size, desc.n_cells[0] = 3, desc.periodic[0] = 1;
    halo_topology *topology = nullptr;
    TOGETHER(halo_topology_create_blocks(member.context, &desc, &topology), [&] { ALONE(halo_topology_destroy(&topology)); });
    return topology;
}

void make_points(Member &member) {
    const auto own = static_cast<uint64_t>(member.rank);
    const uint64_t keys[] = { own, (own + 1) % static_cast<uint64_t>(member.size) };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 2, desc.keys = keys, desc.n_mine = 1;
    halo_topology *points = nullptr;
    TALK(halo_topology_create_keys(member.context, &desc, &points));
    halo_mesh_set set = HALO_MESH_SET_INIT;
    set.name = "points", set.n = 1, set.keys = &own;
    halo_mesh_desc entities = HALO_MESH_DESC_INIT;
    entities.n_sets = 1, entities.sets = &set;
    halo_mesh *mesh = nullptr;
    TALK(halo_mesh_create(member.context, &entities, &mesh));
    const halo_sphere_desc grid = HALO_SPHERE_DESC_INIT;
    halo_sphere *sphere = nullptr;
    TALK(halo_sphere_create(member.context, &grid, &sphere));
}

// From this rank to itself.
void make_channels(Member &member, int32_t messages) {
    const halo_channel_key key{ member.rank, member.rank, 0, 13, messages };
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    desc.send_rank = desc.receive_rank = member.rank, desc.count = 5;
    halo_channel *channel = nullptr;
    ALONE(halo_channel_register(member.context, &key, &desc, &channel));
    halo_group_desc way = HALO_GROUP_DESC_INIT;
    way.messages = messages;
    halo_group *group = nullptr;
    TALK(halo_group_create(member.context, &channel, 1, &way, &group));
    if (messages == HALO_MESSAGES_AGGREGATE) ALONE(halo_group_send(group, nullptr, HALO_STREAM_NONE));
}

void with_all(Member &member, bool under_way) {
    halo_context *const first = std::exchange(member.context, nullptr);
    member.together(
        "context",
        [&] {
            return conformance::make_context(member.group, member.rank, { { "timeout", "5s" } }, &member.context);
        },
        [] { conformance::stop("context: made, but not by all ranks"); });
    halo_topology *ring = make_ring(member);
    halo_field *u = make_field(member, ring, "u", 0, [](halo_field_desc &desc) { desc.ghost_low[0] = desc.ghost_high[0] = 1; });
    ALONE(halo_field_allocate(u, -1));
    halo_exchange *exchange = nullptr;
    TOGETHER(halo_exchange_create(&u, 1, nullptr, &exchange), [&] { ALONE(halo_exchange_destroy(&exchange)); });
    halo_reduction *reduction = nullptr;
    TOGETHER(halo_reduction_create(member.context, 3, HALO_FLOAT64, HALO_SUM, &reduction), [&] { ALONE(halo_reduction_destroy(&reduction)); });
    make_points(member);
    for (const int32_t messages : { HALO_MESSAGES_PER_CHANNEL, HALO_MESSAGES_AGGREGATE }) make_channels(member, messages);
    const double values[3] = { 1, 2, 3 };
    if (under_way) {
        ALONE(halo_reduction_begin(reduction, values));
        member.together(
            "start", [&] { return halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE); },
            [&] { halo_exchange_finish(exchange, HALO_STREAM_NONE); }); // hears what has failed, or is done
    } else {
        run_exchange(
            member, exchange, {}, [](int) {}, [] {});
    }
    ALONE(halo_context_destroy_with_all(&member.context));
    member.context = first;
}

} // namespace

std::vector<Scenario> with_all_scenarios() {
    std::vector<Scenario> all;
    add_for_ranks(all, "with all", [](Member &member) { with_all(member, false); });
    add_for_ranks(all, "with all under way", [](Member &member) { with_all(member, true); });
    return all;
}

} // namespace allocations
