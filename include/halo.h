/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo.h
 * libhalo: ghost (halo) exchange for solvers.
 *
 * Read this file from top to bottom: it is ordered as a newcomer needs it.
 *
 *   1  status and error text          5  what a solver asks
 *   2  context: a group of ranks      6  exchange: start, finish and the phases
 *   3  topology: parts and owners     7  sparse fields: arrivals
 *   4  field: a variable's storage    8  looking inside
 *
 * Beside it: halo_access.h (loops say what they read), halo_channel.h (edges by hand), halo_levels.h (refined blocks), halo_mesh.h, halo_particles.h,
 * halo_sphere.h, halo_stencil.h.
 *
 * Conventions
 * - Every function returns a `halo_status`; results come by out-parameters, which stand last and are written on success only.
 * - "Collective" calls are made by every rank of the context, in the same order. They communicate only where it is said.
 * - One thread at a time per context and everything made from it, unless its setting `threads` lets several in (docs/threads.md); different contexts are
 *   independent.
 * - Sizes, counts and gids are int64_t, ranks int32_t. Sizes that end in `_bytes` are bytes, all others count elements.
 *   Upper limits stand with them as numbers; beyond, HALO_ERR_LIMIT names what exceeds which limit. Lists have at most 2^31 - 1 entries, of points and
 *   of keys 2^32 - 2; a struct in a list has at most 4096 bytes. What is negative, or does not go with something else that is given, is
 *   HALO_ERR_ARGUMENT.
 * - Index spaces have three directions; unused ones have one cell and no ghosts. x (direction 0) runs fastest.
 * - A struct that the caller fills starts with `struct_size` and `struct_version`; begin from its HALO_..._INIT value, or halo_struct_init.
 * - Handles are destroyed through a pointer, which is set to NULL. A context must outlive what is made from it:
 *   destroying it earlier returns HALO_BUSY, or takes all of it along (halo_context_destroy_with_all). Use of a destroyed handle is
 *   reported as long as its context lives.
 */
#ifndef HALO_H
#define HALO_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HALO_API __attribute__((visibility("default")))
#else
#define HALO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_VERSION_MAJOR 0
#define HALO_VERSION_MINOR 2
#define HALO_VERSION_PATCH 0

/* ------------------------------------------------------------------ 1 status and error text */
/** @defgroup chapter_01 1 status and error text
 *  @{ */

/** Outcome of a call. Numbers are frozen. 1..9: nothing is wrong, call again; >= 10: an error, with a text. */
typedef int32_t halo_status;

#define HALO_SUCCESS 0
#define HALO_BUSY 1            /**< not now: something is still under way; the object is unchanged */
#define HALO_TIMEOUT 2         /**< the time limit passed; the text names what is missing; retry or abandon */
#define HALO_DECLINED 3        /**< returned by callbacks: the caller does not take this arrival */
#define HALO_ERR_ARGUMENT 10   /**< a null pointer or a value out of range */
#define HALO_ERR_VERSION 11    /**< a struct_size or struct_version that this library does not know */
#define HALO_ERR_STATE 12      /**< the call is illegal in the object's present state */
#define HALO_ERR_NOT_FOUND 13  /**< no such part, channel, setting or module */
#define HALO_ERR_EXISTS 14     /**< already registered */
#define HALO_ERR_UNBOUND 15    /**< a part of a field has no storage */
#define HALO_ERR_BOUNDS 16     /**< a region reaches outside its storage */
#define HALO_ERR_MISMATCH 17   /**< ranks disagree */
#define HALO_ERR_MEMORY 18     /**< no memory, or the cap of a pool is reached */
#define HALO_ERR_LIMIT 19      /**< a bound of the library or of the transport is exceeded */
#define HALO_ERR_CONFIG 20     /**< a setting is unknown (strict mode) or has a bad value */
#define HALO_ERR_PLUGIN 21     /**< a module cannot be loaded or used */
#define HALO_ERR_TRANSPORT 22  /**< the transport reported a failure */
#define HALO_ERR_PEER 23       /**< another rank failed and said so */
#define HALO_ERR_WIRE 24       /**< a message's header is not what the plan expects */
#define HALO_ERR_DEVICE 25     /**< a device reported a failure */
#define HALO_ERR_HANDLE 26     /**< a destroyed handle, or one of another kind */
#define HALO_ERR_CHECK 27      /**< check mode found misuse */
#define HALO_ERR_INTERNAL 99   /**< a defect of the library */

/** Name of a status, e.g. "HALO_ERR_BOUNDS"; "unknown status" for other numbers. Static storage, any thread. */
HALO_API const char *halo_status_name(halo_status status);

/** Text of the calling thread's last status other than HALO_SUCCESS. Valid until this thread's next failing call. Never NULL. A HALO_BUSY that only says
 *  "call again", as of a send, leaves it as it was; one that says what is under way, as of a destroy, has a text. */
HALO_API const char *halo_last_error(void);

/** Version of the loaded library: major * 10000 + minor * 100 + patch. Never fails. */
HALO_API int32_t halo_version(void);

/** For languages without macros: fill a struct as its HALO_..._INIT does. `name` is that of its type in the headers for applications, as
 *  "halo_field_desc"; `bytes`, at most 4096, its size as the caller knows it, which becomes its struct_size: of an older caller's struct the first `bytes`
 *  are filled, in a newer one the rest is zero. Sizes of rows in it (`join_bytes`, `set_bytes`, ...) are this library's: set those that you know.
 *  Any thread; O(structs). HALO_ERR_NOT_FOUND: there is no such struct, or it has no such value. HALO_ERR_VERSION: `bytes` is below the struct's
 *  first version. */
HALO_API halo_status halo_struct_init(const char *name, void *pointer, size_t bytes);

/** @} */

/* ------------------------------------------------------------------ 2 context */
/** @defgroup chapter_02 2 context
 *  @{ */

typedef struct halo_context halo_context; /**< one per group of ranks: transport, devices, pools, settings */
typedef struct halo_inproc halo_inproc;   /**< a group of ranks that are threads of this process */

/** Messages of the library for the caller to print. `level`: 0 error, 1 warning, 2 information, 3 debug. Of the context it may call functions whose
 *  handle is const. */
typedef void (*halo_log_fn)(void *user, int32_t level, const char *text);

/** Memory kinds. A device's memory is its kind and its ordinal. */
#define HALO_MEMORY_HOST 0
#define HALO_MEMORY_PINNED 1
#define HALO_MEMORY_DEVICE 2
#define HALO_MEMORY_SHARED 3 /**< host memory that ranks of the same host can reach: they write ghosts in it without a message between. The
                                  library's alone: no caller's allocator */

/** The caller's allocator for one memory kind. Called from the thread that uses the context; `allocate` returns NULL when
 *  there is no memory; blocks must be aligned to 64 bytes. Of the context they may call functions whose handle is const. Blocks of messages that an
 *  MPI could not deliver before the context was destroyed are not given to `release`: they must stay until MPI_Finalize. `user` and the
 *  functions must be there as long as the context. */
typedef struct halo_allocator {
    int32_t memory; /**< HALO_MEMORY_... */
    int32_t device; /**< ordinal; 0 for host memory */
    void *user;     /**< given to both functions; as long as the context */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *pointer, size_t bytes);
} halo_allocator;

typedef struct halo_setting {
    const char *key;   /**< e.g. "timeout"; see docs/configuration.md or `halo_info --settings`. Copied. */
    const char *value; /**< as one would write it in the environment, e.g. "30s". Copied. */
} halo_setting;

typedef struct halo_context_options {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_settings;               /**< at most 4096 */
    const halo_setting *settings;     /**< strongest source: over environment and files. Copied. */
    halo_log_fn log;                  /**< NULL: standard error */
    void *log_user;                   /**< given to `log`; as long as the context */
    const halo_allocator *allocators; /**< for the pools. Copied. */
    int32_t n_allocators;             /**< at most 64 */
    int32_t reserved;
} halo_context_options;
#define HALO_CONTEXT_OPTIONS_INIT { sizeof(halo_context_options), 1, 0, NULL, NULL, NULL, NULL, 0, 0 }

/**
 * Make a context over the ranks of the setting `rendezvous` (halo_launch sets it), else of the process's MPI if it is initialised, else of the launcher, else this process alone.
 * Collective; blocks (over MPI without a time limit, until all ranks have come); compares the settings that must agree. `options` may be NULL.
 * HALO_ERR_PLUGIN: a launcher started several ranks, but no usable transport was found, or two MPIs are loaded.
 * HALO_ERR_MISMATCH: a setting differs between ranks; the text names key, values and ranks. HALO_TIMEOUT, HALO_ERR_PEER, at a rendezvous: ranks are missing, or failed; call again.
 */
HALO_API halo_status halo_context_create(const halo_context_options *options, halo_context **context);

/** For halo_mpi.h: `communicator` points to the caller's MPI_Comm of `handle_bytes`, `mpi` names the MPI that made it
 *  ("openmpi", "mpich", or "abi": one of the standard ABI). Duplicated; otherwise as halo_context_create. */
HALO_API halo_status halo_context_create_communicator(const void *communicator, size_t handle_bytes, const char *mpi, const halo_context_options *options,
                                                      halo_context **context);

/** How ranks reach each other before they have a context: by another library, a launcher, a pipe. */
typedef struct halo_bootstrap {
    size_t struct_size;
    int32_t struct_version;
    int32_t rank; /**< of this process, from 0 */
    int32_t n_ranks;
    int32_t reserved;
    void *user; /**< given to `allgather`, until the call that this struct is given to returns */
    /** Collective: `bytes` from each rank, the same number on all, go into `all` in the order of ranks. May block, and may be called several times. A status
     *  other than HALO_SUCCESS ends the context's creation with it, here; that others do not wait for ever is the function's business. */
    halo_status (*allgather)(void *user, const void *mine, size_t bytes, void *all);
} halo_bootstrap;
#define HALO_BOOTSTRAP_INIT { sizeof(halo_bootstrap), 1, 0, 0, 0, NULL, NULL }

/** Make a context over ranks that only know how to exchange addresses. A transport that can be opened so carries its messages: setting `transport`.
 *  `bootstrap` is used until the call returns. Collective; blocks; otherwise as halo_context_create. */
