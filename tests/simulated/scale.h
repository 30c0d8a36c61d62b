// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

// What one rank does. `what`: range, hash: points with that directory; cells: blocks, and boxes and leaves that each rank knows alone; mesh: cells
// and their nodes, two layers. Throws std::exception.
void run_simulated(const std::string &what);
