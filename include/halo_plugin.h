/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_plugin.h
 * What a transport, a device or a bootstrap must offer to libhalo. A backend is written from this header alone.
 *
 * A module is a shared object named `libhalo_transport_<name>.so`, `libhalo_device_<name>.so` or `libhalo_bootstrap_<name>.so` that exports one data symbol,
 * `halo_transport_plugin_v1`, `halo_device_plugin_v1` or `halo_bootstrap_plugin_v1`. It links no part of libhalo: what it needs comes by `halo_host`.
 *
 * Rules for every function here
 * - Returns a halo_status. Nothing throws, aborts or blocks, except where it says "may block".
 * - On an error it puts one line of text into `halo_host.report`, then returns the status.
 * - The core calls one instance from one thread at a time; different instances may be called at once.
 * - Tables only grow at their end; the core accepts any struct_size from that of minor version 0 on, of its own major version.
 *
 * Reserved are: header and payload of a message as two pieces; memory that a transport exports, imports or registers; put and get; a descriptor to sleep
 * on; send and receive on a stream, with an event; terms of rows as kernels known by number. Each comes as entries at the end of a table, behind a new
 * minor version, together with what calls them. A table never carries an entry that nobody calls, so a module prepares for none of this, and one without
 * goes on as it does now.
 */
#ifndef HALO_PLUGIN_H
#define HALO_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_PLUGIN_ABI_MAJOR 1
#define HALO_PLUGIN_ABI_MINOR 12

/** Services of the core. Lives longer than every instance that is in use: a device whose memory a transport has not let go of is left open, and nothing
 *  of it is called any more. */
typedef struct halo_host {
    size_t struct_size;
    void *core;                                                 /**< given to the functions, and there as long as they are */
    void (*report)(void *core, const char *text);               /**< text of the error that is about to be returned */
    void (*log)(void *core, int32_t level, const char *text);   /**< as halo_log_fn */
    const char *(*setting)(void *core, const char *key);        /**< value of a setting, of booleans "yes", "no" or "full"; NULL: no such key */
} halo_host;

/* ------------------------------------------------------------------ transport */
/** @defgroup module_01 Plugins, transport
 *  @{ */

typedef struct halo_transport halo_transport; /**< the module's own type: one endpoint among `size` ranks */

/** Storage of one operation in flight. The core owns it, gives it zeroed, does not move it while the operation is in flight. */
typedef struct halo_request {
    uint64_t word[8];
} halo_request;

/** Storage of one matched message between probe and receive_matched. */
typedef struct halo_matched {
    uint64_t word[4];
} halo_matched;

typedef struct halo_neighbourhood halo_neighbourhood; /**< the module's own type: which ranks have messages for each other, and how long they are */

/** What goes to a rank, or comes from it, in each operation of a neighbourhood. */
typedef struct halo_neighbour_message {
    int32_t peer;
    int32_t reserved;
    size_t bytes;
} halo_neighbour_message;

/** How to open an instance. Read while `open` runs. */
typedef struct halo_transport_params {
    size_t struct_size;
    const void *communicator; /**< the caller's communicator handle, or NULL */
    size_t handle_bytes;
    void *group;              /**< inproc: the group, which outlives the instance; else NULL */
    int32_t rank;             /**< inproc: the rank; else -1 */
    uint32_t flags;           /**< HALO_OPEN_... bits; those that a module does not know it may leave aside */
    /** From minor version 5 on: by which the ranks may exchange addresses, for as long as `open` runs. Its ranks are those of the transport. NULL: none. */
    const halo_bootstrap *bootstrap;
} halo_transport_params;
#define HALO_OPEN_FOR_READERS 1u /**< reach those ranks alone which take what is sent to them without further calls of its sender, who may wait elsewhere */

/**
 * Messages are bytes, of any size. Those of one (source, destination, lane, tag) arrive in the order sent; others in any order.
 * `tag` is 0 .. max_tag. A lane is a separate tag space; lane 0 exists from the start.
 * A receive that is too small for its message ends in HALO_ERR_WIRE, the message is lost, `bytes` (where known) its size.
 */