HALO_API halo_status halo_context_create_over(const halo_bootstrap *bootstrap, const halo_context_options *options, halo_context **context);

/** Make a group of `n_ranks` ranks, at most 4096, that live in this process. Local. */
HALO_API halo_status halo_inproc_create(int32_t n_ranks, halo_inproc **group);

/** Make the context of one rank of an in-process group. Collective over the group; each rank calls from its own thread. HALO_TIMEOUT: call again.
 *  HALO_ERR_MEMORY, and HALO_ERR_PEER on the others: no rank has got one; all call again. */
HALO_API halo_status halo_context_create_inproc(halo_inproc *group, int32_t rank, const halo_context_options *options, halo_context **context);

/** Destroy a group after all its contexts; HALO_BUSY before. */
HALO_API halo_status halo_inproc_destroy(halo_inproc **group);

/** Collective. Waits up to the timeout (none: 10 s) for peers to take what has been sent to them and to end their last runs with this rank, then gives
 *  up, and the log says so. What is not taken then is lost to them where ranks are threads; an MPI still delivers it, up to
 *  MPI_Finalize and as far as this process calls MPI, and the memory that this needs stays. HALO_BUSY while topologies, fields, exchanges, channels or groups exist.
 *  HALO_ERR_DEVICE: destroyed, but a device has failed in work of an object that was gone by then. */
HALO_API halo_status halo_context_destroy(halo_context **context);

/** Destroy all that was made from a context, and then the context: batches, reductions, exchanges, particles, groups, channels, fields, topologies, meshes, spheres. What
 *  is in flight is given up before, as by halo_exchange_abandon, and the log names it. Storage stays the caller's, as after halo_field_destroy. The handles
 *  of all these are HALO_ERR_HANDLE in functions that are called back meanwhile; afterwards nobody knows them any more: they must not be used, not even to
 *  destroy. Otherwise as halo_context_destroy, on ranks that make this call as on those that make that one. HALO_ERR_MEMORY: call again. */
HALO_API halo_status halo_context_destroy_with_all(halo_context **context);

HALO_API halo_status halo_context_rank(const halo_context *context, int32_t *rank, int32_t *n_ranks);

/** Change a setting that may change at run time ("timeout", "warn_after", "log_level"...). `value` is copied. Local. */
HALO_API halo_status halo_context_set(halo_context *context, const char *key, const char *value);

/** Value of a setting and where it came from ("default", "environment", "call" or a file name with its line).
 *  The texts live until the setting changes. `source` may be NULL. */
HALO_API halo_status halo_context_setting(const halo_context *context, const char *key, const char **value, const char **source);

/** Text of the last status other than HALO_SUCCESS of any call on this context or what is made from it. Valid until the next such one, which where
 *  several threads are let in may be another's: there use halo_last_error. Never NULL. HALO_BUSY as for halo_last_error. */
HALO_API const char *halo_context_error(const halo_context *context);

/** Let the transport work, without waiting: messages come and go as far as it moves them. No run advances and nothing is unpacked: that is what test,
 *  unpack and finish do; what has come for runs in flight may be taken by it, whose failures their next calls tell. Memory of what objects that are
 *  gone have sent is free again. A program that computes for long between start and finish calls this now and then, or sets `progress_thread` (docs/threads.md). Local. */
HALO_API halo_status halo_context_progress(halo_context *context);

/** The program knows that a rank will never go on, from its launcher perhaps: storage that it was using when it stopped is free again (that of a process
 *  of this host that has ended is without this). Nothing else changes. To be called when runs with it have ended or been abandoned. Local. */
HALO_API halo_status halo_context_rank_gone(halo_context *context, int32_t rank);

/** Wait for all ranks. Collective; blocks. After HALO_TIMEOUT this and every other collective call continues when it is made again; to go on to another
 *  one instead ends the context's collectives, with a text (docs/threads.md). */
HALO_API halo_status halo_context_barrier(halo_context *context);

typedef int32_t halo_type;
#define HALO_FLOAT32 1
#define HALO_FLOAT64 2
#define HALO_INT32 3
#define HALO_INT64 4
#define HALO_COMPLEX64 5  /**< two FLOAT32 */
#define HALO_COMPLEX128 6 /**< two FLOAT64 */
#define HALO_BYTES 7      /**< elements of any size: give element_bytes */
#define HALO_INT8 8
#define HALO_INT16 9
#define HALO_UINT8 10
#define HALO_UINT16 11
#define HALO_UINT32 12
#define HALO_UINT64 13
#define HALO_FLOAT16 14  /**< IEEE binary16; this type and the next are moved, and compared with a threshold, but combined only by HALO_USER */
#define HALO_BFLOAT16 15 /**< the upper half of a FLOAT32 */

typedef int32_t halo_op;
#define HALO_SUM 1
#define HALO_MIN 2
#define HALO_MAX 3
#define HALO_PROD 4
#define HALO_USER 5 /**< a function of the caller's: exchanges, and halo_reduction_create_items (halo_access.h) */
#define HALO_LAND 6 /**< logical and, or, exclusive or: results are 0 or 1. Real types and integers. */
#define HALO_LOR 7
#define HALO_LXOR 8
#define HALO_BAND 9 /**< and, or, exclusive or of bits: integers */
#define HALO_BOR 10
#define HALO_BXOR 11
#define HALO_MINLOC 12 /**< least or greatest value and its index: halo_reduction_create_items alone */
#define HALO_MAXLOC 13

/** Combine `n` values over all ranks, in the order of ranks, with the same bits on every rank. `in` may be `out`. Collective; blocks;
 *  O(log ranks) rounds; at most 2^40 bytes. Not HALO_BYTES, HALO_FLOAT16, HALO_BFLOAT16; complex types only SUM and PROD. MIN and MAX: a NaN wins over every
 *  number. Sums and products of integers wrap around. */
HALO_API halo_status halo_context_allreduce(halo_context *context, const void *in, void *out, int64_t n, halo_type type, halo_op op);

/** @} */

/* ------------------------------------------------------------------ 3 topology: parts and owners */
/** @defgroup chapter_03 3 topology: parts and owners
 *  @{ */

typedef struct halo_topology halo_topology; /**< which parts exist, who owns them, which pairs talk over which regions */

#define HALO_ORDER_MORTON 0 /**< gids along the Morton curve */
#define HALO_ORDER_ROWS 1   /**< gids with x fastest, then y, then z */

/** A uniform grid of equal blocks. Ghosts reach as far as the domain does, and where it is periodic 64 times around it. */
typedef struct halo_blocks_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;           /**< 1, 2 or 3; the directions beyond stay as INIT has them, here and in fields */
    int64_t n_blocks[3];      /**< blocks per direction; at most 2^40 in all, and 2^27 for each rank */
    int64_t n_cells[3];       /**< cells of one block per direction: at most 2^31 - 1, and 2^40 of all blocks in a row */
    int32_t periodic[3];      /**< per direction, 0 or 1 */
    int32_t order;            /**< HALO_ORDER_...: how gids number the blocks */
    const int32_t *owner;     /**< rank of each gid, the same on all ranks; NULL: equal runs of gids. Copied. */
    int64_t n_owner;          /**< 0, or the number of blocks */
} halo_blocks_desc;
#define HALO_BLOCKS_DESC_INIT { sizeof(halo_blocks_desc), 1, 3, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 }, HALO_ORDER_MORTON, NULL, 0 }

/** Collective; does not communicate. O(local blocks) memory, plus 4 bytes per block of the whole grid when `owner` is given. */
HALO_API halo_status halo_topology_create_blocks(halo_context *context, const halo_blocks_desc *desc, halo_topology **topology);

/** A box of cells, low inclusive, high exclusive. Frozen. */
typedef struct halo_box {
    int64_t low[3];
    int64_t high[3];
} halo_box;

/** Any set of boxes of cells of one index space: sizes may differ, there may be holes, boxes may cover each other's cells. Three ways to say which:
 *  the list of all, the same on all ranks (gid = place in the list); with `distributed`, each rank its own boxes only (gids: rank by rank, in the
 *  order given; priorities and boxes of others are known near the own ones alone); or `n_parts_per_rank` and no box: the library cuts the domain. */
typedef struct halo_boxes_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;             /**< 1, 2 or 3; the directions beyond stay as INIT has them, in boxes too, or 0 */
    halo_box domain;            /**< all boxes lie inside; its extent is the period. Within 2^40 cells of the origin. */
    int32_t periodic[3];        /**< per direction, 0 or 1 */
    int32_t distributed;        /**< 1: `boxes` are this rank's alone; a rank may have none */
    const halo_box *boxes;      /**< n_boxes. Copied. */
    int64_t n_boxes;            /**< 0: there are no parts, unless the library cuts */
    const int32_t *owner;       /**< rank of each box; NULL: equal runs of gids. Not with `distributed`. Copied. */
    const int32_t *priority;    /**< of each box: where several cover a point, the highest owns it, then the lowest gid; NULL: all 0. Copied. */
    int32_t reach;              /**< widest ghosts that fields may have, in cells: at most 2^24, and 64 periods; `distributed` wants it, else 0 means any */
    int32_t n_parts_per_rank;   /**< 1 or more: the domain is cut into so many boxes for each rank, as even and as cubic as it goes, at most 2^24 in all.
                                     Ignored where `boxes` is no NULL, and with `distributed`. */
} halo_boxes_desc;
#define HALO_BOXES_DESC_INIT { sizeof(halo_boxes_desc), 1, 3, { { 0, 0, 0 }, { 1, 1, 1 } }, { 0, 0, 0 }, 0, NULL, 0, NULL, NULL, 0, 0 }

/** Collective; blocks: compares the descriptions, and finds the neighbours of distributed boxes. O(boxes log boxes) of those that are given.
 *  HALO_ERR_ARGUMENT: a box is empty or leaves the domain, an owner is no rank. HALO_ERR_MISMATCH: ranks gave different descriptions. */
HALO_API halo_status halo_topology_create_boxes(halo_context *context, const halo_boxes_desc *desc, halo_topology **topology);

