// SPDX-License-Identifier: BSD-3-Clause
// Where a run is, of a round and of an exchange.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace halo {

enum class Phase : uint8_t { idle, posted, sent, unpacked, dead };

// HALO_ERR_STATE: "exchange 3 over u: test is illegal: the exchange is posted".
inline void require_phase(Phase is, Phase wanted, const std::string &what, const char *call) {
    static constexpr const char *names[] = { "idle", "posted", "sent", "unpacked", "dead (abandoned or failed: it can only be destroyed)" };
    if (is != wanted) fail(HALO_ERR_STATE, "%s: %s is illegal: the exchange is %s", what.c_str(), call, names[static_cast<int>(is)]);
}

} // namespace halo
