// SPDX-License-Identifier: BSD-3-Clause
// Contributions combined by a function of the caller's (HALO_USER), on the host.
#pragma once

#include <span>

#include "plan/plan.h"

namespace halo {

void combine_by_caller(const halo_exchange_desc &desc, const Plan &plan, const CombineStep &step, std::span<void *const> bases);

} // namespace halo
