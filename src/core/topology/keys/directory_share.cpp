// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/directory_share.h"

#include <algorithm>

namespace halo {

void OwnedSubmissions::add(int32_t rank, uint64_t key, uint32_t note, int64_t weight) {
    Lists &lists = ranks_[rank];
    lists.keys.push_back(key);
    lists.notes.push_back(note);
    lists.weights.push_back(weight);
}

std::vector<Submission> OwnedSubmissions::spans() const {
    std::vector<Submission> spans;
    for (const auto &[rank, lists] : ranks_) spans.push_back({ rank, lists.keys, lists.notes, lists.weights });
    return spans;
}

void DirectoryShare::update(std::span<const Submission> said) {
    const auto before = [](const Entry &a, const Entry &b) { return a.key != b.key ? a.key < b.key : a.rank < b.rank; };
    std::vector<Entry> changed;
    for (const Submission &one : said)
        for (size_t i = 0; i < one.keys.size(); ++i)
            changed.push_back({ one.keys[i], one.rank, one.notes.empty() ? note::plain : one.notes[i], one.weights.empty() ? 0 : one.weights[i] });
    std::stable_sort(changed.begin(), changed.end(), before);
    std::erase_if(entries_, [&](const Entry &entry) { return std::binary_search(changed.begin(), changed.end(), entry, before); });
    std::vector<Entry> all;
    all.reserve(entries_.size() + changed.size());
    std::merge(entries_.begin(), entries_.end(), changed.begin(), changed.end(), std::back_inserter(all), before);
    std::erase_if(all, [](const Entry &entry) { return (entry.note & note::copies) == 0; });
    entries_ = std::move(all);
}

OwnedSubmissions DirectoryShare::about(std::span<const uint64_t> keys) const {
    OwnedSubmissions found;
    for (const uint64_t key : keys) {
        auto entry = std::lower_bound(entries_.begin(), entries_.end(), key, [](const Entry &one, uint64_t value) { return one.key < value; });
        for (; entry != entries_.end() && entry->key == key; ++entry) found.add(entry->rank, key, entry->note, entry->weight);
    }
    return found;
}

} // namespace halo
