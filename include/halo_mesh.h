/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file halo_mesh.h
 * A mesh made local. Ranks bring sets of entities (cells, edges, nodes, ...) by global key, and maps between them, cut in any way; each rank gets
 * what it owns, the ghosts around it, and maps by local index. No rank ever sees the whole mesh.
 *
 *   1  what ranks bring
 *   2  what is local: sets, maps, topologies
 *   3  values that were brought
 *   4  values of any entities: added from far, and fetched
 *   5  columns: points stacked over entities
 *
 * What a rank stores of a set, in this order (sections as in halo_access.h):
 *
 *     core | owned | executed ghosts of layer 1 | ... | of layer `depth` | ghosts that are only read
 *
 * Core entities lead to entities of this rank alone. Layer 1 has all entities of other ranks that lead to one of this rank's: loops over own entities
 * and layer 1 give every own entity all that is to be added to it, without a message (HALO_STYLE_REDUNDANT). What loops over layers 0 to k reach
 * is reach k: whatever own entities and layers 1 to k lead to, and these themselves. Layer k + 1 has all entities that lead to one of this rank's
 * or of reach k. So `depth` loops that add through maps and read what the one before has added may run between exchanges: the first over layers 0
 * to `depth`, each over one less, the last over 0 and 1.
 *
 * Conventions are those of halo.h.
 */
#ifndef HALO_MESH_H
#define HALO_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1 what ranks bring */
/** @defgroup mesh_01 Mesh, 1 what ranks bring
 *  @{ */

typedef struct halo_mesh halo_mesh; /**< sets and maps, and what this rank stores of them */

/** Who is to own an entity. Entries of maps count: what leads to the same twice counts twice. */
#define HALO_MESH_OWNER_BROUGHT 0 /**< the rank that brings it */
#define HALO_MESH_OWNER_GIVEN 1   /**< `owners`, of a partitioner for instance */
#define HALO_MESH_OWNER_OF_TARGETS                                                                                                                   \
    2 /**< the rank that owns most of what it leads to by `owner_map`; of several the lowest. Where it leads nowhere:                                \
           the rank that brings it. */
#define HALO_MESH_OWNER_OF_SOURCES                                                                                                                   \
    3 /**< the rank that owns most of the entities that lead to it by `owner_map`; of several the lowest. Where none                                 \
           does: the rank that brings it. If no map starts at the set, nobody need bring its entities. */

/** The entities of one set that this rank brings: each of them one rank brings, whichever. Lists are read during the call. Begin from
 * HALO_MESH_SET_INIT. */
typedef struct halo_mesh_set {
    const char *name; /**< for texts; the same on all ranks, neither NULL nor empty. Copied. */
    int64_t n;
    const uint64_t *keys;  /**< of each, any values, none twice in the set; NULL where n is 0. Read during the call. */
    const int32_t *owners; /**< HALO_MESH_OWNER_GIVEN: rank that is to own each. Else ignored. Read during the call. */
    int32_t owner_rule;    /**< HALO_MESH_OWNER_... */
    int32_t owner_map;     /**< number of the map that the rule follows; else ignored */
} halo_mesh_set;
#define HALO_MESH_SET_INIT                                                                                                                           \
    { NULL, 0, NULL, NULL, HALO_MESH_OWNER_BROUGHT, 0 }

/** Where the entities lead that this rank brings of one set. The list is read during the call. Begin from HALO_MESH_MAP_INIT. */
typedef struct halo_mesh_map {
    const char *name; /**< as in halo_mesh_set. Copied. */
    int32_t from;     /**< numbers of sets; may be the same */
    int32_t to;
    int32_t arity;    /**< 1 to 65536 */
    int32_t has_none; /**< 1: entries that are `none` lead nowhere */
    uint64_t none;
    const uint64_t *keys; /**< arity for each entity that this rank brings of `from`, side by side: keys of `to`. Read during the call. */
} halo_mesh_map;
#define HALO_MESH_MAP_INIT                                                                                                                           \
    { NULL, 0, 0, 1, 0, 0, NULL }

/** Lists, and those in them, are read during the call. */
typedef struct halo_mesh_desc {
    size_t struct_size;
    int32_t struct_version;
    int32_t depth;             /**< layers of executed ghosts, 1 to 11; the same on all ranks */
    int32_t n_sets;            /**< at most 1024 */
    int32_t n_maps;            /**< at most 1024 */
    const halo_mesh_set *sets; /**< n_sets. Read during the call. */
    size_t set_bytes;          /**< sizeof(halo_mesh_set) */
    const halo_mesh_map *maps; /**< n_maps. Read during the call. */
    size_t map_bytes;          /**< sizeof(halo_mesh_map) */
    int32_t directory;         /**< HALO_DIRECTORY_..., for every set */
    int32_t reserved;
} halo_mesh_desc;
#define HALO_MESH_DESC_INIT                                                                                                                          \
    { sizeof(halo_mesh_desc), 1, 1, 0, 0, NULL, sizeof(halo_mesh_set), NULL, sizeof(halo_mesh_map), HALO_DIRECTORY_AUTO, 0 }

