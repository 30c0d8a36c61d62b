// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halo::test {

// How often this thread has called operator new.
int64_t allocations();

} // namespace halo::test
