// SPDX-License-Identifier: BSD-3-Clause
#include "model.h"

#include <algorithm>

namespace mesh {

namespace {

int32_t most_votes(const std::map<int32_t, int64_t> &votes, int32_t otherwise) {
    int64_t most = 0;
    for (const auto &[rank, n] : votes) most = std::max(most, n);
    for (const auto &[rank, n] : votes)
        if (n == most) return rank;
    return otherwise;
}

using Ballots = std::map<uint64_t, std::map<int32_t, int64_t>>;

// By key of what a map leads to: how many entries of whose entities do.
Ballots votes_by_sources(const Model &model, size_t m) {
    Ballots ballots;
    for (const auto &[key, entity] : model.sets[model.maps[m].from].entities)
        for (const uint64_t target : entity.rows.at(m))
            if (model.leads(m, target)) ++ballots[target][entity.owner];
    return ballots;
}

void find_owners(Model &model, size_t s) {
    ModelSet &set = model.sets[s];
    Ballots ballots;
    if (set.rule == HALO_MESH_OWNER_OF_SOURCES) ballots = votes_by_sources(model, set.owner_map);
    for (auto &[key, entity] : set.entities) {
        if (set.rule == HALO_MESH_OWNER_OF_TARGETS)
            for (const uint64_t target : entity.rows.at(set.owner_map))
                if (model.leads(set.owner_map, target)) ++ballots[key][model.at(model.maps[set.owner_map].to, target).owner];
        entity.owner = most_votes(ballots[key], set.rule == HALO_MESH_OWNER_GIVEN ? entity.given : entity.bringer);
    }
    // What nobody brings and nothing leads to is not there.
    std::erase_if(set.entities, [](const auto &entry) { return entry.second.owner < 0; });
}

// Entities of a set along a line in key order, so that a rank's lie together, now and then anywhere.
int32_t some_rank(Random &random, int64_t i, int64_t n, int32_t n_ranks) {
    return static_cast<int32_t>(pick(random, 0, 5) == 0 ? pick(random, 0, n_ranks - 1) : i * n_ranks / n);
}

void add_entities(Random &random, Model &model, int64_t most) {
    const bool keys_apart = pick(random, 0, 1) == 0;
    for (ModelSet &set : model.sets) {
        const int64_t n = pick(random, most / 40, most);
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t key = keys_apart ? random() : i == 0 ? UINT64_MAX : static_cast<uint64_t>(i);
            if (key == nowhere) continue;
            set.entities[key] = { some_rank(random, i, n, model.n_ranks), some_rank(random, n - 1 - i, n, model.n_ranks) };
        }
    }
}

// Maps lead from a set to itself or to later ones. To a neighbour in the order of keys, or anywhere.
void add_maps(Random &random, Model &model) {
    const auto n_sets = static_cast<int64_t>(model.sets.size());
    for (int64_t m = pick(random, n_sets > 1 ? 1 : 0, 3); m > 0; --m) {
        const int64_t from = pick(random, 0, n_sets - 1), to = pick(random, from, n_sets - 1);
        model.maps.push_back({ "map" + std::to_string(m), static_cast<size_t>(from), static_cast<size_t>(to),
                               static_cast<int32_t>(pick(random, 1, 4)), pick(random, 0, 2) == 0 });
    }
    for (size_t m = 0; m < model.maps.size(); ++m) {
        const ModelMap &map = model.maps[m];
        ModelSet &from = model.sets[map.from];
        const ModelSet &to = model.sets[map.to];
        std::vector<uint64_t> keys;
        for (const auto &[key, entity] : to.entities) keys.push_back(key);
        int64_t place = 0;
        for (auto &[key, entity] : from.entities) {
            const int64_t near = place++ * static_cast<int64_t>(to.entities.size()) / static_cast<int64_t>(from.entities.size());
            for (int32_t i = 0; i < map.arity; ++i) {
                const auto neighbour = keys[static_cast<size_t>(std::min(near + i, static_cast<int64_t>(keys.size()) - 1))];
                const int64_t what = pick(random, 0, 9);
                entity.rows[m].push_back(what == 0 && map.has_none ? nowhere
                                         : what == 1 && pick(random, 0, static_cast<int64_t>(keys.size()) / 40) == 0
                                             ? keys[static_cast<size_t>(pick(random, 0, std::ssize(keys) - 1))]
                                             : neighbour);
            }
        }
    }
}

// Rules follow maps from later sets to earlier ones or the other way, never both, so none follows itself.
void choose_rules(Random &random, Model &model) {
    const bool of_targets = pick(random, 0, 1) == 0;
    for (size_t s = 0; s < model.sets.size(); ++s) {
        ModelSet &set = model.sets[s];
        set.rule = pick(random, 0, 1) == 0 ? HALO_MESH_OWNER_GIVEN : HALO_MESH_OWNER_BROUGHT;
        for (size_t m = 0; m < model.maps.size(); ++m) {
            const ModelMap &map = model.maps[m];
            if (map.from == map.to || (of_targets ? map.from : map.to) != s || pick(random, 0, 1) == 0) continue;
            set.rule = of_targets ? HALO_MESH_OWNER_OF_TARGETS : HALO_MESH_OWNER_OF_SOURCES;
            set.owner_map = m;
        }
    }
}

bool starts_map(const Model &model, size_t s) {
    return std::ranges::any_of(model.maps, [&](const ModelMap &map) { return map.from == s; });
}

// Some entities nobody need bring: those that the rule's map leads to.
void leave_out_brought(Random &random, Model &model) {
    for (size_t s = 0; s < model.sets.size(); ++s) {
        ModelSet &set = model.sets[s];
        if (set.rule != HALO_MESH_OWNER_OF_SOURCES || starts_map(model, s)) continue;
        const bool all = pick(random, 0, 1) == 0;
        Keys by_rule, by_others;
        for (size_t m = 0; m < model.maps.size(); ++m)
            for (const auto &[from_key, from] : model.sets[model.maps[m].from].entities)
                if (model.maps[m].to == s) (m == set.owner_map ? by_rule : by_others).insert(from.rows.at(m).begin(), from.rows.at(m).end());
        for (auto &[key, entity] : set.entities)
            if ((all || pick(random, 0, 2) == 0) && (by_rule.contains(key) || !by_others.contains(key))) entity.bringer = -1;
    }
}

} // namespace

