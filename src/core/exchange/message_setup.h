// SPDX-License-Identifier: BSD-3-Clause
// What the messages of a round, and the paths beside them, are made from.
#pragma once

#include "exchange/paths/policy.h"
#include "exchange/round_spec.h"
#include "exchange/run.h"

namespace halo {

struct MessageSetup {
    Context &context;
    const RoundSpec &spec;
    const Plan &plan; // of the round's first run: names edges; all outlive the messages
    const RunId &id;  // outlives the messages
    const Run &run;   // the present one, or the last; outlives the messages
    PathPolicy paths;
};

} // namespace halo
