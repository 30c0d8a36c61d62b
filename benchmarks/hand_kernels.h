/* SPDX-License-Identifier: BSD-3-Clause */
/* What libhalo's kernels are measured against, in what CUDA, HIP and OpenCL C have in common. Whoever includes it has defined
 *   BENCH_FUNCTION   in front of a function of the device
 *   BENCH_GLOBAL     in front of what pointers lead to
 *   BENCH_KERNEL     in front of a kernel
 *   BENCH_SHAPED     in front of a kernel for blocks of one shape: the compiler knows the numbers BLOCK, GHOST and COMPONENTS
 *   BENCH_LONG       an integer of 64 bits
 *   BENCH_ITEM, BENCH_GROUP, BENCH_GROUPS, BENCH_THREAD, BENCH_THREADS    which item of the list this thread belongs to; which of the groups of the
 *                    item, and how many there are; which thread of its group, and how many there are */

/* As GhostBuffer and IndexLoop of the host. */
typedef struct {
    BENCH_LONG source, target, message;
    int extent[3];
    int offset;
} bench_buffer;

typedef struct {
    BENCH_LONG from, to;           /* addresses of values */
    BENCH_LONG from_list, to_list; /* of indices, where the task has them */
    BENCH_LONG n;
} bench_loop;

/* ---------------------------------------------------------------- by hand: the extents of each buffer are known when it is compiled */

#define BENCH_ROW (BLOCK + 2 * GHOST)

BENCH_FUNCTION void bench_copy(int nx, int ny, int nz, int nc, BENCH_GLOBAL const double *from, int fx, int fy, int fz, BENCH_GLOBAL double *to,
                               int tx, int ty, int tz) {
    const int step = BENCH_THREADS * BENCH_GROUPS;
    for (int i = BENCH_THREAD + BENCH_THREADS * BENCH_GROUP; i < nx * ny * nz * nc; i += step) {
        const int x = i % nx, y = i / nx % ny, z = i / (nx * ny) % nz, c = i / (nx * ny * nz);
        to[((c * tz + z) * ty + y) * tx + x] = from[((c * fz + z) * fy + y) * fx + x];
    }
}

#define BENCH_EXTENTS(DO)                                                                                                                            \
    const int x = buffer->extent[0], y = buffer->extent[1], z = buffer->extent[2];                                                                   \
    if (x == GHOST && y == GHOST && z == GHOST)                                                                                                      \
        DO(GHOST, GHOST, GHOST);                                                                                                                     \
    else if (x == BLOCK && y == GHOST && z == GHOST)                                                                                                 \
        DO(BLOCK, GHOST, GHOST);                                                                                                                     \
    else if (x == GHOST && y == BLOCK && z == GHOST)                                                                                                 \
        DO(GHOST, BLOCK, GHOST);                                                                                                                     \
    else if (x == GHOST && y == GHOST && z == BLOCK)                                                                                                 \
        DO(GHOST, GHOST, BLOCK);                                                                                                                     \
    else if (x == BLOCK && y == BLOCK && z == GHOST)                                                                                                 \
        DO(BLOCK, BLOCK, GHOST);                                                                                                                     \
    else if (x == BLOCK && y == GHOST && z == BLOCK)                                                                                                 \
        DO(BLOCK, GHOST, BLOCK);                                                                                                                     \
    else if (x == GHOST && y == BLOCK && z == BLOCK)                                                                                                 \
        DO(GHOST, BLOCK, BLOCK);
#define BENCH_PACK(NX, NY, NZ)                                                                                                                       \
    bench_copy(NX, NY, NZ, COMPONENTS, blocks + buffer->source, BENCH_ROW, BENCH_ROW, BENCH_ROW, message + buffer->message, NX, NY, NZ)
#define BENCH_UNPACK(NX, NY, NZ)                                                                                                                     \
    bench_copy(NX, NY, NZ, COMPONENTS, message + buffer->message, NX, NY, NZ, blocks + buffer->target, BENCH_ROW, BENCH_ROW, BENCH_ROW)
#define BENCH_DIRECT(NX, NY, NZ)                                                                                                                     \
    bench_copy(NX, NY, NZ, COMPONENTS, blocks + buffer->source, BENCH_ROW, BENCH_ROW, BENCH_ROW, blocks + buffer->target, BENCH_ROW, BENCH_ROW,      \
               BENCH_ROW)

BENCH_SHAPED void bench_pack(BENCH_GLOBAL const bench_buffer *list, BENCH_GLOBAL double *blocks, BENCH_GLOBAL double *message) {
    BENCH_GLOBAL const bench_buffer *buffer = list + BENCH_ITEM;
    BENCH_EXTENTS(BENCH_PACK)
}
BENCH_SHAPED void bench_unpack(BENCH_GLOBAL const bench_buffer *list, BENCH_GLOBAL double *blocks, BENCH_GLOBAL double *message) {
    BENCH_GLOBAL const bench_buffer *buffer = list + BENCH_ITEM;
    BENCH_EXTENTS(BENCH_UNPACK)
}
BENCH_SHAPED void bench_direct(BENCH_GLOBAL const bench_buffer *list, BENCH_GLOBAL double *blocks, BENCH_GLOBAL double *message) {
    BENCH_GLOBAL const bench_buffer *buffer = list + BENCH_ITEM;
    BENCH_EXTENTS(BENCH_DIRECT)
}

/* ---------------------------------------------------------------- fused loops: a loop for each buffer and variable, all of them in one launch */

#define BENCH_INDICES(NAME) BENCH_GLOBAL const int *NAME = (BENCH_GLOBAL const int *)loop->NAME;
#define BENCH_LOOP(LISTS, TO, FROM)                                                                                                                  \
    BENCH_GLOBAL const bench_loop *loop = list + BENCH_ITEM;                                                                                         \
    BENCH_GLOBAL const double *from = (BENCH_GLOBAL const double *)loop->from;                                                                       \
    BENCH_GLOBAL double *to = (BENCH_GLOBAL double *)loop->to;                                                                                       \
    const BENCH_LONG n = loop->n;                                                                                                                    \
    LISTS                                                                                                                                            \
    for (BENCH_LONG i = BENCH_THREAD + (BENCH_LONG)BENCH_THREADS * BENCH_GROUP; i < n; i += (BENCH_LONG)BENCH_THREADS * BENCH_GROUPS)                \
        to[TO] = from[FROM];

BENCH_KERNEL void bench_loops_pack(BENCH_GLOBAL const bench_loop *list){ BENCH_LOOP(BENCH_INDICES(from_list), i, from_list[i]) } BENCH_KERNEL
    void bench_loops_unpack(BENCH_GLOBAL const bench_loop *list){ BENCH_LOOP(BENCH_INDICES(to_list), to_list[i], i) } BENCH_KERNEL
    void bench_loops_direct(BENCH_GLOBAL const bench_loop *list) {
    BENCH_LOOP(BENCH_INDICES(from_list) BENCH_INDICES(to_list), to_list[i], from_list[i])
}
