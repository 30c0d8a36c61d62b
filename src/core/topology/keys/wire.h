// SPDX-License-Identifier: BSD-3-Clause
// Submissions and answers as messages between ranks.
#pragma once

#include "topology/keys/directory.h"

namespace halo {

std::vector<std::byte> encode(const Submission &submission);
// What it names lies in `bytes`. Fails on bytes that are none.
Submission decode_submission(int32_t rank, const std::vector<std::byte> &bytes);

std::vector<std::byte> encode(const KeyAnswers &answers);
// `n_ranks`: those that there are.
KeyAnswers decode_answers(int32_t rank, const std::vector<std::byte> &bytes, int32_t n_ranks);

} // namespace halo
