/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_stencil.h
 * Which ghosts does a sequence of loops need, how wide, and when must they be exchanged? Loops over cells say what they read and write, and how far
 * away; the library works out the rest.
 *
 *   1  fields and stages                    4  levels of the vertical
 *   2  analysis: extents and widths         5  from the analysis to fields and exchanges
 *   3  exchanges: which, when, together?
 *
 * A *stage* is a loop over the cells of a part. An *extent* is a box of offsets from a cell, both ends included: x from low[0] to high[0] and so on;
 * <-1,2> is short for one direction of it. A stage that later ones need beyond the part's own cells is run there too: on cells i + e of its own cells
 * i, for all e in its *compute extent*. That is worth it where a message costs more than what is computed twice.
 *
 * A stage runs once on each cell of its compute extent, after all earlier stages there, and after what it reads has been written. It need not wait
 * for more: cells that need no ghosts may run through several stages before ghosts arrive.
 *
 * Conventions are those of halo.h: handles and structs as there. All calls are local, without a context, and do not block, but for those of section 5
 * that say otherwise. One thread at a time per stencil; on a const one any number. A call that fails changes nothing. Extents count cells. Names are
 * copied.
 */
#ifndef HALO_STENCIL_H
#define HALO_STENCIL_H

#include <stddef.h>
#include <stdint.h>

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1 fields and stages */
/** @defgroup stencil_01 Stencils, 1 fields and stages
 *  @{ */

typedef struct halo_stencil halo_stencil; /**< a sequence of stages over some fields, and what follows from it */

/** May a stage change what an earlier one has read at other cells than its own? */
#define HALO_STENCIL_BY_POINTS 0 /**< no, this is refused: cells that wait for ghosts would read what others of the part have changed already */
#define HALO_STENCIL_BY_STAGES 1 /**< yes: in a part each stage has run everywhere before the next begins. Solvers that update in place. */

/** What of the fields that stages write is exchanged, rather than computed by neighbours too. Temporaries never are. */
#define HALO_STENCIL_COMPUTE 0  /**< nothing: only what stages read before it is written. Fewest messages */
#define HALO_STENCIL_EXCHANGE 1 /**< all that is read beyond the part: nothing but temporaries is computed twice */
#define HALO_STENCIL_CHEAPEST 2 /**< what costs least: see halo_stencil_summary */

/** A sequence of stages. */
typedef struct halo_stencil_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_dims;           /**< 1, 2 or 3; extents in other directions are 0 */
    int64_t cells[3];         /**< of the smallest part: wider ghosts are refused, and cells are counted in a part of this size; 0: not known */
    int32_t order;            /**< HALO_STENCIL_BY_POINTS or _BY_STAGES */
    int32_t exchanged;        /**< HALO_STENCIL_COMPUTE, _EXCHANGE or _CHEAPEST; the last wants `cells` */
    int32_t repeats;          /**< 1: the sequence is one turn of a loop (a time step): what it reads first may be on its way since the turn before */
    int32_t max_offset;       /**< levels: the greatest offset from a splitter, reserved; 2 to 1024 */
    double exchange_cost;     /**< of an exchange of any number of fields, whatever its size; in any unit of time */
    double value_cost;        /**< of each value that it brings a part, in the same unit */
    const int64_t *splitters; /**< levels: see section 4; NULL: none. Copied. */
    int32_t n_splitters;
    int32_t reserved;
} halo_stencil_desc;
#define HALO_STENCIL_DESC_INIT                                                                                                                       \
    { sizeof(halo_stencil_desc), 1, 3, { 0, 0, 0 }, HALO_STENCIL_BY_POINTS, HALO_STENCIL_COMPUTE, 0, 3, 0.0, 0.0, NULL, 0, 0 }

/** HALO_ERR_ARGUMENT: a value is out of range; the text names it. */
HALO_API halo_status halo_stencil_create(const halo_stencil_desc *desc, halo_stencil **stencil);

HALO_API halo_status halo_stencil_destroy(halo_stencil **stencil);

