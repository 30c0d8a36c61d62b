// SPDX-License-Identifier: BSD-3-Clause
// Set-up in which one rank's refusal must reach all others before anyone waits for it. Collective; `what` begins the texts of errors.
#pragma once

#include <cstdint>
#include <functional>

#include "comm/context.h"

namespace halo {

// Runs `describe` on every rank. Where it fails anywhere, all ranks fail: those that did with their own error, the others with HALO_ERR_PEER. Else
// all fail with HALO_ERR_MISMATCH where the hashes that it returns differ.
void agree_on(Context &context, const char *what, const std::function<uint64_t()> &describe);

// The same of work that has nothing to compare.
void together(Context &context, const char *what, const std::function<void()> &work);

// Fails on all ranks with HALO_ERR_MISMATCH where they differ in `value`.
void require_same(Context &context, const char *what, int64_t value);

// Equal runs of `n` gids: the rank of one.
int32_t even_owner(int64_t gid, int64_t n, int32_t n_ranks);

} // namespace halo
