// SPDX-License-Identifier: BSD-3-Clause
// Contributions combined by a function of the caller's (HALO_USER), on the host.
#pragma once

#include <span>

#include "exchange/round_spec.h"
#include "plan/lower/rows.h"

namespace halo {

void combine_by_caller(const RoundSpec &spec, halo_type type, const Lowered &rows, const CombineStep &step, std::span<void *const> bases);

} // namespace halo