/** A field in cells. */
typedef struct halo_stencil_field_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t temporary;    /**< 1: holds nothing before and after the sequence, is written before it is read, and is never exchanged */
    const char *name;     /**< none twice. Copied. */
    int32_t n_components; /**< values per cell, at least 1: what an exchange of it counts for */
    int32_t reserved;
} halo_stencil_field_desc;
#define HALO_STENCIL_FIELD_DESC_INIT                                                                                                                 \
    { sizeof(halo_stencil_field_desc), 1, 0, NULL, 1, 0 }

/** `field`: its number, from 0 on. At most 65536. HALO_ERR_EXISTS: there is one of this name. HALO_ERR_STATE: analysed already. */
HALO_API halo_status halo_stencil_add_field(halo_stencil *stencil, const halo_stencil_field_desc *desc, int32_t *field);

#define HALO_STENCIL_READ 0
#define HALO_STENCIL_WRITE 1  /**< the cell itself, without reading it before */
#define HALO_STENCIL_UPDATE 2 /**< the cell itself: read, then written */

/** One field that a stage reads or writes. Frozen. A field may be read by several accesses of a stage. What a stage reads of a field that it writes
 * itself is the value before. */
typedef struct halo_stencil_access {
    int32_t field;
    int32_t mode;   /**< HALO_STENCIL_READ ... */
    int32_t low[3]; /**< extent; both ends at most 2^24 away, low <= high. Of what is written: 0 */
    int32_t high[3];
    int32_t interval; /**< levels: in which of the stage's intervals, from 0 on; HALO_STENCIL_ALL: in all */
    int32_t reserved; /**< 0 */
} halo_stencil_access;
#define HALO_STENCIL_ALL (-1)

/** A level of the vertical: the offset-th above (1, 2, ...) or below (-1, -2, ...) a splitter; 0 is no level. Frozen. */
typedef struct halo_stencil_level {
    int32_t splitter;
    int32_t offset;
} halo_stencil_level;

/** Both ends included, `from` below `to`. Frozen. */
typedef struct halo_stencil_interval {
    halo_stencil_level from;
    halo_stencil_level to;
} halo_stencil_interval;

#define HALO_STENCIL_PARALLEL 0
#define HALO_STENCIL_UPWARD 1   /**< level by level from the first on: may read its own output in levels below */
#define HALO_STENCIL_DOWNWARD 2 /**< the other way round */

/** One stage. Lists are copied. */
typedef struct halo_stencil_stage_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t conditional; /**< 1: may be left out in some runs, on all ranks alike: what it reads is there, and so is what it would overwrite (but for
                              temporaries that nothing else has written: who reads these depends on the same condition) */
    const char *name;    /**< for texts. Copied. */
    const halo_stencil_access *accesses; /**< n_accesses. Copied. */
    int32_t n_accesses;                  /**< 1 to 65536 */
    int32_t n_intervals;
    double work;                            /**< of one cell, in the unit of exchange_cost */
    const halo_stencil_interval *intervals; /**< levels: where it runs, from below; none (NULL): on the whole axis. Copied. */
    int32_t direction;                      /**< levels: HALO_STENCIL_PARALLEL ... */
    int32_t reserved;
} halo_stencil_stage_desc;
#define HALO_STENCIL_STAGE_DESC_INIT                                                                                                                 \
    { sizeof(halo_stencil_stage_desc), 1, 0, NULL, NULL, 0, 0, 0.0, NULL, HALO_STENCIL_PARALLEL, 0 }

/** Stages run in the order in which they are added; `stage` is the number of this one, from 0 on. At most 65536. HALO_ERR_ARGUMENT: an access or an
 *  interval is not as it should be; the text names it. HALO_ERR_STATE: analysed already. */
HALO_API halo_status halo_stencil_add_stage(halo_stencil *stencil, const halo_stencil_stage_desc *desc, int32_t *stage);

/** @} */

