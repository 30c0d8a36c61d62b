// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_scenarios.h"
namespace allocations {
std::vector<Scenario> point_scenarios() { return {}; }
std::vector<Scenario> channel_scenarios() { return {}; }
std::vector<Scenario> other_scenarios() { return {}; }
}