/**
 * Find owners, bring every entity to its owner, and lay `depth` layers of ghosts around. Collective; communicates: a few reductions, a question and
 * an answer for each set, then two messages with each rank whose entities touch, and two for each further layer. O(what this rank brings and stores +
 * a share of a directory) memory; time likewise, times `depth`. HALO_ERR_ARGUMENT: rules that follow each other in a circle; an entity that two ranks
 * bring, or one twice; what a map leads to is brought by nobody: the text names map, set, key, and ranks. HALO_ERR_MISMATCH: ranks differ in depth,
 * directory, names, rules or maps (in `n`, `has_none` and `none` they may). HALO_ERR_PEER: another rank's were refused.
 */
HALO_API halo_status halo_mesh_create(halo_context *context, const halo_mesh_desc *desc, halo_mesh **mesh);

/** Topologies made from it stay. Collective; does not communicate. */
HALO_API halo_status halo_mesh_destroy(halo_mesh **mesh);

/** @} */

/* ------------------------------------------------------------------ 2 what is local */
/** @defgroup mesh_02 Mesh, 2 what is local
 *  @{ */

/** What this rank stores of a set. Filled by the library up to the caller's struct_size; the lists live as long as the mesh. */
typedef struct halo_mesh_local {
    size_t struct_size;
    int32_t struct_version;
    int32_t depth;
    int64_t n; /**< own entities and ghosts */
    int64_t n_core;
    int64_t n_owned;           /**< core included */
    const int64_t *layer_ends; /**< depth + 1: end of own entities, n_owned, and of each layer of executed ghosts; lives as long as the mesh */
    const int64_t *reach_ends; /**< depth + 1: end of what is only read and lies within reach 0, 1, ...; the last is n; lives as long as the mesh */
    const uint64_t *keys;      /**< of each, by local index; lives as long as the mesh */
    const int32_t *owners;     /**< rank that owns each, by local index; lives as long as the mesh */
} halo_mesh_local;
#define HALO_MESH_LOCAL_INIT                                                                                                                         \
    { sizeof(halo_mesh_local), 1, 0, 0, 0, 0, NULL, NULL, NULL, NULL }

/** Local indices: core before other own entities, both in the order in which this rank brought them, then those that it did not bring, in an order
 *  that is the same in every run; executed ghosts by layer, others by reach, then both by owner, then key. */
HALO_API halo_status halo_mesh_get_local(const halo_mesh *mesh, int32_t set, halo_mesh_local *local);

/** A map by local index. `to`: `arity` entries for each of the first `n_rows` local entities of the set where it starts, which are its own and all
 *  executed ghosts; HALO_NO_INDEX: leads nowhere. The list lives as long as the mesh. `n_rows` and `arity` may be NULL. */
HALO_API halo_status halo_mesh_get_map(const halo_mesh *mesh, int32_t map, const uint32_t **to, int64_t *n_rows, int32_t *arity);

/** Section bits of halo_access.h beside HALO_SECTION_EXEC and HALO_SECTION_NON_EXEC: ghosts within reach k (0 to depth), which loops over layers 0 to
 * k read. */
#define HALO_MESH_REACH(k) (1u << (4 + (k)))

/** A topology of one set, as halo_topology_create_keys makes it: fields on it are numbered by local index. Its ghosts know their sections, so
 *  exchanges and batches of accesses can be had for some alone (and halo_topology_set_sections is HALO_ERR_STATE). Collective, with the same set
 *  (HALO_ERR_MISMATCH); communicates with peers. */
HALO_API halo_status halo_mesh_topology(halo_mesh *mesh, int32_t set, halo_topology **topology);

/** @} */

/* ------------------------------------------------------------------ 3 values that were brought */
/** @defgroup mesh_03 Mesh, 3 values that were brought
 *  @{ */

/**
 * Values of a set in host memory, `bytes` (at most 2^31 - 1) for each entity, from where they were brought to the owners: `brought`, in the order of
 * halo_mesh_set.keys, to `local`, by local index. Own entities alone are written, less those that nobody brought; ghosts come by an exchange.
 * The two may not overlap; one may be NULL where there is nothing for it. Collective, with the same set and bytes (HALO_ERR_MISMATCH); one message to
 * each rank that has got entities from this one. After an error `local` may be partly written. HALO_TIMEOUT: call again, with the same values.
 */