/* ------------------------------------------------------------------ 2 analysis */
/** @defgroup stencil_02 Stencils, 2 analysis
 *  @{ */

/**
 * Work out all extents, from the last stage to the first: a stage's compute extent encloses what later stages need of its outputs, and own cells of
 * those that are no temporaries; what it reads is needed in the sum of its compute extent and the access's. A stage that writes a field anew ends the
 * need of what was there before, unless it is conditional. To be called once; the results below are there afterwards. O(stages * accesses * levels),
 * with HALO_STENCIL_CHEAPEST up to 1024 times. Each direction alone is exact: with one layer less, some stage would not find what it reads. (Method:
 * extent analysis of GridTools, with versions of fields added.)
 *
 * HALO_ERR_ARGUMENT, with stages and accesses named: a stage reads its own output at other cells; it writes what an earlier one has read at other
 * cells (HALO_STENCIL_BY_POINTS); a temporary is read before it is written, perhaps in a cycle. HALO_ERR_LIMIT: ghosts would be wider than the
 * smallest part. HALO_ERR_BOUNDS: levels outside of the axis are read. HALO_ERR_STATE: analysed already.
 */
HALO_API halo_status halo_stencil_analyse(halo_stencil *stencil);

/** What is known of a field. Filled by the library up to the caller's struct_size. */
typedef struct halo_stencil_field {
    size_t struct_size;
    int32_t struct_version;
    int32_t exchanged; /**< 1: in at least one exchange */
    int32_t computed;  /**< 1: some stage computes it beyond own cells */
    int32_t reserved;
    int64_t ghost_low[3]; /**< ghost layers that its storage must have, per direction, for all that is exchanged, computed and read */
    int64_t ghost_high[3];
} halo_stencil_field;
#define HALO_STENCIL_FIELD_INIT                                                                                                                      \
    {                                                                                                                                                \
        sizeof(halo_stencil_field), 1, 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 }                                                                             \
    }

/** HALO_ERR_STATE: not analysed yet, here and below. HALO_ERR_NOT_FOUND: no such field. */
HALO_API halo_status halo_stencil_get_field(const halo_stencil *stencil, int32_t field, halo_stencil_field *result);

/** What is known of a stage. Filled by the library up to the caller's struct_size. */
typedef struct halo_stencil_stage {
    size_t struct_size;
    int32_t struct_version;
    int32_t needed; /**< 0: nobody reads what it writes, and nothing of it stays: it need not run */
    int64_t low[3]; /**< compute extent; with levels: enclosing that of each, and 0 in the vertical */
    int64_t high[3];
} halo_stencil_stage;
#define HALO_STENCIL_STAGE_INIT                                                                                                                      \
    {                                                                                                                                                \
        sizeof(halo_stencil_stage), 1, 0, { 0, 0, 0 }, { 0, 0, 0 }                                                                                   \
    }

/** HALO_ERR_NOT_FOUND: no such stage. */
HALO_API halo_status halo_stencil_get_stage(const halo_stencil *stencil, int32_t stage, halo_stencil_stage *result);

/** All results as tables to print: stages, fields, exchanges, loops over levels. At most `capacity` bytes with the final zero; `needed_bytes` (may be
 * NULL) is the full size. */
HALO_API halo_status halo_stencil_describe(const halo_stencil *stencil, char *text, size_t capacity, size_t *needed_bytes);

/** @} */

/* ------------------------------------------------------------------ 3 exchanges */
/** @defgroup stencil_03 Stencils, 3 exchanges: which, when, together?
 *  @{ */

/** One exchange of one field. Places are counted in stages: place p is before stage p, and n stages make places 0 to n. A negative place is one of
 * the turn before (`repeats`): place p + n there; in the first turn, place 0. Frozen. */
