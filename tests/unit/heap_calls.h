// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

// Times this program's operator new was called.
int64_t heap_calls();
// The `n`-th call from now on fails, once; 0: none does.
void let_heap_call_fail(int64_t n);