/** Ghosts of one part that are cells of another, whose index space may be turned. Boxes count from the first owned cell of their part. */
typedef struct halo_join {
    int64_t send_gid;
    int64_t receive_gid;
    halo_box send;     /**< owned cells of the sender */
    halo_box receive;  /**< ghosts of the receiver: as many cells in direction d as the sender's box has in direction axis[d] */
    int32_t axis[3];   /**< direction d of the receiver runs along direction axis[d] of the sender: 0, 1, 2 in some order, */
    int32_t sign[3];   /**< upwards (1) or downwards (-1) */
} halo_join;

/** Parts with index spaces of their own, and explicit joins between them: multi-block grids, polar axes, rotations. The same on all ranks. */
typedef struct halo_regions_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;
    const int64_t *cells;   /**< three per part: its extent, 1 to 2^31 - 1. Copied. */
    const int32_t *owner;   /**< rank of each part; NULL: equal runs of gids. Copied. */
    int64_t n_parts;
    const halo_join *joins; /**< Copied. */
    size_t join_bytes;      /**< sizeof(halo_join), at most 4096 */
    int64_t n_joins;
    int32_t reach;          /**< widest ghosts that fields may have, in cells: no join reaches farther out. At most 2^24. */
    int32_t reserved;
    const int32_t *vector_signs; /**< three per join: with which sign (1, -1) what of a vector lies along direction d of the receiver comes; NULL:
                                      sign[d]. Both change beyond a pole, of which one index alone runs the other way. Copied. */
} halo_regions_desc;
#define HALO_REGIONS_DESC_INIT { sizeof(halo_regions_desc), 1, 3, NULL, NULL, 0, NULL, sizeof(halo_join), 0, 0, 0, NULL }

/** Collective; blocks: compares the descriptions. O(parts + joins) memory. Its fields are cell-centred (halo_exchange_create refuses others).
 *  HALO_ERR_ARGUMENT: extents of a join differ, axes are no permutation, two joins fill the same ghost. HALO_ERR_BOUNDS: a join sends cells that
 *  its sender does not own, or fills owned cells or ghosts beyond reach. HALO_ERR_MISMATCH: ranks gave different descriptions. HALO_ERR_VERSION: a
 *  join has fewer bytes than at first, or something in those that this library does not know. */
HALO_API halo_status halo_topology_create_regions(halo_context *context, const halo_regions_desc *desc, halo_topology **topology);

/** Unstructured: points are known by keys. Every rank is one part (gid = rank) in one dimension; its points have local indices, owned ones
 *  first, then ghosts, as cells 0, 1, ... of the part. Fields have no ghost widths; AoS, SoA and a pitch come by halo_layout. */

/** Which of the ranks that have a key owns it. Ranks that claim it go first, under every rule. */
#define HALO_OWNER_LOWEST_RANK 0
#define HALO_OWNER_SPREAD 1 /**< by a hash of the key: shared points are dealt evenly */
#define HALO_OWNER_WEIGHT 2 /**< greatest weight, then lowest rank */
#define HALO_OWNER_CLAIM 3  /**< only ranks that claim it, the lowest of them; else nobody: see halo_keys_report */

/** Flags of an entry. Of a key that a rank, or a part, is given several times, any entry claims it, and it may own the key if any entry may. */
#define HALO_KEY_CLAIM 1     /**< this rank claims it */
#define HALO_KEY_READ_ONLY 2 /**< the entry receives only: it contributes to no reduction, and is never what is owned */
#define HALO_KEY_IGNORE 4    /**< left out, as if it were not in the list */
#define HALO_KEY_WANT 8      /**< a ghost is wanted: the entry is no reason to own it */

#define HALO_NUMBERING_BY_OWNER 0 /**< owned points in the caller's order, then ghosts by owner, then key: contiguous for each peer */
#define HALO_NUMBERING_BY_KEY 1   /**< owned points in the caller's order, then ghosts by key */
#define HALO_NUMBERING_AS_GIVEN 2 /**< local index = the caller's position */

#define HALO_DIRECTORY_AUTO 0  /**< ranges, unless the keys are too unevenly spread for it */
#define HALO_DIRECTORY_RANGE 1 /**< neighbouring keys are decided by one rank */
#define HALO_DIRECTORY_HASH 2

#define HALO_NO_INDEX UINT32_MAX

/** A rank's list of keys. Lists are read during the call. */
typedef struct halo_keys_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t owner_rule;       /**< HALO_OWNER_... */
    int64_t n_keys;
    const uint64_t *keys;     /**< any values in any order. A key may come several times: its first entry that is not HALO_KEY_READ_ONLY is
                                   the rank's own point, the others are copies of it. Read during the call. */
    const int32_t *flags;     /**< HALO_KEY_... bits of each; NULL: none. Read during the call. */
    const int64_t *weights;   /**< HALO_OWNER_WEIGHT: of each key; of several entries that of the rank's own point; NULL: 0. Read during the call. */
    const int32_t *owners;    /**< rank that owns each key, where the caller knows: then no directory is asked. On all ranks with keys, or none. Of a
                                   key all entries of all ranks name the same. Read during the call. */
    int32_t numbering;        /**< HALO_NUMBERING_... */
    int32_t directory;        /**< HALO_DIRECTORY_... */
    int32_t editable;         /**< 1: kept such that halo_topology_edit_keys can be called. The same on all ranks. */
    int32_t n_parts;          /**< parts of this rank, each with keys of its own, at most 2^27; 0 on all ranks: one part for each rank */
    const int64_t *part_offsets; /**< n_parts + 1: where the keys of each part begin; from 0 to n_keys. See halo_topology_create_keys. Read during the call. */
    int64_t n_mine;           /**< the first n_mine keys are this rank's, the others wanted: as HALO_KEY_CLAIM and HALO_KEY_WANT under HALO_OWNER_CLAIM, without
                                   arrays. 0: none is this rank's. -1: not used. On all ranks, with any number, or none. Not with `owners`, `n_parts`, these
                                   two flags, or a rule of its own: owner_rule stays, or is HALO_OWNER_CLAIM */
} halo_keys_desc;
#define HALO_KEYS_DESC_INIT \
    { sizeof(halo_keys_desc), 1, HALO_OWNER_LOWEST_RANK, 0, NULL, NULL, NULL, NULL, HALO_NUMBERING_BY_OWNER, HALO_DIRECTORY_AUTO, 0, 0, NULL, -1 }

/**
 * Find out who else has this rank's keys, and who owns each. Collective; communicates; O(local keys + a share of the directory) memory; no rank sees
 * all keys. Ghosts of keys that nobody owns are kept, are never filled, and are listed by halo_topology_keys_report.
 * HALO_ERR_MISMATCH: ranks differ in owner rule, directory, or in having `owners` or `n_mine`. HALO_ERR_PEER: another rank's list was refused.
 * HALO_ERR_ARGUMENT: two entries of a key have different `owners`; the text names them. Where ranks contradict each other, nobody owns the key for those
 * who name a rank that does not own it, and several do if each names itself: check mode ends the call on all ranks with HALO_ERR_CHECK, which names key,
 * ranks and whom they name. Without it nothing is asked that would tell: that ranks agree is the caller's promise.
 *
 * With `n_parts`, a rank has several parts (or none): gid = rank * (most parts of any rank) + place among the rank's. Each part has storage of its own
 * for its own keys, numbered as given, from 0. Owners are found as if each part lay on a rank of its own, in the order of the gids: flags and weights
 * count by part. With `owners`, a key belongs to the first of the owner's parts that may own it. Of a key in several parts of a rank, all but the owning
 * one have copies. What is asked by local index is told for the rank's whole list. Not with `editable`; wants HALO_NUMBERING_AS_GIVEN.
 */
HALO_API halo_status halo_topology_create_keys(halo_context *context, const halo_keys_desc *desc, halo_topology **topology);

/** What to change in a rank's list of keys. Lists are read during the call. */
typedef struct halo_keys_edit {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t n_remove;
    const int64_t *remove;  /**< positions in the list, none twice. Read during the call. What stays moves together, in its order; */
    int64_t n_add;
    const uint64_t *add;    /**< these keys follow it. Read during the call. */
    const int32_t *flags;   /**< HALO_KEY_... bits of each added key; NULL: none. If `topology` was made with `n_mine`: HALO_KEY_CLAIM says that the key is
                                 this rank's, keys without it are wanted. Read during the call. */
    const int64_t *weights; /**< of each; NULL: 0. Read during the call. */
    const int32_t *owners;  /**< rank that owns each, if `topology` was made with `owners`. A key gets another owner where every rank that has it removes
                                 and adds it. Read during the call. */
} halo_keys_edit;
#define HALO_KEYS_EDIT_INIT { sizeof(halo_keys_edit), 1, 0, 0, NULL, 0, NULL, NULL, NULL, NULL }

/**
 * The topology that halo_topology_create_keys would make of the changed lists. Only changed keys are asked about, and only ranks that have one of them
 * hear of it. Collective (an edit may be empty); O(local keys) time, messages as small as the change. `topology`, made with `editable`, stays as it is;
 * the new one can be edited too. HALO_ERR_STATE: it was made without. HALO_ERR_BOUNDS: a position is none of the list's.
 */
HALO_API halo_status halo_topology_edit_keys(const halo_topology *topology, const halo_keys_edit *edit, halo_topology **edited);

/** The rank that owns the point of a key; negative: nobody. Called in the caller's thread, of the context it may call functions whose handle is const. */
typedef int32_t (*halo_owner_fn)(void *user, uint64_t key);

/** Points and their neighbours. Each rank describes the points that it owns; as many rings of ghosts as wanted are laid around them. Lists are read
 *  during the call. */
