// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>

#include <halo_access.hpp>

namespace {

constexpr int64_t n = 24; // a closed ring: edge e lies between the nodes e and e + 1
constexpr int steps = 5;

int64_t start_of(int64_t node) { return node * node; }

// A set as it lies on this rank: its entities by section.
struct Set {
    std::vector<int64_t> items;
    std::vector<int32_t> owners;
    halo_section_sizes sizes;
};

template <class Owner>
Set classify(int32_t rank, const std::vector<int64_t> &items, Owner &&owner_of, std::span<const halo_map> maps) {
    std::vector<int32_t> owners;
    owners.reserve(items.size());
    for (const int64_t item : items) owners.push_back(owner_of(item));
    const halo::Sections sections = halo::classify_sections(rank, owners, maps);
    Set set{ {}, {}, sections.sizes };
    for (const uint32_t old : sections.order) set.items.push_back(items[old]), set.owners.push_back(owners[old]);
    return set;
}

halo::Field make_field(const halo::Topology &nodes, const char *name, std::vector<int64_t> &values, int32_t rank) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name, desc.type = HALO_INT64;
    halo::Field field(nodes, desc);
    field.bind(rank, values.data());
    return field;
}

std::array<int64_t, n> in_one_place() {
    std::array<int64_t, n> all{};
    for (int64_t i = 0; i < n; ++i) all[static_cast<size_t>(i)] = start_of(i);
    for (int step = 0; step < steps; ++step) {
        const std::array<int64_t, n> old = all;
        for (size_t i = 0; i < n; ++i) all[i] += old[(i + 1) % n] + old[(i + n - 1) % n] - 2 * old[i];
    }
    return all;
}

} // namespace

int main() try {
    const halo::Context context;
    const int32_t rank = context.rank(), n_ranks = context.n_ranks();
    const auto owner_of = [n_ranks](int64_t i) { return static_cast<int32_t>(i * n_ranks / n); }; // of node i and of edge i

    std::vector<int64_t> some_edges, some_nodes; // own edges, those that touch own nodes, and the nodes of all of these
    for (int64_t e = 0; e < n; ++e)
        if (owner_of(e) == rank || owner_of((e + 1) % n) == rank) {
            some_edges.push_back(e);
            some_nodes.insert(some_nodes.end(), { e, (e + 1) % n });
        }
    std::sort(some_nodes.begin(), some_nodes.end());
    some_nodes.erase(std::unique(some_nodes.begin(), some_nodes.end()), some_nodes.end());
    const Set nodes = classify(rank, some_nodes, owner_of, {});
    const auto ends_of = [&nodes](const std::vector<int64_t> &edges) { // local nodes of each
        std::vector<uint32_t> ends;
        for (const int64_t e : edges)
            for (const int64_t node : { e, (e + 1) % n })
                ends.push_back(static_cast<uint32_t>(std::find(nodes.items.begin(), nodes.items.end(), node) - nodes.items.begin()));
        return ends;
    };
    const std::vector<uint32_t> some_ends = ends_of(some_edges);
    const halo_map touched = { some_ends.data(), nodes.owners.data(), static_cast<int64_t>(nodes.items.size()), 2, 0 };
    const Set edges = classify(rank, some_edges, owner_of, { &touched, 1 });
    const std::vector<uint32_t> ends = ends_of(edges.items);

    const std::vector<uint64_t> keys(nodes.items.begin(), nodes.items.end());
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(keys.size()), desc.keys = keys.data(), desc.owners = nodes.owners.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN; // which is by section
    const halo::Topology topology(context, desc);
    std::vector<int64_t> u(keys.size()), change(keys.size());
    const halo::Field u_field = make_field(topology, "u", u, rank), change_field = make_field(topology, "change", change, rank);

    const auto n_own = static_cast<size_t>(nodes.sizes.n[HALO_SECTION_CORE]);
    for (size_t i = 0; i < n_own; ++i) u[i] = start_of(nodes.items[i]);
    halo::mark_dirty(u_field); // set outside of loops
    halo::mark_dirty(change_field);
    const auto flows = [&](int64_t first, int64_t count) {
        for (size_t e = static_cast<size_t>(first); e < static_cast<size_t>(first + count); ++e) {
            const uint32_t a = ends[2 * e], b = ends[2 * e + 1];
            change[a] += u[b] - u[a];
            change[b] += u[a] - u[b];
        }
    };
    const int64_t *of_section = edges.sizes.n;
    for (int step = 0; step < steps; ++step) {
        halo::Batch over_edges(context, { halo::via_map(u_field, HALO_READ), halo::via_map(change_field, HALO_INC) }, HALO_STYLE_REDUNDANT);
        flows(0, of_section[HALO_SECTION_CORE]); // while ghosts are on their way
        over_edges.ready();
        flows(of_section[HALO_SECTION_CORE], of_section[HALO_SECTION_OWNED]);
        if (over_edges.needs_exec()) flows(of_section[HALO_SECTION_CORE] + of_section[HALO_SECTION_OWNED], of_section[HALO_SECTION_EXEC]);
        over_edges.end();

        halo::Batch over_nodes(context, { halo::direct(u_field, HALO_RW), halo::direct(change_field, HALO_RW) }, HALO_STYLE_REDUNDANT);
        over_nodes.ready();
        for (size_t i = 0; i < n_own; ++i) u[i] += change[i], change[i] = 0;
        over_nodes.end();
    }

    const std::array<int64_t, n> wanted = in_one_place();
    int wrong = 0;
    for (size_t i = 0; i < n_own; ++i) wrong += u[i] != wanted[static_cast<size_t>(nodes.items[i])];
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
