// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_scenarios.h"

#include <algorithm>

namespace allocations {

namespace {

// Rank r has keys 4r to 4r + 5: the last two are also the next rank's first ones.
std::vector<uint64_t> keys_of(const Member &member) {
    std::vector<uint64_t> keys(6);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = (4 * static_cast<uint64_t>(member.rank) + i) % (4 * static_cast<uint64_t>(member.size) + 1);
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

void ask(Member &member, halo_topology *topology, bool knows_sharers = true) {
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    ALONE(halo_topology_keys_report(topology, &report));
    int64_t n = 0;
    std::vector<int32_t> ranks(static_cast<size_t>(report.n_points));
    ALONE(halo_topology_owners(topology, ranks.data(), report.n_points, &n));
    member.keep(ranks);
    if (knows_sharers) ALONE(halo_topology_sharers(topology, 0, ranks.data(), report.n_points, &n));
    ALONE(halo_topology_peers(topology, nullptr, 0, &n));
    ALONE(halo_topology_neighbours(topology, member.rank, sizeof(halo_neighbour), nullptr, 0, &n));
}

void use(Member &member, halo_topology *topology, const std::vector<Trial> &trials, const std::function<void(halo_field_desc &)> &change = {}) {
    halo_field *u = make_field(member, topology, "u", 0, change);
    ALONE(halo_field_allocate(u, -1));
    for (const Trial &trial : trials) try_exchange(member, { u }, { topology }, trial);
    ALONE(halo_field_destroy(&u));
}

void destroy(Member &member, halo_topology *topology) { ALONE(halo_topology_destroy(&topology)); }

void keys(Member &member, int32_t directory, int32_t rule, const std::vector<Trial> &trials, bool sections) {
    const std::vector<uint64_t> list = keys_of(member);
    const std::vector<int64_t> weights(list.size(), member.rank);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = list.data(), desc.n_keys = std::ssize(list), desc.weights = weights.data();
    desc.owner_rule = rule, desc.directory = directory;
    if (sections) desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_keys(member.context, &desc, &topology));
    ask(member, topology);
    std::vector<uint32_t> indices(list.size());
    int64_t n = 0;
    ALONE(halo_topology_local_indices(topology, indices.data(), std::ssize(indices), &n));
    member.keep(indices);
    const std::vector<uint32_t> groups(list.size(), 3), chosen{ 1 };
    if (sections) TALK(halo_topology_set_sections(topology, groups.data(), std::ssize(groups)));
    std::vector<Trial> all = trials;
    if (sections)
        for (Trial &trial : all) trial.desc.sections = chosen.data();
    use(member, topology, all);
    destroy(member, topology);
}

void edited(Member &member) {
    std::vector<uint64_t> list = keys_of(member);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = list.data(), desc.n_keys = std::ssize(list), desc.editable = 1;
    halo_topology *topology = nullptr, *changed = nullptr;
    TALK(halo_topology_create_keys(member.context, &desc, &topology));
    const int64_t gone = 0;
    const uint64_t come[] = { 100, 200 + static_cast<uint64_t>(member.rank) };
    halo_keys_edit edit = HALO_KEYS_EDIT_INIT;
    edit.n_remove = 1, edit.remove = &gone;
    edit.n_add = 2, edit.add = come;
    TALK(halo_topology_edit_keys(topology, &edit, &changed));
    destroy(member, topology);
    ask(member, changed);
    std::vector<uint64_t> points(list.size() + 1);
    int64_t n = 0;
    ALONE(halo_topology_point_keys(changed, points.data(), std::ssize(points), &n));
    member.keep(points);
    use(member, changed, { {} });
    destroy(member, changed);
}

// Two parts on each rank.
void parts(Member &member) {
    const auto first = 2 * static_cast<uint64_t>(member.rank);
    const uint64_t list[] = { first, first + 1, first + 2, first + 1, first + 2, first + 3 };
    const int64_t offsets[] = { 0, 3, 6 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.keys = list, desc.n_keys = 6, desc.numbering = HALO_NUMBERING_AS_GIVEN;
    desc.n_parts = 2, desc.part_offsets = offsets;
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_keys(member.context, &desc, &topology));
    Trial shared;
    shared.desc.kind = HALO_KIND_SHARED_REDUCE;
    use(member, topology, { {}, shared });
    destroy(member, topology);
}

// A ring of points, three on each rank.
void graph(Member &member, int32_t rings) {
    const auto n_all = 3 * static_cast<uint64_t>(member.size), first = 3 * static_cast<uint64_t>(member.rank);
    std::vector<uint64_t> own, neighbours;
    for (uint64_t key = first; key < first + 3; ++key) {
        own.push_back(key);
        neighbours.push_back((key + 1) % n_all);
        neighbours.push_back((key + n_all - 1) % n_all);
    }
    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.rings = rings, desc.n_owned = 3, desc.keys = own.data(), desc.width = 2, desc.neighbours = neighbours.data();
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_graph(member.context, &desc, &topology));
    ask(member, topology);
    const int64_t *offsets = nullptr;
    const uint32_t *rows = nullptr;
    int64_t n = 0;
    ALONE(halo_topology_graph_rows(topology, &offsets, &rows, &n));
    member.keep(rows, static_cast<size_t>(offsets[n]) * sizeof *rows);
    ALONE(halo_topology_rings(topology, nullptr, 0, &n));
    use(member, topology, { {} });
    destroy(member, topology);
}

// Every rank has a copy of two points of the next one.
void star(Member &member, const std::vector<Trial> &trials, int32_t sharers, bool mapped) {
    const std::vector<int32_t> ranks(2, (member.rank + 1) % member.size);
    const uint32_t indices[] = { 0, 2 };
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.sharers = sharers, desc.n_points = 6, desc.n_leaves = 2, desc.ranks = ranks.data(), desc.indices = indices;
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_star(member.context, &desc, &topology));
    ask(member, topology, sharers != 0);
    if (mapped) {
        halo_field *u = make_field(member, topology, "mapped", 0, {});
        const int64_t positions[] = { 2, 1, 0, -1, 4, 3 };
        ALONE(halo_field_map_points(u, member.rank, positions, 6));
        ALONE(halo_field_allocate(u, -1));
        try_exchange(member, { u }, { topology }, {});
        ALONE(halo_field_destroy(&u));
    }
    use(member, topology, trials);
    destroy(member, topology);
}

