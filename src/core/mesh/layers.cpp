// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/layers.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/bytes.h"
#include "base/error.h"
#include "comm/agree.h"
#include "mesh/packing.h"

namespace halo {

namespace {

// Some entities of a set. So small that looking them up costs little.
class EntityMarks {
public:
    explicit EntityMarks(size_t n_entities) : marked_(n_entities + 1, 0) {}
    void add(uint32_t number) {
        marked_[number + size_t{ 1 }] = 1;
        empty_ = false;
    }
    // Is any of `n` marked? KnownSet::none is not.
    uint8_t any_of(const uint32_t *numbers, size_t n) const {
        const uint8_t *const marked = marked_.data();
        uint8_t any = 0;
#pragma GCC unroll 8
        for (size_t i = 0; i < n; ++i) any |= marked[numbers[i] + uint32_t{ 1 }];
        return any;
    }
    bool empty() const { return empty_; }

private:
    std::vector<uint8_t> marked_; // by number, behind that of none
    bool empty_ = true;
};

// Which ranks ask about entities.
class Askers {
public:
    Askers(const MeshDescription &mesh, const KnownMesh &known) : ranks_(known.sets.size()) {
        for (size_t s = 0; s < known.sets.size(); ++s) marked_.emplace_back(mesh.sets[s].maps_to.empty() ? 0 : known.sets[s].size());
    }

    void add(size_t set, uint32_t number, int32_t rank) {
        marked_[set].add(number);
        ranks_[set][number].push_back(rank);
    }
    const std::vector<EntityMarks> &marked() const { return marked_; }
    std::span<const int32_t> of(size_t set, uint32_t number) const {
        const auto found = ranks_[set].find(number);
        if (found == ranks_[set].end()) return {};
        return found->second;
    }

private:
    std::vector<EntityMarks> marked_; // by set
    std::vector<std::unordered_map<uint32_t, std::vector<int32_t>>> ranks_;
};

// The list gets an entity once, though it leads to several that want it.
void add_once(std::vector<uint32_t> &list, uint32_t entity) {
    if (list.empty() || list.back() != entity) list.push_back(entity);
}

class Layers {
public:
    Layers(Context &context, const MeshDescription &mesh, KnownMesh &known)
        : context_(context),
          mesh_(mesh),
          known_(known),
          discovery_(context, discovery_kind(context), "mesh") {}

    void lay();

private:
    template <class Visit>
    void for_each_target(size_t set, size_t place, Visit &&visit) const;
    template <class Visit>
    void for_each_row_to(const std::vector<EntityMarks> &marked, Visit &&visit) const;
    RowLists touching_others();
    void take(const std::vector<Delivery> &came, uint8_t layer);
    void execute(size_t set, uint32_t entity, uint8_t layer);
    std::vector<Delivery> questions(int32_t reach, std::vector<int32_t> &asked) const;
    void note(const Delivery &question, Askers &askers) const;
    RowLists answers(const std::vector<Delivery> &questions);
    void keep_unsent(RowLists &lists);

