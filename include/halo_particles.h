/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_particles.h
 * Particles: records of changing number per part, which move to the parts that their positions lie in.
 *
 * All that a program does per step:
 *
 *     halo_particles_start     finds who leaves which part, and sends them
 *     ...                      the program computes on
 *     halo_particles_counts    how many each part will have; room is made
 *     halo_particles_finish    those that stay move together, those that have come follow them
 *
 * The result is the same, bit by bit, however parts are placed on ranks: in each part those that stay come first, in their order, then those that
 * come, ordered by the gid of the part that they come from and by their place there.
 *
 * Conventions are those of halo.h.
 */
#ifndef HALO_PARTICLES_H
#define HALO_PARTICLES_H

#include <stddef.h>
#include <stdint.h>

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1 what particles are */
/** @defgroup particles_01 Particles, 1 what they are
 *  @{ */

typedef struct halo_particles halo_particles; /**< particles of one kind on a topology, and their migration */

/** Where doubles that belong together, along x, y, z, stand in a particle. Those beyond the topology's directions are not read. Frozen. */
typedef struct halo_particle_vector {
    int32_t column[3]; /**< of each, its column, */
    int32_t reserved;
    int64_t offset[3]; /**< and the byte in the column's element at which it begins */
} halo_particle_vector;

/** A particle has an element in each column; a part has an array for each column. One column: an array of structs. The same on all ranks. */
typedef struct halo_particles_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t n_columns;                    /**< 1 to 1024 */
    const int64_t *column_bytes;          /**< of one element of each: 1 or more, 2^20 in all at most. Copied. */
    const halo_particle_vector *position; /**< in cells of the part, from the lower corner of its first cell: cell i reaches from i to below i + 1.
                                             Copied. NULL: the program says where particles go */
    const halo_particle_vector *vectors;  /**< n_vectors: what turns with the axes where a particle crosses a turned join. Copied. */
    int32_t n_vectors;                    /**< at most 1024; 0 without `position` */
    int32_t reserved;
    double timeout_seconds; /**< of start, counts and finish, as in halo_exchange_desc */
} halo_particles_desc;
#define HALO_PARTICLES_DESC_INIT                                                                                                                     \
    { sizeof(halo_particles_desc), 1, 1, NULL, NULL, NULL, 0, 0, HALO_TIMEOUT_CONFIGURED }

/**
 * Collective; blocks: compares the descriptions. `position` wants a topology that knows who has a cell: blocks, boxes and forests not `distributed`,
 * joined regions (as far as joins reach); any other does with targets. O(peers) memory. HALO_ERR_ARGUMENT: a column is empty, a vector does not lie
 * in its columns, the topology knows no positions. HALO_ERR_MISMATCH: ranks gave different descriptions; HALO_ERR_PEER: another rank's was refused.
 */
HALO_API halo_status halo_particles_create(halo_topology *topology, const halo_particles_desc *desc, halo_particles **particles);

/** HALO_BUSY while a run is in flight: finish or abandon it first. Collective, as is creation: both come in the same order on all ranks. Does not
 * communicate. */
HALO_API halo_status halo_particles_destroy(halo_particles **particles);

/** @} */

/* ------------------------------------------------------------------ 2 migration */
/** @defgroup particles_02 Particles, 2 migration
 *  @{ */

#define HALO_PARTICLE_LEAVES (-1) /**< a target: out of the domain */

/** Arrays of this rank's parts. Parts come in the order of halo_topology_local_parts. All lists and arrays are read during the call; finish also
 * writes the arrays of `data`. */