typedef struct halo_transport_ops {
    size_t struct_size;

    /** Collective, may block. */
    halo_status (*open)(const halo_host *host, const halo_transport_params *params, halo_transport **transport);
    /** Local or collective as the transport needs; must not wait for ranks that are gone. Operations in flight are given up. */
    void (*close)(halo_transport *transport);
    void (*identify)(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag);
    /** Collective: make lanes up to `n_lanes` usable. HALO_BUSY: other ranks are waited for; the core calls again with the same number, or gives up. */
    halo_status (*open_lanes)(halo_transport *transport, int32_t n_lanes);

    /** `data` must stay as it is until test says done. `peer` is never this rank. */
    halo_status (*send)(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request);
    halo_status (*receive)(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request);
    /** `done` 1: the request's storage is free again; `bytes` is what came (sends: unspecified). Progresses. May be called again only if 0. */
    halo_status (*test)(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes);
    /** Give up a receive; its storage is free on return. `done` 1: it had completed before. A message that a probe has found is not given up: it is waited for,
     *  and HALO_ERR_TRANSPORT after a while; then its buffer is not free, and the core leaves that alone. */
    halo_status (*cancel)(halo_transport *transport, halo_request *request, int32_t *done);

    /** Matched probe: `found` 1 takes the message out of the queue; it must then be received. Progresses. `peer` -1: from any rank. */
    halo_status (*probe)(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message);
    halo_status (*receive_matched)(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request);

    halo_status (*progress)(halo_transport *transport);

    /** From minor version 1 on; may be NULL: HALO_THREADS_ANY. Which threads may use an open instance? */
    int32_t (*threads)(const halo_transport *transport);
    /** From minor version 2 on; may be NULL: 0. 1: the memory of operations in flight is free after close. 0: it may be used until the process ends, so
     *  the core keeps it. */
    int32_t (*ends_all_when_closed)(const halo_transport *transport);
    /** From minor version 3 on; may be NULL: 1. Can messages go to this rank, and from it? Both ends must say the same. 0 where another transport of the
     *  context has to (setting transport.besides). */
    int32_t (*reaches)(const halo_transport *transport, int32_t peer);

    /** From minor version 10 on; may be NULL: nothing. What it does beyond the plain, in words: "persistent requests: 12 kept, 480 starts". `text` comes empty. */
    void (*describe)(const halo_transport *transport, char *text, size_t text_bytes);

    /** From minor version 10 on; NULL, as the next two then are: it has none. A neighbourhood: messages to and from some ranks, of sizes that are always the
     *  same, in one operation. Collective over all ranks, in the same order, and may block until all are in it: the core lets none in before all are about to be.
     *  The two ends of a message give the same size, and a rank is named once in each list. */
    halo_status (*neighbourhood_create)(halo_transport *transport, const halo_neighbour_message *sends, int32_t n_sends, const halo_neighbour_message *receives,
                                        int32_t n_receives, halo_neighbourhood **neighbourhood);
    /** Local; nothing is in flight. What is not destroyed ends with close. */
    void (*neighbourhood_destroy)(halo_transport *transport, halo_neighbourhood *neighbourhood);
    /** Send each message and receive each; `test` tells when all of this rank's have left and come. The operations of a neighbourhood belong together in the
     *  order in which each rank starts them; several may be in flight. The two lists are read before return; what they lead to must stay until then as it is.
     *  Never given up. */
    halo_status (*neighbourhood_start)(halo_transport *transport, halo_neighbourhood *neighbourhood, const void *const *sent, void *const *received,
                                       halo_request *request);

    /** From minor version 11 on; may be NULL: 0. 1: a message between this rank and `peer`, either way, may need calls of its sender on this transport until its
     *  send is complete, and nothing else of that process makes it go on. Then no run is finished before. Both ends must say the same. */
    int32_t (*sends_by_calls)(const halo_transport *transport, int32_t peer);

    /** From minor version 12 on; may be NULL: 0. 1: messages with this rank may be sent from, and received in, memory that the device module of this name has
     *  allocated as HALO_MEMORY_DEVICE. The two ends need not say the same. `why`, in words, comes empty, and may be left so. */
    int32_t (*takes_device_memory)(const halo_transport *transport, int32_t peer, const char *device, char *why, size_t why_bytes);
} halo_transport_ops;
#define HALO_THREADS_ANY 0    /**< any, one at a time */
#define HALO_THREADS_OPENER 1 /**< the one that opened it; the core refuses others */

