/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_access.h
 * Loops over sets of an unstructured mesh that say what they read and write, and leave it to the library when ghosts are exchanged.
 *
 *   1  sections of a set: core, owned, executed and read ghosts
 *   2  batches of accesses: begin, ready, end
 *   3  freshness and residency of one field
 *   4  global reductions
 *
 * A loop over a set runs between begin and end of its batch: core entities at once, the others when ready has returned.
 *
 * Conventions are those of halo.h: one thread at a time per context, sizes count entities, handles and structs as there; a call that fails changes
 * nothing unless it is said. "Section bits" are `1u << HALO_SECTION_...`; bits 4 to 15 are the caller's own groups of ghosts.
 * "Ghosts" are points of a rank that another owns; of fields in cells, the layers around each part.
 */
#ifndef HALO_ACCESS_H
#define HALO_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1 sections */
/** @defgroup access_01 Access, 1 sections
 *  @{ */

/** Sections of a set on one rank, in the order in which they are stored. */
#define HALO_SECTION_CORE 0     /**< own, touches no ghosts */
#define HALO_SECTION_OWNED 1    /**< own, touches ghosts */
#define HALO_SECTION_EXEC 2     /**< of others, touches something of this rank: executed here too by loops in HALO_STYLE_REDUNDANT */
#define HALO_SECTION_NON_EXEC 3 /**< of others, only read */

/** What the entities of a set touch in another set: `arity` places each. Lists are read during the call. Frozen. */
typedef struct halo_map {
    const uint32_t *to;       /**< n * arity positions in the other set, one entity's side by side; HALO_NO_INDEX: nothing. Read during the call. */
    const int32_t *to_owners; /**< n_to: rank that owns each entity of the other set; not read by halo_sections_reach. Read during the call. */
    int64_t n_to;             /**< entities of the other set on this rank */
    int32_t arity;            /**< 1 to 65536 */
    int32_t reserved;
} halo_map;

/** How many entities lie in each section. Filled by the library. */
typedef struct halo_section_sizes {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t n[4]; /**< by HALO_SECTION_... */
} halo_section_sizes;
#define HALO_SECTION_SIZES_INIT                                                                                                                      \
    {                                                                                                                                                \
        sizeof(halo_section_sizes), 1, 0, { 0, 0, 0, 0 }                                                                                             \
    }

/**
 * Sections of the `n` entities of a set, of which `owners` gives the ranks, by what `maps` say that they touch (n_maps may be 0: own entities
 * are core then, others non-exec). `sections` (n, may be NULL): HALO_SECTION_... of each. `order` (n, may be NULL): a numbering by section;
 * within core and owned as given, within the others by owner, then as given: order[p] is the present position of the entity to be stored at p.
 * `sizes` may be NULL. A topology made from the keys in this order, with HALO_NUMBERING_AS_GIVEN, keeps it. Local, without a context; any thread.
 * O(n log n + n * arity). HALO_ERR_BOUNDS: a map leads outside its set; the text names entity and position.
 */
HALO_API halo_status halo_sections_classify(int32_t rank, const int32_t *owners, int64_t n, const halo_map *maps, int32_t n_maps, int32_t *sections,
                                            uint32_t *order, halo_section_sizes *sizes);

/** Or `bits` into groups[i] for each entity i of the other set that is touched by an entity of a section in `from` (section bits).
 *  `sections`: of the `n` entities that the map starts at. `groups` (map->n_to) is the caller's and begins with zeros. Local, without a context;
 *  O(n * arity). After an error some groups may have been changed. */
HALO_API halo_status halo_sections_reach(const halo_map *map, const int32_t *sections, int64_t n, uint32_t from, uint32_t bits, uint32_t *groups);

/**
 * Tell which groups each ghost of a topology made from keys or lists belongs to, so that exchanges can be had for some groups alone
 * (halo_exchange_desc.sections, halo_access.sections). `groups`: 16 bits for each of the `n` points of this rank, by local index; read during the
 * call; those of owned points are ignored. Ghosts without a bit are filled by exchanges of everything alone. Collective; communicates with peers;
 * O(points). HALO_BUSY: fields have been made. HALO_ERR_STATE: it has them already. HALO_ERR_PEER: another rank's were refused. A topology made by
 * halo_topology_edit_keys begins without.
 */
