// SPDX-License-Identifier: BSD-3-Clause
// Set-up in which one rank's refusal must reach all others before anyone waits for it. Collective; `what` begins the texts of errors.
#pragma once

#include <cstdint>
#include <functional>

#include "comm/collective.h"

namespace halo {

// Runs `describe` on every rank. Where it fails anywhere, all ranks fail: those that did with their own error, the others with HALO_ERR_PEER. Else
// all fail with HALO_ERR_MISMATCH where the hashes that it returns differ, and name the first of `terms` that does.
void agree_on(Context &context, const char *what, const std::function<uint64_t()> &describe, const std::function<Terms()> &terms);

// The same of work that has nothing to compare.
void together(Context &context, const char *what, const std::function<void()> &work);

// Equal runs of `n` gids: the rank of one.
int32_t even_owner(int64_t gid, int64_t n, int32_t n_ranks);

} // namespace halo
