// SPDX-License-Identifier: BSD-3-Clause
// Settings as texts for people.
#pragma once

#include <string>

#include "base/config.h"

namespace halo {

// Warnings, then every setting with value, source and meaning.
std::string render_settings(const Config &config);

// docs/configuration.md
std::string render_manual();

} // namespace halo
