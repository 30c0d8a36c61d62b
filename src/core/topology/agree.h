// SPDX-License-Identifier: BSD-3-Clause
// What ranks have to agree on when they describe a topology that all know.
#pragma once

#include <cstdint>

#include "comm/context.h"

namespace halo {

// Collective. Fails on all ranks if one has found something `wrong` (a status other than HALO_SUCCESS), or the hashes differ. So nobody waits for a
// rank that has given up. `what` begins the texts.
void agree_on(Context &context, const char *what, uint64_t hash, const Error &wrong);

// Equal runs of `n` gids: the rank of one.
int32_t even_owner(int64_t gid, int64_t n, int32_t n_ranks);

} // namespace halo