/** What a module exports. It stays as it is, with its texts and tables, as long as the module is loaded: the core unloads none that it accepts. */
typedef struct halo_transport_plugin {
    uint32_t abi_major;
    uint32_t abi_minor;
    size_t struct_size;
    const char *name;    /**< as in the file name */
    const char *version;
    /** Can it be used in this process, now? Returns a score (the highest usable wins; 0: not usable) and says why in `why`. */
    int32_t (*query)(const halo_host *host, char *why, size_t why_bytes);
    const halo_transport_ops *ops;
    uint32_t capabilities; /**< from minor version 5 on: HALO_TRANSPORT_... bits */
    uint32_t reserved;
} halo_transport_plugin;
#define HALO_TRANSPORT_OVER_BOOTSTRAP 1u /**< it needs nothing but halo_transport_params.bootstrap to open */

/** @} */

/* ------------------------------------------------------------------ device */
/** @defgroup module_02 Plugins, device
 *  @{ */

/**
 * Tables of copy work. All packing, unpacking, direct copies and accumulation are rows of such tables.
 *
 * A row copies up to three pieces side by side: for every outer index (y, z, component) each piece moves one run along x. Fusing the
 * left, middle and right piece of a ghost row writes memory in one pass. Row and shape are fixed-width, so a device may copy
 * them as they are. `base` numbers index the array of base pointers given with each run: parts of fields and messages alike.
 */
#define HALO_COPY_LAYOUT 1
#define HALO_COPY_PIECES 3

typedef struct halo_copy_shape {
    uint32_t n_pieces;                             /**< 1..3 */
    uint32_t element_bytes;
    uint32_t n[3];                                 /**< outer extents: y, z, component */
    uint32_t run[HALO_COPY_PIECES];                /**< elements along x */
    int64_t dst_stride[3];                         /**< bytes, for y, z, component */
    int64_t dst_step;                              /**< bytes between elements along x; element_bytes when contiguous */
    int64_t dst_shift[HALO_COPY_PIECES];           /**< bytes from the row's dst_offset to the piece */
    int64_t src_stride[HALO_COPY_PIECES][3];
    int64_t src_step[HALO_COPY_PIECES];
    uint32_t lists;                                /**< HALO_LIST_... bits */
    halo_type negate;                              /**< moves change the sign of values of this type, which has one; 0: values move as they are */
} halo_copy_shape;
#define HALO_LIST_SOURCE 1u      /**< point i along x is `indices[src_offset[1] + i]` steps from the row's source. One piece. */
#define HALO_LIST_DESTINATION 2u /**< point i along x is `indices[src_offset[2] + i]` steps from the row's destination. One piece. */

typedef struct halo_copy_row {
    uint32_t shape;
    uint32_t dst_base;
    uint32_t src_base[HALO_COPY_PIECES];
    uint32_t flag;                                 /**< number among the flags of a halo_copy_range; else without meaning */
    int64_t dst_offset;                            /**< bytes */
    int64_t src_offset[HALO_COPY_PIECES];
} halo_copy_row;

/** What a table is made from. All is read before table_create returns. */
typedef struct halo_copy_program {
    size_t struct_size;
    const halo_copy_shape *shapes;
    int64_t n_shapes;
    const halo_copy_row *rows;
    int64_t n_rows;
    const uint32_t *indices; /**< of all listed rows */
    int64_t n_indices;
} halo_copy_program;

/** What a row does with each value. */
#define HALO_COPY_MOVE 0 /**< else HALO_SUM, HALO_MIN, HALO_MAX, HALO_PROD, HALO_LAND ... HALO_BXOR: destination = destination op source.
                                A device may refuse what it has no kernel for. */

/** Null test of sparse fields: a row is null iff every value v has |v| < threshold (complex: both parts; threshold 0: v == 0;
 *  NaN is never null). HALO_BYTES: iff all of them are 0. */
typedef struct halo_null_test {
    halo_type type;
    int32_t reserved;
    double threshold;
} halo_null_test;

typedef struct halo_device halo_device;             /**< the module's own type: one device */
typedef struct halo_copy_table halo_copy_table;     /**< the module's own type: a table as the device wants it */
typedef struct halo_event halo_event;               /**< the module's own type: a point in a stream */

