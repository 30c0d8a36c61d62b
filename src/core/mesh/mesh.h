// SPDX-License-Identifier: BSD-3-Clause
// A mesh made local: what this rank stores of each set, and maps between them by local index.
#pragma once

#include <memory>

#include "base/function_ref.h"
#include "memory/large_vector.h"
#include "mesh/columns.h"
#include "mesh/layers.h"
#include "topology/topology.h"

namespace halo {

// What this rank stores of a set, by local index.
struct LocalSet {
    std::string name;
    LargeVector<uint64_t> keys;
    std::vector<int32_t> owners;
    std::vector<uint32_t> groups;    // section bits of each ghost
    std::vector<int64_t> layer_ends; // own entities, then layers of executed ghosts
    std::vector<int64_t> reach_ends; // what is only read
    int64_t n_core = 0;
    LargeVector<uint32_t> brought; // by position among what this rank has brought; those that it does not own: ghosts, or none
    Moved moved;

    uint32_t n_owned() const { return static_cast<uint32_t>(layer_ends[0]); }
};

struct LocalMap {
    std::string name;
    int32_t from = 0; // sets
    int32_t into = 0;
    LargeVector<uint32_t> to;
    int64_t n_rows = 0;
    int32_t arity = 1;
};

class Mesh {
public:
    // Collective. Where `describe` fails on a rank, all do.
    Mesh(Context &context, FunctionRef<MeshDescription()> describe);
    ~Mesh() { --context_.children; }
    Mesh(const Mesh &) = delete;
    Mesh &operator=(const Mesh &) = delete;

    Context &context() const { return context_; }
    uint64_t id() const { return id_; }
    int32_t depth() const { return depth_; }
    // HALO_ERR_ARGUMENT: there is no such set, no such map.
    const LocalSet &set(int32_t number) const;
    const LocalMap &map(int32_t number) const;
    const Columns &columns(int32_t number) const;

    // Collective.
    std::unique_ptr<Topology> topology(int32_t set) const;
    // This rank's own entities are one part, and `targets`, copies of any rank's, the other.
    std::unique_ptr<Topology> target_topology(int32_t set, const uint64_t *targets, int64_t n) const;
    // As make_columns; returns the number of the columns.
    int32_t add_columns(int32_t set, int32_t n_layers, const int32_t *layers);
    std::unique_ptr<Topology> column_topology(int32_t columns) const;
    void distribute(int32_t set, const std::byte *brought, std::byte *local, int64_t bytes) const;
    void collect(int32_t set, const std::byte *local, std::byte *brought, int64_t bytes) const;
    // As map_columns. Local.
    std::vector<uint32_t> column_map(int32_t map, int32_t from, int32_t to, std::span<const halo_column_entry> entries) const;

private:
    // What is known is used up.
    void make_local(const MeshDescription &mesh, KnownMesh &known, std::vector<Moved> moved);
    // All ranks name the same set, the same columns. Collective.
    void agree_that(const char *what, const char *item, int32_t number) const;
    // Of points as this rank stores them: its own first, and of the rest the section bits. Collective.
    std::unique_ptr<Topology> stored_topology(std::span<const uint64_t> keys, size_t n_owned, std::span<const int32_t> owners,
                                              std::span<const uint32_t> groups_of_ghosts) const;
    // All ranks move the same, and have it. Collective; returns the bytes.
    size_t check_values(int32_t set, const std::byte *brought, const std::byte *local, int64_t bytes) const;

    Context &context_;
    uint64_t id_;
    int32_t depth_ = 1;
    std::vector<LocalSet> sets_;
    std::vector<LocalMap> maps_;
    std::vector<Columns> columns_;
};

} // namespace halo
