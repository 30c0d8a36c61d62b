// SPDX-License-Identifier: BSD-3-Clause
// What the messages of a round, and the paths beside them, are made from. All of it outlives them.
#pragma once

#include "exchange/paths/policy.h"
#include "exchange/round_spec.h"
#include "exchange/run.h"

namespace halo {

struct MessageSetup {
    Context &context;
    const RoundSpec &spec;
    const Plan &plan; // of the round's first run: names edges
    const RunId &id;
    const Run &run; // the present one, or the last
    PathPolicy paths;
};

} // namespace halo
