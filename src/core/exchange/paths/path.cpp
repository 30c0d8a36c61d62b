// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/paths/path.h"

#include <array>

namespace halo {

std::span<const PathKind> path_kinds() {
    static const std::array<PathKind, 2> kinds{ put_path, get_path };
    return kinds;
}

} // namespace halo
