// SPDX-License-Identifier: BSD-3-Clause
// One rank's share of the directory: merges what ranks say of keys, decides who owns each, and tells those concerned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/points/points.h"

namespace halo {

// What a rank says of its keys, ascending. A key that several of its parts have comes once for each of these, in their order; where some entries of a
// part only receive, once more for them.
struct Submission {
    int32_t rank = -1;
    std::span<const uint64_t> keys;
    std::span<const uint32_t> notes;  // per key: how often, and KeyNote bits; empty: all plain
    std::span<const int64_t> weights; // per key; empty: all 0
};

// Bits of a note beside the number of copies.
namespace note {
inline constexpr uint32_t claims = 1U << 31;
inline constexpr uint32_t cannot_own = 1U << 30;
inline constexpr uint32_t silent = 1U << 29;
inline constexpr uint32_t copies = silent - 1;
inline constexpr uint32_t plain = 1; // one copy that may own
} // namespace note

// What the directory answers about one key to a rank that submitted it. Keys of which nothing is said are that rank's alone.
struct KeyAnswer {
    uint32_t place; // of the key in the submission; of a key of several parts: the owning one's, or else the first
    int32_t owner;  // a rank; -1: none
    uint32_t n_runs : 31;
    uint32_t several_claim : 1;
};

// Answers to one rank: headers, and the holders of all of them behind each other, by rank. A key that all ranks have is one run of these for each.
struct KeyAnswers {
    std::vector<KeyAnswer> answers;
    std::vector<HolderRun> holders;
};

struct OwnerRule {
    int32_t rule = HALO_OWNER_LOWEST_RANK;
    int32_t known_owner = -1; // this rank, where owners are known: it owns what it holds itself and may own, nobody owns the rest
};

struct DirectoryResult {
    std::vector<KeyAnswers> answers; // for each submission
    int64_t n_keys = 0;              // different ones
    int64_t n_unclaimed = 0;
    int64_t n_several_claim = 0;
};

// `submissions` by rank.
DirectoryResult decide(std::span<const Submission> submissions, const OwnerRule &rule);

} // namespace halo
