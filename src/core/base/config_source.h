// SPDX-License-Identifier: BSD-3-Clause
// Where settings come from, collected before any of them is interpreted. The working directory is never read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo.h"

namespace halo {

// One assignment. `source` is "environment", "call" or "path:line".
struct Assignment {
    std::string key;
    std::string value;
    std::string source;
    std::string written; // as the user wrote the name, e.g. "HALO_POOL_CAP"
};

// Lines of `key = value`; `#` starts a comment at the start of a line or after a blank. Fails with HALO_ERR_CONFIG naming the line.
std::vector<Assignment> parse_config_text(std::string_view text, const std::string &path);

// Assignments from an environment block: HALO_... variables that are not empty, but HALO_CONFIG_FILE and HALO_LAUNCH_.... `secure` leaves plugin_path
// out.
std::vector<Assignment> environment_assignments(const char *const *environment, bool secure);

// All sources of this process, weakest first: user file ($XDG_CONFIG_HOME or ~/.config, halo/halo.conf), job file (HALO_CONFIG_FILE, absolute),
// environment, call. A process that runs with raised rights reads no file and no plugin path.
std::vector<Assignment> process_assignments(std::span<const halo_setting> call);

} // namespace halo
