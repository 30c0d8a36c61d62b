// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run.h"

#include <string>
#include <vector>

namespace fem {

/// A coarse mesh with its parts, a solution, and the errors of all meshes. Collective; rank 0 writes the file.
void draw(const halo::Context &context, const Space &coarse, const Space &fine, const std::vector<Outcome> &outcomes, const std::string &file);

} // namespace fem
