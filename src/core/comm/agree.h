// SPDX-License-Identifier: BSD-3-Clause
// Set-up in which ranks must have the same, and one rank's refusal must reach all others before anyone waits for it. Collective; `what` begins the
// texts of errors.
#pragma once

#include <cstdint>
#include <functional>

#include "base/terms.h"
#include "comm/context.h"

namespace halo {

// Runs `describe` on every rank. Where it fails anywhere, all ranks fail: those that did with their own error, the others with HALO_ERR_PEER. Else
// all fail with HALO_ERR_MISMATCH where the hashes that it returns differ, and name the first of `terms` that does: in O(log terms) reductions.
void agree_on(Context &context, const char *what, const std::function<uint64_t()> &describe, const std::function<Terms()> &terms);

// The same of terms that are there already, and of work that has nothing to compare.
void agree(Context &context, const char *what, const Terms &terms);
void together(Context &context, const char *what, const std::function<void()> &work);

} // namespace halo