// Every rank adds to points of all others, out of its storage where they are in time to read it, else by messages: one peer's so, the other's so.
void lent(Member &member, Trial trial) {
    constexpr uint32_t n_each = 40;
    std::vector<int32_t> ranks;
    std::vector<uint32_t> indices;
    for (int32_t rank = 0; rank < member.size; ++rank)
        for (uint32_t i = 0; rank != member.rank && i < n_each; ++i) ranks.push_back(rank), indices.push_back(i);
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_leaves = std::ssize(ranks), desc.n_points = n_each + desc.n_leaves, desc.ranks = ranks.data(), desc.indices = indices.data();
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_star(member.context, &desc, &topology));
    halo_field *u = make_field(member, topology, "u", 0, {}), *v = make_field(member, topology, "v", 0, {});
    ALONE(halo_field_allocate(u, -1));
    ALONE(halo_field_allocate(v, -1));
    trial.n_runs = 6, trial.one_by_one = true;
    try_exchange(member, { u, v }, { topology, topology }, trial);
    ALONE(halo_field_destroy(&u));
    ALONE(halo_field_destroy(&v));
    destroy(member, topology);
}

void lists(Member &member, const std::vector<Trial> &trials) {
    const int32_t peer = (member.rank + 1) % member.size, other = (member.rank + member.size - 1) % member.size;
    const std::vector<int32_t> peers = peer == other ? std::vector{ peer } : std::vector{ peer, other };
    const std::vector<int64_t> sends = peer == other ? std::vector<int64_t>{ 0, 2 } : std::vector<int64_t>{ 0, 2, 2 };
    const std::vector<int64_t> receives = peer == other ? std::vector<int64_t>{ 0, 2 } : std::vector<int64_t>{ 0, 0, 2 };
    const uint32_t send[] = { 0, 1 }, receive[] = { 4, 5 };
    halo_lists_desc desc = HALO_LISTS_DESC_INIT;
    desc.n_peers = static_cast<int32_t>(peers.size()), desc.n_points = 6, desc.peers = peers.data();
    desc.send_offsets = sends.data(), desc.send = send, desc.receive_offsets = receives.data(), desc.receive = receive;
    halo_topology *topology = nullptr;
    TALK(halo_topology_create_lists(member.context, &desc, &topology));
    ask(member, topology, false);
    use(member, topology, trials);
    destroy(member, topology);
}

