// SPDX-License-Identifier: BSD-3-Clause
#include "access/sections.h"

#include <algorithm>
#include <numeric>

#include "base/checked.h"
#include "base/error.h"

namespace halo {

namespace {

constexpr int64_t most_arity = 65536; // of what one entity touches, far beyond any mesh

void check_map(const halo_map &map, int64_t n) {
    if (map.arity < 1 || map.n_to < 0 || (n > 0 && !map.to))
        fail(HALO_ERR_ARGUMENT, "sections: a map of arity %d at address %p into %lld entities", map.arity, static_cast<const void *>(map.to),
             static_cast<long long>(map.n_to));
    check_limit("sections: the arity of a map", map.arity, most_arity);
}

// Calls visit(position) for each place that entity i touches.
template <class Visit>
void for_each_touched(const halo_map &map, int64_t i, Visit &&visit) {
    for (int32_t a = 0; a < map.arity; ++a) {
        const uint32_t to = map.to[i * map.arity + a];
        if (to == HALO_NO_INDEX) continue;
        if (to >= map.n_to)
            fail(HALO_ERR_BOUNDS, "sections: entity %lld touches position %u; the other set has %lld on this rank", static_cast<long long>(i), to,
                 static_cast<long long>(map.n_to));
        visit(to);
    }
}

} // namespace

Sections classify(int32_t rank, std::span<const int32_t> owners, std::span<const halo_map> maps) {
    for (const halo_map &map : maps) {
        check_map(map, std::ssize(owners));
        if (!map.to_owners && map.n_to > 0) fail(HALO_ERR_ARGUMENT, "sections: a map without the owners of what it leads to");
    }
    Sections sections;
    sections.of.resize(owners.size());
    for (int64_t i = 0; i < std::ssize(owners); ++i) {
        bool own = false, others = false;
        for (const halo_map &map : maps) for_each_touched(map, i, [&](uint32_t to) { (map.to_owners[to] == rank ? own : others) = true; });
        const int32_t section =
            owners[i] == rank ? (others ? HALO_SECTION_OWNED : HALO_SECTION_CORE) : (own ? HALO_SECTION_EXEC : HALO_SECTION_NON_EXEC);
        sections.of[i] = section;
        ++sections.sizes[section];
    }
    return sections;
}

std::vector<uint32_t> Sections::order(std::span<const int32_t> owners) const {
    std::vector<uint32_t> order(of.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto owner_in_order = [&](uint32_t i) { return of[i] < HALO_SECTION_EXEC ? -1 : owners[i]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return of[a] != of[b] ? of[a] < of[b] : owner_in_order(a) < owner_in_order(b); });
    return order;
}

void reach(const halo_map &map, std::span<const int32_t> sections, uint32_t from, uint32_t bits, uint32_t *groups) {
    check_map(map, std::ssize(sections));
    for (int64_t i = 0; i < std::ssize(sections); ++i) {
        if (sections[i] < HALO_SECTION_CORE || sections[i] > HALO_SECTION_NON_EXEC)
            fail(HALO_ERR_ARGUMENT, "sections: entity %lld has section %d", static_cast<long long>(i), sections[i]);
        if (from >> sections[i] & 1u) for_each_touched(map, i, [&](uint32_t to) { groups[to] |= bits; });
    }
}

} // namespace halo