    Context &context_;
    const MeshDescription &mesh_;
    KnownMesh &known_;
    Discovery discovery_;
    RowLists sent_; // in the order of places
};

// Calls visit(set, number) for all that an entity with a row leads to.
template <class Visit>
void Layers::for_each_target(size_t set, size_t place, Visit &&visit) const {
    for (const size_t m : mesh_.sets[set].maps_from)
        for (const uint32_t target : known_.row(mesh_, m, place))
            if (target != KnownSet::none) visit(mesh_.maps[m].to, target);
}

// A ghost is executed from this layer on; what it leads to lies within reach then.
void Layers::execute(size_t set, uint32_t entity, uint8_t layer) {
    KnownSet &of = known_.sets[set];
    if (of.owners[entity] == context_.rank() || of.layer[entity] <= layer) return;
    of.layer[entity] = layer;
    of.reach[entity] = std::min(of.reach[entity], layer);
    for_each_target(set, of.row_of(entity), [&](size_t to, uint32_t target) {
        uint8_t &reach = known_.sets[to].reach[target];
        reach = std::min(reach, layer);
    });
}

// Own entities that lead to what others own: those are to execute them.
RowLists Layers::touching_others() {
    std::vector<EntityMarks> foreign;
    for (size_t s = 0; s < known_.sets.size(); ++s) {
        KnownSet &set = known_.sets[s];
        const size_t n_led_to = mesh_.sets[s].maps_to.empty() ? 0 : set.size();
        foreign.emplace_back(n_led_to);
        for (uint32_t number = 0; number < n_led_to; ++number)
            if (set.owners[number] != context_.rank()) foreign.back().add(number);
        set.leaves.assign(set.n_rows(), false);
    }
    RowLists lists;
    for_each_row_to(foreign, [&](size_t s, size_t place) {
        KnownSet &set = known_.sets[s];
        const uint32_t entity = set.entity_at(place);
        if (set.owners[entity] != context_.rank()) return;
        set.leaves[place] = true;
        for_each_target(s, place, [&](size_t to, uint32_t target) {
            const int32_t owner = known_.sets[to].owners[target];
            if (owner == context_.rank()) return;
            known_.sets[to].reach[target] = 0;
            add_once(list_for(lists, mesh_, owner, s), entity);
        });
    });
    return lists;
}

// Calls visit(set, place) for each row that leads to a marked entity.
template <class Visit>
void Layers::for_each_row_to(const std::vector<EntityMarks> &marked, Visit &&visit) const {
    constexpr size_t together = 16; // rows looked at: mostly none of them leads to one
    for (size_t s = 0; s < known_.sets.size(); ++s) {
        std::vector<size_t> maps = mesh_.sets[s].maps_from;
        std::erase_if(maps, [&](size_t m) { return marked[mesh_.maps[m].to].empty(); });
        const auto any_leads = [&](size_t place, size_t n) {
            uint8_t any = 0;
            for (const size_t m : maps) {
                const size_t arity = mesh_.maps[m].arity;
                any |= marked[mesh_.maps[m].to].any_of(known_.rows[m].data() + place * arity, n * arity);
            }
            return any != 0;
        };
        const size_t n_rows = maps.empty() ? 0 : known_.sets[s].n_rows();
        for (size_t first = 0; first < n_rows; first += together) {
            const size_t n = std::min(together, n_rows - first);
            if (!any_leads(first, n)) continue;
            for (size_t place = first; place < first + n; ++place)
                if (any_leads(place, 1)) visit(s, place);
        }
    }
}

// All that is this rank's is known by now.
void Layers::take(const std::vector<Delivery> &came, uint8_t layer) {
    std::vector<size_t> n_known;
    for (const KnownSet &set : known_.sets) n_known.push_back(set.size());
    for (const Delivery &delivery : came) {
        const std::vector<std::vector<uint32_t>> entities = take_rows(mesh_, known_, delivery, { context_.rank(), context_.size(), false });
        for (size_t s = 0; s < entities.size(); ++s)
            for (const uint32_t entity : entities[s]) execute(s, entity, layer);
    }
    for (size_t s = 0; s < n_known.size(); ++s)
        if (std::find(known_.sets[s].owners.begin() + static_cast<int64_t>(n_known[s]), known_.sets[s].owners.end(), context_.rank()) !=
            known_.sets[s].owners.end())
            fail(HALO_ERR_WIRE, "mesh: other ranks say that this one owns entities of set %s, which have not come here", mesh_.sets[s].name.c_str());
}

// By owner, by set: how many, and the keys of what came into reach last.
std::vector<Delivery> Layers::questions(int32_t reach, std::vector<int32_t> &asked) const {
    std::map<int32_t, std::vector<std::vector<uint64_t>>> lists;
    for (size_t s = 0; s < known_.sets.size(); ++s) {
        if (mesh_.sets[s].maps_to.empty()) continue;
        const KnownSet &set = known_.sets[s];
        for (uint32_t number = 0; number < set.size(); ++number) {
            const bool is_new = set.reach[number] == reach || (reach == 1 && set.reach[number] == 0);
            if (!is_new || set.owners[number] == context_.rank()) continue;
            auto &of_sets = lists[set.owners[number]];
            of_sets.resize(known_.sets.size());
            of_sets[s].push_back(set.key(number));
        }
    }
    std::vector<Delivery> out;
    for (const auto &[rank, of_sets] : lists) {
        size_t n_words = of_sets.size();
        for (const std::vector<uint64_t> &keys : of_sets) n_words += keys.size();
        Packer message(n_words * sizeof(uint64_t));
        for (const std::vector<uint64_t> &keys : of_sets) {
            message.add(uint64_t{ keys.size() });
            message.add(std::span<const uint64_t>(keys));
        }
        out.push_back({ rank, message.take() });
        asked.push_back(rank);
    }
    return out;
}

void Layers::note(const Delivery &question, Askers &askers) const {
    Unpacker message(question, context_.size());
    for (size_t s = 0; s < known_.sets.size(); ++s) {
        const KnownSet &set = known_.sets[s];
        for (uint64_t n = message.next_count(sizeof(uint64_t)); n > 0; --n) {
            const auto key = message.next<uint64_t>();
            const uint32_t number = set.index.find(key);
            if (number == KnownSet::none || set.owners[number] != context_.rank() || mesh_.sets[s].maps_to.empty())
                fail(HALO_ERR_WIRE, "mesh: rank %d asks about entity %llu of set %s, which is none of this rank's", question.rank,
                     static_cast<unsigned long long>(key), mesh_.sets[s].name.c_str());
            askers.add(s, number, question.rank);
        }
    }
    message.end();
}

// An owner has the rows of all that leads to its entities: its own, and its first layer.
RowLists Layers::answers(const std::vector<Delivery> &questions) {
    Askers askers(mesh_, known_);
    RowLists lists;
    for (const Delivery &question : questions) {
        note(question, askers);
        lists[question.rank].resize(known_.sets.size());
    }
    for_each_row_to(askers.marked(), [&](size_t s, size_t place) {
        for_each_target(s, place, [&](size_t to, uint32_t target) {
            const uint32_t entity = known_.sets[s].entity_at(place);
            for (const int32_t rank : askers.of(to, target))
                if (rank != known_.sets[s].owners[entity]) add_once(lists[rank][s], entity);
        });
    });
    keep_unsent(lists);
    return lists;
}

// Who has been sent a row has executed it since.
void Layers::keep_unsent(RowLists &lists) {
    for (auto &[rank, of_sets] : lists)
        for (size_t s = 0; s < of_sets.size(); ++s) {
            std::vector<uint32_t> &sent = list_for(sent_, mesh_, rank, s), unsent, all;
            const auto place = [&](uint32_t entity) { return known_.sets[s].row_of(entity); };
            std::ranges::set_difference(of_sets[s], sent, std::back_inserter(unsent), {}, place, place);
            std::ranges::merge(unsent, sent, std::back_inserter(all), {}, place, place);
            sent = std::move(all);
            of_sets[s] = std::move(unsent);
        }
}

void Layers::lay() {
    sent_ = touching_others();
    std::vector<Delivery> came = discovery_.exchange(pack_rows(mesh_, known_, sent_));
    together(context_, "mesh", [&] { take(came, 1); });
    for (int32_t layer = 2; layer <= mesh_.depth; ++layer) {
        std::vector<int32_t> asked;
        std::vector<Delivery> asking = questions(layer - 1, asked), rows;
        asking = discovery_.exchange(std::move(asking));
        together(context_, "mesh", [&] { rows = pack_rows(mesh_, known_, answers(asking)); });
        came = discovery_.answer(std::move(rows), asked);
        together(context_, "mesh", [&] { take(came, static_cast<uint8_t>(layer)); });
    }
}

} // namespace

namespace {

// What is this rank's has come.
void check_own(const MeshSet &brought, const KnownSet &set, int32_t rank) {
    for (auto number = static_cast<uint32_t>(set.n_brought()); !brought.maps_from.empty() && number < set.size(); ++number)
        if (set.owners[number] == rank && !set.has_row(number))
            fail(HALO_ERR_WIRE, "mesh: entity %llu of set %s has not come to its owner", static_cast<unsigned long long>(set.key(number)),
                 brought.name.c_str());
}

} // namespace

std::vector<Moved> move_to_owners(Context &context, const MeshDescription &mesh, KnownMesh &known) {
    std::vector<Moved> moved(mesh.sets.size());
    RowLists lists;
    for (size_t s = 0; s < known.sets.size(); ++s)
        for (uint32_t entity = 0; entity < mesh.sets[s].keys.size(); ++entity) {
            const int32_t owner = known.sets[s].owners[entity];
            if (owner == context.rank()) continue;
            list_for(lists, mesh, owner, s).push_back(entity);
            moved[s].away[owner].push_back(entity);
        }
    const std::vector<Delivery> came = Discovery(context, discovery_kind(context), "mesh").exchange(pack_rows(mesh, known, lists));
    together(context, "mesh", [&] {
        for (const Delivery &delivery : came) {
            std::vector<std::vector<uint32_t>> entities = take_rows(mesh, known, delivery, { context.rank(), context.size(), true });
            for (size_t s = 0; s < entities.size(); ++s)
                if (!entities[s].empty()) moved[s].here[delivery.rank] = std::move(entities[s]);
        }
        for (size_t s = 0; s < known.sets.size(); ++s) check_own(mesh.sets[s], known.sets[s], context.rank());
    });
    return moved;
}

void lay_layers(Context &context, const MeshDescription &mesh, KnownMesh &known) { Layers(context, mesh, known).lay(); }

} // namespace halo
