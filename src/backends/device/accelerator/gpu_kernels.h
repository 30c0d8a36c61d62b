// SPDX-License-Identifier: BSD-3-Clause
// The form of the kernels that CUDA and HIP share, and what starts one. Whoever includes it has included the runtime's header, and defined
// HALO_GPU(name), by which its functions are called.
#pragma once

#define HALO_DEVICE static __device__ __forceinline__
#define HALO_GLOBAL
#define HALO_WORD16 uint4
#define HALO_AS_FLOAT(bits) __uint_as_float(bits)
#define HALO_AS_DOUBLE(bits) __longlong_as_double(static_cast<long long>(bits))
#define HALO_AS_U32(value) __float_as_uint(value)
#define HALO_AS_U64(value) static_cast<halo_u64>(__double_as_longlong(value))
#define HALO_HIGH32(a, b) __umulhi(a, b)

#include "kernels.h"

#define HALO_CHUNK (blockIdx.x * (HALO_THREADS / HALO_LANES) + threadIdx.x / HALO_LANES)
#define HALO_LANE (threadIdx.x % HALO_LANES)
#define HALO_NUMBER (blockIdx.x * HALO_THREADS + threadIdx.x)

static __global__ __launch_bounds__(HALO_THREADS) void halo_move(const halo_launch *launch) { halo_move_chunk(launch, HALO_CHUNK, HALO_LANE); }
static __global__ __launch_bounds__(HALO_THREADS) void halo_test(const halo_launch *launch) { halo_test_chunk(launch, HALO_CHUNK, HALO_LANE); }
static __global__ __launch_bounds__(HALO_THREADS) void halo_combine(const halo_launch *launch) { halo_combine_target(launch, HALO_NUMBER); }
static __global__ __launch_bounds__(HALO_THREADS) void halo_levels(const halo_launch *launch) { halo_levels_value(launch, HALO_NUMBER); }
static __global__ __launch_bounds__(HALO_THREADS) void halo_fill(halo_filling what) {
    halo_fill_bytes(&what, HALO_NUMBER, static_cast<halo_u64>(gridDim.x) * HALO_THREADS);
}

// `kernel` is a HALO_KERNEL_... Returns the launch's own error, not what the program has done before.
extern "C" int halo_gpu_launch(int kernel, unsigned n_groups, const void *arguments, void *stream) {
    const void *const function = kernel == HALO_KERNEL_MOVE      ? reinterpret_cast<const void *>(halo_move)
                                 : kernel == HALO_KERNEL_TEST    ? reinterpret_cast<const void *>(halo_test)
                                 : kernel == HALO_KERNEL_COMBINE ? reinterpret_cast<const void *>(halo_combine)
                                                                 : reinterpret_cast<const void *>(halo_levels);
    void *given[] = { &arguments };
    return static_cast<int>(HALO_GPU(LaunchKernel)(function, dim3(n_groups), dim3(HALO_THREADS), given, 0, static_cast<HALO_GPU(Stream_t)>(stream)));
}

extern "C" int halo_gpu_fill(unsigned n_groups, halo_filling what, void *stream) {
    void *given[] = { &what };
    return static_cast<int>(HALO_GPU(LaunchKernel)(reinterpret_cast<const void *>(halo_fill), dim3(n_groups), dim3(HALO_THREADS), given, 0,
                                                   static_cast<HALO_GPU(Stream_t)>(stream)));
}
