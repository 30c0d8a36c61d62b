// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/owners.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "comm/agree.h"
#include "mesh/register.h"
#include "topology/discovery.h"
#include "topology/keys/placement.h"

namespace halo {

namespace {

constexpr int32_t nobody = KnownSet::nobody;
constexpr size_t sample_stride = 16; // of the keys that tell how keys lie, one in so many

class SetOwners {
public:
    SetOwners(Context &context, const MeshDescription &mesh, KnownMesh &known, size_t number)
        : context_(context),
          mesh_(mesh),
          known_(known),
          brought_(mesh.sets[number]),
          set_(known.sets[number]),
          ballot_(votes() ? set_.size() : 0) {}

    void find();

private:
    bool votes() const { return brought_.owner_rule == HALO_MESH_OWNER_OF_SOURCES; }
    bool is_brought(uint32_t entity) const { return entity < brought_.keys.size(); }
    int32_t owner_of_targets(uint32_t entity) const;
    void propose();
    KeyPlacement choose_placement() const;
    std::vector<Delivery> make_claims(const KeyPlacement &placement);
    std::vector<Delivery> decide(const std::vector<Delivery> &claims);
    void take(const Delivery &answers);
    void check_owners() const;
    [[noreturn]] void fail_for(uint32_t entity) const;