Trial of_kind(int32_t kind, int32_t stable = 0, int32_t messages = HALO_MESSAGES_AGGREGATE) {
    Trial trial;
    trial.desc.kind = kind;
    trial.desc.source_stable = stable;
    trial.desc.messages = messages;
    trial.tells = true;
    return trial;
}

} // namespace

std::vector<Scenario> point_scenarios() {
    std::vector<Scenario> all;
    const auto add = [&](const std::string &name, const std::function<void(Member &)> &body, const Settings &settings = {}) {
        add_for_ranks(all, name, body, settings);
    };
    Trial by_hand = of_kind(HALO_KIND_FETCH);
    by_hand.desc.op = HALO_USER;
    by_hand.desc.combine = [](void *, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
        for (int64_t i = 0; i < n; ++i) static_cast<double *>(values)[i] += static_cast<const double *>(contributions)[i];
        return HALO_SUCCESS;
    };
    const Trial ghosts = of_kind(HALO_KIND_GHOSTS), reverse = of_kind(HALO_KIND_REVERSE, 1), shared = of_kind(HALO_KIND_SHARED_REDUCE);
    const Trial fetch = of_kind(HALO_KIND_FETCH, 1), fetch_per_channel = of_kind(HALO_KIND_FETCH, 0, HALO_MESSAGES_PER_CHANNEL);
    const Settings checked{ { "check", "yes" } }, direct{ { "shared_memory.least", "0" }, { "path", "direct" } };
    add("keys", [=](Member &m) { keys(m, HALO_DIRECTORY_AUTO, HALO_OWNER_LOWEST_RANK, { ghosts, shared }, false); });
    add("keys by hash", [=](Member &m) { keys(m, HALO_DIRECTORY_HASH, HALO_OWNER_WEIGHT, { reverse, fetch }, false); });
    add("keys in sections", [=](Member &m) { keys(m, HALO_DIRECTORY_RANGE, HALO_OWNER_SPREAD, { ghosts }, true); });
    add(
        "keys checked",
        [=](Member &m) {
            keys(m, HALO_DIRECTORY_AUTO, HALO_OWNER_LOWEST_RANK, { ghosts, shared }, false);
        },
        checked);
    add("keys edited", edited);
    add("keys of parts", parts);
    add("graph", [](Member &m) { graph(m, 1); });
    add("graph of rings", [](Member &m) { graph(m, 2); });
    add("star", [=](Member &m) { star(m, { ghosts, fetch_per_channel, by_hand }, 0, true); });
    add("star with sharers", [=](Member &m) { star(m, { shared }, 1, false); });
    add(
        "star direct",
        [=](Member &m) {
            star(m, { reverse, fetch }, 0, false);
        },
        direct);
    add(
        "star lent", [=](Member &m) { lent(m, reverse); }, direct);
    add(
        "star checked",
        [=](Member &m) {
            star(m, { reverse, fetch }, 0, false);
        },
        checked);
    add("lists", [=](Member &m) { lists(m, { ghosts, reverse }); });
    return all;
}

} // namespace allocations