Keys Stored::executed(size_t layer) const {
    Keys all;
    for (size_t k = 0; k <= layer; ++k) all.insert(layers[k].begin(), layers[k].end());
    return all;
}

bool Model::leads_into(size_t set, uint64_t key, const std::vector<Keys> &region) const {
    for (const auto &[m, row] : at(set, key).rows)
        for (const uint64_t target : row)
            if (leads(m, target) && region[maps[m].to].contains(target)) return true;
    return false;
}

bool Model::is_core(size_t set, uint64_t key, int32_t rank) const {
    for (const auto &[m, row] : at(set, key).rows)
        for (const uint64_t target : row)
            if (leads(m, target) && at(maps[m].to, target).owner != rank) return false;
    return true;
}

std::vector<Stored> Model::stored(int32_t rank) const {
    std::vector<Stored> all(sets.size());
    std::vector<Keys> region(sets.size()), executed(sets.size());
    for (size_t s = 0; s < sets.size(); ++s) {
        for (const auto &[key, entity] : sets[s].entities)
            if (entity.owner == rank) all[s].own.insert(key);
        all[s].layers.push_back(all[s].own);
        region[s] = executed[s] = all[s].own;
    }
    for (int32_t layer = 0; layer <= depth; ++layer) {
        for (size_t s = 0; layer > 0 && s < sets.size(); ++s) {
            Keys next;
            for (const auto &[key, entity] : sets[s].entities)
                if (!executed[s].contains(key) && leads_into(s, key, region)) next.insert(key);
            all[s].layers.push_back(next);
        }
        for (size_t s = 0; layer > 0 && s < sets.size(); ++s) executed[s].insert(all[s].layers.back().begin(), all[s].layers.back().end());
        // What is reached from there; layer 1 is of what leads to own entities alone.
        std::vector<Keys> reach(sets.size());
        for (size_t s = 0; s < sets.size(); ++s) {
            reach[s].insert(executed[s].begin(), executed[s].end());
            for (const uint64_t key : executed[s])
                for (const auto &[m, row] : at(s, key).rows)
                    for (const uint64_t target : row)
                        if (leads(m, target)) reach[maps[m].to].insert(target);
        }
        for (size_t s = 0; s < sets.size(); ++s) {
            if (layer > 0) region[s].insert(reach[s].begin(), reach[s].end());
            Keys ghosts;
            for (const uint64_t key : reach[s])
                if (!all[s].own.contains(key)) ghosts.insert(key);
            all[s].reach.push_back(ghosts);
        }
    }
    return all;
}

Model random_model(Random &random, int32_t n_ranks, int64_t most) {
    Model model;
    model.n_ranks = n_ranks;
    model.depth = static_cast<int32_t>(pick(random, 0, 9) == 0 ? 11 : pick(random, 1, 4));
    for (int64_t s = pick(random, 1, 3); s > 0; --s) model.sets.push_back({ "set" + std::to_string(s), 0, 0, {} });
    add_entities(random, model, most);
    add_maps(random, model);
    choose_rules(random, model);
    leave_out_brought(random, model);
    // Owners that others follow from come first: to later sets, or from the first.
    for (size_t s = 0; s < model.sets.size(); ++s)
        if (model.sets[s].rule == HALO_MESH_OWNER_GIVEN || model.sets[s].rule == HALO_MESH_OWNER_BROUGHT) find_owners(model, s);
    for (size_t s = 0; s < model.sets.size(); ++s)
        if (model.sets[s].rule == HALO_MESH_OWNER_OF_SOURCES) find_owners(model, s);
    for (size_t s = model.sets.size(); s-- > 0;)
        if (model.sets[s].rule == HALO_MESH_OWNER_OF_TARGETS) find_owners(model, s);
    return model;
}

} // namespace mesh