typedef struct halo_graph_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t rings;             /**< the same on all ranks: 1: ghosts are all neighbours; 2: and their neighbours; ... INT32_MAX: all that there are */
    int64_t n_owned;           /**< points of this rank, each of no other rank */
    const uint64_t *keys;      /**< of each, any values. Read during the call. */
    const int64_t *offsets;    /**< n_owned + 1: where the neighbours of each begin in `neighbours`; NULL: `width` for each. Read during the call. */
    const uint64_t *neighbours; /**< keys; a point may be its own neighbour, or have one several times; neighbours need not be mutual. Read during the call. */
    const int32_t *owners;     /**< rank that owns each neighbour, where the caller knows; NULL: by `owner_of`. On all ranks that have neighbours, or none.
                                    Ranks agree, as those of halo_keys_desc. Read during the call. */
    int64_t width;             /**< n_owned * width is at most 2^40 */
    uint64_t skip;             /**< with has_skip: entries of this value are no neighbours */
    int32_t has_skip;
    int32_t directory;         /**< HALO_DIRECTORY_... */
    const uint64_t *const *rows; /**< neighbours of each point, each a list of its own: then no `offsets`, `neighbours`, `owners`. Read during the call. */
    const int64_t *lengths;    /**< with `rows`: of each; NULL: `width`. Read during the call. */
    halo_owner_fn owner_of;    /**< asked once for each neighbour that is not owned here; NULL: found out by key, through a directory. On all ranks that have
                                    neighbours, or none, as `owners`, which it may stand for. Called until halo_topology_create_graph returns */
    void *owner_user;          /**< given to `owner_of`, and as long */
} halo_graph_desc;
#define HALO_GRAPH_DESC_INIT \
    { sizeof(halo_graph_desc), 1, 1, 0, NULL, NULL, NULL, NULL, 0, 0, 0, HALO_DIRECTORY_AUTO, NULL, NULL, NULL, NULL }

/**
 * As halo_topology_create_keys, with ghosts found from the tables: those of ring 2 and beyond are asked from the owners of the ring before, one round for
 * each ring. Local indices: owned points as given, then ghosts by ring, then owner, then key; last, ghosts that nobody owns, which are never filled.
 * Collective; communicates; O(local points and neighbours) memory and time: up to twice that of the same ghosts by key.
 * HALO_ERR_ARGUMENT: a key is owned twice, or entries of it have different `owners`; the text names it. HALO_ERR_MISMATCH: ranks differ in rings,
 * directory or in knowing owners. HALO_ERR_CHECK, on all ranks, in check mode: ranks name different owners of a key (a key that two of them own too).
 */
HALO_API halo_status halo_topology_create_graph(halo_context *context, const halo_graph_desc *desc, halo_topology **topology);

/** Neighbours by local index. Rows: the first `n_rows` local points, which are the owned ones and all ghosts but those of the last ring; each as long as
 *  its owner gave it, with HALO_NO_INDEX where that said `skip`. `offsets` has n_rows + 1 entries. The lists live as long as the topology. */
HALO_API halo_status halo_topology_graph_rows(const halo_topology *topology, const int64_t **offsets, const uint32_t **neighbours, int64_t *n_rows);

/** Ring of each point of a graph, by local index; 0: owned. */
HALO_API halo_status halo_topology_rings(const halo_topology *topology, int32_t *rings, int64_t capacity, int64_t *n);

/** Key of each point, by local index. Topologies of graphs, and of keys that are `editable`. */
HALO_API halo_status halo_topology_point_keys(const halo_topology *topology, uint64_t *keys, int64_t capacity, int64_t *n);

/** Points of this rank that are received from others, as pairs (rank, index there) like those of a star forest. Lists are read during the call. */
typedef struct halo_star_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t sharers;         /**< 1: leaves of a root learn of each other, for HALO_KIND_SHARED_REDUCE. The same on all ranks. */
    int64_t n_points;        /**< of this rank: roots and leaves */
    int64_t n_leaves;
    const uint32_t *leaves;  /**< local index of each leaf, none twice; NULL: the last n_leaves points. Read during the call. */
    const int32_t *ranks;    /**< rank that has the root of each leaf; may be this rank. Read during the call. */
    const uint32_t *indices; /**< its local index there; a root is no leaf. Read during the call. */
} halo_star_desc;
#define HALO_STAR_DESC_INIT { sizeof(halo_star_desc), 1, 0, 0, 0, NULL, NULL, NULL }

/** Exchanges on it: HALO_KIND_GHOSTS (roots to leaves), HALO_KIND_REVERSE, HALO_KIND_FETCH. Collective; communicates; O(local) memory. Numbering: as given.
 *  HALO_ERR_BOUNDS, HALO_ERR_ARGUMENT: an index is none of that rank's, or a root is a leaf; the text names ranks and indices. */
HALO_API halo_status halo_topology_create_star(halo_context *context, const halo_star_desc *desc, halo_topology **topology);

/** Ready lists of what to send to and receive from each peer, in the order of the message. They are read during the call. */
typedef struct halo_lists_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_peers;
    int64_t n_points;                /**< of this rank */
    const int32_t *peers;            /**< ranks, none twice; may be this rank. Read during the call. */
    const int64_t *send_offsets;     /**< n_peers + 1: where the list of each peer begins in `send`. Read during the call. */
    const uint32_t *send;            /**< local indices; a point may go to several peers, and several times to one. Read during the call. */
    const int64_t *receive_offsets;  /**< n_peers + 1. Read during the call. */
    const uint32_t *receive;         /**< local indices, none twice, none that is sent. Read during the call. */
    int32_t sharers;                 /**< as in halo_star_desc */
    int32_t reserved;
} halo_lists_desc;
#define HALO_LISTS_DESC_INIT { sizeof(halo_lists_desc), 1, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0 }

/** As halo_topology_create_star, where both ends know. Collective. That lists fit is checked between the peers that both name each other by the
 *  first run of an exchange. */
HALO_API halo_status halo_topology_create_lists(halo_context *context, const halo_lists_desc *desc, halo_topology **topology);

/** What became of the keys. Filled up to the caller's struct_size; the lists live as long as the topology. */
typedef struct halo_keys_report {
    size_t struct_size;
    int32_t struct_version;
    int32_t directory;               /**< HALO_DIRECTORY_... used; HALO_DIRECTORY_AUTO: none, owners were known */
    int64_t n_points;                /**< of this rank: owned points and ghosts */
    int64_t n_owned;
    int64_t n_ghosts;                /**< points that are neither owned nor HALO_KEY_IGNORE */
    int64_t first_global;            /**< owned points of the ranks below; owned point i may be numbered first_global + i */
    int64_t n_global;                /**< owned points of all ranks */
    int64_t n_unclaimed;             /**< keys that nobody owns, over all ranks */
    int64_t n_several_claim;         /**< keys that several ranks claim, over all ranks */
    const uint64_t *unclaimed;       /**< those of this rank, ascending; lives as long as the topology */
    int64_t n_unclaimed_here;
    const uint64_t *several_claim;   /**< keys of this rank that several ranks claim, ascending; lives as long as the topology */
    int64_t n_several_claim_here;
    int64_t messages_sent;           /**< by this rank, to find all this out */
    int64_t bytes_sent;
} halo_keys_report;
#define HALO_KEYS_REPORT_INIT { sizeof(halo_keys_report), 1, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, 0, 0 }

/** Topologies made from keys; those from lists know only the first five figures. */
HALO_API halo_status halo_topology_keys_report(const halo_topology *topology, halo_keys_report *report);

/** Local index of each of the caller's keys, HALO_NO_INDEX for ignored ones. Pass capacity 0 to learn `n`. */
HALO_API halo_status halo_topology_local_indices(const halo_topology *topology, uint32_t *indices, int64_t capacity, int64_t *n);

/** Owner of each point, by local index; -1: nobody, or HALO_KEY_IGNORE. */
HALO_API halo_status halo_topology_owners(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n);

/** Ranks that have a point, ascending, this one included; of HALO_KEY_IGNORE none. */
HALO_API halo_status halo_topology_sharers(const halo_topology *topology, int64_t local_index, int32_t *ranks, int64_t capacity, int64_t *n);

/** HALO_BUSY while fields use it. Collective; does not communicate. */
HALO_API halo_status halo_topology_destroy(halo_topology **topology);

/** gids of this rank's parts, ascending. The list lives as long as the topology. */
HALO_API halo_status halo_topology_local_parts(const halo_topology *topology, const int64_t **gids, int64_t *n);

/** One part. Filled by the library up to the caller's struct_size. */
typedef struct halo_part {
    size_t struct_size;
    int32_t struct_version;
    int32_t rank;             /**< owner */
    int64_t gid;
    int32_t level;            /**< of refinement (halo_levels.h): 0 where a topology has one */
    int32_t n_dims;
    halo_box cells;           /**< in the index space of the whole grid */
    int32_t at_boundary[6];   /**< x low, x high, y low, ...: 1 where the part touches a physical (non-periodic) boundary */
} halo_part;
#define HALO_PART_INIT { sizeof(halo_part), 1, 0, 0, 0, 0, { { 0, 0, 0 }, { 0, 0, 0 } }, { 0, 0, 0, 0, 0, 0 } }

/** Any gid of the topology, local or not. O(log blocks). */
HALO_API halo_status halo_topology_part(const halo_topology *topology, int64_t gid, halo_part *part);

/** Number of the element at offset (x, y, z), each -1, 0 or 1, from a part's centre: (x+1) + 3(y+1) + 9(z+1); volume = 13.
 *  A neighbour whose index space is not turned sees it as 26 - number. A constant where x, y and z are. */
#define HALO_ELEMENT(x, y, z) (((x) + 1) + 3 * ((y) + 1) + 9 * ((z) + 1))

/** HALO_ELEMENT, for languages without macros. Any thread; never fails. */
HALO_API int32_t halo_element(int32_t x, int32_t y, int32_t z);

/** One neighbour of a part. Filled up to `row_bytes`. */
typedef struct halo_neighbour {
    int64_t gid;
    int32_t rank;
    int32_t element; /**< geometric element of the asking part towards the neighbour: see HALO_ELEMENT */
    int32_t level;   /**< as in halo_part */
    int32_t axis[3]; /**< its index space: direction d of the asking part runs along direction axis[d] of the neighbour, */
    int32_t sign[3]; /**< upwards (1) or downwards (-1), as in the halo_join that fills the asking part. Boxes, and parts of points: not turned */
    int32_t reserved;
} halo_neighbour;

/** Neighbours of a part, ordered by element; the same gid may appear under several elements, and under one as often as it is turned in different ways.
 *  `row_bytes` is sizeof(halo_neighbour), at most 4096; what of a row this library does not know is zeroed. Pass capacity 0 to learn `n`.
 *  HALO_ERR_VERSION: `row_bytes` is smaller than at first. */
HALO_API halo_status halo_topology_neighbours(const halo_topology *topology, int64_t gid, size_t row_bytes, halo_neighbour *neighbours, int64_t capacity,
                                              int64_t *n);

