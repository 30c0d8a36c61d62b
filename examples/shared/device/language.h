/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program's kernels are written in: what C++, OpenCL C and CUDA have in common, with these words.
 *   FUNCTION  in front of a function that host and device both call
 *   KERNEL    in front of one that a device runs, in so many threads; its first parameter says in how many
 *   GLOBAL    in front of what a pointer to a field's values points to
 *   CONSTANT  in front of a number that all of them know
 *   THREAD    the number of a kernel's thread, from 0 on. There may be more than were asked for: those return at once.
 * Contraction is off in all three, by the pragma here or by what the compiler is called with, and none is told to be fast at the cost of rounding:
 * sums, products, quotients and roots of doubles are those of IEEE 754. What is written once then has the same bits everywhere. Of the mathematical
 * functions this holds for sqrt, fabs and copysign alone. */
#ifndef EXAMPLES_DEVICE_LANGUAGE_H
#define EXAMPLES_DEVICE_LANGUAGE_H

#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define FUNCTION static inline
#define KERNEL kernel
#define GLOBAL global
#define CONSTANT constant
#define THREAD ((long)get_global_id(0))
#elif defined(__CUDACC__)
#define FUNCTION __host__ __device__ inline
#define KERNEL static __global__
#define GLOBAL
#define CONSTANT constexpr
#define THREAD ((long)blockIdx.x * blockDim.x + threadIdx.x)
#else
#define FUNCTION inline
#define GLOBAL
#define CONSTANT constexpr
#endif

#endif
