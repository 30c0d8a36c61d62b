// SPDX-License-Identifier: BSD-3-Clause
// Collective operations of a context over its transport's point-to-point messages: O(log ranks) rounds, blocking, for set-up and
// small reductions. All ranks call them in the same order. Each honours the setting "timeout", and continues when it is called again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "comm/context.h"

namespace halo {

void barrier(Context &context);

// Bytes of rank `root` to everybody.
void broadcast(Context &context, int32_t root, void *data, size_t bytes);
std::string broadcast_text(Context &context, int32_t root, const std::string &text);

// What has failed on rank `root`, to everybody: its `own` is thrown there, and elsewhere a failure with `status` after it.
[[noreturn]] void fail_together(Context &context, int32_t root, const std::optional<Error> &own, halo_status status, const std::string &what);

// Values combined in the order of ranks, the same bits everywhere. `in` may be `out`.
void allreduce(Context &context, const void *in, void *out, int64_t n, halo_type type, halo_op op);

int64_t allreduce_min(Context &context, int64_t value);
int64_t allreduce_max(Context &context, int64_t value);
int64_t allreduce_sum(Context &context, int64_t value);

// `bytes` of each rank, in the order of ranks.
void allgather(Context &context, const void *mine, size_t bytes, void *all);

// Sum over the ranks below this one.
int64_t exclusive_sum(Context &context, int64_t value);

} // namespace halo