/** Ranks that this rank shares parts' borders with, ascending, itself not included. Pass capacity 0 to learn `n`. */
HALO_API halo_status halo_topology_peers(const halo_topology *topology, int32_t *ranks, int64_t capacity, int64_t *n);

/** @} */

/* ------------------------------------------------------------------ 4 field: a variable's storage */
/** @defgroup chapter_04 4 field: a variable's storage
 *  @{ */

typedef struct halo_field halo_field; /**< a variable on a topology */

/** Where values sit in their cells: one place, or the sum of the faces', of the edges' bits: faces between the cells of a direction have one
 *  more point than there are cells; edges and nodes are such faces in two and three directions. Faces and edges must have these directions: in two
 *  dimensions there are faces of x and y and edges along z, in one faces of x alone. Nodes are in all that there are. */
#define HALO_CENTRE_CELL 0
#define HALO_CENTRE_FACE_X 1
#define HALO_CENTRE_FACE_Y 2
#define HALO_CENTRE_FACE_Z 4
#define HALO_CENTRE_EDGE_Z 3 /**< edges along z: between cells in x and in y */
#define HALO_CENTRE_EDGE_Y 5
#define HALO_CENTRE_EDGE_X 6
#define HALO_CENTRE_NODE 7
#define HALO_CENTRE_FACES 8  /**< a value on each face: as many places as the topology has dimensions, x first */
#define HALO_CENTRE_EDGES 9  /**< a value on each edge: x, y, z (2 dimensions: edges along z alone, which are the nodes) */

#define HALO_VECTOR_NONE 0
#define HALO_VECTOR_COMPONENTS 1 /**< components 0, 1, 2 lie along x, y, z (as many as dimensions) */
#define HALO_VECTOR_ALONG 2      /**< of HALO_CENTRE_FACES: each value is what goes through its face upwards; of HALO_CENTRE_EDGES in three dimensions:
                                      what goes along its edge upwards. Any number of components */

typedef struct halo_field_desc {
    size_t struct_size;
    int32_t struct_version;
    halo_type type;
    const char *name;          /**< the same on all ranks, and that of no other field on the topology; goes into error texts and the plan's digest. NULL:
                                    the library gives one. Copied. */
    int64_t element_bytes;     /**< HALO_BYTES only: 1 to 2^31 - 1 */
    int32_t n_components;
    int32_t centring;          /**< HALO_CENTRE_..., one that the topology's dimensions have: else HALO_ERR_ARGUMENT */
    int32_t ghost_low[3];      /**< ghost layers below the part, per direction */
    int32_t ghost_high[3];     /**< and above */
    int32_t sparse;            /**< 1: parts may have no storage, and null regions are not sent (section 7) */
    int32_t n_sets;            /**< binding sets (stages, u and unew), 1 to 64 */
    double threshold;          /**< sparse: a region is null if every value is below it in size; 0: any non-zero is data */
    double fill;               /**< sparse: what ghosts of a null neighbour, and new storage, are filled with: rounded to the type's nearest, ties to even;
                                    for integers the fraction is dropped, and the type must hold the rest */
    int32_t vector;            /**< HALO_VECTOR_...: what changes place and sign across turned regions. Types with a sign alone */
    int32_t reserved;
    int64_t release_after;     /**< sparse: a part's storage goes back when in so many runs, one after the other, its values were small and no data came
                                    to it (section 7); 0: never */
    double release_below;      /**< of release_after: values are small that are null under this threshold; 0: those that are zero */
    const char *controller;    /**< sparse: name of a sparse field on the same topology that has no controller itself: this one has storage, of the
                                    library's and in all sets, in the parts where that one has some (section 7). NULL: none. Copied. */
} halo_field_desc;
#define HALO_FIELD_DESC_INIT \
    { sizeof(halo_field_desc), 1, HALO_FLOAT64, NULL, 0, 1, HALO_CENTRE_CELL, { 0, 0, 0 }, { 0, 0, 0 }, 0, 1, 0.0, 0.0, 0, 0, 0, 0.0, NULL }

/** Collective; does not communicate. HALO_ERR_EXISTS: a field that lives on the topology has this name. HALO_ERR_NOT_FOUND: no field there has that of
 *  the controller. HALO_ERR_LIMIT: the storage of a part would exceed 2^60 bytes. */
HALO_API halo_status halo_field_create(halo_topology *topology, const halo_field_desc *desc, halo_field **field);

/** The description as the field has it: `name` is the library's text, which lives as long as the field, element_bytes that of its type. On another
 *  topology halo_field_create makes an equal field of it, on the same one with another name. Local. */
HALO_API halo_status halo_field_get_desc(const halo_field *field, halo_field_desc *desc);

/** HALO_BUSY while exchanges use it, or it controls others. Storage stays the caller's, except what halo_field_allocate made. */
HALO_API halo_status halo_field_destroy(halo_field **field);

/** Storage of one part, in elements. Element (i, j, k) of component c, counted from the first owned cell, is at
 *  `first_owned + i*stride[0] + j*stride[1] + k*stride[2] + c*component_stride`; in fields with several places (HALO_CENTRE_FACES, _EDGES)
 *  plus `place * place_stride`. Neither first_owned nor a stride is beyond the 2^60 bytes that a part may have. What
 *  points hold that overlap each other is not defined. */
typedef struct halo_layout {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t elements;         /**< size of the storage */
    int64_t first_owned;      /**< offset of the first owned cell of component 0 */
    int64_t stride[3];
    int64_t component_stride;
    int64_t place_stride;     /**< fields with several places per cell; the natural one keeps each place apart */
} halo_layout;
#define HALO_LAYOUT_INIT { sizeof(halo_layout), 1, 0, 0, 0, { 0, 0, 0 }, 0, 0 }

/** Layout of a part: what bind gave, else by halo_field_set_layout, else the natural one: x fastest, ghosts around, components slowest. */
HALO_API halo_status halo_field_layout(const halo_field *field, int64_t gid, halo_layout *layout);

#define HALO_DIM_COMPONENTS 3
#define HALO_DIM_PLACES 4

/**
 * How storage shall lie. A row is what lies along the first direction in `order` that has more than one point. Owned points of each row begin at a
 * multiple of `alignment` bytes from the storage's beginning, as do all components and places behind it in `order`, and `elements` is a whole number
 * of them: rows are padded as far as the element size needs it. Parts, or blocks of temporaries, may lie `elements` after each other.
 * Fields whose ghosts all have room here have the same layout, whatever widths are each one's own, if they have the same components, element size and
 * owned points (of faces, edges and nodes there is one more than of cells in some directions).
 */
typedef struct halo_layout_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t alignment;     /**< bytes: a power of two, 1 (no padding) to 4096 */
    int32_t order[5];      /**< fastest first: directions 0, 1, 2, HALO_DIM_COMPONENTS, HALO_DIM_PLACES, each once */
    int32_t ghost_low[3];  /**< room for ghosts per direction: those of a field, or these where they are more */
    int32_t ghost_high[3];
    int32_t reserved;
} halo_layout_desc;
#define HALO_LAYOUT_DESC_INIT                                                                                                                        \
    { sizeof(halo_layout_desc), 1, 64, { 0, 1, 2, HALO_DIM_COMPONENTS, HALO_DIM_PLACES }, { 0, 0, 0 }, { 0, 0, 0 }, 0 }

/** Layout of all local parts, in place of the natural one and of those that bindings have given; halo_field_allocate then aligns storage as it says.
 *  Before storage is bound. `desc` is copied. Local, each rank its own; O(parts). HALO_ERR_ARGUMENT: a value of `desc` is none, or it has ghosts where
 *  the topology has none. HALO_BUSY: a part has storage, on a device perhaps, or an exchange over the field is in flight. HALO_ERR_LIMIT: as
 *  halo_field_create. */
HALO_API halo_status halo_field_set_layout(halo_field *field, const halo_layout_desc *desc);

/** The layout of storage that belongs to no field: work arrays, temporaries of each block of a part. `points` are its own, per direction (1 where there
 *  is no such direction; of faces and nodes one more than of cells), ghosts those of `desc`. Any thread; O(1). HALO_ERR_ARGUMENT: a value of `desc` is
 *  none, or a number is negative or 0 (of points: negative). HALO_ERR_LIMIT: it exceeds 2^60 bytes. */
HALO_API halo_status halo_layout_fill(const halo_layout_desc *desc, const int64_t points[3], int64_t element_bytes, int32_t n_components,
                                      int32_t n_places, halo_layout *layout);

/** Values at some points of a part only, or in an order of their own (node-to-DOF maps, cells along a curve, ghosts behind the cells): local point i has
 *  position positions[i], which takes the place of i in the layout: component c is element `first_owned + positions[i]*stride[0] + c*component_stride`.
 *  `n_points`: all local points of the part; of cells, with the field's ghosts (of the place with most points), x fastest. Negative: no value at point i.
 *  Exchanges over lists of points leave it out, and so must all other parts that have the point; in cells it may be a ghost that no exchange fills. Copied.
 *  Before storage is bound to the part, whose layout then has as many positions as the map. Local, part by part, as layouts are; O(points).
 *  HALO_ERR_ARGUMENT: two points at one position. HALO_BUSY: storage is bound, or an exchange uses the field. Later, at an exchange's first start:
 *  HALO_ERR_MISMATCH: parts leave out different points, or a cell that is exchanged. Not for HALO_KIND_FETCH, nor where blocks have several levels. */
HALO_API halo_status halo_field_map_points(halo_field *field, int64_t gid, const int64_t *positions, int64_t n_points);

/** Storage of one part in one set. In the sets that a run uses, each local part of a dense field must have some, unless the run itself names it
 *  (halo_run.data): else start is HALO_ERR_UNBOUND. */
typedef struct halo_binding {
    size_t struct_size;
    int32_t struct_version;
    int32_t set;               /**< binding set */
    void *data;                /**< the part's storage, the caller's; it must stay until it is unbound or the field destroyed. NULL unbinds (the part
                                    is unallocated) */
    const halo_layout *layout; /**< NULL: keep the layout the part has. Copied. It is the part's in all sets: storage that was bound under another one must be
                                    bound again before a run uses it, else start is HALO_ERR_STATE */
    int32_t memory;            /**< HALO_MEMORY_...; shared memory is known as such, whatever kind of host memory is named. HALO_MEMORY_DEVICE: of a device of
                                    the setting `device`; all storage of a set is in one memory. A part of it may be given another only by halo_field_bind_many */
    int32_t device;            /**< of HALO_MEMORY_DEVICE and HALO_MEMORY_PINNED: its ordinal; else 0 */
} halo_binding;
#define HALO_BINDING_INIT { sizeof(halo_binding), 1, 0, NULL, NULL, HALO_MEMORY_HOST, 0 }

