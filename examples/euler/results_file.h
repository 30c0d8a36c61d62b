// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run.h"

#include <string>
#include <vector>

namespace euler {

/// Write what the runs left behind as JSON, for draw.py: shock tubes with the exact solution, blast waves with the plane in the middle of z.
void write_results(const std::vector<Outcome> &outcomes, const std::string &file);

} // namespace euler