/** Some rows of a table, one of many such ranges in one launch. Of HALO_ROWS_FLAGGED those are run whose flag is not 0 when the launch comes to them, of
 *  HALO_ROWS_UNFLAGGED those whose flag is 0. */
typedef struct halo_copy_range {
    halo_copy_table *table; /**< of table_create; used until the launch has ended */
    int64_t first;
    int64_t n;
    void *const *bases;  /**< host array, read before return */
    int64_t n_bases;
    uint8_t *flags;      /**< indexed by halo_copy_row.flag; in memory that the device reaches (pinned); used until the launch has ended.
                              NULL: HALO_ROWS_ALL, and nothing is tested */
    halo_null_test test; /**< ranges_test: of this range's rows */
    int32_t rows;        /**< ranges_run: HALO_ROWS_... */
    int32_t reserved;
} halo_copy_range;
#define HALO_ROWS_ALL 0
#define HALO_ROWS_FLAGGED 1
#define HALO_ROWS_UNFLAGGED 2

/** From minor version 8 on. Some rows of a table that combine, one of many such ranges in one launch. Shapes of rows that overwrite do not negate. */
typedef struct halo_combine_range {
    halo_copy_table *table; /**< of table_create; used until the launch has ended */
    int64_t first;
    int64_t n;
    int64_t n_moved;    /**< so many of the rows, the first ones, overwrite: destination = source */
    void *const *bases; /**< host array, read before return */
    int64_t n_bases;
    int32_t op;         /**< of the other rows: HALO_SUM, HALO_MIN ... HALO_BXOR */
    halo_type type;     /**< of what is combined, and overwritten */
} halo_combine_range;

/** From minor version 10 on. Values of one part: where point (0, 0, 0) has that of the first component, and how far others are from it, in bytes. */
typedef struct halo_level_values {
    void *first; /**< used until the launch has ended */
    int64_t stride[3];
    int64_t component_stride;
} halo_level_values;

/** From minor version 10 on. Values made of others on the next coarser or finer level. Coarse cell i covers the fine cells `ratio` * i ... `ratio` * i + `ratio` - 1
 *  of each direction, coarse face i lies on fine face `ratio` * i; so do edges and nodes, in the directions whose bit `centring` has. Each value is one
 *  expression, of its own precision in every step, rounded to nearest, not contracted, small numbers kept: so devices agree in every bit. */
typedef struct halo_level_operation {
    int32_t what;                /**< HALO_LEVEL_... */
    halo_type type;              /**< HALO_FLOAT32, HALO_FLOAT64; HALO_COMPLEX64, HALO_COMPLEX128, whose halves are values of their own */
    int32_t ratio[3];            /**< fine cells of a coarse one; 1: not refined */
    int32_t centring;            /**< of the points: HALO_CENTRE_CELL ... HALO_CENTRE_NODE, bits of directions */
    int32_t linear;              /**< PROLONGATE: 1, with slopes */
    int32_t n_components;
    double fraction;             /**< MIX: of the way from older values to newer ones */
    halo_box points;             /**< that are made, counted as their own level does; DIVIDE: coarse cells */
    halo_level_values values[3]; /**< as `what` says */
} halo_level_operation;
/** Coarse points (values[1]) become means of the fine ones (values[0]) that cover them: of `ratio` values in each refined direction without a bit, of one
 *  in the others. The sum goes along x first, then y, then z, each upwards, and is divided by the number of values. */
#define HALO_LEVEL_RESTRICT 0
/** Fine points (values[1]) are made of coarse ones (values[0]). In directions without a bit lies the coarse cell i that the point is in. With `linear`, each such
 *  direction that is refined adds to its value, x first, offset * slope: the offset is (2 * n + 1 - ratio) / (2 * ratio) of the coarse cell's n-th fine one;
 *  below = v(i) - v(i - 1) and above = v(i + 1) - v(i); the slope is 0 unless both are above 0 or both below, below if |below| < |above|, else above. In directions with a
 *  bit, where `ratio` is 1 or 2, an odd point p is (a + b) / 2 of what is made so at the coarse points (p - 1) / 2 and (p + 1) / 2: along x first, then y, z. */
