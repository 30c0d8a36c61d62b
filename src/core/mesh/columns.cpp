// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/columns.h"

#include <algorithm>
#include <map>

#include "base/checked.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "mesh/mesh.h"
#include "topology/discovery.h"
#include "topology/keys/key_index.h"

namespace halo {

namespace {

// What an owner tells of a column.
struct Told {
    int64_t layers;
    uint64_t first;
};

void lay_own(const LocalSet &set, int32_t n_layers, std::span<const int32_t> layers, Columns &columns) {
    if (n_layers < 0) fail(HALO_ERR_ARGUMENT, "mesh columns: %d layers", n_layers);
    columns.starts.push_back(0);
    for (size_t i = 0; i < set.n_owned(); ++i) {
        const int32_t n = layers.empty() ? n_layers : layers[i];
        if (n < 0)
            fail(HALO_ERR_ARGUMENT, "mesh columns: set %s: %d layers over entity %llu", set.name.c_str(), n,
                 static_cast<unsigned long long>(set.keys[i]));
        columns.starts.push_back(columns.starts.back() + n);
    }
    check_limit("mesh columns: the points that this rank owns", columns.starts.back(), limits::points);
}

// Ghosts lie by owner within each section.
std::map<int32_t, std::vector<uint32_t>> ghosts_by_owner(const LocalSet &set) {
    std::map<int32_t, std::vector<uint32_t>> ghosts;
    for (uint32_t i = set.n_owned(); i < set.keys.size(); ++i) ghosts[set.owners[i]].push_back(i);
    return ghosts;
}

std::vector<Delivery> answer(const LocalSet &set, const Columns &columns, const std::vector<Delivery> &questions) {
    KeyIndex own(questions.empty() ? 0 : set.n_owned());
    for (uint32_t i = 0; !questions.empty() && i < set.n_owned(); ++i) own.add(set.keys[i]);
    std::vector<Delivery> answers;
    for (const Delivery &question : questions) {
        std::vector<Told> told;
        for (const uint64_t key : from_bytes<uint64_t>(question.bytes)) {
            const uint32_t entity = own.find(key);
            if (entity == KeyIndex::none)
                fail(HALO_ERR_WIRE, "mesh columns: rank %d asks about entity %llu of set %s, which is none of this rank's", question.rank,
                     static_cast<unsigned long long>(key), set.name.c_str());
            told.push_back({ columns.layers(entity), columns.firsts[entity] });
        }
        answers.push_back({ question.rank, to_bytes(told) });
    }
    return answers;
}

void take(const std::vector<Delivery> &answers, const std::map<int32_t, std::vector<uint32_t>> &asked, size_t n_entities, Columns &columns) {
    std::vector<int64_t> layers(n_entities, 0);
    columns.firsts.resize(n_entities);
    for (const Delivery &delivery : answers) {
        const std::vector<Told> told = from_bytes<Told>(delivery.bytes);
        const std::vector<uint32_t> &entities = asked.at(delivery.rank);
        if (told.size() != entities.size())
            fail(HALO_ERR_WIRE, "mesh columns: rank %d tells of %zu columns; it was asked for %zu", delivery.rank, told.size(), entities.size());
        for (size_t i = 0; i < told.size(); ++i) {
            if (told[i].layers < 0 || told[i].layers > INT32_MAX)
                fail(HALO_ERR_WIRE, "mesh columns: rank %d tells of %lld layers", delivery.rank, static_cast<long long>(told[i].layers));
            layers[entities[i]] = told[i].layers;
            columns.firsts[entities[i]] = told[i].first;
        }
    }
    for (size_t i = columns.starts.size() - 1; i < n_entities; ++i) columns.starts.push_back(columns.starts.back() + layers[i]);
    check_limit("mesh columns: the points of this rank", columns.starts.back(), limits::points);
}

void check_entries(const LocalMap &map, std::span<const halo_column_entry> entries) {
    for (size_t k = 0; k < entries.size(); ++k)
        if (entries[k].entry < 0 || entries[k].entry >= map.arity)
            fail(HALO_ERR_ARGUMENT, "mesh columns: entry %zu names entry %d of map %s, which has %d", k, entries[k].entry, map.name.c_str(),
                 map.arity);
}

} // namespace

Columns make_columns(Context &context, const LocalSet &set, int32_t n_layers, std::span<const int32_t> layers) {
    Columns columns;
    together(context, "mesh columns", [&] { lay_own(set, n_layers, layers, columns); });
    const auto below = static_cast<uint64_t>(exclusive_sum(context, columns.starts.back()));
    for (size_t i = 0; i < set.n_owned(); ++i) columns.firsts.push_back(below + static_cast<uint64_t>(columns.starts[i]));

    const std::map<int32_t, std::vector<uint32_t>> ghosts = ghosts_by_owner(set);
    std::vector<Delivery> questions;
    std::vector<int32_t> asked;
    for (const auto &[rank, entities] : ghosts) {
        std::vector<uint64_t> keys;
        for (const uint32_t entity : entities) keys.push_back(set.keys[entity]);
        questions.push_back({ rank, to_bytes(keys) });
        asked.push_back(rank);
    }
    Discovery discovery(context, discovery_kind(context), "mesh columns");
    const std::vector<Delivery> came = discovery.exchange(std::move(questions));
    std::vector<Delivery> answers;
    together(context, "mesh columns", [&] { answers = answer(set, columns, came); });
    const std::vector<Delivery> told = discovery.answer(std::move(answers), asked);
    together(context, "mesh columns", [&] { take(told, ghosts, set.keys.size(), columns); });
    return columns;
}

std::vector<uint32_t> map_columns(const LocalMap &map, const LocalSet &base, const Columns &from, const Columns &to,
                                  std::span<const halo_column_entry> entries) {
    check_entries(map, entries);
    std::vector<uint32_t> lowest;
    lowest.reserve(static_cast<size_t>(map.n_rows) * entries.size());
    for (size_t i = 0; i < static_cast<size_t>(map.n_rows); ++i)
        for (const halo_column_entry &entry : entries) {
            const uint32_t target = map.to[i * static_cast<size_t>(map.arity) + static_cast<size_t>(entry.entry)];
            if (from.layers(i) == 0 || target == HALO_NO_INDEX) {
                lowest.push_back(HALO_NO_INDEX);
                continue;
            }
            const int64_t first = entry.layer, last = first + entry.step * (from.layers(i) - 1), there = to.layers(target);
            if (std::min(first, last) < 0 || std::max(first, last) >= there)
                fail(HALO_ERR_ARGUMENT, "mesh columns: map %s: %lld layers over entity %llu lead to layers %lld to %lld of a column of %lld",
                     map.name.c_str(), static_cast<long long>(from.layers(i)), static_cast<unsigned long long>(base.keys[i]),
                     static_cast<long long>(first), static_cast<long long>(last), static_cast<long long>(there));
            lowest.push_back(static_cast<uint32_t>(to.starts[target] + first));
        }
    return lowest;
}

} // namespace halo
