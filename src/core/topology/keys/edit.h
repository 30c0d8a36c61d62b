// SPDX-License-Identifier: BSD-3-Clause
// Changes of a rank's list of keys, and what the directory says of them.
#pragma once

#include "topology/keys/record.h"
#include "topology/keys/wire.h"

namespace halo {

// The record with the list changed, what the directory knows not yet; fails where the edit is wrong.
KeysRecord edited_list(const KeysRecord &record, const halo_keys_edit &edit);
// Keys that the edit removes or adds, ascending, each once.
std::vector<uint64_t> changed_keys(const KeysRecord &record, const halo_keys_edit &edit);

// To a rank that has changed keys: which, and the answers about those of them that are not its alone.
struct EditAnswer {
    std::vector<uint64_t> keys;
    KeyAnswers answers;
};
std::vector<std::byte> encode(const EditAnswer &answer);
EditAnswer decode_edit_answer(int32_t rank, const std::vector<std::byte> &bytes, int32_t n_ranks);

// The directory's part: takes the changes, and answers to all ranks that have one of the keys now.
struct EditResult {
    std::vector<std::pair<int32_t, EditAnswer>> answers; // by rank
    int64_t more_unclaimed = 0;
    int64_t more_several_claim = 0;
};
EditResult edit_share(DirectoryShare &share, std::span<const Submission> changes, const OwnerRule &rule);

// Takes an answer into what the directory has told before.
void take_answer(std::vector<KeysRecord::Told> &told, const EditAnswer &answer, int32_t from);

} // namespace halo
