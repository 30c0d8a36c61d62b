// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/edit.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/limits.h"
#include "comm/agree.h"
#include "comm/collective.h"
#include "topology/discovery.h"
#include "topology/keys/said_owners.h"
#include "topology/keys/work.h"

namespace halo {

namespace {

void check_edit(const KeysRecord &record, const halo_keys_edit &edit) {
    check_limit("edit: n_remove", edit.n_remove, std::ssize(record.keys));
    check_limit("edit: n_add", edit.n_add, limits::points);
    if (edit.n_remove < 0 || edit.n_add < 0 || (edit.n_remove > 0 && !edit.remove) || (edit.n_add > 0 && !edit.add))
        fail(HALO_ERR_ARGUMENT, "edit: %lld positions at address %p, %lld keys at address %p", static_cast<long long>(edit.n_remove),
             static_cast<const void *>(edit.remove), static_cast<long long>(edit.n_add), static_cast<const void *>(edit.add));
    if (edit.n_add > 0 && (edit.owners != nullptr) != record.knows_owners)
        fail(HALO_ERR_ARGUMENT, "edit: owners of added keys are %s, and the topology was made %s `owners`", edit.owners ? "given" : "missing",
             record.knows_owners ? "with" : "without");
    (Checked(std::ssize(record.keys)) + edit.n_add + -edit.n_remove).value("edit: the number of keys of this rank", limits::points);
    std::vector<bool> removed(record.keys.size(), false);
    for (int64_t i = 0; i < edit.n_remove; ++i) {
        const int64_t position = edit.remove[i];
        if (position < 0 || position >= std::ssize(record.keys))
            fail(HALO_ERR_BOUNDS, "edit: position %lld cannot be removed: the list has %zu", static_cast<long long>(position), record.keys.size());
        if (removed[static_cast<size_t>(position)]) fail(HALO_ERR_ARGUMENT, "edit: position %lld is removed twice", static_cast<long long>(position));
        removed[static_cast<size_t>(position)] = true;
    }
}

template <class T>
void remove_marked(std::vector<T> &values, const std::vector<bool> &marked) {
    size_t kept = 0;
    for (size_t i = 0; i < values.size(); ++i)
        if (!marked[i]) values[kept++] = values[i];
    values.resize(kept);
}

bool is_alone(const KeyAnswer &answer, const HolderRun &first) {
    return answer.n_runs == 1 && first.n_ranks == 1 && first.copies == 1 && answer.owner >= 0;
}

} // namespace

halo_keys_desc KeysRecord::desc() const {
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.owner_rule = owner_rule;
    desc.numbering = numbering;
    desc.n_keys = std::ssize(keys);
    desc.keys = keys.data();
    desc.flags = flags.data();
    desc.weights = weights.data();
    desc.owners = knows_owners ? owners.data() : nullptr;
    desc.editable = 1;
    return desc;
}

std::vector<int32_t> KeysRecord::deciders(std::span<const uint64_t> of) const {
    std::vector<int32_t> ranks(of.size(), -1);
    if (!knows_owners) {
        std::transform(of.begin(), of.end(), ranks.begin(), [&](uint64_t key) { return placement.rank_of(key); });
        return ranks;
    }
    for_each_key(desc(), [&](uint32_t i) {
        const auto place = std::lower_bound(of.begin(), of.end(), keys[i]);
        if (place == of.end() || *place != keys[i]) return;
        ranks[static_cast<size_t>(place - of.begin())] = owners[i];
    });
    return ranks;
}

KeysRecord edited_list(const KeysRecord &record, const halo_keys_edit &edit) {
    check_edit(record, edit);
    KeysRecord edited = record;
    std::vector<bool> removed(record.keys.size(), false);
    for (int64_t i = 0; i < edit.n_remove; ++i) removed[static_cast<size_t>(edit.remove[i])] = true;
    remove_marked(edited.keys, removed);
    remove_marked(edited.flags, removed);
    remove_marked(edited.weights, removed);
    remove_marked(edited.owners, removed);
    edited.keys.insert(edited.keys.end(), edit.add, edit.add + edit.n_add);
    for (int64_t i = 0; i < edit.n_add; ++i) {
        edited.flags.push_back(edit.flags ? edit.flags[i] : 0);
        edited.weights.push_back(edit.weights ? edit.weights[i] : 0);
        if (edit.owners) edited.owners.push_back(edit.owners[i]);
    }
    return edited;
}

std::vector<uint64_t> changed_keys(const KeysRecord &record, const halo_keys_edit &edit) {
    std::vector<uint64_t> keys(edit.add, edit.add + edit.n_add);
    for (int64_t i = 0; i < edit.n_remove; ++i) keys.push_back(record.keys[static_cast<size_t>(edit.remove[i])]);
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

std::vector<std::byte> encode(const EditAnswer &answer) {
    const uint64_t n = answer.keys.size();
    const std::vector<std::byte> rest = encode(answer.answers);
    std::vector<std::byte> bytes(sizeof n + n * sizeof n + rest.size());
    std::memcpy(bytes.data(), &n, sizeof n);
    if (n > 0) std::memcpy(bytes.data() + sizeof n, answer.keys.data(), n * sizeof n);
    std::copy(rest.begin(), rest.end(), bytes.end() - std::ssize(rest));
    return bytes;
}

EditAnswer decode_edit_answer(int32_t rank, const std::vector<std::byte> &bytes, int32_t n_ranks) {
    uint64_t n = 0;
    if (bytes.size() >= sizeof n) std::memcpy(&n, bytes.data(), sizeof n);
    if (bytes.size() < sizeof n || n > bytes.size() / sizeof n - 1)
        fail(HALO_ERR_WIRE, "edit: a message of %zu bytes from rank %d", bytes.size(), rank);
    const auto rest = bytes.begin() + static_cast<int64_t>(sizeof n * (n + 1));
    EditAnswer answer{ from_bytes<uint64_t>({ bytes.begin() + sizeof n, rest }), decode_answers(rank, { rest, bytes.end() }, n_ranks) };
    return answer;
}

EditResult edit_share(DirectoryShare &share, std::span<const Submission> changes, const OwnerRule &rule) {
    std::vector<uint64_t> keys;
    for (const Submission &change : changes) keys.insert(keys.end(), change.keys.begin(), change.keys.end());
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

    const DirectoryResult before = decide(share.about(keys).spans(), rule);
    share.update(changes);
    const OwnedSubmissions now = share.about(keys);
    const std::vector<Submission> submissions = now.spans();
    DirectoryResult after = decide(submissions, rule);
    EditResult result;
    result.more_unclaimed = after.n_unclaimed - before.n_unclaimed;
    result.more_several_claim = after.n_several_claim - before.n_several_claim;
    for (size_t s = 0; s < submissions.size(); ++s)
        result.answers.push_back(
            { submissions[s].rank, { { submissions[s].keys.begin(), submissions[s].keys.end() }, std::move(after.answers[s]) } });
    return result;
}

void take_answer(std::vector<KeysRecord::Told> &told, const EditAnswer &answer, int32_t from) {
    std::erase_if(told, [&](const KeysRecord::Told &one) { return std::binary_search(answer.keys.begin(), answer.keys.end(), one.key); });
    auto holder = answer.answers.holders.begin();
    for (const KeyAnswer &one : answer.answers.answers) {
        if (one.place >= answer.keys.size() || one.n_runs == 0 || one.n_runs > answer.answers.holders.end() - holder)
            fail(HALO_ERR_WIRE, "edit: rank %d answered about key %u of %zu", from, one.place, answer.keys.size());
        if (!is_alone(one, *holder))
            told.push_back({ answer.keys[one.place], one.owner, from, one.several_claim != 0, { holder, holder + one.n_runs } });
        holder += one.n_runs;
    }
    std::sort(told.begin(), told.end(), [](const KeysRecord::Told &a, const KeysRecord::Told &b) { return a.key < b.key; });
}

KeysTopology::KeysTopology(const KeysTopology &from, const halo_keys_edit &edit) : PointsTopology(from.context_), directory_(from.directory_) {
    std::vector<uint64_t> changed;
    halo_keys_desc desc;
    together(context_, "edit", [&] {
        if (!from.record_) fail(HALO_ERR_STATE, "edit: the topology was not made with `editable`");
        record_ = std::make_unique<KeysRecord>(edited_list(*from.record_, edit));
        changed = changed_keys(*from.record_, edit);
        desc = record_->desc();
        check_desc(desc);
    });
    if (record_->knows_owners && context_.check_mode()) compare_owners(context_, desc);
    std::vector<uint32_t> positions;
    for_each_key(desc, [&](uint32_t i) { positions.push_back(i); });
    Work work{ desc };
    work.sifted = NotedKeys(desc, std::move(positions));
    work.n_keys = work.sifted.keys.n_different();
    n_unclaimed_ = from.n_unclaimed_;
    n_several_claim_ = from.n_several_claim_;
    tell_changes(work.sifted, changed, from.record_->deciders(changed));
    recall(work);
    number(work);
    share(work);
    make_forward_edges();
}

// What is now to be said of the changed keys, by rank that decides about them, and to those that did before.
std::map<int32_t, OwnedSubmissions> KeysTopology::changes(const NotedKeys &list, std::span<const uint64_t> changed,
                                                          std::span<const int32_t> before) const {
    std::map<int32_t, OwnedSubmissions> said;
    const auto keys = list.keys.keys();
    const std::vector<int32_t> now = record_->deciders(changed);
    for (size_t c = 0; c < changed.size(); ++c) {
        const uint64_t key = changed[c];
        const auto place = std::lower_bound(keys.begin(), keys.end(), key);
        const bool here = place != keys.end() && *place == key;
        if (before[c] >= 0 && before[c] != now[c]) said[before[c]].add(context_.rank(), key, 0, 0);
        if (now[c] < 0) continue;
        if (!here) said[now[c]].add(context_.rank(), key, 0, 0);
        for (auto i = static_cast<size_t>(place - keys.begin()); i < keys.size() && keys[i] == key; ++i)
            said[now[c]].add(context_.rank(), key, list.notes.empty() ? note::plain : list.notes[i], list.weights.empty() ? 0 : list.weights[i]);
    }
    return said;
}

// Tells the directory what has changed, and hears what has become of the keys that this rank has.
void KeysTopology::tell_changes(const NotedKeys &list, std::span<const uint64_t> changed, std::span<const int32_t> before) {
    Discovery discovery(context_, discovery_kind(context_), "edit");
    const int32_t rank = context_.rank();
    const std::map<int32_t, OwnedSubmissions> mine = changes(list, changed, before);
    std::vector<Delivery> out;
    for (const auto &[to, submissions] : mine)
        if (to != rank) out.push_back({ to, encode(submissions.spans()[0]) });
    const std::vector<Delivery> came = discovery.exchange(std::move(out));
    std::vector<Submission> said;
    said.reserve(came.size() + 1);
    for (const Delivery &delivery : came) said.push_back(decode_submission(delivery.rank, delivery.bytes));
    if (const auto own = mine.find(rank); own != mine.end()) said.push_back(own->second.spans()[0]);
    const EditResult result = edit_share(record_->share, said, { record_->owner_rule, record_->knows_owners ? rank : -1 });

    const auto keys = list.keys.keys();
    std::erase_if(record_->told, [&](const KeysRecord::Told &one) { return !std::binary_search(keys.begin(), keys.end(), one.key); });
    std::vector<Delivery> answers;
    for (const auto &[to, answer] : result.answers)
        if (to == rank)
            take_answer(record_->told, answer, rank);
        else
            answers.push_back({ to, encode(answer) });
    for (const Delivery &delivery : discovery.exchange(std::move(answers)))
        take_answer(record_->told, decode_edit_answer(delivery.rank, delivery.bytes, context_.size()), delivery.rank);
    n_unclaimed_ += allreduce_sum(context_, result.more_unclaimed);
    n_several_claim_ += allreduce_sum(context_, result.more_several_claim);
    messages_sent_ = discovery.messages_sent();
    bytes_sent_ = discovery.bytes_sent();
}

// What is found refers to the record.
void KeysTopology::recall(Work &work) {
    const NotedKeys &list = work.sifted;
    const auto keys = list.keys.keys();
    int64_t next = 0;
    for (const KeysRecord::Told &told : record_->told) {
        const auto place = std::lower_bound(keys.begin(), keys.end(), told.key) - keys.begin();
        if (place < next || place == std::ssize(keys) || keys[static_cast<size_t>(place)] != told.key)
            fail(HALO_ERR_WIRE, "edit: rank %d tells of key %llu, which this rank has not, or twice", told.teller,
                 static_cast<unsigned long long>(told.key));
        next = place + 1;
        work.found.push_back({ told.key, told.owner, told.teller, &list, static_cast<uint32_t>(place), told.holders });
        if (told.owner < 0) unclaimed_.push_back(told.key);
        if (told.several_claim) several_claim_.push_back(told.key);
    }
}

// Keeps what an edit will need.
void KeysTopology::keep(Work &work) {
    const size_t n = static_cast<size_t>(work.desc.n_keys);
    record_->owner_rule = work.desc.owner_rule;
    record_->numbering = work.desc.numbering;
    record_->keys.assign(work.desc.keys, work.desc.keys + n);
    record_->flags.resize(n);
    for (uint32_t i = 0; i < n; ++i) record_->flags[i] = flags_of(work.desc, i);
    record_->weights.assign(n, 0);
    record_->knows_owners = work.desc.owners != nullptr;
    if (work.desc.owners) record_->owners.assign(work.desc.owners, work.desc.owners + n);
    if (work.desc.weights) record_->weights.assign(work.desc.weights, work.desc.weights + n);
    record_->placement = std::move(work.placement);
    for (const Found &found : work.found) {
        const bool several = std::binary_search(several_claim_.begin(), several_claim_.end(), found.key);
        record_->told.push_back({ found.key, found.owner, found.teller, several, { found.holders.begin(), found.holders.end() } });
    }
}

std::vector<uint64_t> KeysTopology::point_keys() const {
    if (!record_) return PointsTopology::point_keys();
    std::vector<uint64_t> keys(static_cast<size_t>(n_points_));
    for (size_t i = 0; i < local_indices_.size(); ++i)
        if (local_indices_[i] != no_index) keys[local_indices_[i]] = record_->keys[i];
    return keys;
}

std::string KeysTopology::name_of(int64_t point) const {
    const std::vector<uint64_t> &keys = record_ ? record_->keys : named_;
    const auto place = static_cast<size_t>(std::ranges::find(local_indices_, static_cast<uint32_t>(point)) - local_indices_.begin());
    return place < keys.size() ? format("key %llu", static_cast<unsigned long long>(keys[place])) : std::string();
}

} // namespace halo
