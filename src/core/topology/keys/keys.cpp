// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/keys.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/checked.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "topology/keys/key_index.h"
#include "topology/keys/key_sieve.h"
#include "topology/keys/said_owners.h"
#include "topology/keys/wire.h"
#include "topology/keys/work.h"

namespace halo {

namespace {

// Keys, notes and weights of one stretch, gathered where they do not lie together.
struct Gathered {
    std::vector<uint64_t> keys;
    std::vector<uint32_t> notes;
    std::vector<int64_t> weights;
};

template <class T>
std::span<const T> pick(std::span<const T> all, std::span<const uint32_t> order, uint32_t begin, uint32_t end, std::vector<T> &into) {
    if (all.empty()) return {};
    if (order.empty()) return all.subspan(begin, end - begin);
    into.reserve(end - begin);
    for (uint32_t place = begin; place < end; ++place) into.push_back(all[order[place]]);
    return into;
}

uint32_t note_of(const halo_keys_desc &desc, std::span<const uint32_t> positions) {
    const bool says_something = desc.flags || desc.n_mine >= 0;
    int32_t all = says_something ? -1 : 0, any = 0;
    for (size_t i = 0; says_something && i < positions.size(); ++i) {
        all &= flags_of(desc, positions[i]);
        any |= flags_of(desc, positions[i]);
    }
    auto bits = static_cast<uint32_t>(positions.size());
    if (any & HALO_KEY_CLAIM) bits |= note::claims;
    if (all & (HALO_KEY_READ_ONLY | HALO_KEY_WANT)) bits |= note::cannot_own;
    if (all & HALO_KEY_READ_ONLY) bits |= note::silent;
    return bits;
}

Terms terms_of(const halo_keys_desc &desc) {
    static constexpr const char *rules[] = { "lowest rank", "spread", "weight", "claim" };
    static constexpr const char *directories[] = { "auto", "range", "hash" };
    Terms terms;
    terms.add("first keys", desc.n_mine >= 0 ? "each rank's own" : "as all others");
    terms.add("owner rule", rules[desc.owner_rule]);
    terms.add("directory", directories[desc.directory]);
    terms.add("owners", desc.owners ? "given" : "not given");
    terms.add("editable", desc.editable ? "yes" : "no");
    return terms;
}

} // namespace

NotedKeys::NotedKeys(const halo_keys_desc &desc, std::vector<uint32_t> positions)
    : keys(desc.keys, std::move(positions), { desc.part_offsets, desc.n_parts > 0 ? static_cast<size_t>(desc.n_parts) + 1 : 0 }, desc.flags) {
    if (desc.weights && desc.owner_rule == HALO_OWNER_WEIGHT)
        for (int64_t i = 0; i < keys.size(); ++i) weights.push_back(desc.weights[keys.positions(i)[0]]);
    if (!desc.flags && desc.n_mine < 0 && !keys.any_twice()) return;
    notes.reserve(static_cast<size_t>(keys.size()));
    for (int64_t i = 0; i < keys.size(); ++i) notes.push_back(note_of(desc, keys.positions(i)));
    for (const uint32_t rest : keys.receiving_rests()) { // whoever of a part claims the key does so for what may own it
        notes[rest - 1] |= notes[rest] & note::claims;
        notes[rest] &= ~note::claims;
    }
}

void NotedKeys::add_positions(int64_t i, bool own, std::vector<uint32_t> &to) const {
    const uint32_t first = keys.positions(i)[0];
    if (own) to.push_back(first);
    const auto [begin, end] = keys.entries_alike(i);
    for (const bool last : { false, true })
        for (int64_t entry = begin; entry < end; ++entry)
            if (silent(entry) == last)
                std::copy_if(keys.positions(entry).begin(), keys.positions(entry).end(), std::back_inserter(to),
                             [&](uint32_t position) { return !own || position != first; });
}

KeysTopology::KeysTopology(Context &context, const halo_keys_desc &desc) : PointsTopology(context) {
    together(context, "keys", [&] { check_desc(desc); });
    static constexpr int32_t read_by_nobody = 0;
    const auto [most_parts, knows_owners] = find_given(desc);
    check_that_parts_are_given(desc, most_parts);
    halo_keys_desc known = desc;
    if (desc.n_keys == 0) known.owners = knows_owners ? &read_by_nobody : nullptr;
    if (desc.n_mine >= 0) known.owner_rule = HALO_OWNER_CLAIM;
    agree(context, "keys", terms_of(known));
    if (known.owners && context.check_mode()) compare_owners(context, known);
    if (desc.editable)
        record_ = std::make_unique<KeysRecord>();
    else if (context.check_mode())
        named_.assign(desc.keys, desc.keys + desc.n_keys);
    Work work{ known };
    make(work);
    if (most_parts > 0)
        make_parts({ context.rank(), most_parts, { desc.part_offsets, desc.part_offsets + (desc.n_parts > 0 ? desc.n_parts + 1 : 0) } });
}

KeysTopology::KeysTopology(Context &context, const halo_keys_desc &desc, const KnownKeys &known) : PointsTopology(context) {
    Work work{ desc, &known };
    make(work);
}

void KeysTopology::make(Work &work) {
    choose_placement(work);
    split(work);
    divide(work);
    ask(work);
    if (record_) keep(work);
    number(work);
    share(work);
    make_forward_edges();
}

KeysTopology::Given KeysTopology::find_given(const halo_keys_desc &desc) const {
    const bool gives = desc.owners != nullptr, has_keys = desc.n_keys > 0;
    int64_t of_all[4] = { desc.n_parts, has_keys, has_keys && gives, gives };
    allreduce(context_, of_all, of_all, 4, HALO_INT64, HALO_MAX);
    const bool any_keys = of_all[1] > 0, given_with_keys = of_all[2] > 0, given = of_all[3] > 0;
    return { of_all[0], has_keys ? gives : any_keys ? given_with_keys : given };
}

void KeysTopology::check_that_parts_are_given(const halo_keys_desc &desc, int64_t most_parts) const {
    together(context_, "keys", [&] {
        if (most_parts > 0 && desc.n_parts == 0 && desc.n_keys > 0)
            fail(HALO_ERR_ARGUMENT, "keys: %lld keys in no part: others have up to %lld parts", static_cast<long long>(desc.n_keys),
                 static_cast<long long>(most_parts));
    });
}

void KeysTopology::check_parts(const halo_keys_desc &desc) const {
    if (desc.n_parts == 0) return;
    if (desc.n_parts < 0 || !desc.part_offsets)
        fail(HALO_ERR_ARGUMENT, "keys: %d parts, offsets at address %p", desc.n_parts, static_cast<const void *>(desc.part_offsets));
    check_limit("keys: n_parts", desc.n_parts, limits::local_parts);
    if (desc.numbering != HALO_NUMBERING_AS_GIVEN || desc.editable)
        fail(HALO_ERR_ARGUMENT, "keys: several parts want HALO_NUMBERING_AS_GIVEN, and cannot be edited");
    const int64_t *offsets = desc.part_offsets;
    if (offsets[0] != 0 || offsets[desc.n_parts] != desc.n_keys || !std::is_sorted(offsets, offsets + desc.n_parts + 1))
        fail(HALO_ERR_ARGUMENT, "keys: the offsets of %d parts go from %lld to %lld; they must ascend from 0 to %lld", desc.n_parts,
             static_cast<long long>(offsets[0]), static_cast<long long>(offsets[desc.n_parts]), static_cast<long long>(desc.n_keys));
}

void KeysTopology::check_mine(const halo_keys_desc &desc) const {
    if (desc.n_mine < 0 || desc.n_mine > desc.n_keys)
        fail(HALO_ERR_ARGUMENT, "keys: n_mine is %lld, of %lld keys; it must be -1 (not used) or 0 to all of them",
             static_cast<long long>(desc.n_mine), static_cast<long long>(desc.n_keys));
    if (desc.owners || desc.n_parts > 0 || (desc.owner_rule != HALO_OWNER_LOWEST_RANK && desc.owner_rule != HALO_OWNER_CLAIM))
        fail(HALO_ERR_ARGUMENT,
             "keys: n_mine says who owns each key: it goes with no `owners`, no `n_parts`, and no owner_rule but HALO_OWNER_CLAIM");
    for (int64_t i = 0; desc.flags && i < desc.n_keys; ++i)
        if ((desc.flags[i] & (HALO_KEY_CLAIM | HALO_KEY_WANT)) != 0)
            fail(HALO_ERR_ARGUMENT, "keys: flags %d of key %llu at position %lld claim or want it, which n_mine says of all", desc.flags[i],
                 static_cast<unsigned long long>(desc.keys[i]), static_cast<long long>(i));
}

void KeysTopology::check_desc(const halo_keys_desc &desc) const {
    if (desc.owner_rule < HALO_OWNER_LOWEST_RANK || desc.owner_rule > HALO_OWNER_CLAIM)
        fail(HALO_ERR_ARGUMENT, "keys: owner_rule %d is none of HALO_OWNER_...", desc.owner_rule);
    if (desc.numbering < HALO_NUMBERING_BY_OWNER || desc.numbering > HALO_NUMBERING_AS_GIVEN)
        fail(HALO_ERR_ARGUMENT, "keys: numbering %d is none of HALO_NUMBERING_...", desc.numbering);
    if (desc.directory < HALO_DIRECTORY_AUTO || desc.directory > HALO_DIRECTORY_HASH)
        fail(HALO_ERR_ARGUMENT, "keys: directory %d is none of HALO_DIRECTORY_...", desc.directory);
    check_limit("keys: n_keys", desc.n_keys, limits::points);
    if (desc.n_keys < 0 || (desc.n_keys > 0 && !desc.keys))
        fail(HALO_ERR_ARGUMENT, "keys: %lld keys at address %p", static_cast<long long>(desc.n_keys), static_cast<const void *>(desc.keys));
    check_parts(desc);
    if (desc.n_mine != -1) check_mine(desc);
    constexpr int32_t known = HALO_KEY_CLAIM | HALO_KEY_READ_ONLY | HALO_KEY_IGNORE | HALO_KEY_WANT;
    for (int64_t i = 0; desc.flags && i < desc.n_keys; ++i)
        if ((desc.flags[i] & ~known) != 0)
            fail(HALO_ERR_ARGUMENT, "keys: flags %d of key %llu at position %lld have unknown bits", desc.flags[i],
                 static_cast<unsigned long long>(desc.keys[i]), static_cast<long long>(i));
    for (int64_t i = 0; desc.owners && i < desc.n_keys; ++i)
        if ((desc.owners[i] < 0 || desc.owners[i] >= context_.size()) && !(desc.flags && (desc.flags[i] & HALO_KEY_IGNORE)))
            fail(HALO_ERR_ARGUMENT, "keys: owner %d of key %llu at position %lld; there are ranks 0 to %d", desc.owners[i],
                 static_cast<unsigned long long>(desc.keys[i]), static_cast<long long>(i), context_.size() - 1);
    if (desc.owners) check_that_entries_agree(desc);
}

void KeysTopology::choose_placement(Work &work) {
    if (work.knows_owners()) return;
    work.placement = KeyPlacement::by_hash(context_.size());
    directory_ = HALO_DIRECTORY_HASH;
    if (work.desc.directory == HALO_DIRECTORY_HASH) return;
    KeyPlacement ranges = work.known ? KeyPlacement::by_sample(context_, work.desc, work.known->range) : KeyPlacement::by_range(context_, work.desc);
    if (work.desc.directory == HALO_DIRECTORY_AUTO && ranges.uneven()) return;
    work.placement = std::move(ranges);
    directory_ = HALO_DIRECTORY_RANGE;
}

// Keys that this rank decides, and others.
void KeysTopology::split(Work &work) const {
    const halo_keys_desc &desc = work.desc;
    const int32_t rank = context_.rank();
    std::vector<uint32_t> away;
    const auto sort_out = [&](auto &&is_near) {
        for_each_key(
            desc,
            [&](uint32_t i) {
                if (!is_near(i)) return away.push_back(i);
                ++work.n_near;
                if (work.known && work.owned_alone(i)) return;
                work.near.push_back(i);
                work.near_range.widen(desc.keys[i]);
            },
            work.n_near);
    };
    if (work.known && (context_.size() == 1 || work.knows_owners())) work.n_near = static_cast<int64_t>(work.known->n_own);
    if (!work.known) work.near.reserve(static_cast<size_t>(desc.n_keys / context_.size()));
    if (context_.size() == 1) {
        sort_out([](uint32_t) { return true; });
    } else if (work.knows_owners()) {
        sort_out([&](uint32_t i) { return work.owner(i) == rank; });
    } else if (work.placement.ascending()) {
        const std::optional<KeyRange> range = work.placement.range_of(rank);
        sort_out([&](uint32_t i) { return range && range->has(desc.keys[i]); });
    } else {
        sort_out([&](uint32_t i) { return work.placement.rank_of(desc.keys[i]) == rank; });
    }
    work.away = NotedKeys(desc, std::move(away));
}

// Which keys each other rank decides.
void KeysTopology::divide(Work &work) const {
    const KeyList &list = work.away.keys;
    const auto n = static_cast<uint32_t>(list.size());
    const auto keys = list.keys();
    if (!work.knows_owners() && work.placement.ascending()) {
        for (uint32_t begin = 0, end; begin < n; begin = end) {
            const int32_t rank = work.placement.rank_of(keys[begin]);
            const auto there = [&](uint64_t key) { return work.placement.rank_of(key) == rank; };
            end = static_cast<uint32_t>(std::partition_point(keys.begin() + begin, keys.end(), there) - keys.begin());
            work.stretches.push_back({ rank, &work.away, {}, begin, end });
        }
        return;
    }
    std::vector<int32_t> ranks(n);
    std::unordered_map<int32_t, uint32_t> counts;
    for (uint32_t i = 0; i < n; ++i) {
        ranks[i] = work.knows_owners() ? work.owner(list.positions(i)[0]) : work.placement.rank_of(keys[i]);
        ++counts[ranks[i]];
    }
    for (const auto &[rank, count] : counts) work.stretches.push_back({ rank, &work.away, {}, 0, count });
    std::sort(work.stretches.begin(), work.stretches.end(), [](const Stretch &a, const Stretch &b) { return a.rank < b.rank; });
    uint32_t begin = 0;
    for (Stretch &stretch : work.stretches) {
        counts[stretch.rank] = stretch.begin = begin;
        begin = stretch.end += begin;
    }
    work.order.resize(n);
    for (uint32_t i = 0; i < n; ++i) work.order[counts[ranks[i]]++] = i;
    for (Stretch &stretch : work.stretches) stretch.order = work.order;
}

// Positions of keys that may come twice, or that this rank does not own alone.
std::vector<uint32_t> KeysTopology::sifted(const Work &work, std::span<const Submission> others) const {
    const halo_keys_desc &desc = work.desc;
    KeySieve sieve(work.near_range.low, work.near_range.high, std::ssize(work.near));
    for (const uint32_t position : work.near) sieve.add(desc.keys[position]);
    for (const Submission &other : others)
        for (const uint64_t key : other.keys) sieve.add_other(key);
    std::vector<uint32_t> kept;
    for (const uint32_t position : work.near)
        if (record_ || sieve.may_be_twice(desc.keys[position]) || !work.owned_alone(position)) kept.push_back(position);
    return kept;
}

// The same where it is known that none comes twice.
std::vector<uint32_t> KeysTopology::looked_up(const Work &work, std::span<const Submission> others) const {
    std::vector<uint32_t> kept = work.near;
    for (const Submission &other : others)
        for (const uint64_t key : other.keys) {
            const uint32_t position = work.known->index.find(key);
            if (position != KeyIndex::none && (!work.knows_owners() || work.owner(position) == context_.rank())) kept.push_back(position);
        }
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return kept;
}

// Of the keys that this rank decides, leaves out those that it alone has, once, and owns; unless an edit may change that.
void KeysTopology::sift(Work &work, std::span<const Submission> others) const {
    std::vector<uint32_t> kept = work.known ? looked_up(work, others) : sifted(work, others);
    const int64_t n_left_out = work.n_near - std::ssize(kept);
    work.near = {};
    work.sifted = NotedKeys(work.desc, std::move(kept));
    work.n_keys = n_left_out + work.sifted.keys.n_different() + work.away.keys.n_different();
}

// Submits the keys, decides about those of this rank's share, and takes the answers.
void KeysTopology::ask(Work &work) {
    Discovery discovery(context_, discovery_kind(context_), "keys");
    const int32_t rank = context_.rank();
    std::vector<Delivery> out;
    std::vector<int32_t> asked;
    const auto submission_of = [](int32_t from, const Stretch &of, Gathered &gathered) {
        return Submission{ from, pick(of.list->keys.keys(), of.order, of.begin, of.end, gathered.keys),
                           pick(std::span<const uint32_t>(of.list->notes), of.order, of.begin, of.end, gathered.notes),
                           pick(std::span<const int64_t>(of.list->weights), of.order, of.begin, of.end, gathered.weights) };
    };
    for (const Stretch &stretch : work.stretches) {
        Gathered gathered;
        out.push_back({ stretch.rank, encode(submission_of(rank, stretch, gathered)) });
        asked.push_back(stretch.rank);
    }
    const std::vector<Delivery> came = discovery.exchange(std::move(out));
    std::vector<Submission> submissions;
    submissions.reserve(came.size());
    for (const Delivery &delivery : came) submissions.push_back(decode_submission(delivery.rank, delivery.bytes));
    sift(work, submissions);
    const Stretch own{ rank, &work.sifted, {}, 0, static_cast<uint32_t>(work.sifted.keys.size()) };
    const auto place = std::find_if(submissions.begin(), submissions.end(), [&](const Submission &one) { return one.rank > rank; });
    const auto my_place = static_cast<size_t>(place - submissions.begin());
    Gathered not_needed;
    submissions.insert(place, submission_of(rank, own, not_needed));

    if (record_) record_->share.update(submissions);
    DirectoryResult result = decide(submissions, { work.desc.owner_rule, work.knows_owners() ? rank : -1 });
    std::vector<Delivery> answers;
    for (size_t s = 0; s < submissions.size(); ++s)
        if (s != my_place) answers.push_back({ submissions[s].rank, encode(result.answers[s]) });
    const std::vector<Delivery> told = discovery.answer(std::move(answers), asked);

    work.stretches.insert(std::find_if(work.stretches.begin(), work.stretches.end(), [&](const Stretch &one) { return one.rank > rank; }), own);
    work.answers.reserve(work.stretches.size());
    auto delivery = told.begin(); // by rank, as the stretches
    for (const Stretch &stretch : work.stretches) {
        const bool mine = stretch.rank == rank;
        work.answers.push_back(mine ? std::move(result.answers[my_place]) : decode_answers(delivery->rank, delivery->bytes, context_.size()));
        if (!mine) ++delivery;
    }
    note_answers(work);

    const int64_t counts[2] = { result.n_unclaimed, result.n_several_claim };
    int64_t sums[2];
    allreduce(context_, counts, sums, 2, HALO_INT64, HALO_SUM);
    n_unclaimed_ = sums[0];
    n_several_claim_ = sums[1];
    messages_sent_ = discovery.messages_sent();
    bytes_sent_ = discovery.bytes_sent();
}

// What is found refers to `answers`.
void KeysTopology::note_answers(Work &work) {
    size_t n_found = 0;
    for (const KeyAnswers &one : work.answers) n_found += one.answers.size();
    work.found.reserve(n_found);
    for (size_t s = 0; s < work.stretches.size(); ++s) note_answers(work, work.stretches[s], work.answers[s]);
    const auto by_key = [](const Found &a, const Found &b) { return a.key < b.key; };
    if (!std::is_sorted(work.found.begin(), work.found.end(), by_key)) std::sort(work.found.begin(), work.found.end(), by_key);
    std::sort(several_claim_.begin(), several_claim_.end());
    std::sort(unclaimed_.begin(), unclaimed_.end());
}

void KeysTopology::note_answers(Work &work, const Stretch &stretch, const KeyAnswers &answers) {
    auto holder = answers.holders.begin();
    const NotedKeys &list = *stretch.list;
    uint32_t next = 0;
    for (const KeyAnswer &answer : answers.answers) {
        if (answer.place < next || answer.place >= stretch.end - stretch.begin || answer.n_runs > answers.holders.end() - holder)
            fail(HALO_ERR_WIRE, "keys: rank %d answered about key %u of %u", stretch.rank, answer.place, stretch.end - stretch.begin);
        const uint32_t place = stretch.key_at(answer.place);
        const uint64_t key = list.keys.key(place);
        work.found.push_back({ key, answer.owner, stretch.rank, &list, place, { holder, holder + answer.n_runs } });
        if (answer.several_claim) several_claim_.push_back(key);
        if (answer.owner < 0) unclaimed_.push_back(key);
        holder += answer.n_runs;
        next = answer.place + 1;
    }
}

void KeysTopology::number(Work &work) {
    int64_t n_owned = work.n_keys;
    for (const Found &found : work.found) n_owned -= found.owner == context_.rank() ? 0 : 1;
    if (work.desc.numbering == HALO_NUMBERING_AS_GIVEN) {
        n_points_ = work.desc.n_keys;
        local_indices_.resize(static_cast<size_t>(n_points_));
        std::iota(local_indices_.begin(), local_indices_.end(), 0U);
        for (uint32_t i = 0; i < n_points_; ++i)
            if (work.flags(i) & HALO_KEY_IGNORE) local_indices_[i] = no_index, ++n_ignored_;
    } else {
        number_ghosts(work, static_cast<uint32_t>(n_owned));
    }
    count_owned(n_owned);
}

// Ghosts first get their numbers, then what is left is owned.
void KeysTopology::number_ghosts(const Work &work, uint32_t n_owned) {
    constexpr uint32_t owned = no_index - 1;
    const int32_t rank = context_.rank();
    struct Ghost {
        int32_t owner; // those of nobody come last
        int32_t ring;
        bool silent;
        uint32_t position;
    };
    std::vector<Ghost> ghosts;
    for (const Found &found : work.found) {
        const KeyList &list = found.list->keys;
        const auto [begin, end] = list.entries_alike(found.place);
        for (int64_t entry = begin; entry < end; ++entry)
            for (const uint32_t position : list.positions(entry).subspan(found.owner == rank && entry == found.place ? 1 : 0))
                ghosts.push_back({ found.owner < 0 ? INT32_MAX : found.owner, work.ring(position), found.list->silent(entry), position });
    }
    const auto order = [](const Ghost &one) { return std::make_tuple(one.owner == INT32_MAX, one.ring, one.owner, one.silent); };
    const auto by_owner = [&](const Ghost &a, const Ghost &b) { return order(a) < order(b); };
    if (work.desc.numbering == HALO_NUMBERING_BY_OWNER && !std::is_sorted(ghosts.begin(), ghosts.end(), by_owner))
        std::stable_sort(ghosts.begin(), ghosts.end(), by_owner);
    n_points_ = n_owned + std::ssize(ghosts);
    local_indices_.assign(static_cast<size_t>(work.desc.n_keys), owned);
    for (uint32_t g = 0; g < ghosts.size(); ++g) local_indices_[ghosts[g].position] = n_owned + g;
    uint32_t next = 0;
    for (uint32_t i = 0; i < local_indices_.size(); ++i)
        if (work.flags(i) & HALO_KEY_IGNORE)
            local_indices_[i] = no_index;
        else if (local_indices_[i] == owned)
            local_indices_[i] = next++;
}

void KeysTopology::share(const Work &work) {
    size_t n_runs = 0;
    for (const Found &found : work.found) n_runs += found.holders.size();
    shared_.reserve(work.found.size(), n_runs);
    std::vector<uint32_t> copies;
    for (const Found &found : work.found) {
        copies.clear();
        found.list->add_positions(found.place, found.owner == context_.rank(), copies);
        for (uint32_t &copy : copies) copy = local_indices_[copy];
        share_point(found.teller, found.owner, copies, found.holders);
    }
}

halo_keys_report KeysTopology::report() const {
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    report.directory = directory_;
    report.n_unclaimed = n_unclaimed_;
    report.n_several_claim = n_several_claim_;
    report.unclaimed = unclaimed_.data();
    report.n_unclaimed_here = std::ssize(unclaimed_);
    report.several_claim = several_claim_.data();
    report.n_several_claim_here = std::ssize(several_claim_);
    report.messages_sent = messages_sent_;
    report.bytes_sent = bytes_sent_;
    return report;
}

} // namespace halo