typedef struct halo_stencil_exchange {
    int32_t field;
    int32_t writer; /**< stage whose output is exchanged; -1: what is there when the sequence begins */
    int32_t start;  /**< earliest start: what is sent is there, and the ghosts are not used any more */
    int32_t finish; /**< latest finish: the stage of this number is the first to use the ghosts */
    int32_t group;  /**< exchanges of the same group may be one: see halo_stencil_group */
    int32_t once;   /**< 1: `repeats`, and no stage writes the field: before the first turn alone, unless others change it */
    int32_t ahead;  /**< 1: `repeats`, and its group runs in the turn before the one that needs it: once before the first turn, too */
    int32_t reserved;
    int64_t low[3]; /**< ghost layers that it must fill; with levels: of the level that needs most */
    int64_t high[3];
    int64_t values; /**< that it brings to a part with `cells`: own levels exact, where they differ; 0 where `cells` are not known */
} halo_stencil_exchange;

/** In the order of writers, then of fields. Pass capacity 0 to learn `n`. */
HALO_API halo_status halo_stencil_exchanges(const halo_stencil *stencil, halo_stencil_exchange *exchanges, int64_t capacity, int64_t *n);

/** When the exchanges of a group have a message in common: started between `start` and `finish` (places as above), finished by `finish`. Frozen. */
typedef struct halo_stencil_group {
    int32_t start;  /**< the latest of the earliest starts */
    int32_t finish; /**< the earliest of the latest finishes */
    int32_t n_fields;
    int32_t once; /**< those of its exchanges, all alike */
} halo_stencil_group;

/** As few groups as there can be. (Intervals pierced by fewest points, earliest end first; with `repeats`, on a circle.) Pass capacity 0 to learn
 * `n`. */
HALO_API halo_status halo_stencil_groups(const halo_stencil *stencil, halo_stencil_group *groups, int64_t capacity, int64_t *n);

/**
 * What a run (with `repeats`: a turn) costs a part with `cells`. Filled up to the caller's struct_size. The model is simple:
 *
 *     cost = exchange_cost * n_groups + value_cost * values + the sum over stages of work * cells computed beyond own ones
 *
 * Exchanges with `once` do not count; that a message overlaps with work is left out. HALO_STENCIL_CHEAPEST takes the least cost among all choices of
 * what to exchange where there are at most 10 fields written and read so; else, from nothing exchanged on, what lowers the cost most is changed one
 * by one.
 */
typedef struct halo_stencil_summary {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_groups;    /**< exchanges to be run, of several fields each */
    int64_t values;      /**< that they bring */
    int64_t cells_twice; /**< cells computed beyond own ones, over all stages; this and `values` are 0 where `cells` are not known */
    double cost;
} halo_stencil_summary;
#define HALO_STENCIL_SUMMARY_INIT                                                                                                                    \
    { sizeof(halo_stencil_summary), 1, 0, 0, 0, 0.0 }

HALO_API halo_status halo_stencil_get_summary(const halo_stencil *stencil, halo_stencil_summary *summary);

/** @} */

/* ------------------------------------------------------------------ 4 levels of the vertical */
/** @defgroup stencil_04 Stencils, 4 levels of the vertical
 *  @{ */

/**
 * With `splitters` (2 to 65536, ascending, the first 0; n_dims is 3), direction 2 is an axis of levels that is not cut into parts: splitter s lies
 * below level splitters[s], the first level is (0, 1), the last (n_splitters - 1, -1). What happens on a level may differ, so extents and widths are
 * known for each. Intervals of a stage follow each other without gap; they are compared as levels are numbered, see halo_stencil_level_index. Offsets
 * of max_offset are reserved: no interval starts or ends there. `cells[2]` is 0, or the number of levels.
 */

/** Number of a level: 2 * max_offset * splitter + the place of its offset in -max_offset ... -1, 1 ... max_offset. */
HALO_API halo_status halo_stencil_level_index(const halo_stencil *stencil, const halo_stencil_level *level, int64_t *index);

/** An interval of the axis in which each stage is in one of its intervals, or does not run. Frozen. */
typedef struct halo_stencil_loop {
    halo_stencil_interval interval;
    int64_t first; /**< its first level, counted from 0, */
    int64_t last;  /**< and its last one */
} halo_stencil_loop;

