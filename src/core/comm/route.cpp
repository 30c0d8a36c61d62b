// SPDX-License-Identifier: BSD-3-Clause
#include "comm/route.h"

#include "comm/collective.h"

namespace halo {

int64_t sum_below(Context &context, int64_t value, int64_t &total) {
    const CollectiveCall call(context, "sum");
    const int64_t below = exclusive_sum(context, value);
    total = allreduce_sum(context, value);
    return below;
}

} // namespace halo
