// SPDX-License-Identifier: BSD-3-Clause
// Ghosts filled direction by direction: an exchange for each, so that edges and corners ride along with faces.
#pragma once

#include <memory>

#include "exchange/staged.h"

namespace halo {

class Sweeps final : public StagedExchange {
public:
    Sweeps(PlanCache &plans, const std::vector<Field *> &fields, const halo_exchange_desc &desc);

private:
    std::vector<std::unique_ptr<Exchange>> sweeps_;
};

} // namespace halo
