// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/rows.h"

#include "base/error.h"
#include "mesh/words.h"

namespace halo {

namespace {

constexpr uint64_t nowhere = UINT64_MAX; // in place of an owner

size_t record_words(const MeshDescription &mesh, size_t set) {
    size_t words = 2;
    for (const size_t m : mesh.sets[set].maps_from) words += 2 * mesh.maps[m].arity;
    return words;
}

void pack_entity(const MeshDescription &mesh, const KnownMesh &known, size_t s, uint32_t entity, WordsOut &words) {
    const KnownSet &set = known.sets[s];
    const auto add = [&](const KnownSet &of, uint32_t number) {
        words.add(of.key(number));
        words.add(static_cast<uint64_t>(of.owners[number]));
    };
    add(set, entity);
    for (const size_t m : mesh.sets[s].maps_from)
        for (const uint32_t target : known.row(mesh, m, set.row_of(entity))) {
            if (target != KnownSet::none)
                add(known.sets[mesh.maps[m].to], target);
            else
                words.add(0), words.add(nowhere);
        }
}

uint32_t take_entity(const MeshDescription &mesh, KnownMesh &known, size_t s, Words &words) {
    const auto take = [&](KnownSet &of, uint64_t key, uint64_t word) {
        const int32_t owner = words.rank(word);
        const uint32_t number = of.add(key, owner);
        if (of.owners[number] != owner)
            fail(HALO_ERR_WIRE, "mesh: rank %d says that rank %d owns entity %llu, which rank %d does", words.from(), owner,
                 static_cast<unsigned long long>(key), of.owners[number]);
        return number;
    };
    const uint64_t key = words.next();
    const uint32_t entity = take(known.sets[s], key, words.next());
    const bool is_new = !known.sets[s].has_row(entity);
    if (is_new) known.sets[s].add_row(entity);
    for (const size_t m : mesh.sets[s].maps_from)
        for (size_t i = 0; i < mesh.maps[m].arity; ++i) {
            const uint64_t target = words.next(), owner = words.next();
            if (is_new) known.rows[m].push_back(owner == nowhere ? KnownSet::none : take(known.sets[mesh.maps[m].to], target, owner));
        }
    return entity;
}

} // namespace

std::vector<uint32_t> &list_for(RowLists &lists, const MeshDescription &mesh, int32_t rank, size_t set) {
    auto &of_sets = lists[rank];
    of_sets.resize(mesh.sets.size());
    return of_sets[set];
}

std::vector<Delivery> pack_rows(const MeshDescription &mesh, const KnownMesh &known, const RowLists &lists) {
    std::vector<Delivery> out;
    for (const auto &[rank, of_sets] : lists) {
        size_t n_words = of_sets.size();
        for (size_t s = 0; s < of_sets.size(); ++s) n_words += of_sets[s].size() * record_words(mesh, s);
        WordsOut words(n_words);
        for (size_t s = 0; s < of_sets.size(); ++s) {
            words.add(of_sets[s].size());
            for (const uint32_t entity : of_sets[s]) pack_entity(mesh, known, s, entity, words);
        }
        out.push_back({ rank, words.take() });
    }
    return out;
}

std::vector<std::vector<uint32_t>> take_rows(const MeshDescription &mesh, KnownMesh &known, const Delivery &came, int32_t n_ranks) {
    Words words(came, n_ranks);
    std::vector<std::vector<uint32_t>> entities(mesh.sets.size());
    for (size_t s = 0; s < mesh.sets.size(); ++s)
        for (uint64_t n = words.next_count(record_words(mesh, s)); n > 0; --n) entities[s].push_back(take_entity(mesh, known, s, words));
    words.end();
    return entities;
}

} // namespace halo