#define HALO_LEVEL_PROLONGATE 1
/** Coarse cells of halves: of each, the faces of direction d (values[d]) between its halves are made of those around it. Directions are the refined ones, the
 *  first n_dims; `ratio` is 2 there. With sums over the 2^n_dims parts k of the cell, lowest first, s(k, d) = 1 for the upper half along d, else -1, and f(d, k) the
 *  part's face on the outside along d:  bend(d) = sum over k, e != d of s(k, d) * s(k, e) * f(e, k), divided by 2^n_dims;
 *  twist(d) = sum over k of s(k, 0) * s(k, 1) * s(k, 2) * f(d, k), divided by 2^(n_dims + 1), where n_dims is 3. A face becomes (its lower + its upper outer
 *  one) / 2 + bend(d), in three dimensions then + (s(k, g) * twist(e) + s(k, e) * twist(g)) with e = (d + 1) % 3, g = (d + 2) % 3. */
#define HALO_LEVEL_DIVIDE 2
/** Points (values[2]) become (1 - t) * older (values[0]) + t * newer (values[1]), t being `fraction` in the values' precision; at 0 and 1 what one of them is. */
#define HALO_LEVEL_MIX 3

/** From minor version 10 on. One launch of several that are put on a stream together. Lists are read before return. */
typedef struct halo_device_step {
    int32_t kind;                       /**< HALO_STEP_... */
    int32_t reserved;
    int64_t n;                          /**< ranges */
    const halo_copy_range *ranges;      /**< of HALO_STEP_RUN and HALO_STEP_TEST */
    const halo_combine_range *combined; /**< of HALO_STEP_COMBINE */
} halo_device_step;
#define HALO_STEP_RUN 0     /**< as ranges_run */
#define HALO_STEP_TEST 1    /**< as ranges_test */
#define HALO_STEP_COMBINE 2 /**< as ranges_combine */

typedef struct halo_graphs halo_graphs; /**< the module's own type: what it has recorded of the steps of one caller */

