// SPDX-License-Identifier: BSD-3-Clause
// Set-up in which one rank's refusal must reach all others before anyone waits for it.
#pragma once

#include <functional>

#include "comm/context.h"

namespace halo {

// Runs `body` on every rank. Where it fails anywhere, all ranks fail: those that did with their own error, the others with HALO_ERR_PEER. Collective.
void together(Context &context, const char *what, const std::function<void()> &body);

// Fails on all ranks with HALO_ERR_MISMATCH where they differ in `value`. Collective.
void require_same(Context &context, const char *what, int64_t value);

} // namespace halo
