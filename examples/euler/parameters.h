// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace euler {

/// What a run is asked to do: the defaults, then a parameter file, then `key=value` arguments.
struct Parameters {
    std::string problem = "sod";                                                 ///< sod or blast
    std::array<std::int64_t, 3> cells = { 128, 8, 8 };                           ///< of the whole grid; they are cubes
    std::array<std::int64_t, 3> block = { 16, 8, 8 };                            ///< cells of one block
    std::array<std::string, 3> boundary = { "outflow", "periodic", "periodic" }; ///< periodic, outflow or reflect, per direction
    double length = 1.0;                                                         ///< of the longest side of the grid
    double gamma = 1.4;                                                          ///< ratio of specific heats
    double cfl = 0.6;                                                            ///< of the stability limit
    double end_time = 0.2;
    std::int64_t max_steps = 1'000'000;
    int direction = 0;               ///< sod: 0, 1 or 2: along x, y or z
    int tracers = 0;                 ///< passive tracers, each a sparse field
    double send_threshold = 1e-6;    ///< tracer density from which it enters a block that has none
    double release_threshold = 1e-8; ///< a block whose tracer density stays below gives its storage back
    int release_every = 4;           ///< steps between two checks
    int release_patience = 3;        ///< checks in a row
    std::string progress = "log";    ///< live (one line updated), log (ten lines) or none

    double cell_size() const;
    std::array<std::int64_t, 3> blocks() const;
    std::int64_t n_blocks() const;
    std::int64_t n_cells() const { return cells[0] * cells[1] * cells[2]; }
};

/// Read `file`, then apply `overrides` ("key=value"). Throws std::runtime_error naming file and line of what it does not understand.
Parameters read_parameters(const std::string &file, const std::vector<std::string> &overrides);

} // namespace euler