HALO_API halo_status halo_topology_set_sections(halo_topology *topology, const uint32_t *groups, int64_t n);

/** @} */

/* ------------------------------------------------------------------ 2 batches of accesses */
/** @defgroup access_02 Access, 2 batches of accesses
 *  @{ */

/** What a loop does with a field's values. */
#define HALO_READ 11
#define HALO_WRITE 12 /**< without reading them before; what a loop does not write keeps its value */
#define HALO_RW 13
#define HALO_INC 14        /**< adds to them */
#define HALO_ACCESS_MIN 15 /**< lowers them */
#define HALO_ACCESS_MAX 16 /**< raises them */

#define HALO_DIRECT 0  /**< at the entity that the loop is at */
#define HALO_VIA_MAP 1 /**< at what the entity touches */

/** How values that loops add through maps reach their owners. What a loop sets through a map (HALO_WRITE, HALO_RW) reaches them in
 *  HALO_STYLE_REDUNDANT alone; HALO_STYLE_REVERSE wants halo_access.may_lose for it. */
#define HALO_STYLE_REDUNDANT 1 /**< loops run over core, owned, and exec where it is asked for; what they add to ghosts is worth nothing */
#define HALO_STYLE_REVERSE 2   /**< loops run over core and owned; what they add to ghosts is sent to the owners before somebody needs it */

#define HALO_ON_HOST 0
#define HALO_ON_DEVICE 1

/** One argument of a loop. Begin from HALO_ACCESS_INIT. Fields may be of several topologies; a field may come several times. No sparse ones: while
 *  their ghosts arrive, somebody must give storage to parts (halo_exchange_arrivals). */
typedef struct halo_access {
    halo_field *field;     /**< stays the caller's; halo_field_destroy is HALO_BUSY while an open batch uses it */
    int32_t mode;          /**< HALO_READ ... */
    int32_t through;       /**< HALO_DIRECT or HALO_VIA_MAP */
    uint32_t sections;     /**< section bits of the ghosts that count, of a topology that has sections; 0: all. HALO_VIA_MAP: the loop reaches
                                these alone, so no others are exchanged for it or, with what it adds in HALO_STYLE_REVERSE, sent back. HALO_DIRECT:
                                copies of what it changes are in these groups alone, so no others become stale; where exec entities are executed, it
                                reads these, and all become stale */
    int32_t whole;         /**< HALO_WRITE: 1: every owned value is written, so the old ones need not be brought to where the loop runs */
    int32_t set;           /**< binding set whose values these are; freshness is kept for each alone */
    int32_t may_lose;      /**< HALO_WRITE, HALO_RW via map: 1: what the loop sets in ghosts may be lost, which HALO_STYLE_REVERSE refuses else */
    int32_t combine_order; /**< HALO_INC, HALO_ACCESS_MIN, HALO_ACCESS_MAX via map in HALO_STYLE_REVERSE: how ghosts are combined into owners, as
                                halo_exchange_desc.combine_order. HALO_COMBINE_BY_GID: the own value, then those of ghosts by rank.
                                HALO_COMBINE_CANONICAL: sorted by value (on the host, wherever the loop runs), so it does not matter who owns what,
                                nor, where no copy is added to twice, how the set is cut. All that one loop adds to a field has the same */
    int32_t reserved;      /**< 0 */
} halo_access;
#define HALO_ACCESS_INIT                                                                                                                             \
    { NULL, 0, HALO_DIRECT, 0, 0, 0, 0, HALO_COMBINE_BY_GID, 0 }

typedef struct halo_batch halo_batch; /**< the accesses of one loop, from begin to end or abandon; the library's, nothing to destroy. Several may be
                                           open at once, as long as none changes what another uses: loops that read ghosts of one field share
                                           the exchange that the first has begun, and its failure. */