    Context &context_;
    const MeshDescription &mesh_;
    KnownMesh &known_;
    const MeshSet &brought_;
    KnownSet &set_;
    Ballot ballot_;                                  // of this rank
    std::map<int32_t, std::vector<uint32_t>> asked_; // by deciding rank: the entity that each claim is about
};

int32_t SetOwners::owner_of_targets(uint32_t entity) const {
    const std::vector<int32_t> &owners = known_.sets[mesh_.maps[brought_.owner_map].to].owners;
    std::vector<int32_t> ranks;
    for (const uint32_t target : known_.row(mesh_, brought_.owner_map, set_.row_of(entity)))
        if (target != KnownSet::none) ranks.push_back(owners[target]);
    std::ranges::sort(ranks);
    Votes best{ context_.rank(), 0 };
    for (auto begin = ranks.begin(); begin != ranks.end();) {
        const auto end = std::upper_bound(begin, ranks.end(), *begin);
        if (end - begin > best.n) best = { *begin, end - begin };
        begin = end;
    }
    return best.rank;
}

// As this rank alone would have it: owners of what it brings, and its votes.
void SetOwners::propose() {
    if (brought_.owner_rule == HALO_MESH_OWNER_GIVEN)
        std::ranges::copy(brought_.owners, set_.owners.begin());
    else if (brought_.owner_rule != HALO_MESH_OWNER_OF_TARGETS)
        std::fill_n(set_.owners.begin(), brought_.keys.size(), context_.rank());
    else
        for (uint32_t entity = 0; is_brought(entity); ++entity) set_.owners[entity] = owner_of_targets(entity);
    if (!votes()) return;
    const KnownSet &voters = known_.sets[mesh_.maps[brought_.owner_map].from];
    const std::span<const uint32_t> targets = known_.rows[brought_.owner_map];
    const size_t arity = mesh_.maps[brought_.owner_map].arity, n_rows = voters.n_rows();
    const auto owner_at = [&](size_t place) { return voters.owners[voters.entity_at(place)]; };
    for (size_t first = 0, end = 0; first < n_rows; first = end) { // mostly one owner has many rows that follow each other
        const int32_t owner = owner_at(first);
        while (end < n_rows && owner_at(end) == owner) ++end;
        ballot_.add_each(targets.subspan(first * arity, (end - first) * arity), KnownSet::none, owner);
    }
}

// Ranges of about equal numbers of keys: a sample tells them.
KeyPlacement SetOwners::choose_placement() const {
    if (mesh_.directory == HALO_DIRECTORY_HASH) return KeyPlacement::by_hash(context_.size());
    const LargeVector<uint64_t> &keys = set_.index.keys();
    std::vector<uint64_t> sample;
    for (size_t i = 0; i < keys.size(); i += sample_stride) sample.push_back(keys[i]);
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = std::ssize(sample);
    desc.keys = sample.data();
    KeyPlacement ranges = KeyPlacement::by_range(context_, desc);
    return mesh_.directory == HALO_DIRECTORY_AUTO && ranges.uneven() ? KeyPlacement::by_hash(context_.size()) : ranges;
}

// About keys that others decide about. As long as nobody else claims the rest, those are as this rank has them.
std::vector<Delivery> SetOwners::make_claims(const KeyPlacement &placement) {
    std::map<int32_t, std::vector<Claim>> out;
    const std::optional<KeyRange> own = placement.ascending() ? placement.range_of(context_.rank()) : std::nullopt;
    const bool are_voted = votes();
    const LargeVector<uint64_t> &keys = set_.index.keys();
    for (uint32_t entity = 0; entity < keys.size(); ++entity) {
        const uint64_t key = keys[entity];
        const int32_t decides = own && own->has(key) ? context_.rank() : placement.rank_of(key);
        if (decides == context_.rank() && !are_voted) continue;
        const bool voted = are_voted && ballot_.has_votes(entity);
        if (decides == context_.rank()) {
            if (voted && (is_brought(entity) || brought_.may_be_implied())) set_.owners[entity] = ballot_.winner(entity);
            continue;
        }
        const auto claim = [&](int32_t rank, int64_t n_votes) {
            out[decides].push_back({ key, n_votes, rank });
            asked_[decides].push_back(entity);
        };
        if (voted) ballot_.for_each(entity, [&](Votes given) { claim(given.rank, given.n); });
        if (is_brought(entity) || !voted) claim(set_.owners[entity], 0);
    }
    std::vector<Delivery> deliveries;
    for (const auto &[rank, claims] : out) deliveries.push_back({ rank, to_bytes(claims) });
    return deliveries;
}

std::vector<Delivery> SetOwners::decide(const std::vector<Delivery> &claims) {
    Register entries(brought_, context_.size());
    for (const Delivery &delivery : claims) entries.note(delivery);
    const LargeVector<uint64_t> &keys = entries.keys();
    for (uint32_t entry = 0; entry < keys.size(); ++entry) {
        const uint32_t entity = set_.index.find(keys[entry]);
        if (entity == KnownSet::none) continue;
        if (is_brought(entity)) entries.bring(entry, votes() ? context_.rank() : set_.owners[entity], context_.rank());
        if (votes()) ballot_.for_each(entity, [&](Votes given) { entries.vote(entry, given); });
        set_.owners[entity] = entries.owner(entry);
    }
    std::vector<Delivery> answers;
    for (const Delivery &delivery : claims) answers.push_back({ delivery.rank, to_bytes(entries.answers(delivery)) });
    return answers;
}

void SetOwners::take(const Delivery &answers) {
    const std::vector<int32_t> owners = from_bytes<int32_t>(answers.bytes);
    const std::vector<uint32_t> &asked = asked_[answers.rank];
    if (owners.size() != asked.size())
        fail(HALO_ERR_WIRE, "mesh: rank %d tells %zu owners; it was asked for %zu", answers.rank, owners.size(), asked.size());
    for (size_t i = 0; i < asked.size(); ++i) set_.owners[asked[i]] = owners[i];
}

void SetOwners::fail_for(uint32_t entity) const {
    const auto key = static_cast<unsigned long long>(set_.key(entity));
    for (const size_t m : brought_.maps_to)
        if (std::ranges::find(known_.rows[m], entity) != known_.rows[m].end())
            fail(HALO_ERR_ARGUMENT, "mesh: map %s leads to entity %llu of set %s, which no rank brings%s", mesh_.maps[m].name.c_str(), key,
                 brought_.name.c_str(), brought_.may_be_implied() ? ", nor does the map lead there that decides owners" : "");
    fail(HALO_ERR_ARGUMENT, "mesh: set %s: entity %llu has no owner", brought_.name.c_str(), key);
}

void SetOwners::check_owners() const {
    for (uint32_t entity = 0; entity < set_.size(); ++entity) {
        const int32_t owner = set_.owners[entity];
        if (static_cast<uint32_t>(owner) < static_cast<uint32_t>(context_.size())) continue;
        if (owner == nobody) fail_for(entity);
        fail(HALO_ERR_WIRE, "mesh: entity %llu of set %s is said to be of rank %d", static_cast<unsigned long long>(set_.key(entity)),
             brought_.name.c_str(), owner);
    }
}

void SetOwners::find() {
    propose();
    Discovery discovery(context_, discovery_kind(context_), "mesh");
    const std::vector<Delivery> claims = discovery.exchange(make_claims(choose_placement()));
    std::vector<Delivery> answers;
    together(context_, "mesh", [&] { answers = decide(claims); });
    std::vector<int32_t> ranks;
    for (const auto &[rank, entities] : asked_) ranks.push_back(rank);
    const std::vector<Delivery> told = discovery.answer(std::move(answers), ranks);
    together(context_, "mesh", [&] {
        for (const Delivery &owners : told) take(owners);
        check_owners();
    });
}

} // namespace

void find_owners(Context &context, const MeshDescription &mesh, KnownMesh &known) {
    for (const size_t set : mesh.owner_order) SetOwners(context, mesh, known, set).find();
}

} // namespace halo
