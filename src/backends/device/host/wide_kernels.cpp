// SPDX-License-Identifier: BSD-3-Clause
// Compiled for AVX-512 where the compiler knows it.
#include "wide_kernels.h"

#include "line_kernels.h"

namespace halo::host {

#if defined(__AVX512F__)

namespace {

bool processor_has_it() {
    static const bool has = __builtin_cpu_supports("avx512f") != 0;
    return has;
}

} // namespace

MoveKernel wide_kernel(bool listed, int64_t left, int64_t middle, int64_t right) {
    if (middle != 64 || left != right || !processor_has_it()) return nullptr;
    switch (left) {
    case 0: return kernel<Nothing, Fixed<64>, Nothing>(listed);
    case 8: return kernel<Fixed<8>, Fixed<64>, Fixed<8>>(listed);
    case 16: return kernel<Fixed<16>, Fixed<64>, Fixed<16>>(listed);
    case 32: return kernel<Fixed<32>, Fixed<64>, Fixed<32>>(listed);
    default: return nullptr;
    }
}

#else

MoveKernel wide_kernel(bool, int64_t, int64_t, int64_t) { return nullptr; }

#endif

} // namespace halo::host