/** Give a local part its storage. Local; O(1).
 *  HALO_ERR_BOUNDS: cells or ghosts of the layout lie outside `elements`. HALO_BUSY: an exchange over the field is in flight. HALO_ERR_DEVICE: the
 *  context has no device with memory of its own; one that cannot be opened fails as its module says (pinned memory of ordinal 0 needs none).
 *  HALO_ERR_ARGUMENT: other parts of the set have storage in another memory; or the device knows the pointer as one of another memory than `memory` says. */
HALO_API halo_status halo_field_bind(halo_field *field, int64_t gid, const halo_binding *binding);

/** Bind all local parts, in the order of halo_topology_local_parts, to one allocation: part i starts `i * part_stride` elements
 *  after `binding->data`. Local; O(parts). */
HALO_API halo_status halo_field_bind_many(halo_field *field, int64_t part_stride, const halo_binding *binding);

/** Let the library own the storage of a part (gid >= 0) or of all local parts (-1), in every set, zeroed (sparse: filled with `fill`).
 *  First owned points are aligned to 64 bytes, or to more by halo_field_set_layout. It is HALO_MEMORY_SHARED, unless the caller gave an
 *  allocator for host memory. */
HALO_API halo_status halo_field_allocate(halo_field *field, int64_t gid);

/** Pointer of a part in a set; NULL when it is unallocated. */
HALO_API halo_status halo_field_data(const halo_field *field, int64_t gid, int32_t set, void **data);

/** @} */

/* ------------------------------------------------------------------ 5 what a solver asks of its mesh */
/** @defgroup chapter_05 5 what a solver asks of its mesh
 *  @{ */

/** Boxes are in the part's own index space: (0, 0, 0) is its first owned cell, ghosts have negative or high indices. */

/** One physical boundary region of a part: ghosts that no part fills. Filled up to `row_bytes`. */
typedef struct halo_boundary {
    halo_box ghosts;
    int32_t element; /**< side, edge or corner of the part: see HALO_ELEMENT */
    int32_t place;   /**< fields with several places per cell: which one these are points of; else 0 */
} halo_boundary;

/** Ghost regions outside the domain, ordered by place, then element. `row_bytes` is sizeof(halo_boundary), as for halo_topology_neighbours. Pass
 *  capacity 0 to learn `n`. */
HALO_API halo_status halo_field_boundaries(const halo_field *field, int64_t gid, size_t row_bytes, halo_boundary *boundaries, int64_t capacity, int64_t *n);

/** Which owned points of a part are its alone to count, as in a norm or a sum over all points: 1 where this part is the point's owner, 0 where another
 *  is (of points that several parts have, that of highest priority, then lowest gid, as HALO_SHARED_OWNER has it; of forests see halo_levels.h; in
 *  periodic directions one and the same point may lie in a part twice: its lowest index counts). Each point of the grid has one owner. x runs fastest,
 *  then y, then z, then the place, whatever
 *  the layout. On topologies of points: of all local points, 0 for ghosts, for what nobody owns, and for HALO_KEY_IGNORE. Pass capacity 0 to learn `n`.
 *  Local; O(points of the part), of topologies of points O(points of the rank). HALO_ERR_ARGUMENT: joined regions, of which only cells have owners;
 *  forests whose points have none (halo_levels.h). */
HALO_API halo_status halo_field_owner_mask(const halo_field *field, int64_t gid, uint8_t *mask, int64_t capacity, int64_t *n);

/** Split a part's owned cells into the interior, which needs no ghosts within `reach` cells (>= 0), and up to 6 disjoint boxes of rim. */
HALO_API halo_status halo_field_interior_rim(const halo_field *field, int64_t gid, int32_t reach, halo_box *interior, halo_box rim[6], int32_t *n_rim);

/** @} */

/* ------------------------------------------------------------------ 6 exchange */
/** @defgroup chapter_06 6 exchange
 *  @{ */

typedef struct halo_exchange halo_exchange; /**< one run at a time over some fields; several in flight are several exchanges */

/**
 * A device's stream or queue. Work that a call puts on it is ordered with the stream's other work, and the call returns without waiting for it: values of
 * fields are read when the stream comes there, and ghosts are filled when it has come behind what finish or unpack has put on it. Another stream may be
 * given to each call of a run, and to the next start: what an exchange puts on it comes behind what it has put on others, in the run before too. What the
 * program has put on them itself, kernels that read ghosts or write what is sent next, the program orders. With fields on several devices the stream
 * is one of the device of the first field that takes part and is on one; work of the others goes to their own streams.
 */
typedef void *halo_stream;
#define HALO_STREAM_NONE NULL                    /**< no stream: all fields are on the host */
#define HALO_STREAM_DEFAULT ((halo_stream)(intptr_t)-1) /**< the device's own; without meaning where all fields are on the host */

#define HALO_STENCIL_FULL 0  /**< faces, edges and corners */
#define HALO_STENCIL_FACES 1
#define HALO_STENCIL_EDGES 2 /**< faces and edges */

/** What an exchange does. */
#define HALO_KIND_GHOSTS 0        /**< owned values into ghosts */
#define HALO_KIND_REVERSE 1       /**< ghosts, and shared points of others than the owner, are combined into the owner's value: own value first,
                                       then by contributing gid */
#define HALO_KIND_SHARED_REDUCE 2 /**< every copy of a point ends with the same bits, those that HALO_KIND_REVERSE and then
                                       HALO_KIND_GHOSTS would give, in one round */
#define HALO_KIND_FETCH 3         /**< as HALO_KIND_REVERSE, and each ghost gets the owner's value as it was before its own contribution: two rounds.
                                       Topologies of points. */

/** Points that several parts own (faces, edges, nodes on borders; overlapping boxes): one of the parts is the point's owner, the one of highest
 *  priority, then lowest gid; of blocks of a forest the finest, then the first on the curve (halo_levels.h). */
#define HALO_SHARED_KEEP 0  /**< shared points are left alone: ghosts only */
#define HALO_SHARED_OWNER 1 /**< ghosts, and the shared points of all but their owner */
#define HALO_SHARED_ONLY 2  /**< shared points alone, no ghosts */

/** Whom a part hears. Sweeps send fewer messages where each rank has one part: 6 in three dimensions instead of 26; but one sweep waits for the
 *  other. They want parts in rows and columns (blocks, boxes that the library has cut, lists of boxes that fill the domain as a grid does), dense fields,
 *  HALO_STENCIL_FULL, HALO_KIND_GHOSTS, and source_stable: later sweeps read owned points after start has returned. Faces, edges and nodes pass on
 *  what several parts own: with HALO_SHARED_OWNER alone, and where across each border of the grid the same side is the owner all along (blocks,
 *  cut boxes, boxes listed in rows). The result is the same. HALO_ERR_ARGUMENT otherwise: the text names boxes that form no grid, or no such borders. */
#define HALO_PATTERN_DIRECT 0 /**< all neighbours at once */
#define HALO_PATTERN_SWEEPS 1 /**< along x, then y, then z; edges and corners ride along */

/** In which order contributions to a point are combined (HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE). */
#define HALO_COMBINE_BY_GID 0    /**< own value first, then by contributing gid: independent of ranks and placement, not of how the domain is cut */
#define HALO_COMBINE_CANONICAL 1 /**< sorted by value: the result depends on the values contributed alone. Those that are the identity of `op`
                                      (+0, 1) do not count, so copies without a contribution should hold it. Not HALO_USER, HALO_KIND_FETCH */
#define HALO_COMBINE_BY_RANK 2   /**< the copies on each rank first, in the order of its list, then these, the owner's first, then by rank: a rank sends a
                                      point once to each other, however often they have it. The result depends on which copies lie on which rank.
                                      HALO_KIND_SHARED_REDUCE of points, one part for each rank; not HALO_USER, not on devices */

#define HALO_MESSAGES_AUTO 0        /**< as configured */
#define HALO_MESSAGES_AGGREGATE 1   /**< one message per peer */
#define HALO_MESSAGES_PER_CHANNEL 2 /**< one message per channel */

#define HALO_RECEIVE_AUTO 0
#define HALO_RECEIVE_POSTED 1 /**< receives posted when a run starts */
#define HALO_RECEIVE_PROBED 2 /**< buffers taken when a message has been seen: least memory */

#define HALO_EDGES_ALL 0
#define HALO_EDGES_LOCAL 1  /**< only between parts of the same rank; on all ranks or none: peers of a rank that asks for it alone wait for that rank */
#define HALO_EDGES_REMOTE 2 /**< only between ranks */

#define HALO_TIMEOUT_CONFIGURED (-1.0)

/** A part to which data came while it has no storage. Frozen. */
typedef struct halo_arrival {
    halo_field *field; /**< the caller's: one of the exchange's, or its controller */
    int64_t gid;
} halo_arrival;

/** Sparse: called for each arrival, in the caller's thread inside start, test, unpack or finish. Bind storage (halo_field_bind or
 *  halo_field_allocate) and return HALO_SUCCESS, or return HALO_DECLINED to drop the data. Else it may call functions whose handle is const. */
typedef halo_status (*halo_arrival_fn)(void *user, const halo_arrival *arrival);

/** HALO_USER: combine `n` contributions into `n` values in place: values[i] = values[i] op contributions[i]. Both are arrays without gaps, `type`
 *  is the field's. Called in the caller's thread inside unpack or finish, in a fixed order, each time with as many points as lie side by side or are in
 *  one list: then they are brought together in memory of the library's. HALO_KIND_FETCH: of those in no list, at most 512. No point comes twice in a call.
 *  Of this context it may call functions whose handle is const. A status other than HALO_SUCCESS ends the run with it (below 10: with HALO_ERR_ARGUMENT), the text
 *  names field and part: what calls before have combined stays, points of the call that failed are undefined, others are as they were; the next start is a new run. */