/** The fewest such intervals, from below, of levels where some stage runs. Pass capacity 0 to learn `n`. */
HALO_API halo_status halo_stencil_loops(const halo_stencil *stencil, halo_stencil_loop *loops, int64_t capacity, int64_t *n);

/** Which interval of a stage each loop is in; -1: it does not run there. Pass capacity 0 to learn `n`, the number of loops. */
HALO_API halo_status halo_stencil_loop_intervals(const halo_stencil *stencil, int32_t stage, int32_t *intervals, int64_t capacity, int64_t *n);

/** Levels with equal extent. Frozen. */
typedef struct halo_stencil_range {
    int64_t first; /**< level, counted from 0 */
    int64_t last;
    int64_t low[3];
    int64_t high[3];
} halo_stencil_range;

/** Compute extents of a stage, from below; levels where it need not run are left out. Without levels: one range of level 0. Pass capacity 0 to learn
 * `n`. */
HALO_API halo_status halo_stencil_stage_ranges(const halo_stencil *stencil, int32_t stage, halo_stencil_range *ranges, int64_t capacity, int64_t *n);

/** Ghost layers that an exchange must fill, as `low` and `high`, from below; levels that need none are left out. `exchange`: its place in
 *  halo_stencil_exchanges. Without levels: one range of level 0. Pass capacity 0 to learn `n`. */
HALO_API halo_status halo_stencil_exchange_ranges(const halo_stencil *stencil, int32_t exchange, halo_stencil_range *ranges, int64_t capacity,
                                                  int64_t *n);

/** @} */

/* ------------------------------------------------------------------ 5 from the analysis to fields and exchanges */
/** @defgroup stencil_05 Stencils, 5 from the analysis to fields and exchanges
 *  @{ */

/** Set name (valid as long as the stencil), components and ghost widths of `desc`, begun from HALO_FIELD_DESC_INIT, to those of a field. The rest
 * stays. HALO_ERR_LIMIT, here and below: ghosts of more than 2^31 - 1 cells. */
HALO_API halo_status halo_stencil_fill_field_desc(const halo_stencil *stencil, int32_t field, halo_field_desc *desc);

/** Set the ghost widths of `desc`, begun from HALO_LAYOUT_DESC_INIT, to the widest of all fields, temporaries too: in fields of one component and
 * element size that are laid out by it, one index leads to the same cell. The rest stays. */
HALO_API halo_status halo_stencil_fill_layout_desc(const halo_stencil *stencil, halo_layout_desc *desc);

/**
 * The exchange of a group. `fields`: one for each field of the stencil, those outside of the group may be NULL. `desc` may be NULL. As
 * halo_exchange_create, collective with it. It fills all ghosts of these fields, which may be more than the group needs, on topologies other than
 * those below. HALO_ERR_BOUNDS: a field has less ghosts than the exchange must fill.
 */
HALO_API halo_status halo_stencil_create_exchange(const halo_stencil *stencil, int32_t group, halo_field *const *fields, int32_t n_fields,
                                                  const halo_exchange_desc *desc, halo_exchange **exchange);

/**
 * A topology whose exchanges fill just the ghosts that an exchange needs, on each level its own: messages hold nothing else. The parts are those of
 * `blocks` (gids and owners too), which has the stencil's dimensions, with levels one block of all levels in direction 2. Fields on it may have wider
 * ghosts, which stay as they are; their ghosts for an exchange of another width are filled by a field on another such topology, bound to the same
 * storage. Made by halo_topology_create_regions: collective; blocks; O(blocks * ranges) memory on each rank. Ask halo_topology_create_blocks for
 * neighbours. HALO_ERR_LIMIT: ghosts would be wider than blocks.
 */
HALO_API halo_status halo_stencil_create_topology(const halo_stencil *stencil, int32_t exchange, halo_context *context,
                                                  const halo_blocks_desc *blocks, halo_topology **topology);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_STENCIL_H */
