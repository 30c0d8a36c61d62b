// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "space.h"

#include <string>
#include <vector>

namespace fem {

/// Write this rank's own tetrahedra with the values at their nodes as PREFIX_<rank>.vtu, and on rank 0 PREFIX.pvtu, which names the files of all
/// ranks (VTK's XML formats, with binary data appended; VTK User's Guide, "VTK File Formats"). Throws std::runtime_error.
void write_vtk(const halo::Context &context, const Space &space, const std::vector<double> &solution, const std::string &prefix);

} // namespace fem