/**
 * Say what the next loop does. Brings what is pending to its owners where the loop needs it there, or adds by another operation or order; starts one
 * exchange of all stale ghosts that it reads (one message per peer), brings what is out of date to where it runs, and sets ghosts that it adds to
 * (HALO_STYLE_REVERSE) to zero, greatest or least value. Core entities may be executed when this returns. `accesses` (n; NULL where n is 0: the loop
 * uses no field) are copied; `access_bytes` is sizeof(halo_access). `stream`: as in halo_exchange_start. Collective: the same accesses and the same
 * history on all ranks. Waits for peers only where something is pending. The first batch with given accesses (fields, sets, style, place) compiles,
 * which communicates nothing; later ones allocate nothing and take O(accesses) beside exchange and copies. HALO_TIMEOUT: call again (which fails
 * where a peer was two runs behind: see halo_access_abandon), or, where it gives a batch, abandon that: what was pending is lost. After other errors
 * `*batch` is NULL if nothing of the call has reached a peer: after HALO_ERR_MEMORY call again. Else it has failed for all: the ranks tell each other
 * (those that have begun call ready first), abandon it, and begin anew with known values, marked fresh (what was pending is lost) and dirty.
 * Ghosts that are on their way for another open batch are waited for in ready, or here where this batch needs more of that field's than those.
 * HALO_ERR_STATE: a field is frozen, or is used by another batch that does not allow it. HALO_ERR_DEVICE: HALO_ON_DEVICE without a device that has
 * memory of its own, or a field is bound to memory of a device. HALO_ERR_PEER: another rank's begin was refused. HALO_ERR_MISMATCH (here or in
 * ready): ranks disagree about what is stale; check mode tells at once, else when both next exchange.
 */
HALO_API halo_status halo_access_begin(halo_context *context, const halo_access *accesses, int32_t n, size_t access_bytes, int32_t style,
                                       int32_t where, halo_stream stream, halo_batch **batch);

/** Wait for the ghosts: owned entities may be executed, then exec ones. To be called once, also where nothing is on its way. HALO_TIMEOUT: call
 * again, or abandon. After other errors the batch can only be abandoned. HALO_ERR_STATE: ghosts that another batch was to bring have not come. */
HALO_API halo_status halo_access_ready(halo_batch *batch);

/** Must the exec section be executed too? 1 in HALO_STYLE_REDUNDANT where something is written through a map. */
HALO_API halo_status halo_access_needs_exec(const halo_batch *batch, int32_t *needs_exec);

/** The loop has run. Ghosts of what it wrote are stale; what it added in HALO_STYLE_REVERSE is pending. Local; does not block. HALO_ERR_STATE: before
 *  ready. HALO_ERR_CHECK, in check mode: the loop has done what it did not declare; the batch has ended all the same, and begins with the field fail
 * on all ranks until it is marked. */
HALO_API halo_status halo_access_end(halo_batch *batch);

/**
 * The loop has run, and nobody adds more before it is needed: as halo_access_end, and what is pending of the fields that the loop adds to (in
 * HALO_STYLE_REVERSE; else nothing is) leaves for their owners now, one message per peer, operation and order, while other loops run. The next batch
 * that uses one of these fields waits for it; until then it is pending, and neither owned values nor ghosts may be touched. Collective: on all ranks
 * for the same batch, between the same begins; waits where a peer is two runs behind. HALO_ERR_STATE: before ready. HALO_ERR_MEMORY: call again.
 * After other errors, of this call again too, the batch can only be abandoned, and what was pending does not come: the ranks tell each other and mark
 * the fields fresh.
 */
HALO_API halo_status halo_access_end_and_send(halo_batch *batch);

/** End a batch whose loop has not run, or not to its end: what it was to change counts as changed. If its exchange is still under way (ready failed
 * or timed out), that is dead: batches with these accesses fail until a field of theirs is destroyed. Local. */
HALO_API halo_status halo_access_abandon(halo_batch *batch);

/** @} */

/* ------------------------------------------------------------------ 3 freshness and residency */
/** @defgroup access_03 Access, 3 freshness and residency
 *  @{ */

#define HALO_FRESHNESS_VALID 1           /**< ghosts are what their owners have */
#define HALO_FRESHNESS_STALE 2           /**< some are not */
#define HALO_FRESHNESS_IN_FLIGHT 3       /**< an exchange of a batch is under way */
#define HALO_FRESHNESS_PENDING_REVERSE 4 /**< ghosts hold what is to be added to their owners */
#define HALO_FRESHNESS_FROZEN 5          /**< no batch may use the field */

