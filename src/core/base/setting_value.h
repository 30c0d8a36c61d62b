// SPDX-License-Identifier: BSD-3-Clause
// Values as people write them. Independent of the locale.
#pragma once

#include <optional>
#include <string_view>

#include "base/setting_table.h"

namespace halo {

// The number behind a text, bounds checked: 0 or 1, integer, seconds (no limit: 0), bytes (no limit: infinity), index of the word; 0 for
// texts. Empty: the text is not a value of this setting.
std::optional<double> parse_value(const Setting &setting, std::string_view text);

} // namespace halo
