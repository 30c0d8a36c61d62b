// SPDX-License-Identifier: BSD-3-Clause
// Leaves of a root learn of each other: its rank knows them all, and tells each.
#include <algorithm>

#include "topology/discovery.h"
#include "topology/lists/lists.h"

namespace halo {

namespace {

using Holders = std::vector<HolderRun>;

// What one rank has of another's roots: its leaves of each in the order of the list, and who else has some. By root.
struct Family {
    std::vector<uint32_t> leaves;
    Holders holders;
};
using Families = std::map<uint32_t, Family>;

// The root of each leaf in the order of the list; then for each root, ascending, how many runs of ranks have it, and these.
std::vector<uint64_t> told_of(const PointList &roots, const std::map<uint32_t, Holders> &holders) {
    std::vector<uint64_t> words;
    std::vector<uint32_t> each;
    for (int64_t i = 0; i < roots.size(); ++i) each.push_back(roots[i]);
    words.assign(each.begin(), each.end());
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
    for (const uint32_t root : each) {
        const Holders &runs = holders.at(root);
        words.push_back(runs.size());
        for (const HolderRun &run : runs) {
            words.push_back(static_cast<uint64_t>(run.first) << 32 | static_cast<uint32_t>(run.n_ranks));
            words.push_back(run.copies);
        }
    }
    return words;
}

Families families_of(int32_t rank, const PointList &leaves, const std::vector<uint64_t> &words, int32_t n_ranks) {
    const auto n = static_cast<size_t>(leaves.size());
    const auto cut_off = [&] { fail(HALO_ERR_WIRE, "sharers: rank %d tells of %zu points in %zu words", rank, n, words.size()); };
    if (words.size() < n) cut_off();
    Families families;
    for (size_t i = 0; i < n; ++i) families[static_cast<uint32_t>(words[i])].leaves.push_back(leaves[static_cast<int64_t>(i)]);
    size_t at = n;
    for (auto &[root, family] : families) {
        if (at >= words.size() || words[at] > (words.size() - at - 1) / 2) cut_off();
        for (uint64_t left = words[at++]; left > 0; --left, at += 2) {
            family.holders.push_back(
                { static_cast<int32_t>(words[at] >> 32), static_cast<int32_t>(words[at]), static_cast<uint32_t>(words[at + 1]), 0 });
            check_holders(family.holders.back(), n_ranks, rank);
        }
    }
    return families;
}

} // namespace

// Points are noted by owner, then by their index there: in the same order on all ranks that have them.
void ListsTopology::learn_sharers() {
    const int32_t rank = context_.rank();
    std::map<uint32_t, std::map<int32_t, uint32_t>> copies; // of own roots, by rank
    for (const auto &[key, roots] : forward_.send)
        for (int64_t i = 0; i < roots.size(); ++i) {
            copies[roots[i]].try_emplace(rank, 1);
            ++copies[roots[i]][key.first];
        }
    std::map<uint32_t, Holders> holders;
    for (const auto &[root, ranks] : copies)
        for (const auto &[holder, n] : ranks) add_holder(holders[root], holder, n, 0);

    std::vector<Delivery> out;
    std::vector<int32_t> from;
    std::map<int32_t, Families> known; // by owner
    for (const auto &[key, roots] : forward_.send)
        if (key.first != rank) out.push_back({ key.first, to_bytes(told_of(roots, holders)) });
    for (const auto &[key, leaves] : forward_.receive)
        if (key.first != rank) from.push_back(key.first);
    for (const Delivery &told : Discovery(context_, discovery_kind(context_), "sharers").answer(std::move(out), from))
        known[told.rank] =
            families_of(told.rank, forward_.receive.at({ told.rank, edge_to_copies }), from_bytes<uint64_t>(told.bytes), context_.size());
    for (const auto &[root, ranks] : holders) known[rank][root] = { { root }, ranks };
    if (const auto own = forward_.receive.find({ rank, edge_to_copies }); own != forward_.receive.end()) {
        const PointList &roots = forward_.send.at({ rank, edge_to_copies });
        for (int64_t i = 0; i < own->second.size(); ++i) known[rank][roots[i]].leaves.push_back(own->second[i]);
    }
    for (const auto &[owner, families] : known)
        for (const auto &[root, family] : families) share_point(owner, owner, family.leaves, family.holders);
}

} // namespace halo
