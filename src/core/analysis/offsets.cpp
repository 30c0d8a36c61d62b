// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/offsets.h"

#include "base/error.h"

namespace halo {

std::string text_of(const Offsets &offsets, int32_t n_dims) {
    if (offsets.empty) return "nowhere";
    std::string text;
    for (size_t d = 0; d < static_cast<size_t>(n_dims); ++d)
        text += format("%s<%lld,%lld>", d == 0 ? "" : " ", static_cast<long long>(offsets.low[d]), static_cast<long long>(offsets.high[d]));
    return text;
}

} // namespace halo