typedef struct halo_particles_arrays {
    size_t struct_size;
    int32_t struct_version;
    int32_t reserved;
    int64_t n_parts;       /**< of this rank */
    const int64_t *counts; /**< n_parts: start: particles of each; finish: how many each has room for. Read during the call. */
    void *const *data;     /**< the array of each column of the first part, then of the next; without elements it may be NULL. The caller's. */
    int64_t n_data;        /**< n_parts * n_columns */
    const int64_t *const *targets; /**< n_parts: of each part a list of gids, one for each particle: where it goes, or HALO_PARTICLE_LEAVES. Its own
                                        gid: it stays. Start alone, and where there is no `position`. Read during the call. */
} halo_particles_arrays;
#define HALO_PARTICLES_ARRAYS_INIT                                                                                                                   \
    { sizeof(halo_particles_arrays), 1, 0, 0, NULL, NULL, 0, NULL }

/**
 * Start a run: find the particles that leave their parts, and send copies of them: one message to each rank that shares a border with this one, which
 * may be empty. Those that go farther leave in halo_particles_counts or _finish. Nothing is changed: until finish the particles must keep their
 * number and order; what those that stay hold may change, so may their positions.
 *
 * A position becomes that of the new part's index space: whole cells are moved as integers, so a position that does not round stays exact; below the
 * upper border it stays below it. Across levels it is doubled or halved. Several borders are crossed at once, periodic ones any number of times; of
 * several sides of a tree that a particle is behind, the first is crossed first. Vectors change axes and signs alone. Where parts cover a cell
 * together, who is in one of them stays, and who comes goes to its owner. Who lies in no part has left the domain: see halo_particles_left.
 *
 * Collective. Blocks only while messages of the last run but one are under way. A rank that cannot begin tells all others, waits for them up to the
 * time limit, and their run fails with HALO_ERR_PEER: nobody has lost a particle, the next start is a new run. HALO_ERR_ARGUMENT: a position is no
 * number or beyond 2^52 cells, with part and place; counts or lists are not those of the parts. HALO_ERR_NOT_FOUND: a target is no part.
 * HALO_ERR_LIMIT: a particle is behind more than 4096 sides of trees. Allocates while there are more under way than ever before. O(particles).
 */
HALO_API halo_status halo_particles_start(halo_particles *particles, const halo_particles_arrays *arrays);

/** done 1: all that comes from ranks that share a border is here; if no particle goes farther, counts and finish do not wait. Never blocks. */
HALO_API halo_status halo_particles_test(halo_particles *particles, int32_t *done);

/** Particles of each local part after this run. Waits for them. Collective: if any goes farther than to ranks that share a border, all ranks
 *  communicate, and memory is taken. Pass capacity 0 to learn `n`. HALO_TIMEOUT, HALO_ERR_MEMORY: call again; HALO_ERR_STATE then: it has failed
 *  for good, on all ranks, and can only be destroyed. */
HALO_API halo_status halo_particles_counts(halo_particles *particles, int64_t *counts, int64_t capacity, int64_t *n);

/** A particle, by part and place in its arrays. Frozen. */
typedef struct halo_particle_place {
    int64_t gid;
    int64_t place;
} halo_particle_place;

/** Particles of this rank that the run takes out of the domain, by part and place. Known after start, up to the next one; their data are where
 *  they were until finish, which removes them. Pass capacity 0 to learn `n`. Local. */
HALO_API halo_status halo_particles_left(const halo_particles *particles, halo_particle_place *places, int64_t capacity, int64_t *n);

/** Ends the run: waits as halo_particles_counts, then removes from `arrays` those that have left, and appends those that have come. The arrays hold
 * what they held at start, and may lie elsewhere. HALO_ERR_LIMIT: a part has not enough room; nothing has changed: make room, and call again. So
 * after HALO_TIMEOUT and HALO_ERR_MEMORY. O(particles moved). */
HALO_API halo_status halo_particles_finish(halo_particles *particles, const halo_particles_arrays *arrays);

/** Give up a run in flight: the particles stay where they are here, but peers may have them too. Afterwards the object can only be destroyed. Local.
 */
HALO_API halo_status halo_particles_abandon(halo_particles *particles);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_PARTICLES_H */