typedef struct halo_device_ops {
    size_t struct_size;

    halo_status (*open)(const halo_host *host, int32_t ordinal, halo_device **device);
    void (*close)(halo_device *device);

    /** Memory aligned to 64 bytes. `memory` is a HALO_MEMORY_... that the plugin's `memory_kinds` has. */
    halo_status (*allocate)(halo_device *device, int32_t memory, size_t bytes, void **pointer);
    void (*release)(halo_device *device, int32_t memory, void *pointer, size_t bytes);

    /** Ordered with the stream's other work; streams of the host run everything at once. */
    halo_status (*copy)(halo_device *device, void *dst, const void *src, size_t bytes, halo_stream stream);
    /** Write `n` copies of a value of `element_bytes` (1..16) bytes. */
    halo_status (*fill)(halo_device *device, void *dst, const void *value, size_t element_bytes, int64_t n, halo_stream stream);

    halo_status (*event_create)(halo_device *device, halo_event **event);
    void (*event_destroy)(halo_device *device, halo_event *event);
    halo_status (*event_record)(halo_device *device, halo_event *event, halo_stream stream);
    halo_status (*event_query)(halo_device *device, halo_event *event, int32_t *done);
    /** The stream's later work waits for the event; the host does not. */
    halo_status (*event_wait)(halo_device *device, halo_event *event, halo_stream stream);

    /** Everything is copied. */
    halo_status (*table_create)(halo_device *device, const halo_copy_program *program, halo_copy_table **table);
    void (*table_destroy)(halo_device *device, halo_copy_table *table);
    /** Replace rows in place, of a table that no work uses any more. */
    halo_status (*table_patch)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, const halo_copy_row *rows);
    /** Do rows [first, first + n) with `bases` (host array, read before return). Moves: rows may run in any order, no two write the
     *  same byte. Other ops: row order is kept for each destination value; `type` says what is combined. */
    halo_status (*table_run)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, int32_t op, halo_type type,
                             halo_stream stream);
    /** Test rows' sources: non_null[i] = 1 where row first + i is not null. Complete on return. */
    halo_status (*table_test)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases, const halo_null_test *test,
                              uint8_t *non_null, halo_stream stream);
    /** May be NULL: as table_run with HALO_COPY_MOVE and table_test in one pass over the data. Complete on return. */
    halo_status (*table_run_tested)(halo_device *device, halo_copy_table *table, int64_t first, int64_t n, void *const *bases, int64_t n_bases,
                                    const halo_null_test *test, uint8_t *non_null, halo_stream stream);

    /** From minor version 4 on; may be NULL where `memory_kinds` has no HALO_MEMORY_DEVICE. As table_run with HALO_COPY_MOVE for each of the ranges, which are
     *  disjoint in what they write, in one launch, after the stream's work before. The host does not wait. */
    halo_status (*ranges_run)(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream);
    /** Likewise. Tests rows' sources in one launch, and sets flags[row.flag] to 1 where a row is not null; no flag is cleared, and rows may share one.
     *  The host may read the flags when an event behind the launch has fired. */
    halo_status (*ranges_test)(halo_device *device, const halo_copy_range *ranges, int64_t n_ranges, halo_stream stream);

    /** From minor version 8 on; may be NULL: then table_run does each of the ranges. For each, as table_run with HALO_COPY_MOVE for the first rows and then with
     *  `op` for the others: the order of rows is kept for each destination value. All in one launch, whatever their types and operations, after the stream's
     *  work before. No range writes what another one reads or writes, or what it reads itself as a source. The host does not wait. */
    halo_status (*ranges_combine)(halo_device *device, const halo_combine_range *ranges, int64_t n_ranges, halo_stream stream);

    /** From minor version 9 on; may be NULL: nothing is known of any. Who reaches what a pointer leads to, of whoever has allocated it, as far as the runtime
     *  tells: `kind` is one of HALO_POINTER_..., `ordinal` that of the device whose own memory it is, -1 where that is not known. Waits for nothing. */
    halo_status (*pointer_kind)(halo_device *device, const void *pointer, int32_t *kind, int32_t *ordinal);

    /** From minor version 10 on; may be NULL: fields between levels are not exchanged on it. All of the operations in one launch, after the stream's work before,
     *  in any order: none reads what another one writes, and where two write a value it is the same. The host does not wait. */
    halo_status (*levels_run)(halo_device *device, const halo_level_operation *operations, int64_t n, halo_stream stream);

    /** From minor version 10 on; these three may be NULL, together: nothing is recorded, and each step is a call of its own. A caller's steps, which
     *  come again and again: the module may record them and put them on a stream by one call of its runtime. HALO_ERR_STATE: this device records nothing; the
     *  text says why. */
    halo_status (*graphs_create)(halo_device *device, halo_graphs **graphs);
    /** Waits for nothing. Work that has been put on streams is done all the same. */
    void (*graphs_destroy)(halo_device *device, halo_graphs *graphs);
    /** Each of the steps, one behind the other, after the stream's work before: whether they were recorded or not changes nothing of what they do. Where work of
     *  one fails, an event behind the last one says so. Tables, bases, flags and streams may be others each time; what is recorded of them is bounded. `how` is
     *  one of HALO_STEPS_.... The host does not wait. */
    halo_status (*graphs_run)(halo_device *device, halo_graphs *graphs, const halo_device_step *steps, int64_t n_steps, halo_stream stream, int32_t *how);

    /** From minor version 10 on; may be NULL: any can. Can work be put on this stream now, by this library? HALO_ERR_STATE: the program records it into
     *  a graph. Changes nothing of the stream. */
    halo_status (*stream_check)(halo_device *device, halo_stream stream);
} halo_device_ops;
#define HALO_STEPS_LAUNCHED 0 /**< a launch for each */
#define HALO_STEPS_RECORDED 1 /**< recorded, and put on the stream by one call */
#define HALO_STEPS_REPLAYED 2 /**< recorded before, and put on the stream by one call */
#define HALO_POINTER_UNKNOWN 0 /**< it may be of any of these */
#define HALO_POINTER_HOST 1    /**< the host alone */
#define HALO_POINTER_DEVICE 2  /**< a device of this module, and not the host */
#define HALO_POINTER_BOTH 3    /**< host and device, by this address */

/** From minor version 10 on. What opens memory or an event of one instance in another one, of this process or of another one of the host. What it holds is
 *  the module's own affair; the core carries it there as it is. */
typedef struct halo_ipc_handle {
    uint64_t word[12];
} halo_ipc_handle;

