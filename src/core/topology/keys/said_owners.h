// SPDX-License-Identifier: BSD-3-Clause
// Owners of keys as callers give them: do they contradict each other?
#pragma once

#include <vector>

#include "comm/context.h"

namespace halo {

struct SaidOwner {
    uint64_t key;
    int64_t owner; // a rank; negative: nobody
};

// HALO_ERR_ARGUMENT: two entries of a key name different owners.
void check_that_entries_agree(const halo_keys_desc &desc);

// The same between ranks, by a directory of all keys. Collective. HALO_ERR_CHECK, with the same text on all ranks, which `what` begins.
void compare_owners(Context &context, const char *what, const std::vector<SaidOwner> &said);
void compare_owners(Context &context, const halo_keys_desc &desc);

} // namespace halo