typedef halo_status (*halo_combine_fn)(void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes);

typedef struct halo_exchange_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t stencil;        /**< HALO_STENCIL_... */
    int32_t messages;       /**< HALO_MESSAGES_... */
    int32_t receive;        /**< HALO_RECEIVE_... */
    int32_t edges;          /**< HALO_EDGES_... */
    int32_t source_stable;  /**< 1: what is sent stays unchanged until finish or unpack has returned; until then peers of the host may read it in place */
    double timeout_seconds; /**< of one blocking call; 0: none; HALO_TIMEOUT_CONFIGURED: the setting */
    halo_arrival_fn arrival; /**< NULL: arrivals are listed by halo_exchange_arrivals */
    void *arrival_user;      /**< given to `arrival`; as long as the exchange */
    int32_t kind;            /**< HALO_KIND_... */
    halo_op op;              /**< HALO_KIND_REVERSE, _SHARED_REDUCE, _FETCH: how values are combined, unless halo_run.op says; HALO_USER: by `combine` */
    int32_t shared;          /**< HALO_SHARED_... */
    int32_t pattern;         /**< HALO_PATTERN_... */
    halo_combine_fn combine; /**< of HALO_USER, in `op` or in halo_run.op; NULL: none */
    void *combine_user;       /**< given to `combine`; as long as the exchange */
    const uint32_t *sections; /**< points: per field, bits of the groups of ghosts that take part (halo_access.h); NULL, or 0: all. Copied. */
    int32_t combine_order;   /**< HALO_COMBINE_... */
    int32_t reserved;
} halo_exchange_desc;
#define HALO_EXCHANGE_DESC_INIT \
    { sizeof(halo_exchange_desc), 1, HALO_STENCIL_FULL, HALO_MESSAGES_AUTO, HALO_RECEIVE_AUTO, HALO_EDGES_ALL, 0, HALO_TIMEOUT_CONFIGURED, NULL, NULL, \
      HALO_KIND_GHOSTS, HALO_SUM, HALO_SHARED_KEEP, HALO_PATTERN_DIRECT, NULL, NULL, NULL, HALO_COMBINE_BY_GID, 0 }

/**
 * An exchange over `fields` (at most 65536; the list is copied), of one topology or of several. `desc` may be NULL. Collective; communicates nothing: the first start swaps a
 * digest with each peer. O(channels log channels) once per shape, then shared; combining kinds, and fields with mapped points, O(points that are
 * copies of others).
 *
 * Combining kinds (HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE): when start returns, all contributions have been read, ghosts may be
 * overwritten (zeroed for the next sum); points that receive are combined in finish. The order of contributions is fixed: results do
 * not depend on ranks, timing, message policy or transport. HALO_ERR_ARGUMENT: a sparse field, or a type that `op` cannot combine.
 * HALO_ERR_LIMIT: more than 2^60 bytes would go from a rank to another, or of one field from or to a rank or between its own parts.
 */
HALO_API halo_status halo_exchange_create(halo_field *const *fields, int32_t n_fields, const halo_exchange_desc *desc, halo_exchange **exchange);

/** The description as it was given, from which halo_exchange_create makes an equal exchange of fields of the same kind: `sections` is the library's list,
 *  which lives as long as the exchange. Of transfers and exchanges between levels, which have descriptions of their own: `messages`, `receive` and
 *  `timeout_seconds`; the rest is as in HALO_EXCHANGE_DESC_INIT. Local. */
HALO_API halo_status halo_exchange_get_desc(const halo_exchange *exchange, halo_exchange_desc *desc);

#define HALO_TRANSFER_COPY 0 /**< each point of the destination gets the value of its owner in the source: highest priority, then lowest gid; cells that a
                                  part owns come before ghosts of others */
#define HALO_TRANSFER_ADD 1  /**< everything that the source has at a point is added to the destination, in order of source gids */

typedef struct halo_transfer_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t op;                 /**< HALO_TRANSFER_... */
    int32_t source_ghosts[6];   /**< layers of the source's ghosts that are read: low x, y, z, high x, y, z; at most the field's */
    int32_t destination_ghosts[6]; /**< layers of the destination's ghosts that are filled */
    int32_t messages;           /**< HALO_MESSAGES_... */
    int32_t receive;            /**< HALO_RECEIVE_... */
    double timeout_seconds;     /**< as in halo_exchange_desc */
} halo_transfer_desc;
#define HALO_TRANSFER_DESC_INIT \
    { sizeof(halo_transfer_desc), 1, HALO_TRANSFER_COPY, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, HALO_MESSAGES_AUTO, HALO_RECEIVE_AUTO, \
      HALO_TIMEOUT_CONFIGURED }

/**
 * An exchange that moves values from fields of one topology of boxes into fields of another: wherever a part of the destination has a point of a part
 * of the source (periodic images included; both have the same periods). Topologies made from blocks or boxes; two forests: see halo_levels.h. `desc` may
 * be NULL; it and both lists are copied. Runs as any exchange; where halo_run speaks of its fields, the n_fields sources come first, then the destinations, and a mask
 * names both of a pair or none. Collective; communicates nothing. Where boxes are `distributed`, halo_exchange_prepare or else the first start does, among all ranks, and blocks.
 * HALO_ERR_ARGUMENT: the two of a pair differ in type, components or centring, or one is sparse.
 */
HALO_API halo_status halo_exchange_create_transfer(halo_field *const *sources, halo_field *const *destinations, int32_t n_fields, const halo_transfer_desc *desc,
                                                   halo_exchange **exchange);

/** As it was given. Local. HALO_ERR_NOT_FOUND: halo_exchange_create_transfer has not made the exchange. */
HALO_API halo_status halo_exchange_get_transfer_desc(const halo_exchange *exchange, halo_transfer_desc *desc);

/**
 * Optional: does ahead of the first run what it would do besides: looks up the boxes of a transfer over `distributed` ones, compiles the tables of a run
 * that is not narrowed, allocates the buffers of messages to and from each peer (of those of each channel, with a message per channel, the first run does) and of
 * values to be combined. Collective; may communicate among all ranks, and blocks. Layouts that are bound later cost the first run its tables again.
 * With the setting `messages` = neighbourhood, ahead of the first run: communicates among all ranks, and all messages of every run go in one neighbourhood
 * collective of MPI, or halo_exchange_describe tells why they do not. HALO_ERR_STATE while a run is in flight.
 */
HALO_API halo_status halo_exchange_prepare(halo_exchange *exchange);

/** HALO_BUSY while a run is in flight: finish or abandon it first. Collective, as is creation: both come in the same order on all ranks, which so know
 *  without a message whose tags are free. Does not communicate. HALO_ERR_DEVICE: destroyed, but a device has failed in what its last run had put there. */
HALO_API halo_status halo_exchange_destroy(halo_exchange **exchange);

/** Narrows one run. Every rank must narrow alike; a difference is an error that names both. Lists are copied by start and post. Each has its length
 *  beside it: another one than the exchange's, and a list with length 0 where the exchange has fields, is HALO_ERR_ARGUMENT, with both numbers. */
typedef struct halo_run {
    size_t struct_size;
    int32_t struct_version;
    int32_t first_component;   /**< of every field that takes part */
    int32_t n_components;      /**< 0: all from first_component */
    int32_t depth;             /**< ghost layers to fill, at most; 0: all */
    halo_op op;                /**< where values are combined (of transfers, HALO_TRANSFER_ADD): how, in this run, as in halo_exchange_desc; 0: as the
                                    exchange says. HALO_USER if the exchange has `combine`. HALO_ERR_ARGUMENT: it moves values, or a field's type cannot */
    int32_t n_fields;          /**< of the exchange (of a transfer: sources and destinations); without `field_mask`, `sets` and `devices` 0 will do */
    const int32_t *field_mask; /**< n_fields entries, 0 leaves a field out; NULL: all. All 0: a run without values, as any on all ranks alike. Copied. */
    const int32_t *sets;       /**< n_fields entries: binding set per field; NULL: set 0. Copied. */
    const int32_t *devices;    /**< n_fields entries: the device whose memory `data` of the field is in, or HALO_DEVICE_HOST. NULL: where the field is
                                    bound in the run's set, on the host if nowhere. Without `data` it is not read. Copied. */
    void *const *data;         /**< storage of this run in place of what is bound, of which there need be none: a pointer for each local part of the
                                    first field, in the order of halo_topology_local_parts, then of the next (those that the mask leaves out, too;
                                    theirs are not read). Each has the part's layout. The list is copied, the memory must stay until the run has
                                    ended. NULL: as bound. For solvers with many vectors on one layout. */
    int64_t n_data;            /**< of `data`: the local parts of all fields, one after the other; without it 0 */
    int32_t has_ghosts;        /**< 1: the run is one of fields with fewer ghosts: */
    int32_t ghost_low[3];      /**< layers below a part, at most, per direction: 0 or more. Topologies of points have none. With `depth`, the lesser counts */
    int32_t ghost_high[3];     /**< and above. More than there are, as along directions that a topology lacks, is all of them */
    int32_t reserved;
} halo_run;
#define HALO_RUN_INIT { sizeof(halo_run), 1, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, { 0, 0, 0 }, { 0, 0, 0 }, 0 }
#define HALO_DEVICE_HOST (-1) /**< no device: the host's memory */

/**
 * Start a run: pack and send everything, do all same-rank copies. `run` may be NULL.
 * When it returns, owned data may be overwritten (on a device: by work behind it in `stream`); ghosts are undefined until finish. What a device
 * packs leaves once it has, in whatever call of this rank on the context or an object of it comes then (but for those with a const handle).
 * Collective over the ranks that share borders. Blocks only while a peer is two runs behind; HALO_TIMEOUT then leaves the run posted: go on with
 * halo_exchange_send, or abandon. Local errors, a `run` that cannot be read among them, are told to the peers, so that they fail too instead of
 * waiting; the next start is a new run. A first run of a shape, or by an operation, allocates; later ones do not. One that has boxes to look up
 * (halo_exchange_create_transfer) posts nothing before: after HALO_TIMEOUT, start again. HALO_BUSY: a peer may still be at storage of this rank in a
 * run that has ended here (halo_exchange_abandon): nothing has begun, and no peer is told: start again.
 * HALO_ERR_ARGUMENT: a field is on a device, and HALO_STREAM_NONE is given. HALO_ERR_DEVICE: the exchange is one that the host alone makes (docs/devices.md);
 * or a device has failed in what the run before had put there, after its finish had returned: its ghosts are not there, and the next start is a new run.
 */
