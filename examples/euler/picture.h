// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run.h"

#include <string>
#include <vector>

namespace euler {

/// Draw what the runs left behind as a PNG: the shock tubes in one panel with the exact solution, each blast wave in its own.
void draw(const std::vector<Outcome> &outcomes, const std::string &file);

} // namespace euler
