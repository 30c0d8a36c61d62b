// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

// Times this program's operator new was called.
int64_t heap_calls();