HALO_API halo_status halo_exchange_start(halo_exchange *exchange, const halo_run *run, halo_stream stream);

/** Wait for the peers' data and write them into the ghosts (on a device: put that on `stream`, and do not wait for it). On return this rank's own data
 *  need no call of it to get to their peers, so that it may wait elsewhere: over some transports it waits in here until they have started the run
 *  (docs/threads.md). HALO_TIMEOUT leaves the run in flight: call again, or abandon. HALO_ERR_DEVICE: the run has ended; a device has failed in it, as
 *  far as it knows by now: else the next call says so. */
HALO_API halo_status halo_exchange_finish(halo_exchange *exchange, halo_stream stream);

/** The same in phases, for task lists: post (receives; HALO_BUSY as start), send (pack, send, local copies; HALO_BUSY while start would block),
 *  test (all here, and gone from here?), unpack (into the ghosts), refine (prolongation: nothing to do on one level; of fields on a device, put on
 *  `stream`). start = post + send; finish = test until all is here + unpack + refine. None of them blocks, but that unpack waits for a peer which at
 *  that moment reads this rank's source_stable data, or packs its own. */
HALO_API halo_status halo_exchange_post(halo_exchange *exchange, const halo_run *run);
HALO_API halo_status halo_exchange_send(halo_exchange *exchange, halo_stream stream);
HALO_API halo_status halo_exchange_test(halo_exchange *exchange, int32_t *done);
HALO_API halo_status halo_exchange_unpack(halo_exchange *exchange, halo_stream stream);
HALO_API halo_status halo_exchange_refine(halo_exchange *exchange, halo_stream stream);

/** Give up a run in flight: its receives are cancelled, late messages are dropped, what a device has not packed by now does not leave. Afterwards the
 *  exchange can only be destroyed. Local. A peer that was using this rank's storage at that moment and has been stopped may go on with it later:
 *  until it has ended, or is gone, halo_field_bind, start and halo_memory_release of that storage are HALO_BUSY, with a text that names the rank and
 *  the exchange. */
HALO_API halo_status halo_exchange_abandon(halo_exchange *exchange);

/** Counters since creation. Filled up to the caller's struct_size. */
typedef struct halo_exchange_stats {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_peers;           /**< peers that this exchange sends to or receives from */
    int64_t runs;
    int64_t messages_sent;     /**< through the transport or through shared memory */
    int64_t messages_received;
    int64_t bytes_sent;        /**< as given to the transport, headers included */
    int64_t payload_bytes;     /**< payload alone, by either way */
    int64_t local_bytes;       /**< copied between parts of this rank */
    int64_t channels_local;    /**< channels of the compiled plan */
    int64_t channels_send;
    int64_t channels_receive;
    int64_t sparse_sent;       /**< sparse channel states sent, */
    int64_t sparse_null;       /**< of which null */
    int64_t tables_compiled;   /**< plan variants compiled for this exchange: swapping storage adds none */
    int64_t rows_compiled;     /**< table rows in them */
    int64_t dropped;           /**< late messages of abandoned runs, dropped */
    double wait_seconds;       /**< in finish, for peers; where the same is run again and again in below 10 us, one run in eight stands for all */
    double total_seconds;      /**< in start and finish together, likewise */
    int64_t messages_landed;   /**< of messages_sent, those without a payload: this rank wrote into the peer's ghosts itself, or (reverse) the peer
                                   read this rank's (HALO_MEMORY_SHARED) */
    int64_t device_launches;   /**< put on devices */
    int64_t runs_departed_later; /**< whose messages a device had not packed when start, or send, returned: they left in a later call */
} halo_exchange_stats;
#define HALO_EXCHANGE_STATS_INIT { sizeof(halo_exchange_stats), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0 }

HALO_API halo_status halo_exchange_get_stats(const halo_exchange *exchange, halo_exchange_stats *stats);

/** What a run that is not narrowed moves to and from another rank. Filled up to `row_bytes`, at most 4096. */
typedef struct halo_peer_row {
    int32_t rank;
    int32_t reserved;
    int64_t channels_sent;
    int64_t channels_received;
    int64_t bytes_sent;     /**< of values: without headers, and what aligns fields of different types. Sparse fields: at most */
    int64_t bytes_received;
} halo_peer_row;

/** Peers by rank, this rank itself not among them: what it copies within itself is in halo_exchange_stats. Exchanges of several rounds
 *  (HALO_PATTERN_SWEEPS, HALO_KIND_FETCH): the sum of their rounds. Pass capacity 0 to learn `n`. Local; O(peers).
 *  Known once the exchange is made; HALO_ERR_STATE: a transfer over `distributed` boxes is neither prepared nor has it run. */
HALO_API halo_status halo_exchange_peers(const halo_exchange *exchange, size_t row_bytes, halo_peer_row *rows, int64_t capacity, int64_t *n);

/**
 * Says in words what the exchange does: a line for each peer and direction with its channels and bytes, how many runs went by which path (message, slot,
 * put, get: setting `path`), and why. At most `capacity` bytes with the final zero; `needed_bytes` (may be NULL) is the full size. Not collective.
 */
HALO_API halo_status halo_exchange_describe(const halo_exchange *exchange, char *text, size_t capacity, size_t *needed_bytes);

/** @} */

/* ------------------------------------------------------------------ 7 sparse fields */
/** @defgroup chapter_07 7 sparse fields
 *
 * Release by age (halo_field_desc.release_after). A start, or post, of HALO_KIND_GHOSTS looks at each part with storage of the fields that take part in
 * the run: at all sets, at owned values (topologies of points: at all). If they are small, and so they were in each of the last `release_after` such
 * runs, and nothing but null came to the part in these, its storage is given back, in all sets, before anything is packed: as by halo_field_bind with
 * data = NULL. So data pointers are to be asked for after start. A part that is given storage begins anew; blocks keep their age in another list. Runs
 * that start while another one over the field is in flight do not look. What has been looked at is what is dropped, so with release_below = 0 only
 * zeros are. Costs a look at the values up to the first that is not small. Not on devices: halo_field_bind to one is HALO_ERR_ARGUMENT.
 *
 * Controllers (halo_field_desc.controller). Where a field is given storage, by halo_field_allocate or halo_field_bind, those that it controls are given
 * some too, filled with their `fill`, as is one that is created later; when none of its sets has any, theirs goes back. Their own halo_field_bind,
 * halo_field_bind_many and halo_field_allocate are HALO_ERR_STATE. An arrival of a controlled field's is told as one of the controller's, once for all of
 * them, and data that come to a controlled part count for the controller's release_after, in runs without the controller too; its values do not.
 *  @{ */

/**
 * Parts of sparse fields to which data came while they have no storage, each once. To be called when test says done, before unpack or
 * finish completes: bind storage to those that you take; the library fills it with the field's `fill` before unpacking; data of parts
 * left unbound are dropped. Pass capacity 0 to learn `n`.
 */
HALO_API halo_status halo_exchange_arrivals(halo_exchange *exchange, halo_arrival *arrivals, int64_t capacity, int64_t *n);

/** @} */

/* ------------------------------------------------------------------ 8 looking inside */
/** @defgroup chapter_08 8 looking inside
 *  @{ */

/** Pool figures of one memory kind, of all devices, in bytes. Filled up to the caller's struct_size. */
typedef struct halo_pool_stats {
    size_t struct_size;
    int32_t struct_version;
    int32_t memory;
    int64_t in_use_bytes;
    int64_t held_bytes;       /**< in use and kept for reuse */
    int64_t peak_bytes;       /**< high water of held_bytes; with several devices the sum of theirs */
    int64_t allocations;      /**< times the pool asked for memory */
} halo_pool_stats;
#define HALO_POOL_STATS_INIT { sizeof(halo_pool_stats), 1, HALO_MEMORY_HOST, 0, 0, 0, 0 }

/** HALO_MEMORY_HOST counts HALO_MEMORY_SHARED in. */
HALO_API halo_status halo_context_pool_stats(const halo_context *context, int32_t memory, halo_pool_stats *stats);

/** `bytes` of zeroed memory, aligned to 64, from the context's pools, e.g. to bind fields to. HALO_MEMORY_SHARED: HALO_MEMORY_HOST where
 *  there is none (one rank; setting shared_memory). That of devices is of this rank's own (setting device.ordinal, which says its number). It lives until it is
 *  released or the context destroyed. Local. HALO_ERR_NOT_FOUND: the context has no memory of this kind. */
HALO_API halo_status halo_memory_allocate(halo_context *context, int32_t memory, int64_t bytes, void **pointer);

/** The same of the memory of a device, HALO_MEMORY_DEVICE or HALO_MEMORY_PINNED. HALO_ERR_NOT_FOUND: the context has no such memory. A
 *  device that cannot be opened fails as its module says. */
HALO_API halo_status halo_memory_allocate_on(halo_context *context, int32_t memory, int32_t device, int64_t bytes, void **pointer);

/** Sets *pointer to NULL. HALO_ERR_NOT_FOUND: it is none that halo_memory_allocate gave. Fields bound to it must be unbound before, and work of devices on it be done. Local.
 *  HALO_BUSY: a peer may still use it (halo_exchange_abandon). */
HALO_API halo_status halo_memory_release(halo_context *context, void **pointer);

/** Give unused pool memory back, but for a device's that other ranks may have open: the context keeps that for itself. Local. */
HALO_API halo_status halo_context_trim(halo_context *context);

#define HALO_INFO_VERSION 1  /**< version and build */
#define HALO_INFO_MODULES 2  /**< transports and devices found, and why others were not */
#define HALO_INFO_SETTINGS 3 /**< every setting with value, unit, source and meaning */
#define HALO_INFO_MANUAL 4   /**< the settings as a Markdown table */

/** Write a text about the library (context NULL) or a context. At most `capacity` bytes with the final zero; `needed_bytes` (may be NULL) is the full size. */
HALO_API halo_status halo_info(const halo_context *context, int32_t what, char *text, size_t capacity, size_t *needed_bytes);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_H */
