// SPDX-License-Identifier: BSD-3-Clause
#include "expert_jobs.h"

namespace bench {

extern const KernelSet baseline_kernels;
#if defined(__x86_64__)
extern const KernelSet avx2_kernels, avx512_kernels;
#endif

std::vector<const KernelSet *> usable_kernel_sets() {
    std::vector<const KernelSet *> sets{ &baseline_kernels };
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) sets.push_back(&avx2_kernels);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) sets.push_back(&avx512_kernels);
#endif
    return sets;
}

} // namespace bench
