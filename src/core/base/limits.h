// SPDX-License-Identifier: BSD-3-Clause
// Upper limits of what callers describe. halo.h documents them; errors name them. They keep sums and products of coordinates within 64 bits,
// and let a size that is a mistake fail before memory is taken for it.
#pragma once

#include <cstdint>

namespace halo::limits {

inline constexpr int64_t part_cells = INT32_MAX;             // of a part along one direction
inline constexpr int64_t coordinate = int64_t{ 1 } << 40;    // cells from the origin of an index space, either way
inline constexpr int64_t blocks = int64_t{ 1 } << 40;        // of a uniform grid
inline constexpr int64_t local_parts = int64_t{ 1 } << 27;   // of one rank
inline constexpr int64_t cut_boxes = int64_t{ 1 } << 24;     // that the library cuts a domain or grid into
inline constexpr int64_t listed = INT32_MAX;                 // boxes, parts or joins in one list
inline constexpr int32_t reach = 1 << 24;                    // widest ghosts
inline constexpr int64_t periods = 64;                       // around a periodic domain that ghosts reach
inline constexpr int64_t points = UINT32_MAX - 1;            // of one rank; keys in one list
inline constexpr int64_t fields = 65536;                     // of an exchange; accesses of a batch
inline constexpr int64_t sets = 64;                          // of bindings of a field
inline constexpr int64_t element_bytes = INT32_MAX;          // of a value that is HALO_BYTES
inline constexpr int64_t struct_bytes = 4096;                // of one struct in a list, of any version to come
inline constexpr int64_t inproc_ranks = 4096;                // that live in one process
inline constexpr int64_t settings = 4096;                    // given to a context
inline constexpr int64_t allocators = 64;                    // likewise
inline constexpr int64_t graph_entries = int64_t{ 1 } << 40; // of the neighbour tables of a rank
inline constexpr int64_t reduced_items = 65536;              // of a reduction
inline constexpr int64_t reduced_bytes = int64_t{ 1 } << 40; // of a reduction
inline constexpr int64_t channel_bytes = int64_t{ 1 } << 40; // of one channel's data
inline constexpr int64_t storage_bytes = int64_t{ 1 } << 60; // of a part of a field
inline constexpr int64_t exchanged_bytes = storage_bytes;    // of a run: from a rank to another; of a field, from or to all, or within a rank

} // namespace halo::limits
