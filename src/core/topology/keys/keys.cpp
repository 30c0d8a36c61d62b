// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/keys.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "comm/collective.h"
#include "topology/keys/wire.h"
#include "topology/points/agree.h"

namespace halo {

// What is known while the topology is being made.
struct KeysTopology::Work {
    const halo_keys_desc &desc;
    KeyList keys;
    std::vector<uint32_t> notes{};  // empty: all plain
    std::vector<int64_t> weights{}; // empty: all 0
    KeyPlacement placement = KeyPlacement::by_hash(1);
    std::vector<uint32_t> order{}; // keys by rank of the directory; empty: as they are
    std::vector<Stretch> stretches{};
    std::vector<Found> found{};

    int32_t flags(uint32_t position) const { return desc.flags ? desc.flags[position] : 0; }
    uint32_t key_at(uint32_t place) const { return order.empty() ? place : order[place]; }
};

namespace {

// Keys, notes and weights of one stretch, gathered where they do not lie together.
struct Gathered {
    std::vector<uint64_t> keys;
    std::vector<uint32_t> notes;
    std::vector<int64_t> weights;
};

template <class T>
std::span<const T> pick(std::span<const T> all, const std::vector<uint32_t> &order, uint32_t begin, uint32_t end, std::vector<T> &into) {
    if (all.empty()) return {};
    if (order.empty()) return all.subspan(begin, end - begin);
    into.reserve(end - begin);
    for (uint32_t place = begin; place < end; ++place) into.push_back(all[order[place]]);
    return into;
}

} // namespace

KeysTopology::KeysTopology(Context &context, const halo_keys_desc &desc) : PointsTopology(context) {
    together(context, "keys", [&] { check_desc(desc); });
    require_same(context, "keys: owner rule, directory and known owners", desc.owner_rule * 100 + desc.directory * 10 + (desc.owners ? 1 : 0));
    Work work{ desc, KeyList(desc.keys, desc.flags, desc.n_keys) };
    note_keys(work);
    choose_placement(work);
    divide(work);
    ask(work);
    std::sort(work.found.begin(), work.found.end(), [](const Found &a, const Found &b) { return a.key < b.key; });
    number(work);
    share(work);
    make_forward_edges();
}

void KeysTopology::check_desc(const halo_keys_desc &desc) const {
    if (desc.owner_rule < HALO_OWNER_LOWEST_RANK || desc.owner_rule > HALO_OWNER_CLAIM)
        fail(HALO_ERR_ARGUMENT, "keys: owner_rule %d is none of HALO_OWNER_...", desc.owner_rule);
    if (desc.numbering < HALO_NUMBERING_BY_OWNER || desc.numbering > HALO_NUMBERING_AS_GIVEN)
        fail(HALO_ERR_ARGUMENT, "keys: numbering %d is none of HALO_NUMBERING_...", desc.numbering);
    if (desc.directory < HALO_DIRECTORY_AUTO || desc.directory > HALO_DIRECTORY_HASH)
        fail(HALO_ERR_ARGUMENT, "keys: directory %d is none of HALO_DIRECTORY_...", desc.directory);
    if (desc.n_keys < 0 || desc.n_keys >= no_index || (desc.n_keys > 0 && !desc.keys))
        fail(HALO_ERR_ARGUMENT, "keys: %lld keys at address %p; a rank has 0 to %u", static_cast<long long>(desc.n_keys),
             static_cast<const void *>(desc.keys), no_index - 1);
    constexpr int32_t known = HALO_KEY_CLAIM | HALO_KEY_READ_ONLY | HALO_KEY_IGNORE | HALO_KEY_WANT;
    for (int64_t i = 0; desc.flags && i < desc.n_keys; ++i)
        if ((desc.flags[i] & ~known) != 0)
            fail(HALO_ERR_ARGUMENT, "keys: flags %d of key %llu at position %lld have unknown bits", desc.flags[i],
                 static_cast<unsigned long long>(desc.keys[i]), static_cast<long long>(i));
    for (int64_t i = 0; desc.owners && i < desc.n_keys; ++i)
        if ((desc.owners[i] < 0 || desc.owners[i] >= context_.size()) && !(desc.flags && (desc.flags[i] & HALO_KEY_IGNORE)))
            fail(HALO_ERR_ARGUMENT, "keys: owner %d of key %llu at position %lld; there are ranks 0 to %d", desc.owners[i],
                 static_cast<unsigned long long>(desc.keys[i]), static_cast<long long>(i), context_.size() - 1);
}

void KeysTopology::note_keys(Work &work) const {
    const KeyList &keys = work.keys;
    if (work.desc.weights && work.desc.owner_rule == HALO_OWNER_WEIGHT)
        for (int64_t i = 0; i < keys.size(); ++i) work.weights.push_back(work.desc.weights[keys.positions(i)[0]]);
    if (!work.desc.flags && !keys.any_twice()) return;
    work.notes.reserve(static_cast<size_t>(keys.size()));
    for (int64_t i = 0; i < keys.size(); ++i) {
        int32_t all = -1, any = 0;
        for (const uint32_t position : keys.positions(i)) {
            all &= work.flags(position);
            any |= work.flags(position);
        }
        auto bits = static_cast<uint32_t>(keys.positions(i).size());
        if (any & HALO_KEY_CLAIM) bits |= note::claims;
        if (all & (HALO_KEY_READ_ONLY | HALO_KEY_WANT)) bits |= note::cannot_own;
        if (all & HALO_KEY_READ_ONLY) bits |= note::silent;
        work.notes.push_back(bits);
    }
}

void KeysTopology::choose_placement(Work &work) {
    if (work.desc.owners) return;
    work.placement = KeyPlacement::by_hash(context_.size());
    directory_ = HALO_DIRECTORY_HASH;
    if (work.desc.directory == HALO_DIRECTORY_HASH) return;
    KeyPlacement ranges = KeyPlacement::by_range(context_, work.keys);
    if (work.desc.directory == HALO_DIRECTORY_AUTO && ranges.uneven()) return;
    work.placement = std::move(ranges);
    directory_ = HALO_DIRECTORY_RANGE;
}

// Which keys each rank decides.
void KeysTopology::divide(Work &work) const {
    const auto n = static_cast<uint32_t>(work.keys.size());
    const auto keys = work.keys.keys();
    if (context_.size() == 1) {
        if (n > 0) work.stretches.push_back({ 0, 0, n });
        return;
    }
    if (!work.desc.owners && work.placement.ascending()) {
        for (uint32_t begin = 0, end; begin < n; begin = end) {
            const int32_t rank = work.placement.rank_of(keys[begin]);
            const auto beyond = [&](uint64_t key) { return work.placement.rank_of(key) == rank; };
            end = static_cast<uint32_t>(std::partition_point(keys.begin() + begin, keys.end(), beyond) - keys.begin());
            work.stretches.push_back({ rank, begin, end });
        }
        return;
    }
    std::vector<int32_t> ranks(n);
    std::unordered_map<int32_t, uint32_t> counts;
    for (uint32_t i = 0; i < n; ++i) {
        ranks[i] = work.desc.owners ? work.desc.owners[work.keys.positions(i)[0]] : work.placement.rank_of(keys[i]);
        ++counts[ranks[i]];
    }
    for (const auto &[rank, count] : counts) work.stretches.push_back({ rank, 0, count });
    std::sort(work.stretches.begin(), work.stretches.end(), [](const Stretch &a, const Stretch &b) { return a.rank < b.rank; });
    uint32_t begin = 0;
    for (Stretch &stretch : work.stretches) {
        counts[stretch.rank] = stretch.begin = begin;
        begin = stretch.end += begin;
    }
    work.order.resize(n);
    for (uint32_t i = 0; i < n; ++i) work.order[counts[ranks[i]]++] = i;
}

// Submits the keys, decides about those of this rank's share, and takes the answers.
void KeysTopology::ask(Work &work) {
    Discovery discovery(context_, discovery_kind(context_), "keys");
    const int32_t rank = context_.rank();
    std::vector<Delivery> out;
    std::vector<int32_t> asked;
    Gathered own;
    Submission mine{ rank, {}, {}, {} };
    const Stretch *own_stretch = nullptr;
    for (const Stretch &stretch : work.stretches) {
        Gathered gathered;
        Gathered &into = stretch.rank == rank ? own : gathered;
        const Submission submission{ rank, pick(work.keys.keys(), work.order, stretch.begin, stretch.end, into.keys),
                                     pick(std::span<const uint32_t>(work.notes), work.order, stretch.begin, stretch.end, into.notes),
                                     pick(std::span<const int64_t>(work.weights), work.order, stretch.begin, stretch.end, into.weights) };
        if (stretch.rank == rank) {
            mine = submission;
            own_stretch = &stretch;
        } else {
            out.push_back({ stretch.rank, encode(submission) });
            asked.push_back(stretch.rank);
        }
    }
    const std::vector<Delivery> came = discovery.exchange(std::move(out));
    std::vector<Submission> submissions;
    for (const Delivery &delivery : came) submissions.push_back(decode_submission(delivery.rank, delivery.bytes));
    const auto place = std::find_if(submissions.begin(), submissions.end(), [&](const Submission &one) { return one.rank > rank; });
    const auto my_place = static_cast<size_t>(place - submissions.begin());
    submissions.insert(place, mine);

    const DirectoryResult result = decide(submissions, { work.desc.owner_rule, work.desc.owners ? rank : -1 });
    std::vector<Delivery> answers;
    for (size_t s = 0; s < submissions.size(); ++s)
        if (s != my_place) answers.push_back({ submissions[s].rank, encode(result.answers[s]) });
    if (own_stretch) note_answers(work, *own_stretch, result.answers[my_place]);
    const std::vector<Delivery> told = discovery.answer(std::move(answers), asked);
    for (const Delivery &delivery : told) {
        const auto stretch =
            std::find_if(work.stretches.begin(), work.stretches.end(), [&](const Stretch &one) { return one.rank == delivery.rank; });
        note_answers(work, *stretch, decode_answers(delivery.rank, delivery.bytes));
    }
    const int64_t counts[2] = { result.n_unclaimed, result.n_several_claim };
    int64_t sums[2];
    allreduce(context_, counts, sums, 2, HALO_INT64, HALO_SUM);
    n_unclaimed_ = sums[0];
    n_several_claim_ = sums[1];
    messages_sent_ = discovery.messages_sent();
    bytes_sent_ = discovery.bytes_sent();
}

void KeysTopology::note_answers(Work &work, const Stretch &stretch, const KeyAnswers &answers) {
    auto holder = answers.holders.begin();
    for (const KeyAnswer &answer : answers.answers) {
        if (answer.place >= stretch.end - stretch.begin || answer.n_holders > answers.holders.end() - holder)
            fail(HALO_ERR_WIRE, "keys: rank %d answered about key %u of %u", stretch.rank, answer.place, stretch.end - stretch.begin);
        const uint32_t key = work.key_at(stretch.begin + answer.place);
        work.found.push_back({ key, answer.owner, { holder, holder + answer.n_holders } });
        if (answer.several_claim) several_claim_.push_back(work.keys.key(key));
        if (answer.owner < 0) unclaimed_.push_back(work.keys.key(key));
        holder += answer.n_holders;
    }
    std::sort(several_claim_.begin(), several_claim_.end());
    std::sort(unclaimed_.begin(), unclaimed_.end());
}

void KeysTopology::number(Work &work) {
    int64_t n_owned = work.keys.size();
    for (const Found &found : work.found) n_owned -= found.owner == context_.rank() ? 0 : 1;
    if (work.desc.numbering == HALO_NUMBERING_AS_GIVEN) {
        n_points_ = work.desc.n_keys;
        local_indices_.resize(static_cast<size_t>(n_points_));
        std::iota(local_indices_.begin(), local_indices_.end(), 0U);
        for (uint32_t i = 0; i < n_points_; ++i)
            if (work.flags(i) & HALO_KEY_IGNORE) local_indices_[i] = no_index;
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
        bool silent;
        uint32_t position;
    };
    std::vector<Ghost> ghosts;
    for (const Found &found : work.found) {
        const auto positions = work.keys.positions(found.key);
        const bool silent = !work.notes.empty() && (work.notes[found.key] & note::silent) != 0;
        for (size_t c = found.owner == rank ? 1 : 0; c < positions.size(); ++c)
            ghosts.push_back({ found.owner < 0 ? INT32_MAX : found.owner, silent, positions[c] });
    }
    if (work.desc.numbering == HALO_NUMBERING_BY_OWNER)
        std::stable_sort(ghosts.begin(), ghosts.end(),
                         [](const Ghost &a, const Ghost &b) { return a.owner != b.owner ? a.owner < b.owner : a.silent < b.silent; });
    local_indices_.assign(static_cast<size_t>(work.desc.n_keys), owned);
    for (uint32_t g = 0; g < ghosts.size(); ++g) local_indices_[ghosts[g].position] = n_owned + g;
    uint32_t next = 0;
    for (uint32_t i = 0; i < local_indices_.size(); ++i)
        if (work.flags(i) & HALO_KEY_IGNORE)
            local_indices_[i] = no_index;
        else if (local_indices_[i] == owned)
            local_indices_[i] = next++;
    n_points_ = n_owned + std::ssize(ghosts);
}

void KeysTopology::share(const Work &work) {
    std::vector<uint32_t> copies;
    for (const Found &found : work.found) {
        copies.clear();
        for (const uint32_t position : work.keys.positions(found.key)) copies.push_back(local_indices_[position]);
        shared_.add(found.owner, copies, found.holders);
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