/** Memory and events of a device that other ranks of the host use. All entries are there. */
typedef struct halo_ipc_ops {
    size_t struct_size;

    /** A handle of memory that this instance has allocated, all of it. HALO_ERR_DEVICE: others cannot open it. */
    halo_status (*export_memory)(halo_device *device, void *pointer, halo_ipc_handle *handle);
    /** By `pointer` this device's work reaches what another instance has exported, of whichever device, until it is closed. The core opens no memory twice at a
     *  time by one instance, and closes it when no work uses it any more. HALO_ERR_DEVICE: this device does not reach it. */
    halo_status (*open_memory)(halo_device *device, const halo_ipc_handle *handle, void **pointer);
    void (*close_memory)(halo_device *device, void *pointer);

    /** An event as of event_create, which other instances can open. */
    halo_status (*export_event)(halo_device *device, halo_event **event, halo_ipc_handle *handle);
    /** Another instance's event, for event_wait and event_destroy alone. A stream waits for what had been recorded last when event_wait was called, and sees
     *  what had been written before that. */
    halo_status (*open_event)(halo_device *device, const halo_ipc_handle *handle, halo_event **event);
} halo_ipc_ops;

/** What a module exports; stays as halo_transport_plugin does. */
typedef struct halo_device_plugin {
    uint32_t abi_major;
    uint32_t abi_minor;
    size_t struct_size;
    const char *name;
    const char *version;
    uint32_t copy_layout;  /**< HALO_COPY_LAYOUT the module was built with */
    uint32_t memory_kinds; /**< bit (1 << HALO_MEMORY_...) per kind it can use */
    int32_t (*query)(const halo_host *host, char *why, size_t why_bytes);
    const halo_device_ops *ops;
    uint64_t types; /**< from minor version 6 on: bit (1 << HALO_type) per type whose values it combines, tests and negates, as far as they can be. Before: those
                         up to HALO_BYTES. What is only moved may be of any type */
    /** From minor version 9 on; may be NULL: it does not tell. How many devices this process sees: their ordinals begin at 0, and a rank may be given any
     *  of them by its number on the host. 0: it cannot tell. Cheap, opens none. */
    int32_t (*count)(const halo_host *host);
    const halo_ipc_ops *ipc; /**< from minor version 10 on; NULL: no other rank reaches its memory */
} halo_device_plugin;

/** @} */

/* ------------------------------------------------------------------ bootstrap */
/** @defgroup module_03 Plugins, bootstrap
 *  @{ */

typedef struct halo_ranks halo_ranks; /**< the module's own type: the ranks that some launcher has started, while one context is made by them */

/** From minor version 7 on. How ranks that a launcher has started exchange addresses: a process has at most one instance at a time, from when it begins to
 *  make a context until that is made, or has failed. All ranks make the same contexts, and for each the same calls of `start`. */
typedef struct halo_bootstrap_ops {
    size_t struct_size;

    /** Not collective, waits for no other rank. */
    halo_status (*open)(const halo_host *host, halo_ranks **ranks);
    /** Waits for nobody. An exchange may be under way. */
    void (*close)(halo_ranks *ranks);
    void (*identify)(const halo_ranks *ranks, int32_t *rank, int32_t *n_ranks);
    /** Begin an allgather; the last one is complete. `bytes` is the same on all ranks, `mine` is copied. After an instance was closed with an exchange under way,
     *  the first one of the next instance may take that up, if its bytes are the same; else it is refused. */
    halo_status (*start)(halo_ranks *ranks, const void *mine, size_t bytes);
    /** `done` 1: `all` has the parts of all ranks, `bytes` from each. 0: `all` is untouched; to be called again. */
    halo_status (*test)(halo_ranks *ranks, void *all, int32_t *done);
} halo_bootstrap_ops;

/** What a module exports; stays as halo_transport_plugin does. */
typedef struct halo_bootstrap_plugin {
    uint32_t abi_major;
    uint32_t abi_minor;
    size_t struct_size;
    const char *name;    /**< as in the file name */
    const char *version;
    /** Has its launcher started this process? A score (0: no), and in words. Cheap, without effects. */
    int32_t (*query)(const halo_host *host, char *why, size_t why_bytes);
    const halo_bootstrap_ops *ops;
} halo_bootstrap_plugin;

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_PLUGIN_H */
