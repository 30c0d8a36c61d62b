/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL's form of the kernels. kernels.h and layout.h stand in front of the functions below when this is built. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define HALO_DEVICE static
#define HALO_GLOBAL __global
#define HALO_WORD16 uint4
#define HALO_AS_FLOAT(bits) as_float(bits)
#define HALO_AS_DOUBLE(bits) as_double(bits)
#define HALO_AS_U32(value) as_uint(value)
#define HALO_AS_U64(value) as_ulong(value)
#define HALO_HIGH32(a, b) mul_hi((halo_u32)(a), (halo_u32)(b))

#include "kernels.h"

#define HALO_CHUNK (get_group_id(0) * (HALO_THREADS / HALO_LANES) + get_local_id(0) / HALO_LANES)
#define HALO_LANE (get_local_id(0) % HALO_LANES)

__kernel __attribute__((reqd_work_group_size(HALO_THREADS, 1, 1))) void halo_move(__global const halo_launch *launch) {
    halo_move_chunk(launch, HALO_CHUNK, HALO_LANE);
}

__kernel __attribute__((reqd_work_group_size(HALO_THREADS, 1, 1))) void halo_test(__global const halo_launch *launch) {
    halo_test_chunk(launch, HALO_CHUNK, HALO_LANE);
}

__kernel __attribute__((reqd_work_group_size(HALO_THREADS, 1, 1))) void halo_combine(__global const halo_launch *launch) {
    halo_combine_target(launch, get_global_id(0));
}

__kernel __attribute__((reqd_work_group_size(HALO_THREADS, 1, 1))) void halo_levels(__global const halo_launch *launch) {
    halo_levels_value(launch, get_global_id(0));
}

__kernel __attribute__((reqd_work_group_size(HALO_THREADS, 1, 1))) void halo_fill(const halo_filling what) {
    halo_fill_bytes(&what, get_global_id(0), get_global_size(0));
}
