// SPDX-License-Identifier: BSD-3-Clause
#include "instruction_sets.h"

namespace halo::host {

std::vector<const MoveKernels *> usable_kernels() {
    std::vector<const MoveKernels *> usable{ &moves_baseline };
#ifdef HALO_HOST_X86
    if (__builtin_cpu_supports("avx2")) usable.push_back(&moves_avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) usable.push_back(&moves_avx512);
#endif
    return usable;
}

} // namespace halo::host