HALO_API halo_status halo_mesh_distribute(halo_mesh *mesh, int32_t set, const void *brought, void *local, int64_t bytes);

/** The way back: own values from `local` to `brought` on the ranks that brought the entities. */
HALO_API halo_status halo_mesh_collect(halo_mesh *mesh, int32_t set, const void *local, void *brought, int64_t bytes);

/** @} */

/* ------------------------------------------------------------------ 4 values of any entities */
/** @defgroup mesh_04 Mesh, 4 values of any entities
 *  @{ */

/**
 * A topology between the entities of a set and any of them that this rank names, whoever owns them. Each rank has two parts: gid 2 * rank are its own
 * entities, by local index, so the storage of a field on halo_mesh_topology can be bound to it; gid 2 * rank + 1 are `keys` in the order given, each
 * as often as it is there. Exchanges on it: HALO_KIND_REVERSE adds what stands at `keys` to the entities (or MIN, MAX, ..., HALO_USER: own value
 * first, then by rank, then in the order of `keys`; HALO_COMBINE_CANONICAL: whoever brings what), HALO_KIND_GHOSTS fetches their values to `keys`,
 * HALO_KIND_FETCH adds, and fetches what was there before. They talk to the owners of `keys` and to those who name own entities, to nobody else; a
 * rank that names none and is not named has no peers. The same keys again: another run. Collective, with the same set (HALO_ERR_MISMATCH); a rank may
 * name nothing, and `keys` be NULL then. Communicates, as halo_topology_create_keys; O(own entities + n). HALO_ERR_ARGUMENT: nobody owns a key: the
 * text names key, set and rank; HALO_ERR_PEER, with the same text, on the other ranks.
 */
HALO_API halo_status halo_mesh_target_topology(halo_mesh *mesh, int32_t set, const uint64_t *keys, int64_t n, halo_topology **topology);

/** @} */

/* ------------------------------------------------------------------ 5 columns */
/** @defgroup mesh_05 Mesh, 5 columns
 *  @{ */

/**
 * Points stacked over the entities of a set: cells over cells of the ground, nodes over its nodes. Those over one entity are its column, of any
 * number of layers, 0 up. Local index of a point: where its column starts + its layer; columns lie as their entities do, so sections end at the
 * starts of those that halo_mesh_local names. `layers`: of each own entity, by local index; NULL: `n_layers` each. Owners tell those of ghosts. A set
 * may have several columns: `columns` is the number of these, and lives with the mesh. Collective, with the same set (HALO_ERR_MISMATCH), layers may
 * differ; a question and an answer with each owner of ghosts; O(entities) memory and time. HALO_ERR_LIMIT: more than 2^32 - 2 points on a rank.
 */
HALO_API halo_status halo_mesh_add_columns(halo_mesh *mesh, int32_t set, int32_t n_layers, const int32_t *layers, int32_t *columns);

/** Where columns start, by local index of their entities, and the end of all: `n` + 1 entries, `n` entities (may be NULL). The list lives as long as
 *  the mesh. */
HALO_API halo_status halo_mesh_get_columns(const halo_mesh *mesh, int32_t columns, const int64_t **starts, int64_t *n);

/** A topology of all points, with the sections of their columns, as halo_mesh_topology otherwise: whole columns travel. Collective, with the same
 * columns (HALO_ERR_MISMATCH); communicates with peers; O(points). */
HALO_API halo_status halo_mesh_column_topology(halo_mesh *mesh, int32_t columns, halo_topology **topology);

/** Layer l of a column leads to layer `layer` + l * `step` of the one where `entry` leads. Frozen. */
typedef struct halo_column_entry {
    int32_t entry; /**< of the map below, 0 to its arity - 1 */
    int32_t layer;
    int32_t step; /**< 1, as a rule; 0: to the same layer from all */
} halo_column_entry;

/**
 * Where points lead by a map of the entities below: n_entries for each of its rows: the local index where layer 0 leads, from which layer l is
 * l * step away; HALO_NO_INDEX: the map leads nowhere, or the column has no layer. `from` and `to` are columns over the sets of `map`. Pass capacity
 * 0 to learn `n`, which is n_rows * n_entries. Local; O(n). HALO_ERR_ARGUMENT: a layer leads out of a column: the text names map, entity and layers.
 */
HALO_API halo_status halo_mesh_get_column_map(const halo_mesh *mesh, int32_t map, int32_t from, int32_t to, const halo_column_entry *entries,
                                              int32_t n_entries, uint32_t *lowest, int64_t capacity, int64_t *n);

/** @} */

#ifdef __cplusplus
}
#endif
#endif /* HALO_MESH_H */
