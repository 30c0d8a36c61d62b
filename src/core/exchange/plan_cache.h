// SPDX-License-Identifier: BSD-3-Clause
// Full plans of a context, shared by exchanges of the same shape for as long as one of them lives.
#pragma once

#include <memory>
#include <vector>

#include "plan/plan.h"

namespace halo {

class PlanCache {
public:
    // `compiled` counts when no plan of the shape was there.
    std::shared_ptr<const Plan> get(const PlanShape &shape, int64_t &compiled);

private:
    struct Entry {
        std::vector<uint64_t> key;
        std::weak_ptr<const Plan> plan;
    };
    std::vector<Entry> entries_;
};

} // namespace halo