/** Where the valid values of a section are. */
#define HALO_RESIDENT_DEVICE_UNALLOCATED 1 /**< host; no device memory yet */
#define HALO_RESIDENT_HOST_UNALLOCATED 2   /**< device; no host memory yet */
#define HALO_RESIDENT_HOST 3
#define HALO_RESIDENT_DEVICE 4
#define HALO_RESIDENT_BOTH 5

/** What is known about one binding set of a field. Filled up to the caller's struct_size. */
typedef struct halo_access_state {
    size_t struct_size;
    int32_t struct_version;
    int32_t freshness; /**< HALO_FRESHNESS_... */
    halo_op pending;   /**< HALO_SUM, HALO_MIN or HALO_MAX where something is pending, else 0 */
    uint32_t fresh;    /**< section bits of the ghosts that are fresh; all bits: VALID */
    int32_t owned;     /**< HALO_RESIDENT_... of owned values */
    int32_t ghosts;    /**< and of ghosts */
    int64_t version;   /**< counts batches and marks that may have changed owned values */
} halo_access_state;
#define HALO_ACCESS_STATE_INIT                                                                                                                       \
    { sizeof(halo_access_state), 1, 0, 0, 0, 0, 0, 0 }

/** Local; O(1). HALO_ERR_ARGUMENT: the field has no such set (here and in the calls below). */
HALO_API halo_status halo_access_get_state(const halo_field *field, int32_t set, halo_access_state *state);

/** The caller has changed owned values at `where` (HALO_ON_...) outside of batches: ghosts are stale, and owned values elsewhere are out of date.
 *  To be called on all ranks; does not communicate. HALO_ERR_STATE: frozen, in use by a batch, or something is pending. */
HALO_API halo_status halo_access_mark_dirty(halo_field *field, int32_t set, int32_t where);

/** The caller has written owned values and all ghosts at `where`, each as its owner has it: nothing is stale, what was pending is void. To be called
 *  on all ranks; waits for what is on its way to owners, else does not communicate. HALO_TIMEOUT: call again. HALO_ERR_STATE: frozen, or in use by a
 *  batch. */
HALO_API halo_status halo_access_mark_fresh(halo_field *field, int32_t set, int32_t where);

/** Forbid (1) or allow (0) batches and marks of all sets. Local; to be done on all ranks. HALO_ERR_STATE: in use by a batch. */
HALO_API halo_status halo_access_freeze(halo_field *field, int32_t frozen);

/** Storage of a part where loops run: the host's as halo_field_data, or the device's; NULL: none yet. Same layout on both. The device's is the
 *  library's, made when a batch first needs it, and goes with the field; from then on the layout must not change (HALO_ERR_STATE in begin).
 *  Which values are valid there: halo_access_state. Local; O(log parts). */
HALO_API halo_status halo_access_data(const halo_field *field, int64_t gid, int32_t set, int32_t where, void **data);

/** Counters of this rank, of all sets of all fields of a name, since the context was made. Filled up to the caller's struct_size. */
typedef struct halo_access_stats {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t started;    /**< times that ghosts were exchanged, */
    int64_t skipped;    /**< and that a loop found those it reads fresh, or on their way */
    int64_t reversed;   /**< times that pending values were sent to their owners */
    int64_t bytes_sent; /**< to other ranks, by both */
    int64_t bytes_up;   /**< copied from host to device */
    int64_t bytes_down; /**< and back */
} halo_access_stats;
#define HALO_ACCESS_STATS_INIT                                                                                                                       \
    { sizeof(halo_access_stats), 1, 0, 0, 0, 0, 0, 0, 0 }

/** HALO_ERR_NOT_FOUND: no call of this header has used a field of this name. */
HALO_API halo_status halo_access_get_stats(const halo_context *context, const char *field_name, halo_access_stats *stats);

/** @} */

/* ------------------------------------------------------------------ 4 global reductions */
/** @defgroup access_04 Access, 4 global reductions
 *  @{ */

typedef struct halo_reduction halo_reduction; /**< values combined over all ranks, again and again; several may be under way, and end in any order */

/** As halo_context_allreduce of `n` values, in two halves: the same order of ranks, the same bits. Collective, with the same `n`, `type` and `op`;
 * does not communicate, so that the first run finds what differs. HALO_ERR_ARGUMENT: values of this type cannot be combined so. */
