// SPDX-License-Identifier: BSD-3-Clause
#include "model.h"

#include <algorithm>
#include <tuple>

#include "ranks.h"

namespace keys {

std::vector<int32_t> KeyFacts::ranks() const {
    std::vector<int32_t> list;
    for (const Copy &copy : copies)
        if (list.empty() || list.back() != copy.rank) list.push_back(copy.rank);
    return list;
}

bool KeyFacts::contributes(const Copy &copy) const {
    const Copy *own = primary();
    const auto place = static_cast<size_t>(std::find(copies.begin(), copies.end(), copy) - copies.begin());
    return own && !(*own == copy) && place < copies.size() && !silent[place];
}

const Copy *KeyFacts::primary() const {
    for (size_t i = 0; i < copies.size(); ++i)
        if (copies[i].rank == owner && !silent[i]) return &copies[i];
    return nullptr;
}

namespace {

// What a rank's entries of a key say together.
struct Standing {
    int32_t rank;
    bool claims = false, may_own = false;
    int64_t weight = 0; // of the first entry that gives
};

std::vector<Standing> standings(const std::vector<std::vector<Entry>> &ranks, uint64_t key) {
    std::vector<Standing> list;
    for (int32_t rank = 0; rank < static_cast<int32_t>(ranks.size()); ++rank) {
        Standing standing{ rank };
        bool any = false, gives = false;
        for (const Entry &entry : ranks[static_cast<size_t>(rank)]) {
            if (entry.key != key || (entry.flags & HALO_KEY_IGNORE)) continue;
            any = true;
            standing.claims |= (entry.flags & HALO_KEY_CLAIM) != 0;
            standing.may_own |= (entry.flags & (HALO_KEY_READ_ONLY | HALO_KEY_WANT)) == 0;
            if (!gives && (entry.flags & HALO_KEY_READ_ONLY) == 0) gives = true, standing.weight = entry.weight;
        }
        if (any) list.push_back(standing);
    }
    return list;
}

// The library's way to deal keys.
uint64_t spread(uint64_t key) {
    for (int twice = 0; twice < 2; ++twice) key = (key ^ key >> 32) * 0xd6e8feb86659fd93u;
    return key ^ key >> 32;
}

int32_t owner_of(const Model &model, uint64_t key, std::vector<Standing> list) {
    const bool claimed = std::any_of(list.begin(), list.end(), [](const Standing &one) { return one.claims; });
    std::erase_if(list, [&](const Standing &one) { return !one.may_own || ((claimed || model.rule == HALO_OWNER_CLAIM) && !one.claims); });
    if (list.empty()) return -1;
    if (model.rule == HALO_OWNER_SPREAD) return list[spread(key) % list.size()].rank;
    if (model.rule == HALO_OWNER_WEIGHT)
        return std::max_element(list.begin(), list.end(), [](const Standing &a, const Standing &b) { return a.weight < b.weight; })->rank;
    return list[0].rank;
}

} // namespace

void Model::find_facts() {
    facts.clear();
    for (int32_t rank = 0; rank < static_cast<int32_t>(ranks.size()); ++rank)
        for (int64_t i = 0; i < static_cast<int64_t>(ranks[static_cast<size_t>(rank)].size()); ++i) {
            const Entry &entry = ranks[static_cast<size_t>(rank)][static_cast<size_t>(i)];
            if (entry.flags & HALO_KEY_IGNORE) continue;
            facts[entry.key].copies.push_back({ rank, i });
            facts[entry.key].silent.push_back((entry.flags & HALO_KEY_READ_ONLY) != 0);
        }
    for (auto &[key, fact] : facts) {
        const std::vector<Standing> list = standings(ranks, key);
        fact.owner = owner_of(*this, key, list);
        fact.several_claim = std::count_if(list.begin(), list.end(), [](const Standing &one) { return one.claims; }) > 1;
    }
}

void Model::claim_first(Random &random) {
    first_are_mine = true;
    rule = HALO_OWNER_CLAIM;
    const auto is_claimed = [](const Entry &entry) { return (entry.flags & HALO_KEY_CLAIM) != 0; };
    for (std::vector<Entry> &entries : ranks) {
        for (Entry &entry : entries) {
            entry.flags &= ~(HALO_KEY_CLAIM | HALO_KEY_WANT);
            entry.flags |= pick(random, 0, 2) == 0 ? HALO_KEY_CLAIM : HALO_KEY_WANT;
        }
        std::stable_partition(entries.begin(), entries.end(), is_claimed);
    }
    find_facts();
}

int64_t Model::n_owned(int32_t rank) const {
    return std::count_if(facts.begin(), facts.end(), [&](const auto &item) { return item.second.owner == rank; });
}

std::vector<uint32_t> Model::local_indices(int32_t rank) const {
    const std::vector<Entry> &entries = ranks[static_cast<size_t>(rank)];
    std::vector<uint32_t> indices(entries.size(), HALO_NO_INDEX);
    if (numbering == HALO_NUMBERING_AS_GIVEN) {
        for (uint32_t i = 0; i < entries.size(); ++i)
            if (!(entries[i].flags & HALO_KEY_IGNORE)) indices[i] = i;
        return indices;
    }
    using Ghost = std::tuple<int32_t, bool, uint64_t, bool, int64_t>; // owner and silent, or neither; key, silent, position
    std::vector<Ghost> ghosts;
    uint32_t next = 0;
    for (int64_t i = 0; i < static_cast<int64_t>(entries.size()); ++i) {
        const Entry &entry = entries[static_cast<size_t>(i)];
        if (entry.flags & HALO_KEY_IGNORE) continue;
        const KeyFacts &fact = facts.at(entry.key);
        const auto place = std::find(fact.copies.begin(), fact.copies.end(), Copy{ rank, i }) - fact.copies.begin();
        const bool by_key = numbering == HALO_NUMBERING_BY_KEY;
        if (fact.primary() && *fact.primary() == Copy{ rank, i })
            indices[static_cast<size_t>(i)] = next++;
        else
            ghosts.emplace_back(by_key           ? 0
                                : fact.owner < 0 ? INT32_MAX
                                                 : fact.owner,
                                !by_key && fact.silent[static_cast<size_t>(place)], entry.key, fact.silent[static_cast<size_t>(place)], i);
    }
    std::sort(ghosts.begin(), ghosts.end());
    for (const Ghost &ghost : ghosts) indices[static_cast<size_t>(std::get<4>(ghost))] = next++;
    return indices;
}

halo_topology *Model::make(halo_context *context, int32_t rank) const {
    std::vector<uint64_t> list;
    std::vector<int32_t> flags, owners;
    std::vector<int64_t> weights;
    int64_t n_mine = 0;
    for (const Entry &entry : ranks[static_cast<size_t>(rank)]) {
        list.push_back(entry.key);
        flags.push_back(first_are_mine ? entry.flags & ~(HALO_KEY_CLAIM | HALO_KEY_WANT) : entry.flags);
        n_mine += (entry.flags & HALO_KEY_CLAIM) != 0;
        weights.push_back(entry.weight);
        const auto said = given.find(entry.key);
        owners.push_back(entry.flags & HALO_KEY_IGNORE ? -1 : said != given.end() ? said->second : facts.at(entry.key).owner);
    }
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    if (first_are_mine)
        desc.n_mine = n_mine;
    else
        desc.owner_rule = rule;
    desc.numbering = numbering;
    desc.directory = directory;
    desc.editable = editable ? 1 : 0;
    desc.n_keys = static_cast<int64_t>(list.size());
    desc.keys = list.data();
    const bool any = std::any_of(flags.begin(), flags.end(), [](int32_t one) { return one != 0; });
    desc.flags = any ? flags.data() : nullptr;
    desc.weights = weights.data();
    desc.owners = known_owners ? owners.data() : nullptr;
    if (list.empty() && known_owners && editable) desc.owners = reinterpret_cast<const int32_t *>(&desc); // no rank may have any: none is read
    halo_topology *topology = nullptr;
    OK(halo_topology_create_keys(context, &desc, &topology));
    return topology;
}

Model random_model(Random &random, int32_t n_ranks) {
    Model model;
    model.rule = static_cast<int32_t>(pick(random, HALO_OWNER_LOWEST_RANK, HALO_OWNER_CLAIM));
    model.numbering = static_cast<int32_t>(pick(random, HALO_NUMBERING_BY_OWNER, HALO_NUMBERING_AS_GIVEN));
    model.directory = static_cast<int32_t>(pick(random, HALO_DIRECTORY_AUTO, HALO_DIRECTORY_HASH));
    model.ranks.resize(static_cast<size_t>(n_ranks));
    const int64_t n_keys = pick(random, 1, 60);
    std::vector<uint64_t> keys;
    const int64_t spacing = pick(random, 0, 2); // dense, anywhere, in two clusters
    for (int64_t i = 0; i < n_keys; ++i)
        keys.push_back(spacing == 0 ? static_cast<uint64_t>(i) : spacing == 1 ? random() : (random() % 2 << 60) + static_cast<uint64_t>(i));
    if (pick(random, 0, 1) == 0) keys.push_back(0);
    if (pick(random, 0, 1) == 0) keys.push_back(UINT64_MAX);
    const bool twice = pick(random, 0, 2) == 0;
    const bool flags = pick(random, 0, 1) == 0;
    const int64_t density = pick(random, 1, 4);
    for (std::vector<Entry> &entries : model.ranks) {
        if (pick(random, 0, 7) == 0) continue; // a rank without keys
        const bool all = pick(random, 0, 7) == 0;
        for (const uint64_t key : keys)
            if (all || pick(random, 0, 4) < density)
                for (int64_t n = twice ? pick(random, 1, 3) : 1; n > 0; --n) {
                    constexpr int32_t some[] = { 0, 0, 0, HALO_KEY_CLAIM, HALO_KEY_READ_ONLY, HALO_KEY_IGNORE, HALO_KEY_WANT };
                    entries.push_back({ key, flags ? some[pick(random, 0, 6)] : 0, pick(random, -3, 3) });
                    if (!flags && model.rule == HALO_OWNER_CLAIM) entries.back().flags = pick(random, 0, 1) == 0 ? HALO_KEY_CLAIM : 0;
                }
        if (pick(random, 0, 1) == 0) std::shuffle(entries.begin(), entries.end(), random);
    }
    model.find_facts();
    const bool all_owned = std::all_of(model.facts.begin(), model.facts.end(), [](const auto &item) { return item.second.owner >= 0; });
    model.known_owners = all_owned && pick(random, 0, 3) == 0;
    if (!model.known_owners && pick(random, 0, 3) == 0) model.claim_first(random);
    return model;
}

} // namespace keys
