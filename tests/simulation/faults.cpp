// SPDX-License-Identifier: BSD-3-Clause
#include "fibers.h"

namespace simulation {

const char *name_of(Fault fault) {
    static const char *const names[] = { "none", "stop", "death", "no memory", "overtaken", "memory out of reach", "stop in a peer's storage" };
    return names[static_cast<size_t>(fault)];
}

const char *name_of_rare(int what) {
    static const char *const names[] = { "not open to a peer", "turn declined", "turn revoked", "loan taken back", "turn ended after it" };
    return names[what];
}

} // namespace simulation