HALO_API halo_status halo_reduction_create(halo_context *context, int64_t n, halo_type type, halo_op op, halo_reduction **reduction);

/**
 * What a reduction of several items has of each: `n` values of its own type and operation, at a place of its own in the memory that begin and end are
 * given. So `offset` is an offsetof where that is a struct of the program's. Begin from HALO_REDUCTION_ITEM_INIT.
 */
typedef struct halo_reduction_item {
    int64_t n;               /**< values, side by side; 0 is allowed */
    halo_type type;          /**< HALO_BYTES: HALO_USER alone */
    halo_op op;              /**< HALO_SUM ... HALO_MAXLOC */
    int64_t element_bytes;   /**< HALO_BYTES: size of one value; not read else */
    int64_t offset;          /**< bytes from `in` or `out` to the values, 0 or more, of this rank's own; items may not overlap */
    int64_t index_offset;    /**< HALO_MINLOC, HALO_MAXLOC: the same to the `n` indices (int64_t), one for each value; not read else */
    halo_combine_fn combine; /**< HALO_USER; other ranks may have others, as long as they do the same */
    void *user;              /**< given to `combine`; as long as the reduction */
} halo_reduction_item;
#define HALO_REDUCTION_ITEM_INIT                                                                                                                     \
    { 1, HALO_FLOAT64, HALO_SUM, 0, 0, 0, NULL, NULL }

/**
 * Several items at once: each run reduces all of them in the same messages. begin reads `in` at the offsets of the items, end writes them to `out`
 * and leaves what lies between them; `in` may be `out`. `items` (n_items, at most 65536; NULL where n_items is 0) are copied; `item_bytes` is
 * sizeof(halo_reduction_item). Collective, with items that are alike in n, type, operation and element_bytes; does not communicate, so that the first
 * run finds what differs and names item and ranks (HALO_ERR_MISMATCH). At most 2^40 bytes. A list of one item is what halo_reduction_create makes.
 *
 * HALO_MINLOC, HALO_MAXLOC (real types and integers): the value that HALO_MIN or HALO_MAX gives, and the index that came with it; of equal values,
 * and of NaNs, the one with the lowest index. A rank without a value gives the other extreme and INT64_MAX.
 *
 * HALO_USER: `combine` gets all `n` values of an item at once, those of ranks below in `values`, those of ranks above in `contributions`, at
 * addresses that are multiples of 8 (HALO_BYTES: 16). It must be associative, need not be commutative, and runs on some ranks only, inside begin,
 * test or end of any reduction of the context; there it may call functions whose handle is const. What it returns but HALO_SUCCESS ends the
 * reduction: an error on this rank, HALO_ERR_PEER with its text on the others. Not called for items of 0 values. HALO_ERR_ARGUMENT: values of an item
 * cannot be combined so, items overlap, or a number is negative; the text names the item.
 */
HALO_API halo_status halo_reduction_create_items(halo_context *context, const halo_reduction_item *items, size_t item_bytes, int32_t n_items,
                                                 halo_reduction **reduction);

/** Start with this rank's values, which are copied (NULL where there are none; so in end). Collective; allocates nothing; waits only where a peer has
 * not yet taken what the run before last sent it (HALO_TIMEOUT: call again). HALO_ERR_STATE: begun and not ended, or failed before. */
HALO_API halo_status halo_reduction_begin(halo_reduction *reduction, const void *in);

/** Let it work, without waiting. `done` 1: end will not wait. */
HALO_API halo_status halo_reduction_test(halo_reduction *reduction, int32_t *done);

/** Wait for the result, the same bits on all ranks. O(log ranks) messages. HALO_TIMEOUT leaves it under way: call again, or destroy.
 *  After other errors, which begin and test may return too, it can only be destroyed. HALO_ERR_MISMATCH: another rank reduces something else.
 *  HALO_ERR_PEER: another rank has failed, which the text names. */
HALO_API halo_status halo_reduction_end(halo_reduction *reduction, void *out);

/** One under way is given up: other ranks time out. Collective; does not communicate. */
HALO_API halo_status halo_reduction_destroy(halo_reduction **reduction);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_ACCESS_H */
