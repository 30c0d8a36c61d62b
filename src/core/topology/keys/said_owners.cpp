// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/said_owners.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "comm/collective.h"
#include "topology/discovery.h"
#include "topology/keys/key_list.h"
#include "topology/keys/key_sieve.h"
#include "topology/keys/placement.h"

namespace halo {

namespace {

struct Heard {
    uint64_t key;
    int32_t rank;
    int64_t owner;
    bool operator<(const Heard &other) const { return std::tie(key, rank) < std::tie(other.key, other.rank); }
};

std::string in_words(const Heard &one) {
    const std::string whose = one.owner < 0 ? "nobody" : format("rank %lld", static_cast<long long>(one.owner));
    return format("by %s as rank %d says", whose.c_str(), one.rank);
}

// Of what is said about the keys of this rank's share, by key: keys about which ranks differ, and the first of them in words.
struct Contradictions {
    int64_t n = 0;
    std::string first;

    explicit Contradictions(const std::vector<Heard> &heard) {
        for (auto begin = heard.begin(), end = begin; begin != heard.end(); begin = end) {
            end = std::find_if(begin, heard.end(), [&](const Heard &one) { return one.key != begin->key; });
            const auto other = std::find_if(begin, end, [&](const Heard &one) { return one.owner != begin->owner; });
            if (other == end || n++ > 0) continue;
            first =
                format("key %llu is owned %s, %s", static_cast<unsigned long long>(begin->key), in_words(*begin).c_str(), in_words(*other).c_str());
        }
    }
};

} // namespace

void check_that_entries_agree(const halo_keys_desc &desc) {
    KeyRange all = no_keys;
    for_each_key(desc, [&](uint32_t i) { all.widen(desc.keys[i]); });
    KeySieve sieve(all.low, all.high, desc.n_keys);
    for_each_key(desc, [&](uint32_t i) { sieve.add(desc.keys[i]); });
    std::vector<uint32_t> twice;
    for_each_key(desc, [&](uint32_t i) {
        if (sieve.may_be_twice(desc.keys[i])) twice.push_back(i);
    });
    const KeyList list(desc.keys, std::move(twice));
    for (int64_t i = 0; i < list.size(); ++i) {
        const auto positions = list.positions(i);
        const auto other = std::ranges::find_if(positions, [&](uint32_t one) { return desc.owners[one] != desc.owners[positions[0]]; });
        if (other != positions.end())
            fail(HALO_ERR_ARGUMENT, "keys: owner %d of key %llu at position %u, owner %d at position %u; a key has one", desc.owners[positions[0]],
                 static_cast<unsigned long long>(list.key(i)), positions[0], desc.owners[*other], *other);
    }
}

void compare_owners(Context &context, const char *what, const std::vector<SaidOwner> &said) {
    const KeyPlacement anywhere = KeyPlacement::by_hash(context.size());
    std::map<int32_t, std::vector<SaidOwner>> shares;
    for (const SaidOwner &one : said) shares[anywhere.rank_of(one.key)].push_back(one);
    std::vector<Heard> heard;
    const auto hear = [&](int32_t rank, const std::vector<SaidOwner> &share) {
        for (const SaidOwner &one : share) heard.push_back({ one.key, rank, one.owner });
    };
    std::vector<Delivery> out;
    for (const auto &[rank, share] : shares)
        if (rank == context.rank())
            hear(rank, share);
        else
            out.push_back({ rank, to_bytes(share) });
    for (const Delivery &delivery : Discovery(context, discovery_kind(context), what).exchange(std::move(out)))
        hear(delivery.rank, from_bytes<SaidOwner>(delivery.bytes));
    std::sort(heard.begin(), heard.end());

    const Contradictions found(heard);
    const auto teller = static_cast<int32_t>(allreduce_min(context, found.n > 0 ? context.rank() : context.size()));
    if (teller == context.size()) return;
    const int64_t n = allreduce_sum(context, found.n);
    const std::string first = broadcast_text(context, teller, found.first);
    fail(HALO_ERR_CHECK, "%s: %s; there are %lld such keys", what, first.c_str(), static_cast<long long>(n));
}

void compare_owners(Context &context, const halo_keys_desc &desc) {
    std::vector<SaidOwner> said;
    for_each_key(desc, [&](uint32_t i) { said.push_back({ desc.keys[i], desc.owners[i] }); });
    compare_owners(context, "keys", said);
}

} // namespace halo
