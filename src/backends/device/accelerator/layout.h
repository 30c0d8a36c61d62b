/* SPDX-License-Identifier: BSD-3-Clause */
/* What the host tells kernels, and how it lies in memory of the device. Read as C++ by the host, as CUDA, HIP and OpenCL C by kernels; addresses are
 * numbers here. */
#ifndef HALO_ACCELERATOR_LAYOUT_H
#define HALO_ACCELERATOR_LAYOUT_H

#ifdef __OPENCL_VERSION__
typedef uchar halo_u8;
typedef char halo_i8;
typedef ushort halo_u16;
typedef short halo_i16;
typedef uint halo_u32;
typedef int halo_i32;
typedef ulong halo_u64;
typedef long halo_i64;
#else
#include <stdint.h>
typedef uint8_t halo_u8;
typedef int8_t halo_i8;
typedef uint16_t halo_u16;
typedef int16_t halo_i16;
typedef uint32_t halo_u32;
typedef int32_t halo_i32;
typedef uint64_t halo_u64;
typedef int64_t halo_i64;
#endif

#define HALO_THREADS 128u      /* of a group */
#define HALO_LANES 32u         /* threads that do a chunk together, and nothing else */
#define HALO_CHUNK_BYTES 2048u /* about so much of a segment is a chunk */

/* 2^31 / divisor, rounded up. The quotient of a number is the upper half of the product of this and twice the number, if number * divisor < 2^31. */
#define HALO_INVERSE(divisor) ((0x80000000u + (divisor)-1u) / (divisor))
#define HALO_MOST_INVERTED 32768u

#define HALO_KERNEL_MOVE 0
#define HALO_KERNEL_TEST 1
#define HALO_KERNEL_COMBINE 2
#define HALO_KERNEL_LEVELS 3

/* Numbers of halo.h and halo_plugin.h. */
#define HALO_OP_SUM 1
#define HALO_OP_MIN 2
#define HALO_OP_MAX 3
#define HALO_OP_PROD 4
#define HALO_OP_LAND 6
#define HALO_OP_LOR 7
#define HALO_OP_LXOR 8
#define HALO_OP_BAND 9
#define HALO_OP_BOR 10
#define HALO_OP_BXOR 11
#define HALO_TYPE_FLOAT32 1
#define HALO_TYPE_FLOAT64 2
#define HALO_TYPE_INT32 3
#define HALO_TYPE_INT64 4
#define HALO_TYPE_COMPLEX64 5
#define HALO_TYPE_COMPLEX128 6
#define HALO_TYPE_INT8 8
#define HALO_TYPE_INT16 9
#define HALO_TYPE_UINT8 10
#define HALO_TYPE_UINT16 11
#define HALO_TYPE_UINT32 12
#define HALO_TYPE_UINT64 13
#define HALO_RESTRICT 0
#define HALO_PROLONGATE 1
#define HALO_DIVIDE 2
#define HALO_ALL_ROWS 0
#define HALO_FLAGGED_ROWS 1
#define HALO_SOURCE_LIST 1
#define HALO_DESTINATION_LIST 2

/* Values that moves negate, and that null tests look at. */
#define HALO_VALUE_NONE 0
#define HALO_VALUE_FLOAT 1
#define HALO_VALUE_DOUBLE 2
#define HALO_VALUE_INT8 3
#define HALO_VALUE_INT16 4
#define HALO_VALUE_INT32 5
#define HALO_VALUE_INT64 6
#define HALO_VALUE_UINT8 7
#define HALO_VALUE_UINT16 8
#define HALO_VALUE_UINT32 9
#define HALO_VALUE_UINT64 10
#define HALO_VALUE_HALF 11 /* HALO_FLOAT16 or HALO_BFLOAT16 */

/* One piece of a copy shape: lines of `run` elements. Strides in bytes. */
typedef struct halo_piece {
    halo_i64 dst_stride[3], src_stride[3]; /* y, z, component */
    halo_i64 dst_step, src_step;
    halo_u32 n[2];       /* lines along y, z */
    halo_u32 inverse[2]; /* of n; 0: it is more than HALO_MOST_INVERTED */
    halo_u32 n_lines;    /* along y, z, component */
    halo_u32 run;
    halo_u32 element_bytes;
    halo_u32 lists;  /* HALO_LIST_... */
    halo_u32 negate; /* HALO_VALUE_... */
    /* A chunk is some lines, or a part of one. */
    halo_u32 chunk_lines, chunk_run, chunks_per_line;
} halo_piece;

/* One piece of a row. */
typedef struct halo_segment {
    halo_i64 dst_offset, src_offset;
    halo_i64 src_list, dst_list; /* first of the table's indices */
    halo_u32 piece;
    halo_u32 dst_base, src_base;
    halo_u32 flag;
    halo_u32 row;
    halo_u32 reserved;
} halo_segment;

typedef struct halo_chunk {
    halo_u32 segment;
    halo_u32 number; /* among its segment's */
} halo_chunk;

/* Chunks of a table that belong to rows which follow each other. */
typedef struct halo_range {
    halo_u64 pieces, segments, chunks, indices; /* of the table */
    halo_u64 bases;                             /* bytes from the launch on */
    halo_u64 flags;                             /* 0: none */
    halo_i64 low, high;                         /* null are integers within, halves by their bits without the sign, */
    double bound;                               /* and other numbers with a fraction in [-bound, bound] */
    float bound32;
    halo_u32 value;       /* HALO_VALUE_... that a test looks at */
    halo_u32 first_chunk; /* in the table */
    halo_u32 end;         /* of the launch's chunks */
    halo_u32 rows;        /* HALO_ROWS_... */
    halo_u32 first_row;
    halo_u32 flag_by_row; /* 1: flag i is of row first_row + i, 0: a row says which is its */
    halo_u32 reserved;
} halo_range;

/* Ranges follow, or combinations, or operations between levels. */
typedef struct halo_launch {
    halo_u32 n_ranges;
    halo_u32 n_chunks; /* or targets, or values */
} halo_launch;

/* Where values are combined into, and with what, in this order. */
typedef struct halo_contribution {
    halo_i64 offset;
    halo_u32 base;
    halo_u32 overwrites;
} halo_contribution;

typedef struct halo_target {
    halo_i64 offset;
    halo_u32 base;
    halo_u32 first; /* contribution; they go on to that of the target behind */
} halo_target;

typedef struct halo_combination {
    halo_u64 targets, contributions;
    halo_u64 bases; /* bytes from the launch on */
    halo_u32 end;   /* of the launch's targets */
    halo_i32 op;
    halo_i32 type;
    halo_u32 reserved;
} halo_combination;

/* An operation between levels, of as many values as it has points, times components, times numbers of a value. Strides in bytes. */
typedef struct halo_level {
    halo_u64 values[3]; /* addresses */
    halo_i64 stride[3][3], component_stride[3];
    double fraction;
    halo_i32 low[3]; /* its points */
    halo_u32 n[3];
    halo_i32 ratio[3];
    halo_u32 end; /* of the launch's values */
    halo_i32 what;
    halo_i32 centring;
    halo_i32 linear;
    halo_u32 is_single;
    halo_u32 numbers; /* 2: complex */
    halo_u32 reserved;
} halo_level;

typedef struct halo_filling {
    halo_u64 dst;
    halo_u64 n;
    halo_u32 element_bytes;
    halo_u8 value[16];
    halo_u32 reserved;
} halo_filling;

#endif
